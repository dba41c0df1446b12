import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { openSecrets } from "../../src/secrets/index.ts";
import { redactor } from "../../src/secrets/redact.ts";

const VALUE = "s3cr3t-value-of-a-token";

describe("the secrets of a run", () => {
  const { secrets } = openSecrets({ TOKEN: { static: VALUE }, OTHER: { static: "another" } });

  test("give their values by name and as an environment", () => {
    expect(secrets.get("TOKEN")).toBe(VALUE);
    expect(secrets.env()).toEqual({ TOKEN: VALUE, OTHER: "another" });
    expect(secrets.names).toEqual(["TOKEN", "OTHER"]);
  });

  test.each<[string, (secrets: object) => unknown]>([
    ["as text", (it) => `${it}`],
    ["as JSON", (it) => JSON.stringify({ it })],
    ["inspected", (it) => inspect({ it }, { depth: 9, showHidden: true })],
    ["spread", (it) => inspect({ ...it }, { showHidden: true })],
    ["by its properties", (it) => JSON.stringify(Object.entries(it))],
    ["by all its keys", (it) => JSON.stringify(Reflect.ownKeys(it).map((key) => String((it as any)[key])))],
  ])("show names only: %s", (_, show) => {
    expect(show(secrets)).not.toContain(VALUE);
  });

  test("say which one is missing, and never a value", () => {
    expect(() => secrets.get("NOPE")).toThrow(
      expect.objectContaining({
        code: "SECRET_UNKNOWN",
        message: 'There is no secret "NOPE". There are: TOKEN, OTHER',
      }),
    );
    const sources = { TOKEN: { static: VALUE }, GH: { env: "HAFT_TEST_SURELY_NOT_SET" } };
    expect(() => openSecrets(sources)).toThrow(
      expect.objectContaining({
        code: "SECRET_MISSING",
        message: 'Secret "GH" is to come from the variable HAFT_TEST_SURELY_NOT_SET, which is not set',
      }),
    );
  });

  test("come from the environment of the host", () => {
    process.env.HAFT_TEST_SECRET = VALUE;
    try {
      expect(openSecrets({ TOKEN: { env: "HAFT_TEST_SECRET" } }).secrets.get("TOKEN")).toBe(VALUE);
    } finally {
      delete process.env.HAFT_TEST_SECRET;
    }
  });

  test.each([
    [{ A: {} }],
    [{ A: { file: "x" } }],
    [{ A: null }],
    [{ A: "text" }],
    [{ "a-b": { static: "x" } }],
    [{ A: { env: 5 } }],
  ])("a source that is none is named: %j", (sources) => {
    expect(() => openSecrets(sources as any)).toThrow(expect.objectContaining({ code: "SECRET_SOURCE_INVALID" }));
  });
});

describe("redaction", () => {
  const redact = redactor(
    new Map([
      ["SHORT", "abc"],
      ["TOKEN", VALUE],
      ["LONGER", `${VALUE}-and-more`],
      ["DOLLAR", "$&$1$$"],
    ]),
  );

  test("takes values out of texts, lists, objects and keys, however deep", () => {
    const value = { a: [`x${VALUE}y`, { [VALUE]: VALUE }], n: 1, none: null, nothing: undefined };
    expect(redact(value)).toEqual({
      a: ["x[REDACTED:TOKEN]y", { "[REDACTED:TOKEN]": "[REDACTED:TOKEN]" }],
      n: 1,
      none: null,
      nothing: undefined,
    });
  });

  test("the longest first, every time, and without patterns of replacement", () => {
    expect(redact(`${VALUE}-and-more ${VALUE} ${VALUE}`)).toBe("[REDACTED:LONGER] [REDACTED:TOKEN] [REDACTED:TOKEN]");
    expect(redact("costs $&$1$$!")).toBe("costs [REDACTED:DOLLAR]!");
  });

  test("leaves ordinary words alone, and gives back what has nothing to hide", () => {
    const value = { text: "abc is three letters", list: [1, "x"] };
    expect(redact(value)).toBe(value);
    expect(value).toEqual({ text: "abc is three letters", list: [1, "x"] });
  });

  test("changes nothing in place", () => {
    const value = Object.freeze({ list: Object.freeze([VALUE]) });
    expect(redact(value)).toEqual({ list: ["[REDACTED:TOKEN]"] });
    expect(value.list[0]).toBe(VALUE);
  });
});
