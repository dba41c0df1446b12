/** haft/sandbox: places for files and processes. */
export type {
  EgressAudit,
  EgressDoor,
  EgressHeader,
  EgressPolicy,
  EgressRequest,
  EgressRule,
  EgressVerdict,
} from "../core/egress.ts";
export {
  type EgressDecide,
  type EgressDecision,
  type EgressListener,
  type EgressLookup,
  type EgressOptions,
  egress,
} from "./egress/index.ts";
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
