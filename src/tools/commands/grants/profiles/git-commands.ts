/** The subcommands of git that a grant takes. Whatever could start a program is not there. */
import { type ArgsRules, each } from "../argument-rules.ts";
import { flags } from "./git-options.ts";
import { reading } from "./git-reading.ts";
import { writing } from "./git-writing.ts";

const remote: Record<string, ArgsRules> = {
  fetch: {
    options: {
      ...flags("--all --prune -p --tags -t --no-tags -n -f --force -q --quiet -v --verbose --dry-run --unshallow"),
      ...each("number", "--depth --deepen"),
    },
    positionals: "text",
  },
  pull: {
    options: {
      ...flags(
        "--ff-only --ff --no-ff --no-rebase --prune --tags --no-tags -q --quiet -v --verbose --no-edit --autostash --no-autostash",
      ),
      ...each({ optional: ["true", "false", "merges"] }, "--rebase -r"),
      ...each("number", "--depth"),
    },
    positionals: "text",
  },
  push: {
    options: {
      ...flags(
        "--all --tags --follow-tags -f --force -d --delete -u --set-upstream -n --dry-run -q --quiet -v --verbose --porcelain --prune",
      ),
      ...each({ optional: "text" }, "--force-with-lease"),
    },
    positionals: "text",
  },
  clone: {
    options: {
      ...flags("-q --quiet -v --bare --no-checkout -n --single-branch --no-single-branch --no-tags --mirror"),
      ...each("number", "--depth"),
      ...each(/[\w./-]+/, "-b --branch -o --origin"),
    },
    positionals: ({ positionals }) => (positionals.length > 1 ? ["url", "path"] : ["url"]),
  },
  "ls-remote": { options: flags("--heads -h --tags -t --refs -q --quiet --symref --exit-code"), positionals: "text" },
};

/** `remote -v` and `remote get-url` read; adding one could name a remote helper. */
const remoteReading: Record<string, ArgsRules> = {
  remote: { options: flags("-v --verbose"), positionals: false },
};

export const localCommands: Record<string, ArgsRules> = { ...reading, ...remoteReading, ...writing };
export const networkCommands: Record<string, ArgsRules> = remote;

const showsChanges = ["log", "show", "diff", "stash show", "stash list"];

/** Options that keep the program from running what attributes and settings name. */
export function safeOptions(subcommands: readonly string[]): string[] {
  return showsChanges.includes(subcommands.join(" ")) ? ["--no-ext-diff", "--no-textconv"] : [];
}
