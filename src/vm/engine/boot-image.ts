/** A started engine with the guest's prelude in it, kept as bytes: a new instance is a copy of them. */
import type { Box } from "./exports.ts";
import { Instance, SCRATCH_BYTES } from "./instance.ts";
import { quickjsModule } from "./quickjs-module.ts";
import type { WasmModule } from "./web-assembly.ts";

/** Where the prelude's functions are in every instance: they are of the image, and out of the guest's reach. */
export type Entry<Name extends string> = Readonly<Record<Name, Box>>;

const PAGE = 4_096;
const WASM_PAGE = 65_536;
/** Memory never shrinks. One that has grown larger than this is left to the garbage collector. */
const MAX_REUSED_BYTES = 8 * 1_024 * 1_024;
const MAX_IDLE = 8;
/** Without WeakRef and FinalizationRegistry (they show when memory is collected), and without `performance`. */
const INTRINSICS = 0xffffffff & ~512 & ~1_024;

export class BootImage<Name extends string> {
  readonly entry: Entry<Name>;
  readonly #module: WasmModule;
  readonly #image: Buffer;
  /** Where the image differs from the memory of an instance that was only just made. */
  readonly #pages: readonly { offset: number; bytes: Buffer }[];
  readonly #registers: { stack: number; runtime: number; context: number; undefinedBox: number; scratch: number };
  #idle: Instance[] = [];

  static async create<Name extends string>(prelude: string, names: readonly Name[]): Promise<BootImage<Name>> {
    return new BootImage(await quickjsModule(), prelude, names);
  }

  private constructor(module: WasmModule, prelude: string, names: readonly Name[]) {
    this.#module = module;
    const instance = new Instance(module);
    const { exports } = instance;
    const untouched = Buffer.from(instance.bytes);
    exports._initialize();
    exports.qjs_init2(INTRINSICS);
    exports.qjs_set_interrupt_handler(1);
    exports.qjs_set_promise_rejection_handler(1);
    instance.undefinedBox = exports.qjs_get_undefined();
    instance.scratch = exports.wasm_malloc(SCRATCH_BYTES);
    this.entry = evaluatePrelude(instance, prelude, names);
    exports.qjs_run_gc();
    const stack = exports.__stack_pointer.value as number;
    instance.bytes.fill(0, 0, stack); // what calls have left below it would differ from boot to boot
    this.#image = Buffer.from(instance.bytes);
    this.#pages = changedPages(untouched, this.#image);
    this.#registers = {
      stack,
      runtime: exports.qjs_get_runtime_ptr(),
      context: exports.qjs_get_context_ptr(),
      undefinedBox: instance.undefinedBox,
      scratch: instance.scratch,
    };
  }

  take(): Instance {
    const reused = this.#idle.pop();
    const instance = reused ?? new Instance(this.#module);
    const missing = this.#image.length - instance.bytes.length;
    if (missing > 0) instance.exports.memory.grow(Math.ceil(missing / WASM_PAGE));
    if (reused) this.#overwrite(instance.bytes);
    else for (const { offset, bytes } of this.#pages) instance.bytes.set(bytes, offset);
    const { stack, runtime, context, undefinedBox, scratch } = this.#registers;
    instance.undefinedBox = undefinedBox;
    instance.scratch = scratch;
    instance.exports.__stack_pointer.value = stack;
    instance.exports.qjs_set_runtime_and_context(runtime, context);
    return instance;
  }

  /** Not for one that trapped. */
  giveBack(instance: Instance): void {
    instance.host = undefined;
    if (instance.bytes.length <= MAX_REUSED_BYTES && this.#idle.length < MAX_IDLE) this.#idle.push(instance);
  }

  forgetIdle(): void {
    this.#idle = [];
  }

  #overwrite(memory: Buffer): void {
    memory.set(this.#image);
    memory.fill(0, this.#image.length);
  }
}

function evaluatePrelude<Name extends string>(
  instance: Instance,
  prelude: string,
  names: readonly Name[],
): Entry<Name> {
  const { exports } = instance;
  const name = instance.write("host");
  const host = exports.qjs_new_host_function(name, 4, 0);
  exports.wasm_free(name);
  const factory = instance.evaluate(prelude, "haft");
  const made = instance.call(factory, host);
  const entry = Object.fromEntries(names.map((key) => [key, instance.property(made, key)])) as Entry<Name>;
  instance.free(made);
  instance.free(factory);
  instance.runJobs();
  return entry;
}

function changedPages(from: Buffer, to: Buffer): { offset: number; bytes: Buffer }[] {
  const pages: { offset: number; bytes: Buffer }[] = [];
  const zero = Buffer.alloc(PAGE);
  for (let offset = 0; offset < to.length; offset += PAGE) {
    const bytes = to.subarray(offset, offset + PAGE);
    const before = offset < from.length ? from.subarray(offset, offset + PAGE) : zero;
    if (!bytes.equals(before)) pages.push({ offset, bytes });
  }
  return pages;
}
