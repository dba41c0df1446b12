/** The forms in which a secret may turn up: as it is, and as programs commonly write it. */

/** Shorter values stand in ordinary text by chance. Bytes. */
export const SHORTEST = 4;
/** From this length on, other forms and fragments are looked for. Bytes, and characters of a fragment. */
export const WINDOW = 8;

export interface Form {
  bytes: Buffer;
  /** So many bytes of this form in a row are a fragment of it, where they could be nothing else. */
  least: number;
  /** Escapes of this form stand in ordinary text too, and tell nothing. */
  escapes?: RegExp;
}

/** The raw value comes first. Empty for a value that is too short. */
export function formsOf(value: string): Form[] {
  const raw = Buffer.from(value);
  if (raw.length < SHORTEST) return [];
  const forms = new Map<string, Form>();
  const add = (text: string | Buffer, least = WINDOW, escapes?: RegExp) => {
    const bytes = Buffer.from(text as string);
    const key = bytes.toString("latin1");
    if (!forms.has(key)) forms.set(key, { bytes, least, escapes });
  };
  add(raw);
  if (raw.length < WINDOW) return [...forms.values()];

  for (const text of base64Of(raw)) add(text);
  for (const text of hexOf(raw)) add(text, 2 * WINDOW);
  for (const text of percentOf(value)) add(text, WINDOW, /%[0-9A-Fa-f]{2}/g);
  for (const text of wholePercentOf(raw)) add(text, 3 * WINDOW);
  for (const text of jsonOf(value)) add(text, WINDOW, /\\+(?:u[0-9A-Fa-f]{4}|.)/g);
  for (const text of htmlOf(value)) add(text, WINDOW, /&#?\w+;/g);
  add([...value].reverse().join(""));
  add(Buffer.from(raw).reverse());
  return [...forms.values()];
}

/**
 * At each of the three places in a group of three bytes, without the first character, which depends on what stands before.
 * The last depends on what stands after: the value may be at the end, or be followed by more.
 */
function base64Of(raw: Buffer): string[] {
  const texts = [0, 1, 2].flatMap((before) => {
    const start = Math.ceil((before * 8) / 6);
    const text = Buffer.concat([Buffer.alloc(before), raw])
      .toString("base64")
      .slice(start);
    const isWhole = (before + raw.length) % 3 === 0;
    return isWhole ? [text] : [text.replace(/.=+$/, ""), text];
  });
  return texts.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]);
}

function hexOf(raw: Buffer): string[] {
  const hex = raw.toString("hex");
  return [hex, hex.toUpperCase()];
}

/** In a URL, in a form, and as stricter encoders write it; with both cases of their digits. */
function percentOf(value: string): string[] {
  const wellFormed = Buffer.from(value).toString();
  const part = encodeURIComponent(wellFormed);
  const strict = part.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = [part, strict, strict.replaceAll("%20", "+"), encodeURI(wellFormed)];
  return all.flatMap((text) => [text, text.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase())]);
}

function wholePercentOf(raw: Buffer): string[] {
  return hexOf(raw).map((hex) => hex.replace(/../g, "%$&"));
}

/** Inside JSON, inside JSON in JSON, in ASCII only, and with slashes escaped. */
function jsonOf(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const ascii = escaped.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const once = [escaped, ascii, escaped.replaceAll("/", "\\/"), ascii.replaceAll("/", "\\/")];
  return [...once, ...once.slice(0, 2).map((text) => JSON.stringify(text).slice(1, -1))];
}

/** The characters that every escaper knows, with each of the names that they give to quotes. */
function htmlOf(value: string): string[] {
  const basic = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const double = [basic, basic.replaceAll('"', "&quot;"), basic.replaceAll('"', "&#34;")];
  return double.flatMap((text) => [
    text,
    ...["&#39;", "&#x27;", "&apos;", "&#039;"].map((name) => text.replaceAll("'", name)),
  ]);
}
