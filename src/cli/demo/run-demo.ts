/** Runs the demo: the real engine and tools, a scripted model, and a temporary copy of a small project. */
import { newId } from "../../base/ids.ts";
import { openProject, type Project, readSettings, withSession } from "../../project/index.ts";
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
import { demoFailure, inDemoFolder, testsPass } from "./demo-folder.ts";
import type { DemoFiles } from "./project.ts";
import { demoScript } from "./script.ts";

const INTRO =
  "Nothing leaves this machine. The model is a script, so its words were written beforehand; the engine, the tools, " +
  "the commands and the tests are real. They work on a temporary copy of a small project, which is removed at the end.";

/** Milliseconds of thinking, where somebody watches. */
const PACE = 400;

/** Gives the exit code. Fails when anything is not as it is shown: the tests must fail before the edit, and pass after. */
export function runDemo(files: DemoFiles, screen: Screen): Promise<number> {
  return inDemoFolder(files, async (folder) => {
    const settings = await readSettings({ cwd: folder, sandbox: "local", config: false }, {});
    const model = scriptedModel(demoScript(screen.isLive ? PACE : 0), { provider: "scripted", modelId: "demo" });
    const project = await openProject({ ...settings, sandboxReason: "a temporary copy" }, model);
    try {
      screen.print(`${wrapWith(INTRO, screen.width, "Demo     ").replace(/^Demo/, screen.colors.bold("Demo"))}\n`);
      return await play(project, screen, screenReporter(screen, false));
    } finally {
      await closeProject(project);
    }
  });
}

async function play(project: Project, screen: Screen, reporter: Reporter): Promise<number> {
  reporter.begin(project, []);
  const passedBefore = await testsPass(project);
  const session = newId("session");
  const prompt = "The price of a cart is wrong. Find out why, and repair it.";
  screen.print(`> ${prompt}\n`);
  const { result, durationMs, signal } = await withSession(project.store, session, (held) =>
    takeTurn(project, { session, held, prompt, reporter, answers: new SessionAnswers() }),
  );
  reporter.end(result, { durationMs });
  if (signal) return signalExitCodes[signal];
  if (result.status === "error") {
    screen.print(renderError(result.error, screen.width, screen.colors));
    return exitCodeOfResult(result);
  }
  const problem = passedBefore ? "the tests passed before the repair" : !(await testsPass(project)) && "the tests fail";
  if (!problem) {
    screen.print('Next     Your own project: haft run --sandbox virtual "what does this do?"');
    screen.print("         A program that outlives its process: haft demo --mode code");
    return exitCodes.success;
  }
  screen.print(renderError(demoFailure(problem), screen.width, screen.colors));
  return exitCodes.failed;
}
