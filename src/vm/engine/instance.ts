/** One engine in its own memory: strings and values in and out, calls into the guest, and what the guest asks for. */
import type { Box, QuickJsExports } from "./exports.ts";
import { HostArguments, hostImports } from "./host-imports.ts";
import { type WasmModule, WebAssembly } from "./web-assembly.ts";

/** What an engine asks of whoever runs it. */
export interface GuestHost {
  /** The one function that the guest has: an opcode, then its arguments. Gives a value for the guest. */
  handle(opcode: number, args: HostArguments): Box | undefined;
  /** Asked all ten thousand steps or so. True stops the guest for good. */
  shouldStop(): boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** A promise was rejected and nobody handles it, or somebody does now after all. */
  rejected(promise: Box, isHandled: boolean): void;
}

/** The guest ended in an exception: one that it can catch and did not, or one that stops it. */
export class GuestException extends Error {
  readonly isUncatchable: boolean;
  readonly stackText: string;

  constructor(name: string, message: string, stackText: string, isUncatchable: boolean) {
    super(message);
    this.name = name;
    this.stackText = stackText;
    this.isUncatchable = isUncatchable;
  }
}

/** Node has these, and its types do not. They are faster than `toString` and `write`, which find out about encodings. */
interface Memory extends Buffer {
  utf8Slice(start: number, end: number): string;
  utf8Write(text: string, offset: number, length: number): number;
}

export const SCRATCH_BYTES = 24;
const ARGUMENTS = 8;

export class Instance {
  readonly exports: QuickJsExports;
  host: GuestHost | undefined;
  undefinedBox: Box = 0;
  /** What went wrong outside of the guest while it asked for something. */
  failure: unknown;
  /** For lengths that functions give beside their result, and behind them the arguments of a call: four at most. */
  scratch = 0;
  #view: DataView;
  #bytes: Memory;

  constructor(module: WasmModule) {
    const instance = new WebAssembly.Instance(module, hostImports(this, new HostArguments(this)));
    this.exports = instance.exports as unknown as QuickJsExports;
    this.#bytes = Buffer.from(this.exports.memory.buffer) as Memory;
    this.#view = new DataView(this.exports.memory.buffer);
  }

