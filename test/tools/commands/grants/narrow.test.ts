/** A narrowed grant lets nothing through that the grant itself would refuse. */
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Sandbox } from "../../../../src/core/sandbox.ts";
import { local } from "../../../../src/sandbox/local/index.ts";
import { Command, type CommandOptions, type CommandTool, type NarrowedGrant } from "../../../../src/tools/index.ts";
import { tempFolder } from "../../helpers.ts";

async function openSub(): Promise<Sandbox> {
  const sandbox = await local({ cwd: await tempFolder() });
  onTestFinished(() => sandbox.dispose());
  await sandbox.mkdir("sub");
  await sandbox.mkdir("sub/deep");
  return sandbox;
}

const secrets = {
  names: ["A", "B"],
  env: () => ({ A: "a-secret", B: "b-secret" }),
  get: (name: string) => `${name.toLowerCase()}-secret`,
};

/** What came of it: a refusal, or that it was let through. */
async function outcome(tool: CommandTool, args: string[], cwd: string | undefined, sandbox: Sandbox): Promise<string> {
  try {
    await tool.execute({ args, ...(cwd !== undefined && { cwd }) }, { sandbox, secrets });
    return "ran";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const argument = fc.constantFrom(
  "log",
  "status",
  "test",
  "-v",
  "-x",
  "-vx",
  "-n3",
  "-n",
  "3",
  "--all",
  "--count=2",
  "--cou=2",
  "--count",
  "--deny",
  "--den",
  "--",
  "sub",
  "sub/deep",
  "..",
  "/etc",
  "a",
);
const names = ["log", "status", "test"];
/** The program is given nothing, or a subcommand and more. */
const given = fc
  .tuple(fc.constantFrom(...names, "-v", "a"), fc.array(argument, { maxLength: 3 }))
  .map(([first, rest]) => [first, ...rest]);
const rules = fc.constantFrom<CommandOptions["args"]>(
  undefined,
  { options: { "-v": true, "-n": "number", "--count": "number", "--all": true } },
  { denyOptions: ["-x"] },
  { positionals: "path" },
  { singleDash: "whole", denyOptions: ["-n3"] },
  (args) => args.length < 4,
  [{ denyOptions: ["--count"] }, () => true],
);
/** Most grants do not limit everything at once. */
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const grant: fc.Arbitrary<CommandOptions> = fc.record({
  command: fc.constant("true"),
  name: fc.constant("Grant"),
  subcommands: rarely(fc.subarray(names, { minLength: 2 })),
  args: rarely(rules),
  root: rarely(fc.constantFrom(".", "sub")),
  secrets: rarely(fc.subarray(["A", "B"])),
  timeoutMs: rarely(fc.integer({ min: 5_000, max: 900_000 })),
});
const narrowing: fc.Arbitrary<NarrowedGrant> = fc.record({
  subcommands: rarely(fc.subarray(names, { minLength: 1 })),
  denyOptions: rarely(fc.subarray(["-v", "-x", "--deny", "--count", "-n"])),
  args: rarely(rules),
  root: rarely(fc.constantFrom("sub", "sub", "sub/deep", "..", ".")),
  secrets: rarely(fc.subarray(["A", "B"])),
  timeoutMs: rarely(fc.integer({ min: 1_000, max: 700_000 })),
});

describe("narrow", () => {
  test("what the narrowed grant allows, the wider allows", async () => {
    const sandbox = await openSub();
    let [ran, widened] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        grant,
        narrowing,
        narrowing,
        given,
        rarely(fc.constantFrom(".", "sub", "sub/deep", "..")),
        async (options, first, second, args, cwd) => {
          const wide = Command.withOptions(options);
          let narrow: CommandTool;
          try {
            narrow = wide.narrow(first).narrow(second);
          } catch (error) {
            expect((error as { code: string }).code).toBe("GRANT_WIDER");
            widened++;
            return;
          }
          // Without a folder of its own, a call runs in the root, which narrows too.
          const where = cwd ?? narrow.optionValues.root ?? ".";
          if ((await outcome(narrow, args, where, sandbox)) !== "ran") return;
          ran++;
          expect(await outcome(wide, args, where, sandbox)).toBe("ran");
        },
      ),
      { numRuns: 500 },
    );
    expect(ran).toBeGreaterThan(50);
    expect(widened).toBeGreaterThan(20);
  }, 240_000);

  test("time, secrets and hosts only become less", () => {
    fc.assert(
      fc.property(grant, narrowing, (options, by) => {
        const wide = Command.withOptions(options);
        let narrow: CommandTool;
        try {
          narrow = wide.narrow(by);
        } catch {
          return;
        }
        const [outer, inner] = [wide.optionValues, narrow.optionValues];
        const most = (values: typeof outer) => values.maxTimeoutMs ?? Math.max(600_000, values.timeoutMs ?? 0);
        expect(most(inner)).toBeLessThanOrEqual(most(outer));
        expect(inner.timeoutMs ?? 120_000).toBeLessThanOrEqual(outer.timeoutMs ?? 120_000);
        if (outer.secrets)
          expect(outer.secrets).toEqual(expect.arrayContaining([...(inner.secrets ?? ["none of these"])]));
        if (outer.subcommands)
          expect(outer.subcommands).toEqual(expect.arrayContaining([...(inner.subcommands ?? ["none of these"])]));
      }),
    );
  });

  test("wider is an error that says what", () => {
    const git = Command.withOptions({
      command: "git",
      subcommands: ["log", "status"],
      secrets: ["A"],
      root: "sub",
      maxTimeoutMs: 5_000,
      network: ["*.example.com"],
    });
    const wider = (by: NarrowedGrant) => {
      try {
        return git.narrow(by).name;
      } catch (error) {
        const { code, message } = error as { code: string; message: string };
        return `${code}: ${message}`;
      }
    };
    expect(wider({ subcommands: ["log", "push"] })).toBe(
      "GRANT_WIDER: A narrowed grant may not have more subcommands than the grant: push is not among log, status.",
    );
    expect(wider({ secrets: ["A", "B"] })).toMatch(/more secrets than the grant: B is not among A/);
    expect(wider({ root: "." })).toMatch(/more root than the grant: \. is not inside sub/);
    expect(wider({ root: "sub/../other" })).toMatch(/GRANT_WIDER/);
    expect(wider({ root: "/etc" })).toMatch(/GRANT_WIDER/);
    expect(wider({ timeoutMs: 6_000 })).toMatch(/6000 is more than 5000/);
    for (const network of [true, ["example.com"], ["*.com"], ["evil.com"], ["*.evil-example.com"]])
      expect(wider({ network })).toMatch(/GRANT_WIDER.*network/);
    for (const network of [false, ["a.example.com"], ["*.example.com"], ["*.a.example.com"], []])
      expect(wider({ network })).toBe("Git");
    const one = Command.withOptions({ command: "git", network: ["x.example.com"] });
    expect(() => one.narrow({ network: ["*.example.com"] })).toThrow(/network/);
    expect(one.narrow({ network: ["X.example.com"] }).name).toBe("Git");
    expect(() => Command.withOptions({ command: "git" }).narrow({ network: true })).toThrow(/network/);
    expect(() => Command.narrow({ timeoutMs: 1 })).toThrow(/its options are invalid/);
  });

  test("a profile's grant, its subcommands and its time", async () => {
    const sandbox = await openSub();
    const git = Command.withOptions({ command: "git" });
    const child = git.narrow({
      subcommands: ["init", "status"],
      denyOptions: ["-s", "--short"],
      root: "sub",
      timeoutMs: 60_000,
    });
    expect(child.name).toBe("Git");
    expect(child.description).toContain("Subcommands: init, status.");
    expect(await outcome(child, ["init", "-q"], undefined, sandbox)).toBe("ran");
    expect(await outcome(child, ["status"], undefined, sandbox)).toBe("ran");
    for (const args of [
      ["status", "-s"],
      ["status", "-bs"],
      ["status", "--short"],
      ["status", "--sho"],
      ["log"],
      ["init", "../x"],
    ])
      expect(await outcome(child, args, undefined, sandbox), args.join(" ")).toBe("COMMAND_REFUSED");
    expect(() => git.narrow({ subcommands: ["push"] })).toThrow(/GRANT|more subcommands/);
    const text = await child.execute({ args: ["status"], timeout: 500 }, { sandbox });
    expect(text).toContain("the timeout was lowered from 500 s to 60 s, the most there is");
  });
});
