/** The programs of one run, one after the other, in a VM whose variables live as long as the run. */
import { randomBytes } from "node:crypto";
import { HaftError, messageOf } from "../../base/errors.ts";
import type { AbortListener } from "../../core/context.ts";
import type { LoggedError } from "../../core/log.ts";
import type { Hands, PastProgram } from "../../core/mode.ts";
import type {
  ProgramChecker,
  ProgramDone,
  ProgramInput,
  ProgramLimits,
  ProgramProblem,
  ProgramSession,
  ProgramVm,
  ProgramWrite,
} from "../../core/program.ts";
import type { Offer } from "./offer.ts";
import { ProgramRun } from "./program-run.ts";
import { diverged } from "./replay-errors.ts";
import { runAgain } from "./run-again.ts";
import { within } from "./within.ts";
import { programObjects, Writes } from "./writes.ts";

export interface CodeModeParts {
  vm: ProgramVm;
  /** Without one, types are not looked at. */
  checker: ProgramChecker | undefined;
  /** Milliseconds that a program waits for its check before it runs unchecked. Default: as long as it takes. */
  maxWaitMs?: number;
  limits?: Partial<ProgramLimits>;
}

export interface Ended {
  done: ProgramDone;
  /** Undefined: nothing of it ran. */
  run: ProgramRun | undefined;
}

type Check = "passed" | "unchecked" | "off";

/** How often one program is begun again at one place because the VM died under it. */
const MAX_LOSSES = 3;

export class Programs {
  readonly #parts: CodeModeParts;
  #session: ProgramSession | undefined;
  /** The programs whose top level the session has. */
  #kept: string[] = [];
  #run: ProgramRun | undefined;
  /** The session gives up the program before. */
  #leaving: Promise<void> | undefined;
  /** Those of the program that runs. */
  #writes: Writes | undefined;

  constructor(parts: CodeModeParts) {
    this.#parts = parts;
  }

  /** `code` is the model's; a hook, or the log, may have another. `id` is that of the model's call. */
  async run(id: string, code: string, offer: Offer, hands: Hands): Promise<Ended> {
    await this.#leaving;
    const past = this.#session ? undefined : await this.#open(offer, hands);
    const input = past ? recalled(past, code, offer) : await this.#begin(code, offer, hands);
    if ("problems" in input) return { done: { type: "invalid", problems: input.problems }, run: undefined };
    if (past?.end?.status === "limit") return { done: limitOf(past, hands), run: undefined };

    const run = new ProgramRun(hands, offer, id, input.code);
    this.#run = run;
    const done = await this.#withinTime(this.#drive(run, input, past, offer, hands));
    const isLeft = this.#run !== run || done.type === "aborted";
    if (isLeft) return new Promise(() => {}); // a call stopped it, or the whole run is: nobody waits for this program
    if (done.type === "diverged") throw diverged(done.message);
    const isStopped = !past?.end && !hands.program.ended({ ...endOf(done), calls: run.calls.size });
    if (isStopped) return new Promise(() => {}); // what stopped it tells the model
    run.finish();
    this.#run = undefined;
    if (done.type === "limit") this.close();
    else this.#kept.push(input.code);
    return { done, run };
  }

  /** A call stopped the program: it goes no further, and what it made at its top level stays. Gives what ran so far. */
  leave(): ProgramRun | undefined {
    const run = this.#run;
    if (!run) return undefined;
    run.stop();
    this.#run = undefined;
    if (run.isAsLogged) {
      this.#kept.push(run.code);
      this.#leaving = this.#session?.leave().catch(() => this.close());
    } else this.close(); // what stays of it is what a replay would find
    return run;
  }

  /** What the VM holds is rebuilt from the log, when there is another program. */
  close(): void {
    this.#run?.stop();
    this.#run = undefined;
    this.#session?.close();
    this.#session = undefined;
    this.#kept = [];
  }

  /** Gives this iteration's program, where the log has it. */
  async #open(offer: Offer, hands: Hands): Promise<PastProgram | undefined> {
    const { earlier, current } = hands.program.past();
    const kept = earlier.filter(({ end }) => end?.status !== "limit"); // what a limit stopped is void
    for (let losses = 0; losses < MAX_LOSSES; losses++) {
      if (!(await this.#rebuild(kept, offer, hands))) continue;
      this.#kept = kept.map(({ start }) => start.code);
      return current;
    }
    throw vmLost();
  }

  /** False where the VM is lost meanwhile. */
  async #rebuild(kept: readonly PastProgram[], offer: Offer, hands: Hands): Promise<boolean> {
    const { vm, limits } = this.#parts;
    this.#session?.close();
    const write = (write: ProgramWrite) => this.#writes!.write(write);
    const session = await vm.open({ limits, write });
    this.#session = session;
    for (const program of kept) {
      this.#writes = new Writes(hands, program.start.key);
      if (!(await runAgain(session, program, offer))) return false;
    }
    return true;
  }

