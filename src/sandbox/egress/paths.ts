/** Is a path of a URL under another, whatever server reads it? */

/**
 * The path as a server reads it: dots resolved, escapes undone. undefined for one that two servers may read in two ways:
 * escaped slashes, escapes of escapes, `;`, `//`, and what is not UTF-8.
 */
export function plainPath(path: string): string | undefined {
  if (/%2f|%5c|%25|%00|[;\\]|%3b|\/\//i.test(path)) return undefined;
  try {
    const decoded = decodeURIComponent(path);
    return decoded.split("/").some((part) => part === "." || part === "..") ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** `/v1` has under it `/v1` and `/v1/x`, and not `/v10`. */
export function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}
