/** The host's part of the guest's URL: Node reads and writes the text, the guest keeps the parts. */

type Changeable = "protocol" | "username" | "password" | "host" | "hostname" | "port" | "pathname" | "search" | "hash";

/** JSON of its parts, in the order that the guest knows them by; undefined where it is no URL. */
export function parseUrl(text: string, base?: string): string | undefined {
  try {
    return partsOf(new URL(text, base));
  } catch {
    return undefined;
  }
}

export function changeUrl(href: string, name: string, value: string): string | undefined {
  try {
    const url = new URL(href);
    url[name as Changeable | "href"] = value;
    return partsOf(url);
  } catch {
    return undefined;
  }
}

/** JSON of its pairs. */
export function parseQuery(query: string): string {
  return JSON.stringify([...new URLSearchParams(query)]);
}

/** Undefined where a program has made something else of the pairs. */
export function writeQuery(pairs: string): string | undefined {
  try {
    return new URLSearchParams(JSON.parse(pairs) as [string, string][]).toString();
  } catch {
    return undefined;
  }
}

function partsOf(url: URL): string {
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = url;
  return JSON.stringify([href, origin, protocol, username, password, host, hostname, port, pathname, search, hash]);
}
