/** F: commands that leave something in the workspace which runs, outside, when a person next uses it. */
import { once } from "node:events";
import { lstatSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, ONLY_LOCAL_ESCAPES, type Seen } from "../attack.ts";
import { withOwnProgram } from "../own-program.ts";
import { eventually, type Scene, seen } from "../scene.ts";

export const protectedFileAttacks: Attack[] = [
  {
    id: "F12",
    title: ".git/hooks and .git/config",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      await scene.exec(
        "echo evil > .git/hooks/pre-commit; echo 'hooksPath=evil' >> .git/config; echo evil > .git/hooks/post-checkout; " +
          "mv .git .git2; mkdir -p .git/hooks; echo evil > .git/hooks/post-checkout; cp .git2/HEAD .git; rm -rf .git/hooks; ln -s ../src .git/hooks",
      );
      return protectedFiles(scene, [".git/hooks/pre-commit", ".git/config"], [".git/hooks/post-checkout"]);
    },
  },
  {
    id: "F13",
    title: "a start-up file in the workspace",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      await scene.exec(
        "echo evil >> .bashrc; mv .bashrc old; rm -f .bashrc; echo evil > .bashrc; echo evil > new; mv new .bashrc",
      );
      return protectedFiles(scene, [".bashrc"], []);
    },
  },
  {
    id: "F15",
    title: "a start-up file that is not there",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      await scene.exec(
        "for f in .envrc .npmrc .mcp.json .gitmodules; do echo evil > $f; done; mkdir -p .vscode; echo evil > .vscode/tasks.json",
      );
      return protectedFiles(scene, [], [".envrc", ".npmrc", ".mcp.json", ".gitmodules", ".vscode/tasks.json"]);
    },
  },
  {
    id: "F16",
    title: "hooks of a nested repository",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      await scene.exec(
        "echo evil > nested/.git/hooks/pre-commit; mv nested n2; mkdir -p nested/.git/hooks; echo evil > nested/.git/hooks/pre-commit",
      );
      return protectedFiles(scene, ["nested/.git/hooks/pre-commit"], []);
    },
  },
  {
    id: "F17",
    title: "git settings by .git/commondir",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      await scene.exec("cp -r .git .common; echo 'hooksPath=evil' >> .common/config; echo ../.common > .git/commondir");
      return protectedFiles(scene, [], [".git/commondir"]);
    },
  },
  {
    id: "F18",
    title: "leave a set-user-id program behind",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      await scene.exec(
        "echo x > suid; chmod 6755 suid; cp /bin/true suid2; chmod u+s suid2; install -m 4755 /bin/true suid3; perl -e 'use POSIX; POSIX::open(\"suid4\", O_CREAT|O_WRONLY, 04755)'",
      );
      const left = ["suid", "suid2", "suid3", "suid4"].filter((name) => hasSetId(join(scene.stage.workspace, name)));
      return seen(left.length > 0 ? "escapes" : "blocked", left.join(" ") || "none on the host");
    },
  },
  {
    id: "F20",
    title: "after the host replaced a file",
    expect: { local: "escapes", virtual: "blocked", isolated: "escapes" },
    isSlow: true,
    isOnHost: true,
    run: (scene) =>
      whileTheHostIsBusy(scene, ".git/config", async () => {
        for (let round = 0; round < 10; round++) {
          await sleep(100);
          replace(join(scene.stage.workspace, ".git/config"), "# the host's\n");
        }
      }),
  },
  {
    id: "F21",
    title: "beside a second program",
    expect: { local: "escapes", virtual: "blocked", isolated: "escapes" },
    isSlow: true,
    run: (scene) => {
      const body = `console.log("starts"); await sandbox.exec("touch running; sleep 4");`;
      return withOwnProgram(scene, { body }, async (program, said) => {
        const isRunning = () => scene.kind.holdsBack || scene.stage.hostText("running") !== undefined;
        await eventually(() => said().includes("starts") && isRunning());
        return whileTheHostIsBusy(scene, ".envrc", () => once(program, "exit"));
      });
    },
  },
];

/** The host's files that must be as they were, and those that must not have come to be. */
function protectedFiles({ stage }: Scene, same: string[], absent: string[]): Seen {
  const changed = same.filter((path) => stage.hostText(path) === undefined || /evil/.test(stage.hostText(path)!));
  const came = absent.filter((path) => stage.hostText(path)?.match(/evil|common/));
  const all = [...changed, ...came];
  return seen(all.length > 0 ? "escapes" : "blocked", all.join(" ") || "all as before");
}

function hasSetId(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && (stat.mode & 0o6000) !== 0;
}

/** A command that writes all the time, into a file that is protected, while something else goes on. */
async function whileTheHostIsBusy(
  { sandbox, stage }: Scene,
  file: string,
  busy: () => Promise<unknown>,
): Promise<Seen> {
  const abort = new AbortController();
  const writing = sandbox.exec(`for ((i = 0; i < 3000; i++)); do echo evil >> ${file}; sleep 0.01; done`, {
    timeoutMs: 30_000,
    abortSignal: abort.signal,
  });
  await busy();
  await sleep(300);
  abort.abort();
  const { status } = await writing;
  const isWritten = stage.hostText(file)?.includes("evil");
  return seen(
    isWritten ? "escapes" : "blocked",
    `${status}, ${file} is ${isWritten ? "written" : "as the host left it"}`,
  );
}

/** As git and editors write a file. */
function replace(path: string, content: string): void {
  writeFileSync(`${path}.lock`, content);
  renameSync(`${path}.lock`, path);
}
