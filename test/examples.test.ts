/** Each example prints what its README says, with the package as it is built. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { root } from "./helpers/source-files.ts";

const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), "haft-examples-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Commands, one a line, and what they print together. */
interface Session {
  example: string;
  commands: string[];
  output: string;
}

const folders = readdirSync(join(root, "examples")).sort();
const sessions = folders.flatMap(sessionsOf);

function sessionsOf(example: string): Session[] {
  const readme = readFileSync(join(root, "examples", example, "README.md"), "utf8");
  const pairs = readme.matchAll(/^```sh\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/gm);
  return [...pairs].map(([, commands, output]) => ({
    example,
    commands: commands!.trim().split("\n"),
    output: output!,
  }));
}

test("every example has a number, and says what it prints", () => {
  expect(folders.filter((name) => !/^\d\d-[a-z-]+$/.test(name))).toEqual([]);
  expect(folders.filter((name) => !sessions.some(({ example }) => example === name))).toEqual([]);
});

test.concurrent.for(sessions.map((session, index) => [session.example, index] as const))(
  "%s (%i)",
  async ([example, index]) => {
    const { commands, output } = sessions[index]!;
    const folder = installed(example, index);
    let printed = "";
    for (const command of commands) printed += await printedBy(command, folder);
    expect(printed).toBe(output);
  },
);

/** The example in a folder of its own, as npm would install it. */
function installed(example: string, index: number): string {
  const folder = join(home, String(index));
  cpSync(join(root, "examples", example), folder, {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  mkdirSync(join(folder, "node_modules"));
  for (const name of Object.keys(dependencies)) {
    const target = name === "haft" ? root : join(root, "node_modules", name);
    symlinkSync(target, join(folder, "node_modules", name));
  }
  return folder;
}

/** `npm start -s -- --approve`, without npm. */
async function printedBy(command: string, folder: string): Promise<string> {
  const [, , more = ""] =
    /^npm start -s( -- (.*))?$/.exec(command) ?? expect.fail(`"${command}" does not start an example`);
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const path = [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const { stdout } = await run("sh", ["-c", `${scripts.start} ${more}`], {
    cwd: folder,
    env: { PATH: path, HOME: home, HAFT_MODEL: "" },
  });
  return stdout;
}
