/** What a sandbox may reach over the network: one policy object, which each sandbox that can enforce it asks. */

export interface EgressRule {
  action: "allow" | "deny";
  /**
   * `api.github.com`, `*.github.com` (not the apex), or, to deny only, `*`. An IP literal counts as a host, and no
   * pattern with a star allows one.
   */
  host: string;
  /** Default: 80 and 443; of a rule that denies: all. */
  ports?: readonly number[];
  /**
   * In capitals. Default: all. A tunnel (CONNECT) hides methods and paths: a rule that looks at them never allows one,
   * and one that denies refuses every tunnel to its host.
   */
  methods?: readonly string[];
  /**
   * `/v1` is that path and what is below it; `/v1/` only what is below it. Default: any path. A path that a server may
   * read in two ways (`%2f`, `%5c`, `%25`, `;`, `//`) is never under an allowed one, and always under a denied one.
   */
  pathPrefix?: string;
  /** How audit entries call it. Default: its action and host. */
  name?: string;
}

/** A header that is filled in outside of the sandbox, so that its value never enters it. */
export interface EgressHeader {
  /** Exactly this host; no pattern. */
  host: string;
  /** `authorization` */
  name: string;
  /** The name of a secret. Its value has at least 8 characters. */
  secret: string;
  /** Stands before the value: `"Bearer "`. */
  prefix?: string;
  /** Default: 443, and over TLS only. Plain HTTP gets the header on ports that are named here. */
  ports?: readonly number[];
}

/** One request that a command wants to make; a tunnel shows no method and no path. */
export interface EgressRequest {
  /** In its canonical form. */
  host: string;
  port: number;
  /** Missing for a tunnel. */
  scheme?: "http" | "https";
  method?: string;
  /** Without the query. */
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

/** One request, as it ended. Holds no header, no body and no query. */
export interface EgressAudit extends Omit<EgressRequest, "isTunnel"> {
  /** Milliseconds since 1970. */
  at: number;
  /** Empty, with port 0, when the request could not be read. */
  host: string;
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
  /** What was refused so far: the first 1,000. */
  readonly denied: readonly EgressAudit[];
  /** Ends every connection and removes the socket. Safe to call twice. */
  close(): Promise<void>;
}

export interface EgressPolicy {
  readonly rules: readonly EgressRule[];
  /** Headers that are filled in outside. A sandbox that cannot do this refuses the policy: `EGRESS_UNSUPPORTED`. */
  readonly headers?: readonly EgressHeader[];
  /** What no rule names may be allowed by whoever is asked. */
  readonly asks?: boolean;
  /**
   * Deny rules, allow rules, `decide`, deny; then the address. Audits the request when it is refused; who makes an
   * allowed one audits it when it has ended. Never rejects.
   */
  evaluate(request: EgressRequest, options?: { abortSignal?: AbortSignal }): Promise<EgressVerdict>;
  /** Takes an entry of a request that has ended. Never throws. */
  audit?(entry: EgressAudit): void;
  /** @throws HaftError `EGRESS_UNSUPPORTED` for a policy with `headers`: a tunnel cannot be looked into. */
  open(of: { sandbox: string; exec: string }): Promise<EgressDoor>;
}
