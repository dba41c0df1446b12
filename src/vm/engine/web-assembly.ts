/** WebAssembly as far as it is used here: Node has it, and the types of Node alone do not. */

export type WasmModule = object;

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface WasmGlobal {
  value: number;
}

export type WasmImports = Record<string, Record<string, (...args: never[]) => number | void>>;

interface WasmApi {
  readonly Instance: new (module: WasmModule, imports: WasmImports) => { readonly exports: unknown };
  compile(bytes: Uint8Array): Promise<WasmModule>;
}

export const { WebAssembly } = globalThis as unknown as { WebAssembly: WasmApi };
