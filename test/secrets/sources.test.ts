/** Where secrets come from: variables, files, programs, 1Password's own, and providers. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SecretSource } from "../../src/core/secrets.ts";
import { execute } from "../../src/index.ts";
import { openSecrets } from "../../src/secrets/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const VALUE = "s3cr3t-value-of-a-token";
let folder: string;
const path = process.env.PATH;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-secrets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => {
  process.env.PATH = path;
});

async function valueFrom(source: SecretSource, signal = new AbortController().signal): Promise<string> {
  const opened = await openSecrets({ sources: { IT: source }, cwd: folder, abortSignal: signal });
  return opened.secretsFor({ name: "any" }, () => {}).get("IT");
}

async function failure(source: unknown, signal?: AbortSignal): Promise<any> {
  const error = await valueFrom(source as SecretSource, signal).catch((error) => error);
  expect(inspect(error, { depth: 9 })).not.toContain(VALUE);
  return error;
}

/** A program in a folder that is first on the PATH. */
async function program(name: string, script: string): Promise<string> {
  const place = join(folder, name);
  await writeFile(place, `#!/bin/sh\n${script}\n`);
  await chmod(place, 0o755);
  process.env.PATH = `${folder}:${path}`;
  return place;
}

describe("a variable", () => {
  test("of the host", async () => {
    process.env.HAFT_TEST_SECRET = VALUE;
    try {
      expect(await valueFrom({ env: "HAFT_TEST_SECRET" })).toBe(VALUE);
    } finally {
      delete process.env.HAFT_TEST_SECRET;
    }
  });
});

describe("a file", () => {
  test("relative to the run's folder; its last line breaks are not part of the value", async () => {
    await writeFile(join(folder, "token"), `first\n${VALUE}\r\n\n`);
    expect(await valueFrom({ file: "token" })).toBe(`first\n${VALUE}`);
    expect(await valueFrom({ file: join(folder, "token") })).toBe(`first\n${VALUE}`);
  });

  test("that is missing, empty or large", async () => {
    expect(await failure({ file: "nowhere" })).toMatchObject({
      code: "SECRET_FAILED",
      message: `Secret "IT" could not be resolved: its file ${join(folder, "nowhere")} could not be read (ENOENT)`,
    });
    await writeFile(join(folder, "empty"), "\n");
    expect(await failure({ file: "empty" })).toMatchObject({ code: "SECRET_MISSING" });
    await writeFile(join(folder, "large"), VALUE.repeat(4000));
    expect(await failure({ file: "large" })).toMatchObject({ code: "SECRET_FAILED" });
  });
});

describe("a program", () => {
  test("gives its output, without the line break; arguments are not for a shell", async () => {
    const argv = await program("give", 'printf "%s|" "$@"; echo');
    expect(await valueFrom({ command: [argv, "a b", "$(id)", "*"] })).toBe("a b|$(id)|*|");
    expect(await valueFrom({ command: ["give", "x"] })).toBe("x|");
  });

  test("gets what it needs of the environment, and nothing else", async () => {
    process.env.HAFT_TEST_CANARY = "canary";
    try {
      const seen = await valueFrom({ command: ["env"], env: { VAULT: "v1" } });
      expect(seen).toContain("VAULT=v1");
      expect(seen).toContain("PATH=");
      expect(seen).not.toContain("canary");
      expect(seen).not.toContain("NODE_");
    } finally {
      delete process.env.HAFT_TEST_CANARY;
    }
  });

  test.each<[string, string, string]>([
    ["that fails", `echo ${VALUE}; echo ${VALUE} >&2; exit 3`, 'its program "bad" ended with exit code 3'],
    ["that is ended", `echo ${VALUE}; kill -9 $$`, 'its program "bad" was ended by SIGKILL'],
    ["that writes without end", `while :; do echo ${VALUE}; done`, 'its program "bad" wrote more than 64 KiB'],
    ["that hangs", `echo ${VALUE}; sleep 600`, 'its program "bad" did not end within 300 ms'],
    [
      "that leaves a child which hangs",
      `echo ${VALUE}; sleep 600 & exit 0`,
      'its program "bad" did not end within 300 ms',
    ],
    [
      "whose child leaves its group",
      `echo ${VALUE}; setsid sleep 20 & exit 0`,
      'its program "bad" did not end within 300 ms',
    ],
  ])("%s is named, and what it said is not", async (_, script, message) => {
    await program("bad", script);
    const error = await failure({ command: ["bad"], timeoutMs: script.includes("while") ? 30_000 : 300 });
    expect(error).toMatchObject({
      code: "SECRET_FAILED",
      message: `Secret "IT" could not be resolved: ${message}`,
    });
  });

  test("that is not there", async () => {
    expect(await failure({ command: ["haft-surely-not-a-program"] })).toMatchObject({
      code: "SECRET_FAILED",
      message: expect.stringContaining("could not be started (ENOENT)"),
    });
  });

  test("that writes nothing", async () => {
    await program("silent", "exit 0");
    expect(await failure({ command: ["silent"] })).toMatchObject({ code: "SECRET_MISSING" });
  });
});

