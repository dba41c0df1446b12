/** The network of a virtual sandbox that has a policy. Loaded only then. */

import { newId } from "../../base/ids.ts";
import type { EgressPolicy } from "../../core/egress.ts";
import type { Secrets } from "../../core/secrets.ts";
import { EgressFetch } from "../egress/fetch.ts";
import { FilledHeaders } from "../egress/filled-headers.ts";

/** Gives a command its own. */
export type ShellNetwork = (sandbox: string) => EgressFetch;

/** @throws HaftError `EGRESS_INVALID` for secrets that the policy's headers need and cannot have */
export function shellNetwork(policy: EgressPolicy, secrets: Pick<Secrets, "get"> | undefined): ShellNetwork {
  const filled = new FilledHeaders(policy, secrets);
  return (sandbox) => new EgressFetch({ policy, filled, sandbox, exec: newId("exec") });
}
