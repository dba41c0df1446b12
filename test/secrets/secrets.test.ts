import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Redactor } from "../../src/core/redact/redactor.ts";
import type { SecretSource } from "../../src/core/secrets.ts";
import { openSecrets } from "../../src/secrets/index.ts";

const VALUE = "s3cr3t-value-of-a-token";

const open = (sources: Record<string, SecretSource>) =>
  openSecrets({ sources, cwd: process.cwd(), abortSignal: new AbortController().signal });

const opened = await open({ TOKEN: { static: VALUE }, OTHER: { static: "another" } });

describe("the secrets of a run", () => {
  const secrets = opened.secretsFor({ name: "any" }, () => {});

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
    ["cloned", (it) => inspect(structuredClone(it), { showHidden: true, depth: 9 })],
    ["copied", (it) => inspect(Object.assign(Object.create(Object.getPrototypeOf(it)), it), { showHidden: true })],
    ["by its properties", (it) => JSON.stringify(Object.entries(it))],
  ])("show names only: %s", (_, show) => {
    expect(show(secrets)).not.toContain(VALUE);
    expect(show(secrets)).toContain("TOKEN");
  });

  test("hold nothing that can be reached", () => {
    const keys = Reflect.ownKeys(secrets).map((key) => String((secrets as any)[key]));
    expect(JSON.stringify([keys, inspect(opened, { showHidden: true, depth: 9 })])).not.toContain(VALUE);
  });

  test("say which one is missing, and never a value", async () => {
    expect(() => secrets.get("NOPE")).toThrow(
      expect.objectContaining({
        code: "SECRET_UNKNOWN",
        message: 'There is no secret "NOPE". There are: TOKEN, OTHER',
      }),
    );
    await expect(open({ TOKEN: { static: VALUE }, GH: { env: "HAFT_TEST_SURELY_NOT_SET" } })).rejects.toMatchObject({
      code: "SECRET_MISSING",
      message: 'Secret "GH" is to come from the variable HAFT_TEST_SURELY_NOT_SET, which is not set',
    });
  });
});

describe("who may use which", () => {
  const sources = {
    A: { static: "value-of-a", tools: ["Bash"] },
    B: { static: "value-of-b" },
    C: { static: "value-of-c", tools: ["Bash", "Gh"] },
  };
  test.each<[{ name: string; secrets?: string[] }, string[]]>([
    [{ name: "Bash" }, ["A", "B", "C"]],
    [{ name: "Gh" }, ["B", "C"]],
    [{ name: "other" }, ["B"]],
    [{ name: "Bash", secrets: ["A"] }, ["A"]],
    [{ name: "Gh", secrets: ["A", "C", "Z"] }, ["C"]],
    [{ name: "Gh", secrets: [] }, []],
  ])("%j: %j", async (tool, names) => {
    const accessed: string[] = [];
    const secrets = (await open(sources)).secretsFor(tool, (names) => accessed.push(...names));
    expect([secrets.names, Object.keys(secrets.env()), accessed]).toEqual([names, names, names]);
    const others = Object.keys(sources).filter((name) => !names.includes(name));
    for (const name of others)
      expect(() => secrets.get(name)).toThrow(
        `The secret "${name}" is not for this tool. There are: ${names.join(", ") || "none"}`,
      );
  });
});

describe("redaction", () => {
  const redactor = new Redactor(
    new Map([
      ["SHORT", "abc"],
      ["TOKEN", VALUE],
      ["LONGER", `${VALUE}-and-more`],
      ["DOLLAR", "$&$1$$"],
    ]),
  );
  const redact = <T>(value: T) => redactor.value(value);

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
