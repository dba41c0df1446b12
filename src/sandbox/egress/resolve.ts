/** From a host to the one address that is dialed: looked up once, and every address of it looked at. */

import { ADDRCONFIG } from "node:dns";
import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { canonicalHost } from "./hosts.ts";

/** All addresses of a name. What it throws means that there are none. */
export type EgressLookup = (host: string) => Promise<readonly string[]>;

const LOOKUP_MS = 10_000;

export async function lookUp(host: string): Promise<string[]> {
  const found = await systemLookup(host, { all: true, hints: ADDRCONFIG });
  return found.map(({ address }) => address);
}

/** In their canonical form; what is no address stays as it is. An address is its own. */
export async function addressesOf(host: string, lookup: EgressLookup, abortSignal?: AbortSignal): Promise<string[]> {
  if (isIP(host)) return [host];
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(new Error("The lookup was stopped"));
    timer = setTimeout(stop, LOOKUP_MS);
    abortSignal?.addEventListener("abort", stop);
  });
  try {
    const found = await Promise.race([lookup(host), ended]);
    return [...found].map((address) => (isIP(address) ? (canonicalHost(address) ?? address) : String(address)));
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
    abortSignal?.removeEventListener("abort", stop);
  }
}
