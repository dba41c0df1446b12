/** What grep looks for, compiled: plain text by search, everything else by a linear-time engine. */

import { HaftError, messageOf } from "../../base/errors.ts";
import type { GrepQuery } from "../../core/sandbox.ts";

export interface LinePattern {
  /** False when no line of this file can match: a quick look at the bytes. */
  mayMatch(bytes: Uint8Array): boolean;
  /** Does this line, without its line end, match? */
  test(line: string): boolean;
  /** With `multiline`: the first match at or after `from`, as [start, end). */
  find?(text: string, from: number): [number, number] | undefined;
}

/** Characters × size of the compiled pattern that one step may look at, which bounds it to about 0.2 s. */
const STEP_BUDGET = 20_000_000;
const MAX_PROGRAM = 1000;

/** Throws GREP_PATTERN_INVALID. */
export async function compilePattern(query: GrepQuery): Promise<LinePattern> {
  if (!query.multiline && spansLines(query)) {
    throw invalid(
      "The pattern has a line end, and lines are searched one by one.",
      "Set `multiline` to match across lines.",
    );
  }
  const isPlain = query.literal || !/[\\^$.|?*+()[\]{}]/.test(query.pattern);
  return isPlain && !query.ignoreCase ? plainText(query) : regularExpression(query);
}

function spansLines(query: GrepQuery): boolean {
  if (query.pattern.includes("\n")) return true;
  return !query.literal && /(?<!\\)(\\\\)*\\n/.test(query.pattern);
}

function plainText({ pattern: written, multiline }: GrepQuery): LinePattern {
  const pattern = written.replaceAll("\r\n", "\n");
  const bytes = Buffer.from(pattern);
  const isOneLine = !pattern.includes("\n");
  return {
    mayMatch: (file) => !isOneLine || Buffer.from(file.buffer, file.byteOffset, file.byteLength).includes(bytes),
    test: (line) => line.includes(pattern),
    ...(multiline && {
      find: (text: string, from: number) => {
        const start = text.indexOf(pattern, from);
        return start < 0 ? undefined : [start, start + pattern.length];
      },
    }),
  };
}

async function regularExpression(query: GrepQuery): Promise<LinePattern> {
  const { RE2JS } = await import("re2js");
  const source = query.literal ? RE2JS.quote(query.pattern) : query.pattern;
  const flags =
    (query.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (query.multiline ? RE2JS.MULTILINE | RE2JS.DOTALL : 0);
  const expression = compile(() => RE2JS.compile(source, flags), source);
  if (expression.programSize() > MAX_PROGRAM) {
    throw invalid("The pattern is too large once its repetitions are written out.", "Use smaller counts in `{n,m}`.");
  }

  const reach = Math.floor(STEP_BUDGET / expression.programSize());
  const within = (text: string) => (text.length > reach ? text.slice(0, reach) : text);
  return {
    mayMatch: () => true,
    test: (line) => expression.test(within(line)),
    ...(query.multiline && {
      find: (text: string, from: number) => {
        const matcher = expression.matcher(within(text));
        return from <= reach && matcher.find(from) ? [matcher.start(), matcher.end()] : undefined;
      },
    }),
  };
}

function compile<T>(make: () => T, source: string): T {
  try {
    return make();
  } catch (error) {
    throw (
      unsupported(source) ?? invalid(`The pattern is not a regular expression: ${reasonOf(error)}.`, undefined, error)
    );
  }
}

/** The parts of other regex languages that models write most often. */
function unsupported(source: string): HaftError | undefined {
  const known: [RegExp, string][] = [
    [/\(\?<?[=!]/, "Look-ahead and look-behind are not supported"],
    [/\\([1-9]|k[<{'])/, "Back-references are not supported"],
    [/\(\?>|[*+?}]\+/, "Atomic groups and possessive quantifiers are not supported"],
  ];
  const found = known.find(([syntax]) => syntax.test(source));
  if (!found) return undefined;
  return invalid(
    `${found[1]}: patterns are RE2, which runs in linear time.`,
    "Search for a simpler pattern and filter the result.",
  );
}

function reasonOf(error: unknown): string {
  return messageOf(error).replace(/^error parsing regexp: /, "");
}

function invalid(
  message: string,
  hint = "Set `literal` to search for plain text, or escape special characters with a backslash.",
  cause?: unknown,
): HaftError {
  return new HaftError("GREP_PATTERN_INVALID", message, { hint, cause });
}
