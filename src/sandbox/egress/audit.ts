/** What is written down of a request, and telling it without being stopped by whoever listens. */

import type { EgressAudit, EgressRequest, EgressVerdict } from "../../core/egress.ts";

/** An error of it, thrown or rejected, changes nothing. */
export type EgressListener = (entry: EgressAudit) => unknown;

const MAX_PATH = 1024;

export interface Traffic {
  /** Bytes of bodies, or of all that went through a tunnel. */
  up: number;
  down: number;
  /** Of `performance.now()`. */
  startedAt: number;
}

export function newTraffic(): Traffic {
  return { up: 0, down: 0, startedAt: performance.now() };
}

export function auditOf(request: EgressRequest, verdict: EgressVerdict, traffic: Traffic): EgressAudit {
  const { allow, ...decided } = verdict;
  const path = request.path === undefined ? {} : { path: request.path.slice(0, MAX_PATH) };
  return {
    at: Date.now(),
    ...request,
    ...path,
    allowed: allow,
    ...decided,
    ...{ bytesUp: traffic.up, bytesDown: traffic.down },
    durationMs: performance.now() - traffic.startedAt,
  };
}

export function tell(listener: EgressListener | undefined, entry: EgressAudit): void {
  try {
    Promise.resolve(listener?.(entry)).catch(() => {});
  } catch {
    // The decision stands, whoever could not write it down.
  }
}
