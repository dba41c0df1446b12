/** Finds the word that was probably meant, for "did you mean". */

/** The known word nearest to the given one, if it is near at all. Upper and lower case are the same. */
export function closest(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const word of known) {
    const distance = editDistance(wanted, word.toLowerCase());
    if (distance <= allowed && (!best || distance < best.distance)) best = { word, distance };
  }
  return best?.word;
}

/** How many letters must be added, taken away or replaced. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
