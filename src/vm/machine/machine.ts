/** One session's guest, without a thread of its own: programs in, turns out, everything at once. */
import type { ProgramDone, ProgramInput, ProgramLimits, ProgramProblem } from "../../core/program.ts";
import type { compileProgram } from "../compile/index.ts";
import type { BootImage } from "../engine/boot-image.ts";
import type { Box } from "../engine/exports.ts";
import { guestStop, type HostArguments } from "../engine/host-imports.ts";
import { GuestException, type GuestHost, type Instance } from "../engine/instance.ts";
import type { EntryName } from "../guest/prelude.ts";
import { conclude, isOver } from "./conclude.ts";
import { CpuBudget } from "./cpu-budget.ts";
import { type Delivery, deliver } from "./delivery.ts";
import { failureOf, needsMoreMemory } from "./failure.ts";
import { handleOperation } from "./host-operations.ts";
import { ProgramClock } from "./program-clock.ts";
import { RejectedPromises } from "./rejected-promises.ts";
import { RunningProgram } from "./running-program.ts";
import { SeededBytes } from "./seeded-bytes.ts";
import { TurnText } from "./turn-text.ts";

const UNUSABLE = "An earlier program has locked the global object: all variables and $return are gone.";

export interface MachineOptions {
  image: BootImage<EntryName>;
  compile: typeof compileProgram;
  limits: ProgramLimits;
  isAborted(): boolean;
  /** Nothing, or the JSON text of what was written, or `!` and the reason why it was not. */
  write(object: string, property: string, value: string | undefined): string | undefined;
}

