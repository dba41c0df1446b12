/** The contract suite of sandboxes: whatever passes these cases can stand behind every tool that uses files or commands. */
import { capabilityCases } from "./sandbox-contract/capabilities.ts";
import { type ContractCase, type ContractSubject, inSandbox } from "./sandbox-contract/case.ts";
import { commandCases } from "./sandbox-contract/commands.ts";
import { confinementCases } from "./sandbox-contract/confinement.ts";
import { fileErrorCases } from "./sandbox-contract/file-errors.ts";
import { fileCases } from "./sandbox-contract/files.ts";
import { globCases } from "./sandbox-contract/glob.ts";
import { grepCases } from "./sandbox-contract/grep.ts";
import { outputCases } from "./sandbox-contract/output.ts";
import { processCases } from "./sandbox-contract/processes.ts";

export type { ContractSubject } from "./sandbox-contract/case.ts";

/** One case, for any test runner: it resolves when it holds, and rejects with an AssertionError when it does not. */
export interface SandboxContractCase {
  name: string;
  run(): Promise<void>;
}

/**
 * What every sandbox must do, as a list of cases. `make` gives a new, empty sandbox for each of them; the case disposes
 * of it. A case leaves out only what the sandbox's own `capabilities` say that it has not.
 *
 * ```ts
 * import { sandboxContract } from "haft/testing";
 *
 * for (const { name, run } of sandboxContract(async () => ({ sandbox: await mySandbox() }))) test(name, run);
 * ```
 */
export function sandboxContract(make: () => Promise<ContractSubject>): SandboxContractCase[] {
  const cases: ContractCase[] = [
    ...capabilityCases,
    ...fileCases,
    ...fileErrorCases,
    ...confinementCases,
    ...commandCases,
    ...outputCases,
    ...processCases,
    ...globCases,
    ...grepCases,
  ];
  return cases.map((contractCase) => ({ name: contractCase.name, run: () => inSandbox(make, contractCase) }));
}
