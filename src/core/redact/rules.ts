/** What is taken out beside secrets: things of a known shape, patterns of one's own, and functions. */
import { isPlainObject } from "../../base/json.ts";
import type { ByteStream } from "./byte-stream.ts";
import { markOf } from "./matcher.ts";

/** A shape that is known here. */
export type KnownShape = "email" | "jwt" | "private-key" | "token";

/**
 * - a known shape: `"email"`, `"jwt"` (JSON web tokens), `"private-key"` (PEM), `"token"` (keys of GitHub, GitLab, OpenAI,
 *   Anthropic, AWS, Slack, Google, Stripe, npm, PyPI and Hugging Face, by their first letters)
 * - a pattern of one's own, with the name that stands in its mark
 * - a function from text to text. It may be given what it gave already. What throws, or gives no text, takes out all of it
 */
export type RedactRule = KnownShape | { name: string; pattern: RegExp } | ((text: string) => string);

/** One rule, ready to be used. */
export interface Rule {
  clean(text: string): string;
  /** The first place at the end of a piece that a match could begin at. */
  waitsFrom(text: string): number;
}

/** Undefined for what is no rule. */
export function readRule(given: unknown): Rule | undefined {
  if (typeof given === "string") return Object.hasOwn(shapes, given) ? shapes[given as KnownShape] : undefined;
  if (typeof given === "function") return ofFunction(given as (text: string) => string);
  if (!isPlainObject(given) || typeof given.name !== "string" || !(given.pattern instanceof RegExp)) return undefined;
  if (!/^[\w.-]{1,60}$/.test(given.name)) return undefined;
  const { source, flags } = given.pattern;
  return ofPattern(given.name, new RegExp(source, flags.replace(/[gy]/g, "").concat("g")), startOfLine);
}

/** Longer words and lines than this are not waited for. Characters. */
const LONGEST_WAIT = 64 * 1024;

/** A match of these has no white space in it. */
function startOfWord(text: string): number {
  return within(text, /\S*$/.exec(text.slice(-LONGEST_WAIT))![0].length);
}

/** Of an own pattern it is not known how far a match may reach: it is looked for line by line. */
function startOfLine(text: string): number {
  return within(text, text.length - text.lastIndexOf("\n") - 1);
}

function startOfKey(text: string): number {
  const begin = text.lastIndexOf("-----BEGIN ");
  const end = text.lastIndexOf("-----END ");
  const closing = end > begin ? /^-----END [A-Z ]{0,60}-----/.exec(text.slice(end, end + 80)) : null;
  if (begin >= 0 && !closing) return within(text, text.length - begin);
  // `-----BEGIN ` that has begun.
  const rest = closing ? text.slice(end + closing[0].length) : text;
  return within(text, /-{1,5}[A-Z ]{0,60}-{0,5}$/.exec(rest.slice(-80))?.[0].length ?? 0);
}

function within(text: string, length: number): number {
  return length > LONGEST_WAIT ? text.length : text.length - length;
}

function ofPattern(name: string, pattern: RegExp, waitsFrom: Rule["waitsFrom"]): Rule {
  return { clean: (text) => text.replace(pattern, markOf(name)), waitsFrom };
}

function ofFunction(given: (text: string) => string): Rule {
  const clean = (text: string) => {
    try {
      const cleaned: unknown = given(text);
      return typeof cleaned === "string" ? cleaned : "[REDACTED]";
    } catch {
      return "[REDACTED]";
    }
  };
  return { clean, waitsFrom: startOfLine };
}

/**
 * The shapes are those that the services themselves document for scanners of secrets. Each pattern begins at the start of a
 * word or with letters that it cannot run over, so that none takes more than linear time.
 */
const shapes: Record<KnownShape, Rule> = {
  email: ofPattern(
    "email",
    /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}/g,
    startOfWord,
  ),
  jwt: ofPattern("jwt", /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g, startOfWord),
  "private-key": ofPattern(
    "private-key",
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
    startOfKey,
  ),
  token: ofPattern(
    "token",
    new RegExp(
      `(?<![A-Za-z0-9_-])(?:${[
        "gh[pousr]_[A-Za-z0-9]{36,255}",
        "github_pat_[A-Za-z0-9_]{22,255}",
        "glpat-[\\w-]{20,255}",
        "sk-[\\w-]{20,255}",
        "[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}",
        "(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        "xox[abeprs]-[A-Za-z0-9-]{10,255}",
        "xapp-[A-Za-z0-9-]{10,255}",
        "AIza[\\w-]{35}",
        "npm_[A-Za-z0-9]{36}",
        "pypi-[\\w-]{50,255}",
        "hf_[A-Za-z0-9]{30,255}",
      ].join("|")})`,
      "g",
    ),
    startOfWord,
  ),
};

const nothing = Buffer.alloc(0);

/** One rule over text that comes in pieces. Bytes that are no UTF-8 become U+FFFD here. */
export class RuleStream implements ByteStream {
  readonly #rule: Rule;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #waiting = "";

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  push(bytes: Uint8Array): Buffer {
    const text = this.#waiting + this.#decoder.decode(bytes, { stream: true });
    const from = this.#rule.waitsFrom(text);
    this.#waiting = text.slice(from);
    return this.#clean(text.slice(0, from));
  }

  end(): Buffer {
    const text = this.#waiting + this.#decoder.decode();
    this.#waiting = "";
    return this.#clean(text);
  }

  #clean(text: string): Buffer {
    return text === "" ? nothing : Buffer.from(this.#rule.clean(text));
  }
}
