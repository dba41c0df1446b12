/** The guest's codec where it runs: in QuickJS, and in a context of Node's, which has the newest of everything. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createContext, Script } from "node:vm";
import { QuickJS } from "quickjs-wasi";
import { guestCodecSource } from "../../src/vm/guest-codec.ts";

export interface GuestVm {
  /** Evaluates an expression that gives a text, with the codec as `encode` and `decode`. */
  text(code: string): string;
}

/** As a boot image has it: made before anything else, out of reach of globals. */
const base64 = `((letters) => {
  const charAt = Function.prototype.call.bind(String.prototype.charAt);
  const indexOf = Function.prototype.call.bind(String.prototype.indexOf);
  const Bytes = Uint8Array;
  const prototype = Object.getPrototypeOf(Bytes.prototype);
  const lengthOf = Function.prototype.call.bind(Object.getOwnPropertyDescriptor(prototype, "length").get);
  return {
    encode(bytes) {
      let text = "";
      for (let at = 0, length = lengthOf(bytes); at < length; at += 3) {
        const left = length - at;
        const bits = (bytes[at] << 16) | ((left > 1 ? bytes[at + 1] : 0) << 8) | (left > 2 ? bytes[at + 2] : 0);
        text += charAt(letters, bits >> 18) + charAt(letters, (bits >> 12) & 63);
        text += (left > 1 ? charAt(letters, (bits >> 6) & 63) : "=") + (left > 2 ? charAt(letters, bits & 63) : "=");
      }
      return text;
    },
    decode(text) {
      let length = (text.length / 4) * 3;
      for (let at = text.length - 1; at >= 0 && text[at] === "="; at--) length--;
      const bytes = new Bytes(length);
      for (let at = 0, to = 0; at < text.length; at += 4) {
        let bits = 0;
        for (let digit = 0; digit < 4; digit++) bits = (bits << 6) | (indexOf(letters, text[at + digit]) & 63);
        for (let shift = 16; shift >= 0 && to < length; shift -= 8) bytes[to++] = bits >> shift;
      }
      return bytes;
    },
  };
})("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")`;

const boot = `(evaluate) => { const { encode, decode } = (${guestCodecSource})(${base64}); return evaluate; }`;
const start = boot.replace(
  "return evaluate",
  "return (code) => (0, eval)('(encode, decode) => (' + code + ')')(encode, decode)",
);

const require = createRequire(import.meta.url);
const wasm = readFileSync(require.resolve("quickjs-wasi/quickjs.wasm"));

export async function quickJsGuest(): Promise<GuestVm> {
  const vm = await QuickJS.create({ wasm, maxStackSize: 512 * 1024 });
  vm.setProp(vm.global, "evaluate", vm.evalCode(`(${start})()`));
  const evaluate = vm.evalCode("evaluate");
  return {
    text(code) {
      const result = vm.callFunction(evaluate, vm.undefined, vm.newString(code));
      const text = result.toString();
      result.dispose();
      return text;
    },
  };
}

export function nodeGuest(): GuestVm {
  const context = createContext({});
  const evaluate = new Script(`(${start})()`).runInContext(context) as (code: string) => unknown;
  return { text: (code) => String(evaluate(code)) };
}
