/** Runs the demo: the real engine and tools, a scripted model, and a temporary copy of a small project. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HaftError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { openProject, type Project, readSettings } from "../../project/index.ts";
import { scriptedModel } from "../../testing/scripted-model.ts";
import { SessionAnswers } from "../ask/session-answers.ts";
import { closeProject } from "../close-project.ts";
import { exitCodeOfResult, exitCodes } from "../exit-codes.ts";
import { renderError } from "../render/error.ts";
import type { Screen } from "../render/screen.ts";
import { wrapWith } from "../render/text.ts";
import { type Reporter, screenReporter } from "../reporter.ts";
import { signalExitCodes } from "../signals.ts";
import { takeTurn } from "../take-turn.ts";
import type { DemoFiles } from "./project.ts";
import { demoScript, TEST_COMMAND } from "./script.ts";

const INTRO =
  "Nothing leaves this machine. The model is a script, so its words were written beforehand; the engine, the tools, " +
  "the commands and the tests are real. They work on a temporary copy of a small project, which is removed at the end.";

/** Milliseconds of thinking, where somebody watches. */
const PACE = 400;

/** Gives the exit code. Fails when anything is not as it is shown: the tests must fail before the edit, and pass after. */
export async function runDemo(files: DemoFiles, screen: Screen): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "haft-demo-"));
  try {
    await copyTo(folder, files);
    const settings = await readSettings({ cwd: folder, sandbox: "local", config: false }, {});
    const model = scriptedModel(demoScript(screen.isLive ? PACE : 0), { provider: "scripted", modelId: "demo" });
    const project = await openProject({ ...settings, sandboxReason: "a temporary copy" }, model);
    try {
      screen.print(`${wrapWith(INTRO, screen.width, "Demo     ").replace(/^Demo/, screen.colors.bold("Demo"))}\n`);
      return await play(project, screen, screenReporter(screen, false));
    } finally {
      await closeProject(project);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyTo(folder: string, files: DemoFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function play(project: Project, screen: Screen, reporter: Reporter): Promise<number> {
  reporter.begin(project, []);
  const passedBefore = await testsPass(project);
  const session = newId("session");
  const prompt = "The price of a cart is wrong. Find out why, and repair it.";
  screen.print(`> ${prompt}\n`);
  const { result, durationMs, signal } = await takeTurn(project, {
    session,
    prompt,
    reporter,
    answers: new SessionAnswers(),
  });
  reporter.end(result, { durationMs });
  if (signal) return signalExitCodes[signal];
  if (result.status === "error") {
    screen.print(renderError(result.error, screen.width, screen.colors));
    return exitCodeOfResult(result);
  }
  const problem = passedBefore ? "the tests passed before the repair" : !(await testsPass(project)) && "the tests fail";
  if (!problem) {
    screen.print('Next     Your own project: haft run --sandbox virtual "what does this do?"');
    return exitCodes.success;
  }
  const error = new HaftError("DEMO_FAILED", `The demo did not do what it shows: ${problem}.`, {
    hint: `Check that ${TEST_COMMAND} works here: the demo needs node on the PATH.`,
  });
  screen.print(renderError(error, screen.width, screen.colors));
  return exitCodes.failed;
}

/** Asked of the project itself, not of the script. */
async function testsPass({ sandbox }: Project): Promise<boolean> {
  const { status, exitCode } = await sandbox.exec(TEST_COMMAND, { timeoutMs: 60_000 });
  return status === "exited" && exitCode === 0;
}
