/** Which addresses are the open internet, and what the others are. Source: the IANA special-purpose address registries. */

import { BlockList, isIPv4, isIPv6 } from "node:net";

type Kind = "private" | "closed";
type Range = [what: string, kind: Kind, ...subnets: string[]];

/** Private ones open with `allowPrivate`; closed ones only by a rule for the very address. The first that matches counts. */
const RANGES: Range[] = [
  // AWS, Azure, GCP and others; Azure's wire server; Oracle; Alibaba; AWS over IPv6.
  [
    ...(["a metadata service", "closed"] as const),
    ...["169.254.169.254/32", "169.254.170.2/32", "168.63.129.16/32", "192.0.0.192/32", "100.100.100.200/32"],
    ...["fd00:ec2::254/128", "fd20:ce::254/128"],
  ],
  ["a loopback address", "private", "127.0.0.0/8", "::1/128"],
  ["a private address", "private", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
  ["an address of a carrier's network", "private", "100.64.0.0/10"],
  ["a link-local address", "closed", "169.254.0.0/16", "fe80::/10"],
  ["a multicast address", "closed", "224.0.0.0/4", "ff00::/8"],
  ["an unspecified address", "closed", "0.0.0.0/8", "::/128"],
  ["an IPv4 address written as IPv6", "closed", "::ffff:0:0/96", "::ffff:0:0:0/96", "::/96"],
  ["a NAT64 address", "closed", "64:ff9b::/96", "64:ff9b:1::/48"],
  ["a 6to4 address", "closed", "2002::/16", "192.88.99.0/24"],
  ["a Teredo address", "closed", "2001::/32"],
  ["a reserved address", "closed", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24"],
  ["a reserved address", "closed", "203.0.113.0/24", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20"],
];

/** All of IPv6 that is given out for the internet. */
const globalIPv6 = listOf(["2000::/3"]);
const ranges = RANGES.map(([what, kind, ...subnets]) => ({ what, kind, subnets, list: listOf(subnets) }));

/** undefined for an address of the open internet. Anything that is not an address is closed. */
export function specialAddress(address: string): { what: string; kind: Kind } | undefined {
  const isV6 = isIPv6(address);
  if ((!isV6 && !isIPv4(address)) || address.includes("%")) return { what: "no address", kind: "closed" };
  const family = isV6 ? "ipv6" : "ipv4";
  const found = ranges.find(({ list, subnets }) => hasFamily(subnets, isV6) && list[family].check(address, family));
  if (found) return found;
  if (isV6 && !globalIPv6.ipv6.check(address, "ipv6")) return { what: "a reserved address", kind: "closed" };
  return undefined;
}

function hasFamily(subnets: readonly string[], isV6: boolean): boolean {
  return subnets.some((subnet) => subnet.includes(":") === isV6);
}

/** A list for each family: a list of both would find an IPv4 subnet for an IPv6 address that stands for it. */
function listOf(subnets: readonly string[]): { ipv4: BlockList; ipv6: BlockList } {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const subnet of subnets) {
    const [address, length] = subnet.split("/") as [string, string];
    const family = address.includes(":") ? "ipv6" : "ipv4";
    lists[family].addSubnet(address, Number(length), family);
  }
  return lists;
}