describe("1Password", () => {
  test("is asked by its program, which gets its own variables", async () => {
    await program("op", 'echo "$*|$OP_ACCOUNT|$HAFT_TEST_CANARY"');
    process.env.OP_ACCOUNT = "me.1password.com";
    process.env.HAFT_TEST_CANARY = "canary";
    try {
      expect(await valueFrom({ op: "op://vault/item/field" })).toBe("read op://vault/item/field|me.1password.com|");
      const given = { op: "op://v/i/f", account: "other" };
      expect(await valueFrom(given)).toBe("read op://v/i/f --account other|me.1password.com|");
    } finally {
      delete process.env.OP_ACCOUNT;
      delete process.env.HAFT_TEST_CANARY;
    }
  });

  test("that says no", async () => {
    await program("op", `echo "[ERROR] no ${VALUE}" >&2; exit 1`);
    expect(await failure({ op: "op://vault/item/field" })).toMatchObject({
      code: "SECRET_FAILED",
      message: 'Secret "IT" could not be resolved: its program "op" ended with exit code 1',
    });
  });
});

describe("a provider", () => {
  test("is an object or a function, and is told the name", async () => {
    const vault = {
      prefix: "of ",
      async resolve(name: string) {
        return this.prefix + name;
      },
    };
    expect(await valueFrom(vault)).toBe("of IT");
    expect(await valueFrom((name) => `${name}!`)).toBe("IT!");
  });

  test.each<[string, SecretSource, string]>([
    [
      "that throws",
      () => {
        throw new TypeError(`bad ${VALUE}`);
      },
      "its provider failed (TypeError)",
    ],
    ["that rejects with text", () => Promise.reject(VALUE), "its provider failed (string)"],
    ["that gives no text", (() => 5) as any, "its provider gave no text"],
  ])("%s", async (_, source, message) => {
    expect(await failure(source)).toMatchObject({
      code: "SECRET_FAILED",
      message: `Secret "IT" could not be resolved: ${message}`,
    });
  });

  test("is ended with the run, whether it takes note or not", async () => {
    const controller = new AbortController();
    let seen: AbortSignal | undefined;
    const waiting = failure(
      {
        resolve(_name: string, { abortSignal }: { abortSignal: AbortSignal }) {
          seen = abortSignal;
          return new Promise(() => {});
        },
      },
      controller.signal,
    );
    controller.abort();
    expect(await waiting).toMatchObject({ code: "SECRET_FAILED" });
    expect(seen!.aborted).toBe(true);
  });
});

describe("what is no source", () => {
  test.each<[unknown]>([
    [{}],
    [null],
    ["text"],
    [{ env: 5 }],
    [{ env: "A", static: "b" }],
    [{ file: "" }],
    [{ op: "https://vault" }],
    [{ op: "op://a/b/c", account: 1 }],
    [{ command: [] }],
    [{ command: "pass show x" }],
    [{ command: ["x"], env: { A: 1 } }],
    [{ command: ["x"], timeoutMs: 0 }],
    [{ static: "x", timeoutMs: 5 }],
    [{ static: "x", tools: "Bash" }],
  ])("%j", async (source) => {
    expect(await failure(source)).toMatchObject({
      code: "SECRET_SOURCE_INVALID",
      message: expect.stringContaining('"IT"'),
    });
  });

  test("a name that no variable can have", async () => {
    const opening = openSecrets({
      sources: { "a-b": { static: "x" } },
      cwd: folder,
      abortSignal: new AbortController().signal,
    });
    await expect(opening).rejects.toMatchObject({ code: "SECRET_SOURCE_INVALID" });
  });
});

describe("a run", () => {
  const model = () => scriptedModel(["ok"]);

  test("resolves all of them once, at the same time, before it begins", async () => {
    const asked: string[] = [];
    let open!: () => void;
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    const provider = async (name: string) => {
      asked.push(name);
      if (asked.length === 2) open();
      await both;
      return `value of ${name}`;
    };
    const result = await execute({ model: scriptedModel(["ok"]), prompt: "go", secrets: { A: provider, B: provider } });
    expect([result.status, asked]).toEqual(["success", ["A", "B"]]);
  });

  test("rejects with the name when one cannot be resolved, and asks no model", async () => {
    const asked = model();
    const run = execute({
      model: asked,
      prompt: "go",
      secrets: { A: { static: VALUE }, B: () => Promise.reject(new Error(VALUE)) },
    });
    const error = await Promise.resolve(run).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "SECRET_FAILED", message: expect.stringContaining('"B"') });
    expect(inspect(error, { depth: 9 })).not.toContain(VALUE);
    expect(asked.requests).toEqual([]);
  });

  test("that is aborted meanwhile ends as aborted", async () => {
    const run = execute({ model: model(), prompt: "go", secrets: { A: () => new Promise(() => {}) } });
    setTimeout(() => run.abort("enough"), 20);
    expect(await run).toMatchObject({ status: "error", stopReason: "aborted", error: { code: "ABORTED" } });
  });
});
