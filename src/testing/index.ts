/** haft/testing: a scripted model, and the contract suites that own implementations can run. */
export { type ContractSubject, type SandboxContractCase, sandboxContract } from "./sandbox-contract.ts";
export {
  type Script,
  type ScriptedModel,
  type ScriptedRequest,
  type ScriptedStep,
  scriptedModel,
} from "./scripted-model.ts";
export { type StoreContractCase, type StoreSubject, storeContract } from "./store-contract.ts";
