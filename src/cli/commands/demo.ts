/** `haft demo`: shows a run without a key or a network. */
import { demoProject } from "../demo/project.ts";
import { Screen } from "../render/screen.ts";

export interface DemoFlags {
  mode?: string;
}

export async function demoCommand({ mode }: DemoFlags): Promise<number> {
  if (mode !== "code") return (await import("../demo/run-demo.ts")).runDemo(demoProject, new Screen());
  return (await import("../demo/run-code-demo.ts")).runCodeDemo(demoProject, new Screen());
}
