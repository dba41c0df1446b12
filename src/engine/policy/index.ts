/** What only a run with a policy loads. */
export { policyProblem } from "../../core/policy-check.ts";
export { Policy } from "./policy.ts";
