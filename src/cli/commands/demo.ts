/** `haft demo`: shows a run without a key or a network. */
import { demoProject } from "../demo/project.ts";
import { runDemo } from "../demo/run-demo.ts";
import { Screen } from "../render/screen.ts";

export function demoCommand(): Promise<number> {
  return runDemo(demoProject, new Screen());
}
