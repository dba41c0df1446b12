/** Where headers cannot be filled in, a policy that wants it is refused: it would only look as if it worked. */

import { HaftError } from "../../base/errors.ts";
import type { EgressPolicy } from "../../core/egress.ts";

/** @throws HaftError `EGRESS_UNSUPPORTED` */
export function refuseHeaders({ headers = [] }: EgressPolicy): void {
  if (headers.length === 0) return;
  const message = "Headers cannot be filled in for this sandbox: its programs speak TLS themselves, through a tunnel.";
  throw new HaftError("EGRESS_UNSUPPORTED", message, {
    hint: "Leave headers out of the policy, or use a virtual sandbox.",
  });
}
