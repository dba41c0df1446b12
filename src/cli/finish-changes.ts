/** The end of a run in an overlay: shows what is held back, and applies it when somebody says so. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExecuteResult } from "../core/result.ts";
import type { Changes, FileChange } from "../core/sandbox.ts";
import { HAFT_FOLDER, haftFolder, type Project } from "../project/index.ts";
import { openPrompt } from "./ask/prompt.ts";
import { usageError } from "./exit-codes.ts";
import { patchOf } from "./render/diff.ts";
import { count } from "./render/text.ts";
import type { Reporter } from "./reporter.ts";
import { shownChanges } from "./shown-changes.ts";

export interface FinishOptions {
  /** `--apply` is true, `--no-apply` false. */
  apply: boolean | undefined;
  session: string;
  /** Of the last run: its secrets are not shown. */
  result: ExecuteResult | undefined;
  /** The run came to a good end. What a failed one left is applied only when a person says so. */
  succeeded: boolean;
  /** False when nobody should be asked: the process was told to end. */
  asks: boolean;
}

/** @throws HaftError USAGE_INVALID for `--apply` or `--no-apply` where nothing is held back */
export function checkApplyFlag({ sandbox, settings }: Project, apply: boolean | undefined): void {
  if (apply === undefined || sandbox.capabilities.overlay) return;
  throw usageError(
    `${apply ? "--apply" : "--no-apply"} has no meaning here: the ${sandbox.kind} sandbox writes straight to your files.`,
    settings.sandbox === "virtual" ? "Leave it out." : "Leave it out, or hold writes back with --sandbox virtual.",
  );
}

/** @throws HaftError SANDBOX_CONFLICT when files changed on the host meanwhile: nothing is written then */
export async function finishChanges(project: Project, reporter: Reporter, options: FinishOptions): Promise<void> {
  const changes = await project.sandbox.diff?.();
  if (!changes || changes.files.length === 0) return;
  const shown = shownChanges(changes.files, options.result);
  reporter.changes(shown);
  if (!(await wanted(reporter, changes, options))) {
    const kept = await keepPatch(project, shown, options.session);
    reporter.decided(shown, { applied: false, text: `Not applied. ${kept}` });
    return;
  }
  try {
    const { written, deleted } = await changes.apply();
    const text = `Applied  ${count(written.length, "file")} written, ${deleted.length} deleted`;
    reporter.decided(shown, { applied: true, text });
  } catch (thrown) {
    const kept = await keepPatch(project, shown, options.session);
    reporter.decided(shown, { applied: false, text: `Not applied. ${kept}` });
    throw thrown;
  }
}

async function wanted(
  reporter: Reporter,
  { files }: Changes,
  { apply, succeeded, asks }: FinishOptions,
): Promise<boolean> {
  if (apply === false) return false;
  if (apply && succeeded) return true;
  const screen = asks ? reporter.asks : undefined;
  if (!screen) return false;
  const { confirm } = await import("@clack/prompts");
  const message = `Apply ${files.length === 1 ? "this change" : `these ${files.length} changes`} to your files?`;
  const question = { message, initialValue: succeeded };
  const prompt = () => openPrompt((place) => confirm({ ...question, ...place }), { dropsTypeAhead: true });
  return (await screen.hold(prompt)) === true;
}

/** Work that was paid for is not thrown away. */
async function keepPatch({ settings }: Project, files: readonly FileChange[], session: string): Promise<string> {
  const { patch, left } = patchOf(files);
  const missing = left.length > 0 ? ` It lacks ${left.join(", ")}: not text.` : "";
  if (!patch) return missing.trim();
  const name = join(HAFT_FOLDER, "patches", `${session}.patch`);
  try {
    const folder = join(await haftFolder(settings.cwd), "patches");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${session}.patch`), patch);
    return `To apply it later:\n  git apply ${name}${missing && `\n${missing.trim()}`}`;
  } catch {
    return missing.trim();
  }
}
