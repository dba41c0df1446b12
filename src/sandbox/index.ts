/** haft/sandbox: places for files and processes. */
export { local, localProvider } from "./local/index.ts";
export { openSandbox } from "./open.ts";
export { virtual, virtualProvider } from "./virtual/index.ts";