  /** The memory as it is now: growing moves it. */
  get bytes(): Memory {
    if (this.#bytes.buffer !== this.exports.memory.buffer)
      this.#bytes = Buffer.from(this.exports.memory.buffer) as Memory;
    return this.#bytes;
  }

  get view(): DataView {
    if (this.#view.buffer !== this.exports.memory.buffer) this.#view = new DataView(this.exports.memory.buffer);
    return this.#view;
  }

  setLimits(limits: { memoryBytes: number; stackBytes: number }): void {
    this.exports.qjs_set_memory_limit(limits.memoryBytes);
    this.exports.qjs_set_max_stack_size(limits.stackBytes);
  }

  /** A global script in strict mode. Gives its last value. */
  evaluate(code: string, fileName: string): Box {
    const strict = 8;
    const text = this.write(code);
    const bytes = this.#written;
    const file = this.write(fileName);
    const value = this.exports.qjs_eval(text, bytes, file, strict);
    this.exports.wasm_free(text);
    this.exports.wasm_free(file);
    return this.checked(value);
  }

  /** Frees the arguments. */
  call(fn: Box, ...args: readonly Box[]): Box {
    const { exports } = this;
    const list = this.scratch + ARGUMENTS;
    const { view } = this;
    for (let index = 0; index < args.length; index++) view.setUint32(list + index * 4, args[index]!, true);
    const value = exports.qjs_call(fn, this.undefinedBox, args.length, list);
    for (let index = 0; index < args.length; index++) exports.qjs_free_value(args[index]!);
    return this.checked(value);
  }

  /** The same, where what it gives does not matter. */
  run(fn: Box, ...args: readonly Box[]): void {
    this.free(this.call(fn, ...args));
  }

  /** Everything that is ready to go on, until nothing is. */
  runJobs(): void {
    const { exports } = this;
    while (exports.qjs_is_job_pending() !== 0) if (exports.qjs_execute_pending_job() < 0) throw this.#exception();
  }

  free(box: Box): void {
    this.exports.qjs_free_value(box);
  }

  property(object: Box, name: string): Box {
    const text = this.write(name);
    const value = this.exports.qjs_get_prop_string(object, text);
    this.exports.wasm_free(text);
    return this.checked(value);
  }

  numberBox(value: number): Box {
    return this.exports.qjs_new_number(value);
  }

  undefinedCopy(): Box {
    return this.exports.qjs_dup_value(this.undefinedBox);
  }

  stringBox(text: string): Box {
    const address = this.write(text);
    const value = this.exports.qjs_new_string(address, this.#written);
    this.exports.wasm_free(address);
    return this.checked(value);
  }

  /** The value of a JSON text, without a string of it in the guest. */
  jsonBox(json: string): Box {
    const { exports } = this;
    const address = this.write(json);
    const bytes = this.#written;
    const value = exports.JS_ParseJSON(exports.qjs_get_context_ptr(), address, bytes, this.scratch);
    exports.wasm_free(address);
    const box = exports.wasm_malloc(8);
    if (box === 0) throw outOfMemory();
    this.view.setBigInt64(box, value, true);
    return this.checked(box);
  }

  bytesBox(data: Uint8Array): Box {
    const address = this.#allocate(data.length);
    this.bytes.set(data, address);
    const value = this.exports.qjs_new_uint8_array(address, data.length);
    this.exports.wasm_free(address);
    return this.checked(value);
  }

  /** Undefined where the text has more bytes than this, which then stand in `textBytes`. */
  text(box: Box, maxBytes = Number.POSITIVE_INFINITY): string | undefined {
    const { exports } = this;
    const address = exports.qjs_get_string_len(box, this.scratch);
    if (address === 0) throw this.#exception();
    const bytes = this.view.getUint32(this.scratch, true);
    this.textBytes = bytes;
    this.firstCharacter = String.fromCharCode(this.bytes[address]!);
    const text = bytes > maxBytes ? undefined : this.bytes.utf8Slice(address, address + bytes);
    exports.qjs_free_cstring(address);
    return text;
  }

  /** Of the last text, also when it was too long. */
  textBytes = 0;
  firstCharacter = "";

  /** Takes the text of a value, and frees the value. */
  takeText(box: Box, maxBytes?: number): string | undefined {
    try {
      return this.text(box, maxBytes);
    } finally {
      this.free(box);
    }
  }

  /** The address of the text, with a zero behind it. Its length stands in `#written`. */
  write(text: string): number {
    const bytes = Buffer.byteLength(text);
    const address = this.#allocate(bytes + 1);
    const memory = this.bytes;
    if (bytes > 0) memory.utf8Write(text, address, bytes);
    memory[address + bytes] = 0;
    this.#written = bytes;
    return address;
  }

  #written = 0;

  #allocate(bytes: number): number {
    const address = this.exports.wasm_malloc(Math.max(1, bytes));
    if (address === 0) throw outOfMemory();
    return address;
  }

  checked(box: Box): Box {
    if (this.exports.qjs_is_exception(box) === 0) return box;
    this.free(box);
    throw this.#exception();
  }

  #exception(): GuestException {
    const { exports } = this;
    const thrown = exports.qjs_get_exception();
    try {
      const isUncatchable = exports.qjs_is_uncatchable_error(thrown) !== 0;
      if (exports.qjs_is_object(thrown) === 0) {
        return new GuestException("Thrown", this.text(thrown) ?? "", "", isUncatchable);
      }
      const read = (name: string) => this.takeText(this.property(thrown, name), 100_000) ?? "";
      return new GuestException(read("name"), read("message"), read("stack"), isUncatchable);
    } catch {
      return outOfMemory(); // not even its message can be read any more
    } finally {
      this.free(thrown);
    }
  }
}

function outOfMemory(): GuestException {
  return new GuestException("InternalError", "out of memory", "", true);
}
