/** What npm would publish, and that it works where it is installed. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "./helpers/source-files.ts";

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "haft-package-"));
let published: string[] = [];

beforeAll(() => {
  const options = { cwd: root, encoding: "utf8" } as const;
  const [packed] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], options),
  );
  published = packed.files.map(({ path }: { path: string }) => path);
  const home = join(folder, "app/node_modules/haft");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", home, "--strip-components=1"]);
  // Its dependencies, as npm would install them; zod, types and the compiler are the user's.
  for (const name of [...Object.keys(manifest.dependencies), "zod", "@types/node", "undici-types", "typescript"])
    link(name);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function link(name: string): void {
  const target = join(folder, "app/node_modules", name);
  mkdirSync(join(target, ".."), { recursive: true });
  symlinkSync(join(root, "node_modules", name), target);
}

test("only what is meant to be published is", () => {
  const strange = published.filter(
    (path) =>
      !/^(dist\/.*\.(js|mjs|d\.ts)|package\.json|README\.md|LICENSE|CHANGELOG\.md|THREAT_MODEL\.md)$/.test(path),
  );
  expect(strange).toEqual([]);
});

test("every export and the command are there", () => {
  const targets = Object.values(manifest.exports as Record<string, any>).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry),
  );
  const all = [...targets, ...Object.values(manifest.bin)].map((path) => String(path).replace("./", ""));
  expect(all.filter((path) => !published.includes(path))).toEqual([]);
});

test("dist mirrors src: every file of the built root is one of ours", () => {
  const built = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".js"),
  );
  const sources = built
    .filter((path) => !path.startsWith("_virtual"))
    .map((path) => join(root, "src", path.replace(/\.js$/, ".ts")));
  expect(sources.filter((path) => !existsSync(path))).toEqual([]);
});

test("no step of its installation runs a script, and every dependency is exact", () => {
  expect(Object.keys(manifest.scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  expect(
    Object.values(manifest.dependencies as Record<string, string>).filter((version) => !/^\d/.test(version)),
  ).toEqual([]);
});

describe("in an empty folder", () => {
  const app = join(folder, "app");
  const program = /```ts run\n([\s\S]*?)```/.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1] ?? "";
  const output = /```ts run\n[\s\S]*?```\s*```text\n([\s\S]*?)```/.exec(
    readFileSync(join(root, "README.md"), "utf8"),
  )?.[1];

  test("the README's program type-checks and runs", () => {
    expect(program.split("\n").length).toBeGreaterThan(5);
    writeFileSync(join(app, "package.json"), JSON.stringify({ type: "module", private: true }));
    writeFileSync(join(app, "main.ts"), program);
    const compilerOptions = {
      strict: true,
      module: "nodenext",
      target: "es2022",
      types: ["node"],
      skipLibCheck: false,
      outDir: "out",
    };
    writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
    try {
      execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."], {
        cwd: app,
        encoding: "utf8",
        stdio: "pipe",
      });
    } catch (error) {
      expect((error as { stdout: string }).stdout).toBe("");
    }
    expect(execFileSync(process.execPath, ["out/main.js"], { cwd: app, encoding: "utf8" })).toBe(output);
  });

  test("the command starts", () => {
    const version = execFileSync(process.execPath, ["node_modules/haft/dist/cli/main.js", "--version"], {
      cwd: app,
      encoding: "utf8",
    });
    expect(version.trim()).toBe(manifest.version);
  });
});
