/** Changes to a program's text that TypeScript reads instead of it, and the way back to the model's own places. */

/** Replaces what stands from `start` to `end`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

export interface EditedText {
  text: string;
  /** Where the program ends in it, and ours begins. */
  end: number;
  /** Where this place was before; undefined in text that the model did not write. */
  original(position: number): number | undefined;
}

/** Edits must not overlap. Of several at one place, the first given comes first. */
export function applyEdits(text: string, edits: readonly Edit[], tail = ""): EditedText {
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let edited = "";
  let done = 0;
  const pieces: { from: number; to: number; original: number | undefined }[] = [];
  const add = (piece: string, original: number | undefined) => {
    pieces.push({ from: edited.length, to: edited.length + piece.length, original });
    edited += piece;
  };
  for (const edit of ordered) {
    if (edit.start < done) continue;
    add(text.slice(done, edit.start), done);
    add(edit.text, undefined);
    done = edit.end;
  }
  add(text.slice(done), done);
  const end = edited.length;
  add(tail, undefined);

  function original(position: number): number | undefined {
    const piece = pieces.find(({ from, to }) => position >= from && position < to);
    if (!piece) return text.length;
    return piece.original === undefined ? undefined : piece.original + position - piece.from;
  }
  return { text: edited, end, original };
}
