/** Who hears what of a run: a person at a terminal or in a log, a program, or a pipe that wants the answer alone. */
import type { Entry, RunEvent } from "../core/log.ts";
import type { ExecuteResult } from "../core/result.ts";
import type { FileChange } from "../core/sandbox.ts";
import type { Project } from "../project/index.ts";
import { patchOf, renderChange } from "./render/diff.ts";
import { jsonLine } from "./render/events-json.ts";
import { printHeader, printNotes } from "./render/header.ts";
import { RunView } from "./render/run-view.ts";
import type { Output, Screen } from "./render/screen.ts";
import { outputText, printOutput, printSummary, type RunFacts } from "./render/summary.ts";
import { clean, count } from "./render/text.ts";

export interface Reporter {
  /** A person can be asked, on this screen. */
  readonly asks: Screen | undefined;
  /** `past` is what the session has already. */
  begin(project: Project, past: readonly Entry[]): void;
  event(event: RunEvent): void;
  note(text: string): void;
  /** What an overlay holds back, before anyone decides. */
  changes(files: readonly FileChange[]): void;
  /** What became of it. */
  decided(files: readonly FileChange[], outcome: { applied: boolean; text: string }): void;
  end(result: ExecuteResult, facts: RunFacts): void;
}

export function screenReporter(screen: Screen, asks: boolean): Reporter {
  const view = new RunView(screen, asks);
  return {
    asks: asks ? screen : undefined,
    begin(project, past) {
      view.recall(past);
      printHeader(screen, project);
    },
    event: (event) => view.event(event),
    note: (text) => view.note(text),
    changes(files) {
      screen.print(screen.colors.bold(`\nChanges  ${count(files.length, "file")}, held back`));
      for (const file of files) screen.print(renderChange(file, screen.colors));
      screen.print();
    },
    decided: (_files, { text }) => screen.print(text),
    end(result, facts) {
      view.close();
      printOutput(screen, result);
      printSummary(screen, result, facts);
    },
  };
}

/** Notes go to stderr, so that stdout holds events and nothing else. */
export function jsonReporter(out: { write(text: string): unknown }, notes: Screen): Reporter {
  return {
    asks: undefined,
    begin: (project) => printNotes(notes, project.notes),
    event: (event) => out.write(jsonLine(event)),
    note: (text) => printNotes(notes, [text]),
    changes() {},
    decided(files, { applied, text }) {
      const list = files.map(({ path, type }) => ({ path, type }));
      out.write(jsonLine({ type: "changes", files: list, applied, patch: patchOf(files).patch }));
      if (!applied) printNotes(notes, [text]);
    },
    end() {},
  };
}

/** The answer alone on stdout: as it is in a pipe, harmless at a terminal. */
export function quietReporter(out: Output, notes: Screen): Reporter {
  return {
    asks: undefined,
    begin: (project) => printNotes(notes, project.notes),
    event() {},
    note: (text) => printNotes(notes, [text]),
    changes() {},
    decided(_files, { applied, text }) {
      if (!applied) printNotes(notes, [text]);
    },
    end(result) {
      if (result.status !== "success" || result.output === undefined) return;
      const text = outputText(result.output);
      out.write(`${out.isTTY ? clean(text) : text}\n`);
    },
  };
}
