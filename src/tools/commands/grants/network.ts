/** `network` of a grant: by which addresses a program may be called, and who holds it to that. */
import { HaftError } from "../../../base/errors.ts";
import type { SandboxAccess } from "../../../core/sandbox.ts";
import { quoted, refused } from "./refusal.ts";

/** false: none. true: whatever the sandbox lets through. A list: these hosts (`api.github.com`, `*.github.com`). */
export type NetworkGrant = boolean | readonly string[];

/**
 * One spelling of a URL only, so that the program cannot read another host in it than we do: no user, no backslash, no
 * brackets or braces in the host, no percent signs.
 *
 * @throws HaftError `COMMAND_REFUSED`
 */
export function checkUrl(url: string, network: NetworkGrant | undefined): void {
  const match = /^(https?):\/\/([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::\d{1,5})?(?:[/?#][\x21-\x7e]*)?$/i.exec(
    url,
  );
  if (!match) {
    throw refused(
      `${quoted(url)} is not a plain URL`,
      "http://host/… and https://host/…, without a user in front of the host",
    );
  }
  checkHost(match[2]!, network);
}

/** @throws HaftError `COMMAND_REFUSED` */
export function checkHost(host: string, network: NetworkGrant | undefined): void {
  if (network === true) return;
  if (network === undefined || network === false) throw refused(`the host ${quoted(host)} is not granted`, []);
  if (!network.some((pattern) => hostMatches(pattern, host))) {
    throw refused(`the host ${quoted(host)} is not granted`, network);
  }
}

/** `*.example.com` is any host below example.com, and not that itself. */
export function hostMatches(pattern: string, host: string): boolean {
  const [wanted, given] = [pattern.toLowerCase(), host.toLowerCase()];
  return wanted.startsWith("*.")
    ? given.endsWith(wanted.slice(1)) && given.length > wanted.length - 1
    : wanted === given;
}

/** Every host of `inner` is one of `outer`. */
export function isNetworkWithin(inner: NetworkGrant | undefined, outer: NetworkGrant | undefined): boolean {
  if (outer === true || outer === undefined || inner === false) return true;
  if (outer === false || inner === true || inner === undefined) return false;
  return inner.every((host) => outer.some((pattern) => isPatternWithin(host.toLowerCase(), pattern.toLowerCase())));
}

/** Both may be patterns. */
function isPatternWithin(inner: string, outer: string): boolean {
  if (inner === outer) return true;
  return outer.startsWith("*.") && inner.replace(/^\*/, "").endsWith(outer.slice(1));
}

/**
 * Where arguments do not hold a program to its network, the sandbox must.
 *
 * @throws HaftError `GRANT_UNENFORCEABLE`
 */
export function checkEnforceable(
  command: string,
  network: NetworkGrant | undefined,
  sandbox: SandboxAccess | undefined,
): void {
  if (network === undefined || network === true) return;
  if (network === false && sandbox && hasNoNetwork(sandbox)) return;
  const where = sandbox ? `the sandbox "${sandbox.kind}"` : "the host";
  const what = network === false ? "from the network" : `to ${network.join(", ")}`;
  throw new HaftError(
    "GRANT_UNENFORCEABLE",
    `${command} is granted network: ${JSON.stringify(network)}, and ${where} cannot ${network === false ? "keep" : "hold"} one program ${what}.`,
    {
      hint:
        network === false
          ? "Use a sandbox without a network, or leave `network` out."
          : "Give the hosts to the sandbox's own egress policy and say `network: true` here, or use a program with a profile.",
    },
  );
}

/** A sandbox that does not say whether it lets anything through counts as one that does. */
function hasNoNetwork({ capabilities: { isolates, egress } }: SandboxAccess): boolean {
  return isolates.network && egress === false;
}
