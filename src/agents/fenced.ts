/** Data in a prompt: JSON in a fence that nothing in it can close. */

export function fenced(json: string): string {
  const longest = Math.max(2, ...(json.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}json\n${json}\n${fence}`;
}
