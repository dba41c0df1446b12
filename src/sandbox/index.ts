/** haft/sandbox: places for files and processes. */
export {
  type IsolatedLimits,
  type IsolatedMount,
  type IsolatedOptions,
  isolated,
  isolatedProvider,
} from "./isolated/index.ts";
export { type LocalOptions, local, localProvider } from "./local/index.ts";
export { openSandbox } from "./open.ts";
export { type VirtualOptions, virtual, virtualProvider } from "./virtual/index.ts";
