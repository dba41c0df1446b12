/** The engine's code: QuickJS-NG as WebAssembly, one known file, compiled once a thread. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { HaftError, messageOf } from "../../base/errors.ts";
import { type WasmModule, WebAssembly } from "./web-assembly.ts";

/** Of `quickjs.wasm` in quickjs-wasi 3.7.0 (QuickJS-NG 0.18). Turns are the same everywhere because this file is. */
export const QUICKJS_SHA256 = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363";

let compiled: Promise<WasmModule> | undefined;

export function quickjsModule(): Promise<WasmModule> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<WasmModule> {
  const bytes = await read();
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== QUICKJS_SHA256) {
    throw new HaftError("VM_UNAVAILABLE", `quickjs.wasm is not the file that this version knows (sha256 ${found})`, {
      hint: "Install quickjs-wasi 3.7.0.",
    });
  }
  return WebAssembly.compile(bytes);
}

async function read(): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm"));
  } catch (cause) {
    throw new HaftError("VM_UNAVAILABLE", `quickjs.wasm cannot be read: ${messageOf(cause)}`, {
      hint: "Install quickjs-wasi 3.7.0.",
      cause,
    });
  }
}
