/** A piece of a host, made to be attacked: a workspace, secrets beside it, and a way to see that nothing has changed. */
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Whatever holds this word was never meant to be seen inside. */
export const MARK = "HOSTSECRET";

export const SOCKET_NAME = "docker.sock";

const WORKSPACE_FILES: Record<string, string> = {
  ".bashrc": "# yours\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n\trepositoryformatversion = 0\n",
  ".git/hooks/pre-commit": "#!/bin/sh\nexit 0\n",
  ".git/objects/info/note": "objects\n",
  ".git/refs/heads/note": "refs\n",
  "nested/.git/hooks/pre-commit": "#!/bin/sh\nexit 0\n",
  "src/a.txt": "hello\n",
};

export class Stage {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "haft-suite-")));
  readonly workspace = join(this.base, "workspace");
  readonly secret = join(this.base, "secret");
  readonly home = join(this.base, "home");
  /** A program to put into the workspace, when there is one. */
  probe: string | undefined;
  #before = "";
  #workspaceBefore = "";

  constructor() {
    this.restore();
  }

  /** Puts everything back, except the socket, which somebody listens on. */
  restore(): void {
    for (const name of readdirSync(this.base)) if (name !== "workspace") remove(join(this.base, name));
    mkdirSync(this.workspace, { recursive: true });
    for (const name of readdirSync(this.workspace)) if (name !== SOCKET_NAME) remove(join(this.workspace, name));

    put(this.secret, "host-secret.txt", `${MARK}-file\n`);
    put(this.secret, "evil.sh", `echo ${MARK}-sourced\n`);
    put(this.home, ".ssh/id_rsa", `${MARK}-key\n`);
    put(this.home, ".bashrc", "# yours\n");
    for (const [path, content] of Object.entries(WORKSPACE_FILES)) put(this.workspace, path, content);
    symlinkSync("../secret", join(this.workspace, "link-out"));
    symlinkSync("/etc/shadow", join(this.workspace, "link-shadow"));
    symlinkSync(".", join(this.workspace, "loop"));
    if (this.probe) copyProgram(this.probe, join(this.workspace, "probe"));
    this.#before = this.#hash("");
    this.#workspaceBefore = this.#hash("workspace");
  }

  /** True when every file, link, mode and byte of the host is what it was; the workspace counts where it is held back. */
  isUntouched({ withWorkspace }: { withWorkspace: boolean }): boolean {
    if (withWorkspace && this.#hash("workspace") !== this.#workspaceBefore) return false;
    return this.#hash("") === this.#before;
  }

  /** A line for each entry of a folder and of those in it; what is in the workspace only when that is the folder. */
  #hash(start: string): string {
    const lines: string[] = [];
    const walk = (folder: string) => {
      for (const name of readdirSync(join(this.base, folder)).sort()) {
        const path = folder === "" ? name : `${folder}/${name}`;
        lines.push(`${JSON.stringify(path)} ${describe(join(this.base, path))}`);
        if (path !== "workspace" && lstatSync(join(this.base, path)).isDirectory()) walk(path);
      }
    };
    walk(start);
    return lines.join("\n");
  }

  /** The text of a file of the workspace as the host sees it, or undefined. */
  hostText(path: string): string | undefined {
    const file = join(this.workspace, path);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  remove(): void {
    remove(this.base);
  }
}

/** A name that nobody has used yet. */
export function newName(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString("hex")}`;
}

function put(folder: string, path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

function copyProgram(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}

/** By a program: Node cannot remove what is deeper than a path is long. */
function remove(path: string): void {
  execFileSync("rm", ["-rf", path]);
}

function describe(path: string): string {
  const stat = lstatSync(path);
  const mode = stat.mode.toString(8);
  if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  if (!stat.isFile()) return `other ${mode}`;
  const content = stat.size > 1024 * 1024 ? `${stat.size} bytes` : sha256(readFileSync(path));
  return `file ${mode} ${stat.nlink} ${content}`;
}

function sha256(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
