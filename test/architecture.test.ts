/** The rules of the house that a machine can check: floors, cycles, sizes, and what the root reaches. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root, type SourceFile, sourceFiles, staticGraph } from "./helpers/source-files.ts";

const files = sourceFiles();

/** From the ground up. Folders on one line of `rooms` do not know each other. */
const floors = ["base", "core", "modes", "engine", "agents", "rooms", "project", "eval", "serve", "cli"];
const rooms = ["models", "vm", "tools", "sandbox", "secrets", "stores", "mcp", "interop", "otel", "zai", "testing"];

/** The doors: they bind the floors below, and rooms by `import()` only. */
const doors = ["index.ts", "autonomous.ts"];

/** Files over 250 lines, each with the reason why it is one thing. */
const longFiles: Record<string, string> = {};

const folderOf = (path: string) => path.split("/")[0]!;
const floorOf = (path: string) => {
  const folder = folderOf(path);
  return floors.indexOf(rooms.includes(folder) ? "rooms" : folder);
};

describe("floors", () => {
  test("every folder has one", () => {
    const unknown = files.filter(({ path }) => !doors.includes(path) && floorOf(path) < 0);
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  test("imports go down, or stay in their own folder", () => {
    expect(files.flatMap(upward)).toEqual([]);
  });

  test("a door reaches rooms by import() only", () => {
    const wrong = files
      .filter(({ path }) => doors.includes(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(
            ({ target, isLocal, isDynamic, isType }) => isLocal && !isDynamic && !isType && !doors.includes(target),
          )
          .filter(({ target }) => floorOf(target) >= floors.indexOf("rooms"))
          .map(({ target }) => `${path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });
});

function upward({ path, imports }: SourceFile): string[] {
  if (doors.includes(path)) return [];
  const own = floorOf(path);
  return imports
    .filter(({ isLocal, target }) => isLocal && folderOf(target) !== folderOf(path))
    .filter(({ target }) => {
      if (doors.includes(target)) return own < floors.indexOf("project");
      if (floorOf(target) >= own) return true;
      // The floors of the engine and of agents are below the rooms, and closed to them: they meet in core.
      return floors[own] === "rooms" && ["engine", "agents"].includes(folderOf(target));
    })
    .map(({ target }) => `${path} → ${target}`);
}

test("no cycles", () => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, above: string[]): void => {
    if (above.includes(path)) {
      cycles.push([...above.slice(above.indexOf(path)), path].join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const { target, isLocal, isType, isDynamic } of byPath.get(path)?.imports ?? []) {
      if (isLocal && !isType && !isDynamic) visit(target, [...above, path]);
    }
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  expect(cycles).toEqual([]);
});

test("files over 250 lines have a reason", () => {
  const long = files.filter(({ text }) => text.split("\n").length > 251).map(({ path }) => path);
  expect(long.sort()).toEqual(Object.keys(longFiles).sort());
});

test("a file opens with a sentence on its place", () => {
  const silent = files.filter(({ text }) => !/^(#!.*\n)?\/\*\*/.test(text) && !/^(#!.*\n)?\/\/ /.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

/**
 * V8 puts a function literal that is assigned to a property into old memory at once, with all that it closes over:
 * a whole run would wait for a full collection. Give the function a name first, and assign the name.
 */
test("no function literal is assigned to a property", () => {
  const assigned = /[\w\])]\.#?\w+ (?:\?\?)?= (?:async )?(?:function\b|(?:\([^()]*\)|\w+)(?:: [\w<>[\]| ]+)? =>)/g;
  const found = files.flatMap(({ path, text }) => [...text.matchAll(assigned)].map(([code]) => `${path}: ${code}`));
  expect(found).toEqual([]);
});

test("every package that is loaded is declared", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const declared = Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
  const nameOf = (target: string) =>
    target
      .split("/")
      .slice(0, target.startsWith("@") ? 2 : 1)
      .join("/");
  const used = files.flatMap(({ imports }) =>
    imports.filter(({ isLocal, isType }) => !isLocal && !isType).map(({ target }) => nameOf(target)),
  );
  expect([...new Set(used)].filter((name) => !name.startsWith("node:") && !declared.includes(name))).toEqual([]);
});

describe("the root", () => {
  const graph = staticGraph("index.ts", files);

  test("reaches no package", () => {
    expect([...graph.packages]).toEqual([]);
  });

  test("is fewer than 90 files", () => {
    expect(graph.files.size).toBeLessThan(90);
  });

  test("reaches no room", () => {
    expect([...graph.files].filter((path) => rooms.includes(folderOf(path)))).toEqual([]);
  });
});

describe("error codes", () => {
  const literal = /"([A-Z][A-Z0-9_]{3,})"/g;
  const thrown =
    /(?:new HaftError|new CallFault|refuse|fault|failure|problem|fileError|sandboxError)\(\s*"([A-Z][A-Z0-9_]{3,})"/g;
  const pages = existsSync(join(root, "docs/errors"))
    ? readdirSync(join(root, "docs/errors")).flatMap((name) =>
        name === "README.md" ? [] : [name.replace(/\.md$/, "")],
      )
    : [];

  test("each has its page", () => {
    const codes = new Set(files.flatMap(({ text }) => [...text.matchAll(thrown)].map((match) => match[1]!)));
    expect([...codes].filter((code) => !pages.includes(code)).sort()).toEqual([]);
  });

  test("each page is of a code that there is", () => {
    const words = new Set(files.flatMap(({ text }) => [...text.matchAll(literal)].map((match) => match[1]!)));
    expect(pages.filter((page) => !words.has(page))).toEqual([]);
  });
});
