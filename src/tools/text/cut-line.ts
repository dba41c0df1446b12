/** Shortens a line that is too long to show, at a whole character, and says by how much. */

export function cutLine(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  const splitsPair = /[\uD800-\uDBFF]/.test(line[maxLength - 1]!);
  const kept = line.slice(0, splitsPair ? maxLength - 1 : maxLength);
  return `${kept}… [+${line.length - kept.length} chars]`;
}
