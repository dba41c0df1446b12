/** What this project uses of the C interface of `quickjs.wasm`. A `Box` is the address of a value, freed by its owner. */
import type { WasmGlobal, WasmMemory } from "./web-assembly.ts";

export type Box = number;
type Address = number;

export interface QuickJsExports {
  readonly memory: WasmMemory;
  readonly __stack_pointer: WasmGlobal;
  _initialize(): void;
  wasm_malloc(bytes: number): Address;
  wasm_free(address: Address): void;

  qjs_init2(intrinsics: number): number;
  qjs_get_runtime_ptr(): Address;
  qjs_get_context_ptr(): Address;
  qjs_set_runtime_and_context(runtime: Address, context: Address): void;
  qjs_run_gc(): void;
  qjs_set_memory_limit(bytes: number): void;
  qjs_set_max_stack_size(bytes: number): void;
  qjs_set_interrupt_handler(isOn: number): void;
  qjs_set_promise_rejection_handler(isOn: number): void;

  qjs_eval(code: Address, bytes: number, fileName: Address, flags: number): Box;
  qjs_call(fn: Box, self: Box, count: number, args: Address): Box;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;
  qjs_new_host_function(name: Address, bytes: number, length: number): Box;

  qjs_is_exception(value: Box): number;
  qjs_get_exception(): Box;
  qjs_throw(value: Box): Box;
  qjs_new_error(): Box;
  qjs_is_uncatchable_error(value: Box): number;

  qjs_promise_state(promise: Box): number;
  qjs_promise_result(promise: Box): Box;
  qjs_promise_mark_as_handled(promise: Box): void;

  qjs_get_undefined(): Box;
  qjs_is_undefined(value: Box): number;
  qjs_is_object(value: Box): number;
  qjs_dup_value(value: Box): Box;
  qjs_free_value(value: Box): void;
  qjs_get_value_ptr(value: Box): Address;
  qjs_get_float64(value: Box): number;
  qjs_new_number(value: number): Box;
  qjs_new_string(text: Address, bytes: number): Box;
  qjs_new_uint8_array(data: Address, bytes: number): Box;
  qjs_get_array_buffer(buffer: Box, bytes: Address): Address;
  qjs_get_string_len(value: Box, bytes: Address): Address;
  qjs_free_cstring(text: Address): void;
  qjs_get_prop_string(object: Box, name: Address): Box;

  JS_ParseJSON(context: Address, text: Address, bytes: number, fileName: Address): bigint;
  JS_SetUncatchableError(context: Address, error: bigint): void;
}
