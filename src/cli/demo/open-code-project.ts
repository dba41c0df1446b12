/** Opens the demo's folder for programs: both of its processes do, with the same settings. */
import { openProject, type Project, readSettings } from "../../project/index.ts";
import { scriptedModel } from "../../testing/scripted-model.ts";
import { demoScript, type Step } from "./script.ts";

/** A person has to agree to each edit. */
export async function openCodeProject(folder: string, steps: readonly Step[], paceMs: number): Promise<Project> {
  const flags = { cwd: folder, sandbox: "local", mode: "code", config: false, contextFiles: false };
  const settings = await readSettings(flags, {});
  const policy = [{ tool: "Edit", then: "ask" as const, reason: "a person looks at every edit" }];
  const model = scriptedModel(demoScript(paceMs, steps), { provider: "scripted", modelId: "demo" });
  return openProject({ ...settings, config: { policy }, sandboxReason: "a temporary copy" }, model);
}
