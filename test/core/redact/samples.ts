/** Secrets of different shapes, the forms in which a program may write them, and a checker that knows both by itself. */

export const PEM = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj
MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu
NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ
-----END PRIVATE KEY-----
`;

/** Twelve of them. */
export const samples: Record<string, string> = {
  PIN: "q7Z!",
  SHORT: "k9#Lm2x",
  GITHUB: "ghp_R4nd0mT0kenWithManyLettersAnd1234567",
  PHRASE: "correct horse battery staple",
  UNICODE: "пароль-ключ-日本語-ñandú",
  JSON_LIKE: '{"user":"a\\b","pw":"x\ty/z"}',
  KEY: PEM,
  DATABASE: "postgres://admin:p@ss w0rd/é?@db.internal:5432/main?ssl=1&x=<y>",
  BASE64ISH: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY==",
  QUOTED: `it's "quoted" & <tagged> 100%`,
  HEXISH: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  LONG: Array.from({ length: 40 }, (_, index) => `part${index}:${(index * 7919).toString(36)}`).join("|"),
};

/** Written down here anew, so that the checker shares nothing with what it checks. */
export function formsFor(value: string): Record<string, string> {
  const bytes = Buffer.from(value);
  const forms: Record<string, string> = { raw: value };
  if (bytes.length < 8) return forms;
  const base64 = (before: number) => {
    const text = Buffer.concat([Buffer.from("xyz".slice(0, before)), bytes, Buffer.from("!!!")]).toString("base64");
    const first = [0, 2, 3][before]!;
    return text.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
  };
  for (const before of [0, 1, 2]) {
    forms[`base64 at ${before}`] = base64(before);
    forms[`base64url at ${before}`] = base64(before).replace(/\+/g, "-").replace(/\//g, "_");
  }
  forms["base64, padded"] = bytes.toString("base64");
  forms["base64url, whole"] = bytes.toString("base64url");
  forms.hex = bytes.toString("hex");
  forms.HEX = forms.hex.toUpperCase();
  forms["percent-encoded"] = encodeURIComponent(value);
  forms["percent-encoded, small"] = forms["percent-encoded"].replace(/%../g, (code) => code.toLowerCase());
  forms["in a form"] = new URLSearchParams({ x: value }).toString().slice(2);
  forms["in JSON"] = JSON.stringify(value).slice(1, -1);
  forms["in JSON in JSON"] = JSON.stringify(JSON.stringify(value)).slice(3, -3);
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  forms["in HTML"] = [...value].map((character) => entities[character] ?? character).join("");
  forms.reversed = [...value].reverse().join("");
  return forms;
}

/** Which forms of which samples are in a text: of those of eight bytes and more, also the first and last half of each. */
export function findings(text: string, secrets: Record<string, string> = samples): string[] {
  return Object.entries(secrets).flatMap(([name, value]) =>
    Object.entries(formsFor(value)).flatMap(([form, written]) => {
      const half = Math.ceil(written.length / 2);
      const parts: [string, string][] = [[form, written]];
      // Half of a sentence, and half of bytes in hexadecimal that are few, may stand in any text.
      if (written.length >= 48)
        parts.push([`${form}, first half`, written.slice(0, half)], [`${form}, last half`, written.slice(half)]);
      return parts.filter(([, part]) => text.includes(part)).map(([what]) => `${name}: ${what}`);
    }),
  );
}

/** Twenty texts that hold no secret, though some look like it. */
export const harmless: string[] = [
  "",
  "hello",
  "The battery of the horse is correct; staple it.",
  "src/index.ts:12:5 - error TS2304: Cannot find name 'x'.",
  "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad\nAuthor: A U Thor <author@example.com>\nDate: 1970",
  "-----BEGIN CERTIFICATE-----\nMIIBszCCARygAwIBAgIUXk8\n-----END CERTIFICATE-----\n",
  "-----BEGIN PRIVATE KEY-----",
  Buffer.from("-----BEGIN PRIVATE KEY-----\n").toString("base64"),
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUI=",
  "postgres://localhost/test",
  "https://example.com/a?b=c&d=%2Fpath%3Fq%3D1#x",
  '{"user":"someone","pw":null,"list":[1,2,3]}',
  "&lt;a href=&quot;x&quot;&gt;it&#39;s &amp; more&lt;/a&gt;",
  "0000000000000000000000000000000000000000",
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
  "ключ пароля: 日本, ñandú 😀",
  "550e8400-e29b-41d4-a716-446655440000",
  "part1 part2 part3 | ghp_ sk- AKIA",
  "PASS test/a.test.ts (12 tests) 345ms\n\u001b[32m✓\u001b[39m done",
  "[REDACTED:NOTHING] stays as it is",
];
