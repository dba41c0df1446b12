/** The contract suite of stores: whatever passes these cases keeps the logs of sessions, for one worker at a time. */
import { type StoreCase, type StoreSubject, withStore } from "./store-contract/case.ts";
import { claimCases } from "./store-contract/claims.ts";
import { entryCases } from "./store-contract/entries.ts";
import { lifeCases } from "./store-contract/life.ts";
import { writerCases } from "./store-contract/writers.ts";

export type { StoreSubject } from "./store-contract/case.ts";

/** One case, for any test runner: it resolves when it holds, and rejects with an AssertionError when it does not. */
export interface StoreContractCase {
  name: string;
  run(): Promise<void>;
}

/**
 * What every `SessionStore` must do, as a list of cases. `make` gives a new, empty store for each of them; the case
 * closes it.
 *
 * ```ts
 * import { storeContract } from "haft/testing";
 *
 * for (const { name, run } of storeContract(async () => ({ store: myStore() }))) test(name, run);
 * ```
 */
export function storeContract(make: () => Promise<StoreSubject>): StoreContractCase[] {
  const cases: StoreCase[] = [...entryCases, ...writerCases, ...claimCases, ...lifeCases];
  return cases.map((storeCase) => ({ name: storeCase.name, run: () => withStore(make, storeCase) }));
}
