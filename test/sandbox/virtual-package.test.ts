import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
let folder: string;
let bare: string;

/** The virtual sandbox as plain JavaScript, in a folder that has what is named in `packages` and nothing else. */
async function installedWith(packages: string[]): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "haft-package-"));
  for (const part of ["base", "sandbox/files", "sandbox/process", "sandbox/search", "sandbox/virtual"]) {
    for (const name of await readdir(join(root, "src", part))) {
      const from = join(root, "src", part, name);
      const to = join(place, part, name.replace(/\.ts$/, ".js"));
      await mkdir(dirname(to), { recursive: true });
      if (name.endsWith(".ts")) await writeFile(to, compiled(await readFile(from, "utf8")));
      else await cp(from, to);
    }
  }
  await mkdir(join(place, "node_modules"));
  for (const name of packages) await symlink(join(root, "node_modules", name), join(place, "node_modules", name));
  await writeFile(join(place, "package.json"), '{ "type": "module" }');
  return place;
}

function compiled(source: string): string {
  const module = ts.ModuleKind.ESNext;
  const compilerOptions = {
    module,
    target: ts.ScriptTarget.ES2022,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

async function node(place: string, program: string): Promise<string> {
  const file = join(place, "program.mjs");
  await writeFile(file, `import { virtual, virtualProvider } from "./sandbox/virtual/index.js";\n${program}`);
  return (await promisify(execFile)(process.execPath, [file], { timeout: 25_000 })).stdout;
}

beforeAll(async () => {
  folder = await installedWith(["ignore", "re2js", "just-bash"]);
  bare = await installedWith(["ignore", "re2js"]);
});
afterAll(() => Promise.all([folder, bare].map((place) => rm(place, { recursive: true, force: true }))));

test("without just-bash it says what to install, before anything else", async () => {
  const out = await node(
    bare,
    `try { await virtual(); } catch (error) { console.log(JSON.stringify([error.code, error.message, error.hint])); }
     console.log(JSON.stringify(await virtualProvider().check()));`,
  );
  const [thrown, check] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(thrown).toEqual(["SANDBOX_MISSING", expect.stringContaining("just-bash"), "npm install just-bash"]);
  expect(check).toEqual({ ok: false, problems: [expect.stringContaining("npm install just-bash")] });
});

test("built, it works, and a sandbox that nobody closed does not keep the program alive", async () => {
  const out = await node(
    folder,
    `const sandbox = await virtual({ files: { "a.txt": "built" } });
     console.log(Buffer.from((await sandbox.exec("cat a.txt | tr a-z A-Z")).stdout).toString());
     console.log((await sandbox.grep({ pattern: "bu?ilt" })).total);`,
  );
  expect(out).toBe("BUILT\n1\n");
});

test("a command that runs keeps the program alive until it ends", async () => {
  const out = await node(
    folder,
    `virtual().then((sandbox) => sandbox.exec("sleep 0.5; echo done")).then((result) => console.log(result.status));`,
  );
  expect(out).toBe("exited\n");
});

test("nothing of just-bash is loaded until the first command", async () => {
  const out = await node(
    folder,
    `const before = process.memoryUsage().rss;
     const sandboxes = await Promise.all(Array.from({ length: 50 }, () => virtual()));
     await sandboxes[0].writeFile("a", Buffer.from("x"));
     console.log(process.memoryUsage().rss - before < 40e6);`,
  );
  expect(out).toBe("true\n");
});

test("a shell ends with its program, however that ends", async () => {
  const program = (end: string) =>
    `const sandbox = await virtual();
     await sandbox.exec("true");
     const busy = sandbox.exec("while true; do :; done");
     await new Promise((resolve) => setTimeout(resolve, 300));
     const shells = process._getActiveHandles().map((handle) => handle.pid).filter(Boolean);
     console.log(JSON.stringify(shells));
     ${end}`;
  for (const end of ["process.exit(0);", "process.kill(process.pid, 'SIGTERM');", "throw new Error('x');"]) {
    const out = await node(folder, program(end)).catch((error) => error.stdout as string);
    const shells: number[] = JSON.parse(out);
    expect(shells.length).toBeGreaterThan(0);
    await expect.poll(() => shells.filter(isAlive), { timeout: 15_000 }).toEqual([]);
  }
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
