/** What a sandbox may reach over the network: one policy object, which each sandbox that can enforce it asks. */

export interface EgressRule {
  action: "allow" | "deny";
  /** `api.github.com`, `*.github.com` (not the apex), or, to deny only, `*`. An IP literal counts as a host. */
  host: string;
  /** Default: 80 and 443. */
  ports?: readonly number[];
  /** Of plain HTTP, in capitals. A rule with methods or a path never matches a tunnel. Default: all. */
  methods?: readonly string[];
  /** Of plain HTTP. Default: any path. */
  pathPrefix?: string;
  /** How audit entries call it. Default: its action and host. */
  name?: string;
}

/** One request that a command wants to make; a tunnel shows no method and no path. */
export interface EgressRequest {
  /** In its canonical form. */
  host: string;
  port: number;
  method?: string;
  path?: string;
  isTunnel: boolean;
  /** Ids of the sandbox and of the command. */
  sandbox: string;
  exec?: string;
}

export interface EgressVerdict {
  allow: boolean;
  /** A sentence for the model. */
  reason: string;
  /** The name of the rule that decided. */
  rule?: string;
  /** Where to connect to: checked, and not looked up again. */
  address?: string;
}

/** One request, as it ended. Holds no header, no body and no value of a secret. */
export interface EgressAudit extends Omit<EgressRequest, "isTunnel"> {
  /** Milliseconds since 1970. */
  at: number;
  isTunnel: boolean;
  allowed: boolean;
  reason: string;
  rule?: string;
  address?: string;
  bytesUp: number;
  bytesDown: number;
  durationMs: number;
}

/** A proxy for one command, on a socket that only the sandbox's own relay can reach. */
export interface EgressDoor {
  /** A Unix socket that speaks HTTP proxy: absolute-form requests and CONNECT. */
  readonly socketPath: string;
  /** What was refused so far. */
  readonly denied: readonly EgressAudit[];
  close(): Promise<void>;
}

export interface EgressPolicy {
  readonly rules: readonly EgressRule[];
  /** Deny rules, allow rules, `decide`, deny; then the address. Audits the request when it is refused. */
  evaluate(request: EgressRequest): Promise<EgressVerdict>;
  open(of: { sandbox: string; exec: string }): Promise<EgressDoor>;
}
