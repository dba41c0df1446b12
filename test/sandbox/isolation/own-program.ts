/** A program of its own that opens a sandbox of the same kind: to be killed, or to be started with something left open. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scene } from "./scene.ts";

const KINDS = fileURLToPath(new URL("kinds.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const JITI = join(ROOT, "node_modules/jiti/lib/jiti-cli.mjs");

/** `body` is TypeScript that has `sandbox`. `openFile` is a descriptor that the program inherits as its 60: Node itself closes the first sixteen. */
export async function withOwnProgram<T>(
  { kind, stage }: Scene,
  { body, openFile }: { body: string; openFile?: number },
  use: (program: ChildProcess, said: () => string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "haft-program-"));
  const file = join(folder, "program.mts");
  writeFileSync(
    file,
    `import { kinds } from ${JSON.stringify(KINDS)};
     const kind = kinds.find(({ name }) => name === ${JSON.stringify(kind.name)});
     const sandbox = await kind.open(${JSON.stringify(stage.workspace)});
     ${body}
     await sandbox.dispose();`,
  );
  const program = spawn(process.execPath, [JITI, file], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, JITI_FS_CACHE: "false" },
    stdio: ["ignore", "pipe", "pipe", ...Array<"ignore">(57).fill("ignore"), openFile ?? "ignore"],
  });
  let said = "";
  const listen = (data: unknown) => {
    said += data;
  };
  program.stdout?.on("data", listen);
  program.stderr?.on("data", listen);
  try {
    return await use(program, () => said);
  } finally {
    program.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}
