/** Short words for the tests of agents. */
import type { ExecuteResult, HaftError } from "../../src/index.ts";

export function errorOf(result: ExecuteResult): HaftError | undefined {
  return result.isError() ? result.error : undefined;
}