export class Machine implements GuestHost {
  readonly limits: ProgramLimits;
  readonly image: BootImage<EntryName>;
  readonly turn = new TurnText();
  instance!: Instance;
  rejections!: RejectedPromises;
  program: RunningProgram | undefined;
  /** Of the program's end. */
  promise: Box = 0;
  readonly #options: MachineOptions;
  readonly #clock = new ProgramClock();
  readonly #cpu = new CpuBudget();
  #randomBytes = new SeededBytes("");
  #programs = 0;
  /** Why it goes no further, from the moment on at which it must not. */
  #stop: ProgramDone | undefined;
  #isOver = false;
  #isBroken = false;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.limits = options.limits;
    this.image = options.image;
    this.#takeInstance();
  }

  #takeInstance(): void {
    const { memoryMb, stackKb } = this.limits;
    this.instance = this.image.take();
    this.instance.host = this;
    this.instance.setLimits({ memoryBytes: memoryMb * 1_024 * 1_024, stackBytes: stackKb * 1_024 });
    this.rejections = new RejectedPromises(this.instance);
  }

  start(input: ProgramInput): string {
    if (this.#isOver) return this.#lost();
    const compiled = this.#options.compile(input.code, { functions: input.functions });
    if (!compiled.ok) return this.#invalid(compiled.problems);
    const program = new RunningProgram(++this.#programs, input, compiled.program);
    this.#clock.start(input.now);
    this.#cpu.start(this.limits.cpuMs);
    this.#randomBytes = new SeededBytes(input.seed);
    return this.#inGuest(input.isReplay === true, () => this.#begin(program, input));
  }

  settle(deliveries: readonly Delivery[], isReplay: boolean): string {
    if (this.#isOver) return this.#lost();
    return this.#inGuest(isReplay, () => {
      for (const delivery of deliveries) {
        const problem = deliver(delivery, this, this.#clock);
        if (problem) return this.#end({ type: "diverged", message: problem });
        this.instance.runJobs();
        if (isOver(this)) break; // what came too late for it is not told: live it would be another turn, or none
      }
      return conclude(this);
    });
  }

  leave(): void {
    if (this.#isOver || !this.program) return;
    this.#inGuest(true, () => {
      this.endProgram();
      return "";
    });
  }

  close(): void {
    this.#isOver = true;
    if (this.#isBroken || this.instance.host !== this) return;
    this.image.giveBack(this.instance);
  }

  /** Its variables stay; what it waits for is forgotten. */
  endProgram(): void {
    const { keepScope, forgetCalls, forgetTimers } = this.image.entry;
    this.program = undefined;
    for (const entry of [keepScope, forgetCalls, forgetTimers]) this.instance.run(entry);
    this.instance.free(this.promise);
    this.rejections.clear();
  }

  #begin(program: RunningProgram, input: ProgramInput): string {
    this.#prepare(program);
    const { instance, image } = this;
    const { seedRandom, run } = image.entry;
    instance.run(seedRandom, ...SeededBytes.words(input.seed).map((word) => instance.numberBox(word)));
    const code = this.#evaluate(program);
    if (typeof code === "string") return code;
    this.program = program;
    this.promise = instance.call(run, code);
    instance.exports.qjs_promise_mark_as_handled(this.promise);
    instance.runJobs();
    return conclude(this);
  }

  /** An earlier program may have frozen the global object: then nothing can be put there, and a new one takes its place. */
  #prepare(program: RunningProgram): void {
    const objects = program.objects.map(({ name, properties }) => ({
      name,
      properties: properties.map(({ value, ...rest }) => ({ ...rest, value: JSON.stringify(value) })),
    }));
    const texts = [JSON.stringify(program.functions), JSON.stringify(objects)];
    const put = () =>
      this.instance.run(this.image.entry.prepare, ...texts.map((text) => this.instance.stringBox(text)));
    try {
      put();
    } catch (thrown) {
      if (this.#programs === 1 || !(thrown instanceof GuestException) || thrown.isUncatchable) throw thrown;
      this.instance.host = undefined;
      this.#takeInstance();
      put();
      this.turn.print("warn", JSON.stringify([UNUSABLE]));
    }
  }

  /** The program's function, or a turn: the engine may know less of the language than the compiler. */
  #evaluate(program: RunningProgram): Box | string {
    try {
      return this.instance.evaluate(program.code, program.fileName);
    } catch (thrown) {
      if (!(thrown instanceof GuestException) || thrown.isUncatchable) throw thrown;
      const at = program.rawPlace(thrown.stackText);
      const place = at ? program.place(at.line, at.column) : { line: 1, column: 1 };
      return this.#invalid([{ ...place, message: thrown.message, excerpt: program.excerpt(place.line, place.column) }]);
    }
  }

  /** Whatever happens in there, there is a turn, and time that counts. */
  #inGuest(isReplay: boolean, act: () => string): string {
    this.#cpu.enter(isReplay);
    try {
      if (this.#options.isAborted()) return this.#end({ type: "aborted" });
      const text = act();
      return this.#stop ? this.#end(this.#stop) : text; // a promise takes for a rejection what stops the guest
    } catch (thrown) {
      return this.#end(this.#stop ?? this.#reasonOf(thrown));
    } finally {
      this.#cpu.exit();
    }
  }

  #reasonOf(thrown: unknown): ProgramDone {
    const { done, isBroken } = failureOf(thrown, this);
    this.#isBroken ||= isBroken;
    return done;
  }

  #invalid(problems: readonly ProgramProblem[]): string {
    return this.turn.done(JSON.stringify({ type: "invalid", problems } satisfies ProgramDone));
  }

  #end(done: ProgramDone): string {
    this.#isOver = true;
    this.program = undefined;
    return this.turn.done(JSON.stringify(done));
  }

  #lost(): string {
    return this.#end({ type: "lost", message: "The session has ended with an earlier program" });
  }

  /** Throws, so that nothing of the guest goes on. */
  stop(limit: keyof ProgramLimits, message: string): never {
    this.#stop ??= { type: "limit", limit, message };
    throw guestStop;
  }

  handle(opcode: number, args: HostArguments): Box | undefined {
    if (this.shouldStop()) throw guestStop; // a few calls with much in each are not many steps
    try {
      return handleOperation(opcode, args, this);
    } catch (thrown) {
      if (thrown instanceof GuestException) throw this.stop("memoryMb", needsMoreMemory(this.limits)); // for the text of an argument
      throw thrown;
    }
  }

  shouldStop(): boolean {
    if (this.#stop) return true;
    if (this.#options.isAborted()) this.#stop = { type: "aborted" };
    else if (this.#cpu.isSpent) {
      const message = `The program computed for longer than ${this.limits.cpuMs.toLocaleString("en-US")} ms`;
      this.#stop = { type: "limit", limit: "cpuMs", message };
    }
    return this.#stop !== undefined;
  }

  /** Where the engine was busy for long without asking. */
  assertMayGoOn(): void {
    if (this.shouldStop()) throw guestStop;
  }

  now(): number {
    return this.#clock.read();
  }

  rejected(promise: Box, isHandled: boolean): void {
    this.rejections.note(promise, isHandled);
  }

  randomBytes(count: number): Uint8Array {
    return this.#randomBytes.take(count);
  }

  askWrite(object: string, property: string, value: string | undefined): string | undefined {
    const asked = performance.now();
    const answer = this.#options.write(object, property, value);
    this.#cpu.excuse(performance.now() - asked);
    this.assertMayGoOn();
    return answer;
  }
}
