/** What the engine imports: one function for all that the guest asks for, the clock, and whether it shall stop. */
import type { Box } from "./exports.ts";
import type { Instance } from "./instance.ts";
import type { WasmImports } from "./web-assembly.ts";

/** Thrown by `handle` to stop the guest for good. */
export const guestStop = Symbol("stop");

/** The arguments of the call that the guest is making, read where they are. */
export class HostArguments {
  readonly #instance: Instance;
  address = 0;

  constructor(instance: Instance) {
    this.#instance = instance;
  }

  box(index: number): Box {
    return this.#instance.view.getUint32(this.address + index * 4, true);
  }

  number(index: number): number {
    return this.#instance.exports.qjs_get_float64(this.box(index));
  }

  isUndefined(index: number): boolean {
    return this.#instance.exports.qjs_is_undefined(this.box(index)) !== 0;
  }

  text(index: number, maxBytes?: number): string | undefined {
    return this.#instance.text(this.box(index), maxBytes);
  }
}

/** It has no files, no timezone, no modules, and no randomness but what a program brings. */
export function hostImports(instance: Instance, args: HostArguments): WasmImports {
  const hostCall = (_name: number, _bytes: number, _self: number, _count: number, address: number): Box => {
    args.address = address;
    const { exports, host } = instance;
    try {
      const answer = host!.handle(args.number(0), args);
      return answer ?? exports.qjs_dup_value(instance.undefinedBox);
    } catch (cause) {
      return throwStop(instance, cause);
    }
  };
  const clock = (_id: number, _precision: bigint, address: number): number => {
    const now = Math.trunc(instance.host?.now() ?? 0);
    instance.view.setBigUint64(address, BigInt(now) * 1_000_000n, true);
    return 0;
  };
  const random = (address: number, bytes: number): number => {
    instance.bytes.fill(7, address, address + bytes);
    return 0;
  };
  const rejected = (promise: Box, reason: Box, isHandled: number): void => {
    instance.free(reason);
    if (instance.host) instance.host.rejected(promise, isHandled !== 0);
    else instance.free(promise);
  };
  const badFile = 8;
  const notAvailable = 52;
  return {
    env: {
      host_call: hostCall,
      host_interrupt: () => (instance.host?.shouldStop() ? 1 : 0),
      host_promise_rejection: rejected,
      host_module_normalize: () => 0,
      host_module_load: () => 0,
      host_get_timezone_offset: () => 0,
    },
    wasi_snapshot_preview1: {
      clock_time_get: clock,
      random_get: random,
      fd_write: () => badFile,
      fd_fdstat_get: () => badFile,
      fd_close: () => notAvailable,
      fd_seek: () => notAvailable,
    },
  };
}

/** What stops the guest from outside cannot be caught in it. The host's own error never reaches it. */
function throwStop(instance: Instance, cause: unknown): Box {
  const { exports } = instance;
  if (cause !== guestStop) instance.failure ??= cause;
  const error = exports.qjs_new_error();
  exports.JS_SetUncatchableError(exports.qjs_get_context_ptr(), instance.view.getBigInt64(error, true));
  exports.qjs_free_value(exports.qjs_throw(error));
  exports.qjs_free_value(error);
  return 0;
}