  async #begin(
    given: string,
    offer: Offer,
    hands: Hands,
  ): Promise<ProgramInput | { problems: readonly ProgramProblem[] }> {
    const code = hands.program.replaced ?? given;
    const check = await this.#check(code, offer);
    if (typeof check !== "string") return { problems: check };
    const seed = randomBytes(16).toString("hex");
    const now = hands.program.begin({ code, seed, check });
    return { code, seed, now, functions: offer.paths, objects: programObjects(offer.objects) };
  }

  async #check(code: string, offer: Offer): Promise<Check | readonly ProgramProblem[]> {
    const { checker, maxWaitMs } = this.#parts;
    if (!checker) return "off";
    const checking = checker.check({ code, declarations: offer.declarations.text, earlier: this.#kept });
    const problems = await within(
      checking.catch(() => undefined),
      maxWaitMs,
    );
    if (!problems) return "unchecked";
    return problems.length > 0 ? problems : "passed";
  }

  /** Begins it again where the VM is lost: calls that go on meanwhile go on. */
  async #drive(
    run: ProgramRun,
    input: ProgramInput,
    begun: PastProgram | undefined,
    offer: Offer,
    hands: Hands,
  ): Promise<ProgramDone> {
    const { abort } = hands.program;
    const stop: AbortListener = { handleEvent: () => this.#session?.abort() };
    abort.add(stop);
    try {
      let past = begun;
      for (let losses = 0; losses < MAX_LOSSES; losses++) {
        const settled = past?.settled.length ?? 0;
        this.#writes = new Writes(hands);
        const done = await run.run(this.#session!, input, past);
        if (done.type !== "lost") return done;
        past = await this.#open(offer, hands);
        if ((past?.settled.length ?? 0) > settled) losses = 0; // it comes further: others may have killed its VM
      }
    } finally {
      abort.remove(stop);
    }
    throw vmLost();
  }

  async #withinTime(work: Promise<ProgramDone>): Promise<ProgramDone> {
    const { wallMs } = this.#parts.limits ?? {};
    const done = await within(work, wallMs);
    if (done) return done;
    this.#session?.abort();
    return { type: "limit", limit: "wallMs", message: `it took longer than ${wallMs} ms` };
  }
}

function vmLost(): HaftError {
  return new HaftError("PROGRAM_VM_LOST", `The VM died ${MAX_LOSSES} times under one program`, {
    hint: "The log has what was done. Look at the memory of this machine, and go on with the same session.",
  });
}

/** A limit stopped it, and only the process ended before that was told: another run of it might come further. */
function limitOf({ end, calls }: PastProgram, hands: Hands): ProgramDone {
  for (const [number, { hasEnded }] of calls) {
    if (!hasEnded) hands.program.abandon({ id: "", name: "", input: undefined, number });
  }
  return { type: "limit", limit: "wallMs", message: end!.error?.message ?? "it reached a limit" };
}

/** Of a program that was begun in an earlier process. */
function recalled({ start }: PastProgram, code: string, offer: Offer): ProgramInput {
  if (!start.isReplaced && start.code !== code) throw diverged("The program is another than the one that was begun");
  const objects = programObjects(offer.objects);
  return { code: start.code, seed: start.seed, now: start.at, functions: offer.paths, objects };
}

function endOf(done: ProgramDone): { status: "returned" | "exit" | "threw" | "limit"; error?: LoggedError } {
  switch (done.type) {
    case "returned":
    case "exit":
      return { status: done.type };
    case "limit":
      return { status: "limit", error: { code: "PROGRAM_LIMIT", message: done.message } };
    case "invalid": {
      const [first] = done.problems;
      return { status: "threw", error: { code: "PROGRAM_INVALID", message: first?.message ?? "", ...placed(first) } };
    }
    default:
      return { status: "threw", error: errorOf(done) };
  }
}

function errorOf(done: ProgramDone): LoggedError {
  if (done.type !== "threw") return { code: "PROGRAM_FAILED", message: messageOf(done) };
  const { name, message, code, frames } = done.error;
  const known = typeof code === "string" ? code : "PROGRAM_FAILED";
  return { code: known, message: `${name}: ${message}`, ...placed(frames[0]) };
}

function placed(at: { line: number; column: number } | undefined): Pick<LoggedError, "data"> {
  return at ? { data: { line: at.line, column: at.column } } : {};
}
