/** Programs that run whatever they are told, by design: no rule on arguments makes a grant of one narrow. */
import { HaftError } from "../../../base/errors.ts";
import type { SandboxAccess } from "../../../core/sandbox.ts";

const OPEN = new Set(
  [
    "sh bash dash zsh fish ksh busybox toybox pwsh powershell cmd tclsh expect",
    "env xargs parallel sudo su doas nohup nice ionice timeout time watch stdbuf setsid chroot nsenter unshare bwrap flock",
    "strace ltrace gdb lldb script screen tmux at batch crontab systemd-run systemctl start-stop-daemon",
    "node nodejs deno bun tsx ts-node python pypy ruby irb perl php lua luajit julia R Rscript java jshell groovy scala",
    "npm npx pnpm pnpx yarn yarnpkg corepack pip pipx uv uvx poetry gem bundle bundler rake cargo go mix elixir erl dotnet",
    "make gmake cmake ninja meson bazel gradle gradlew mvn ant just task vite vitest jest",
    "psql mysql mariadb sqlite3 mongosh redis-cli",
    "docker docker-compose podman nerdctl ctr kubectl helm terraform tofu ansible ansible-playbook vagrant",
    "ssh scp sftp rsync socat nc ncat telnet",
    "vi vim nvim view emacs nano ed ex less more man awk gawk mawk sed m4 dc openssl gcc cc clang ld",
    "apt apt-get dpkg yum dnf apk brew snap",
  ].flatMap((line) => line.split(" ")),
);

/** Only with a profile are these narrow. */
const OPEN_WITHOUT_PROFILE = new Set(["git", "gh", "curl", "wget", "tar", "find", "rg", "zip", "7z"]);

/** `/usr/bin/python3.11` is `python`. */
export function programName(command: string): string {
  return (command.split(/[\\/]/).filter(Boolean).at(-1) ?? "").replace(/\.(exe|cmd|bat)$/i, "");
}

export function isOpenProgram(command: string, hasProfile: boolean): boolean {
  const name = programName(command);
  const plain = name.replace(/[-.]?\d[\d.]*$/, "");
  if (OPEN.has(name) || OPEN.has(plain)) return true;
  return !hasProfile && (OPEN_WITHOUT_PROFILE.has(name) || name.startsWith("git-") || name.startsWith("gh-"));
}

/**
 * Such a program needs walls around it, or a person who looks at each call.
 *
 * @throws HaftError `GRANT_NOT_CONFINED`
 */
export function checkConfined(command: string, sandbox: SandboxAccess | undefined, hasApproval: boolean): void {
  if (hasApproval || (sandbox && isolatesAll(sandbox))) return;
  const where = sandbox
    ? `the sandbox "${sandbox.kind}" does not isolate commands`
    : "the host does not isolate commands";
  throw new HaftError(
    "GRANT_NOT_CONFINED",
    `${programName(command)} runs any code that it is told to run, and ${where}.`,
    {
      hint: "Run it in a sandbox that isolates files and processes, or have a person look at each call: [Command.with({ approval: true }), { … }].",
    },
  );
}

function isolatesAll({ capabilities: { isolates } }: SandboxAccess): boolean {
  return isolates.files && isolates.processes;
}
