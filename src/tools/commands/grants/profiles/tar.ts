/** tar: makes, lists and unpacks archives inside the root. It runs nothing but the usual compressors. */
import { type ArgsRules, each, type ReadArguments } from "../argument-rules.ts";
import { quoted, refused } from "../refusal.ts";
import type { Profile, ProfileCall } from "./profile.ts";
import { checkArchive, checkNames } from "./tar-members.ts";

const rules: ArgsRules = {
  options: {
    ...each(
      true,
      "-c --create -x --extract --get -t --list -v --verbose -z --gzip -j --bzip2 -J --xz --zstd -a --auto-compress",
    ),
    ...each(
      true,
      "-O --to-stdout -k --keep-old-files --skip-old-files -m --touch --wildcards --no-wildcards --anchored --no-anchored",
    ),
    ...each(
      true,
      "--no-recursion --exclude-vcs --numeric-owner --force-local --no-same-owner --no-same-permissions --totals --full-time",
    ),
    ...each("path", "-f --file -C --directory"),
    ...each(/\d+/, "--strip-components"),
    ...each("text", "--exclude"),
    ...each(["name", "none"], "--sort"),
  },
  positionals: "text",
};

export const tar: Profile = {
  name: "tar",
  rules: () => rules,
  normalise: dashed,
  // Options in a variable would come in front of ours.
  env: () => ({ TAR_OPTIONS: "" }),
  async prepare(call) {
    const { args, reading } = call;
    const mode = modeOf(reading);
    for (const names of [folderOptions, fileOptions]) {
      const count = reading.options.filter(({ name }) => names.includes(name)).length;
      if (count > 1) throw refused(`${names.join(" or ")} stands there more than once`);
    }
    if (mode === "create") await checkNames(call, folderOf(reading));
    if (mode !== "extract") return ["--force-local", ...args];
    await checkArchive(call, folderOf(reading));
    return ["--force-local", "--no-same-owner", "--no-same-permissions", ...args];
  },
};

const fileOptions = ["-f", "--file"];
const folderOptions = ["-C", "--directory"];
const modes: Record<string, string> = {
  "-c": "create",
  "--create": "create",
  "-x": "extract",
  "--extract": "extract",
  "--get": "extract",
  "-t": "list",
  "--list": "list",
};

function modeOf({ options }: ReadArguments): string {
  const found = new Set(options.flatMap(({ name }) => modes[name] ?? []));
  if (found.size !== 1) throw refused("one of -c, -x and -t is needed");
  return [...found][0]!;
}

function folderOf({ options }: ProfileCall["reading"]): string {
  return options.find(({ name }) => folderOptions.includes(name))?.value ?? ".";
}

/** `xzf a.tgz` is `-xzf a.tgz`, as long as its values come in the same order in both. */
function dashed(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  if (first === "" || first.startsWith("-")) return args;
  if (!/^[a-zA-Z]+$/.test(first)) throw refused(`${quoted(first)}: say first what to do`, "-c, -x, -t");
  if (/[fCbgHIKLNTVXF](?!$)/.test(first)) throw refused(`${quoted(first)}: write -f and -C apart, each with its value`);
  return [`-${first}`, ...rest];
}
