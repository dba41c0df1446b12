/** A text with pieces left out, and the way back from its places to those of the whole. */

export class Condensed {
  readonly text: string;
  /** Places in `text`, ascending, and how many characters of the whole were left out up to and at each of them. */
  readonly #places: readonly number[];
  readonly #leftOut: readonly number[];

  private constructor(text: string, places: readonly number[], leftOut: readonly number[]) {
    this.text = text;
    this.#places = places;
    this.#leftOut = leftOut;
  }

  /** Where the character at `index` stands in the whole; what was left out just before it lies before that place. */
  wholeIndex(index: number): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#places[middle]! <= index) low = middle + 1;
      else high = middle;
    }
    return index + (low === 0 ? 0 : this.#leftOut[low - 1]!);
  }

  /** CRLF becomes LF. The place of that LF is the place of its CR, the next place comes after the pair. */
  static withLineFeeds(whole: string): Condensed {
    const places: number[] = [];
    const leftOut: number[] = [];
    for (let at = whole.indexOf("\r\n"); at >= 0; at = whole.indexOf("\r\n", at + 2)) {
      places.push(at + 1 - leftOut.length);
      leftOut.push(leftOut.length + 1);
    }
    return new Condensed(places.length > 0 ? whole.replaceAll("\r\n", "\n") : whole, places, leftOut);
  }

  /** Without the blanks at line ends. A place at a line's end comes after its blanks. */
  static withoutTrailingBlanks(whole: string): Condensed {
    const kept: string[] = [];
    const places: number[] = [];
    const leftOut: number[] = [];
    let total = 0;
    for (let start = 0; start <= whole.length; ) {
      const lineFeed = whole.indexOf("\n", start);
      const end = lineFeed < 0 ? whole.length : lineFeed;
      const last = endWithoutBlanks(whole, start, end);
      if (last < end) {
        places.push(last - total);
        total += end - last;
        leftOut.push(total);
      }
      kept.push(whole.slice(start, last));
      start = end + 1;
    }
    return new Condensed(kept.join("\n"), places, leftOut);
  }
}

function endWithoutBlanks(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && (text[last - 1] === " " || text[last - 1] === "\t")) last--;
  return last;
}
