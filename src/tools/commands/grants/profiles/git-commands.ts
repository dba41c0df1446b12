/** The subcommands of git that a grant takes, and the options of each. Whatever could start a program is not there. */
import { type ArgsRules, each, type OptionRule } from "../argument-rules.ts";

/** Short, for reading. Options that take a value: `-x` in the wrong group would let the next argument through unread. */
const flags = (names: string) => each(true, names);

const diffOutput: Record<string, OptionRule> = {
  ...flags(
    "-p --patch -u -s --no-patch --raw --patch-with-raw --patch-with-stat --numstat --shortstat --summary --compact-summary",
  ),
  ...flags(
    "--name-only --name-status --no-renames --check --full-index --binary -z -R -a --text -b -w --ignore-space-change",
  ),
  ...flags(
    "--ignore-all-space --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines -W --function-context --minimal",
  ),
  ...flags(
    "--patience --histogram --no-color --no-prefix --no-ext-diff --no-textconv --pickaxe-all --pickaxe-regex --exit-code --quiet",
  ),
  ...each(
    { optional: /[\w,=.%-]*/ },
    "--stat --dirstat --abbrev --color --word-diff --find-renames --find-copies -M -C -B --color-words",
  ),
  ...each({ optional: "number" }, "-U --unified --inter-hunk-context"),
  ...each("text", "-S -G"),
  ...each(/[A-Za-z*]+/, "--diff-filter --diff-algorithm"),
};

const limits: Record<string, OptionRule> = {
  ...flags(
    "--all --merges --no-merges --first-parent --reverse --topo-order --date-order --author-date-order --left-right",
  ),
  ...flags(
    "--cherry-pick --cherry --boundary --ancestry-path --follow --full-history --simplify-merges --simplify-by-decoration",
  ),
  ...flags(
    "--no-walk --walk-reflogs -g --invert-grep -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings -P --all-match",
  ),
  ...each("number", "-n --max-count --skip -#"),
  ...each("text", "-L --since --after --until --before --author --committer --grep"),
  ...each({ optional: "text" }, "--branches --tags --remotes --glob --exclude"),
};

const logOutput: Record<string, OptionRule> = {
  ...flags(
    "--oneline --graph --no-decorate --abbrev-commit --no-abbrev-commit --parents --children --no-notes --source --no-mailmap",
  ),
  ...flags("--no-expand-tabs --relative-date -c --cc -m --root -t --full-diff --log-size"),
  ...each({ optional: "text" }, "--pretty --format --decorate --show-linear-break"),
  ...each(/[\w:%. +/-]+/, "--date"),
};

const log: ArgsRules = { options: { ...diffOutput, ...limits, ...logOutput }, positionals: "revision" };

const commitText: Record<string, OptionRule> = each("text", "-m --message");

const refFilter: Record<string, OptionRule> = {
  ...each({ optional: "revision" }, "--merged --no-merged --contains --no-contains"),
  ...each("revision", "--points-at"),
  ...each("text", "--sort --format"),
};

const reading: Record<string, ArgsRules> = {
  status: {
    options: {
      ...flags(
        "-s --short -b --branch --show-stash --long -v -z --ahead-behind --no-ahead-behind --renames --no-renames",
      ),
      ...each({ optional: /[\w]+/ }, "--porcelain --untracked-files -u --ignored --find-renames"),
    },
    positionals: "path",
  },
  log,
  show: log,
  shortlog: {
    options: {
      ...limits,
      ...flags("-s --summary --numbered -e --email -c --committer"),
      ...each({ optional: "text" }, "--format --group"),
    },
    positionals: "revision",
  },
  "rev-list": {
    options: {
      ...limits,
      ...flags("--count --objects --abbrev-commit --oneline --parents"),
      ...each({ optional: "text" }, "--pretty --format"),
    },
    positionals: "revision",
  },
  diff: {
    options: { ...diffOutput, ...flags("--cached --staged --merge-base"), ...each({ optional: "path" }, "--relative") },
    positionals: "revision",
  },
  blame: {
    options: {
      ...flags("-w -l -t -s -e --show-email -f --show-name -n --show-number -p --porcelain --line-porcelain --root -c"),
      ...each({ optional: "number" }, "-M -C"),
      ...each(/[^\0]+/, "-L"),
      ...each("text", "--since --date"),
    },
    positionals: "revision",
  },
  "rev-parse": {
    options: {
      ...flags(
        "--verify -q --quiet --symbolic --symbolic-full-name --is-inside-work-tree --is-bare-repository --show-toplevel --show-prefix --git-dir",
      ),
      ...each({ optional: /[\w]+/ }, "--short --abbrev-ref"),
    },
    positionals: "revision",
  },
  "ls-files": {
    options: {
      ...flags(
        "-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -t -u -z --exclude-standard --full-name --directory --error-unmatch",
      ),
      ...each("text", "-x --exclude"),
    },
    positionals: "path",
  },
  "ls-tree": {
    options: {
      ...flags("-d -r -t -l --long -z --name-only --full-name --full-tree"),
      ...each({ optional: "number" }, "--abbrev"),
    },
    positionals: "revision",
  },
  "cat-file": { options: flags("-t -s -p -e"), positionals: "revision" },
  grep: {
    options: {
      ...flags(
        "-n --line-number -i --ignore-case -w --word-regexp -v --invert-match -l --files-with-matches -L --files-without-match -c --count",
      ),
      ...flags(
        "-E --extended-regexp -G --basic-regexp -P --perl-regexp -F --fixed-strings -h -H -z --column --heading --break -p --show-function -W --function-context -q --quiet --cached --untracked --all-match -I --and --or --not",
      ),
      ...each("number", "-A --after-context -B --before-context -C --context --max-depth -m --max-count -#"),
      ...each("text", "-e"),
    },
    positionals: "text",
  },
  describe: {
    options: {
      ...flags("--all --tags --contains --always --long --exact-match --first-parent"),
      ...each({ optional: "text" }, "--dirty --abbrev --match --exclude"),
    },
    positionals: "revision",
  },
  "merge-base": {
    options: flags("-a --all --is-ancestor --octopus --independent --fork-point"),
    positionals: "revision",
  },
  "show-ref": {
    options: flags("--head --heads --tags --verify -q --quiet -d --dereference -s --hash"),
    positionals: "text",
  },
  "for-each-ref": { options: { ...refFilter, ...each("number", "--count") }, positionals: "text" },
  reflog: { options: { ...limits, ...logOutput }, positionals: "revision" },
  version: { options: {}, positionals: false },
};

const writing: Record<string, ArgsRules> = {
  add: {
    options: flags("-A --all -u --update -n --dry-run -v --verbose -f --force -N --intent-to-add --ignore-errors"),
    positionals: "path",
  },
  rm: { options: flags("-r --cached -f --force -n --dry-run -q --quiet --ignore-unmatch"), positionals: "path" },
  mv: { options: flags("-f --force -k -n --dry-run -v --verbose"), positionals: "path" },
  commit: {
    options: {
      ...commitText,
      ...flags(
        "-a --all --amend --no-edit --allow-empty --allow-empty-message -q --quiet -v --verbose -s --signoff --reset-author --dry-run --short -n --no-verify -o --only -i --include",
      ),
      ...each("path", "-F --file"),
      ...each("revision", "-C --reuse-message --fixup"),
      ...each("text", "--author --date"),
    },
    positionals: "path",
  },
  branch: {
    options: {
      ...refFilter,
      ...flags(
        "-a --all -r --remotes -l --list -v -vv -q --quiet -d -D --delete -m -M --move -c -C --copy -f --force --show-current --unset-upstream --no-track --no-color --no-column",
      ),
      ...each({ optional: /direct|inherit/ }, "-t --track"),
      ...each("revision", "-u --set-upstream-to"),
    },
    positionals: "revision",
  },
  tag: {
    options: {
      ...refFilter,
      ...commitText,
      ...flags("-a --annotate -d --delete -l --list -f --force -i --ignore-case"),
      ...each({ optional: "number" }, "-n"),
    },
    positionals: "revision",
  },
  checkout: {
    options: {
      ...flags("-q --quiet -f --force --detach -d --ours --theirs --no-track -t --track --no-guess"),
      ...each("revision", "-b -B --orphan"),
    },
    positionals: "revision",
  },
  switch: {
    options: {
      ...flags("-q --quiet -f --force --discard-changes -d --detach --no-track -t --track --no-guess"),
      ...each("revision", "-c --create -C --force-create --orphan"),
    },
    positionals: "revision",
  },
  restore: {
    options: { ...flags("-S --staged -W --worktree -q --quiet --ours --theirs"), ...each("revision", "-s --source") },
    positionals: "path",
  },
  reset: { options: flags("--soft --mixed --hard --keep -q --quiet -N"), positionals: "revision" },
  clean: {
    options: { ...flags("-n --dry-run -f --force -d -x -X -q --quiet"), ...each("text", "-e --exclude") },
    positionals: "path",
  },
  stash: {
    subcommands: {
      push: {
        options: {
          ...commitText,
          ...flags("-u --include-untracked -a --all -k --keep-index --no-keep-index -q --quiet -S --staged"),
        },
        positionals: "path",
      },
      list: { options: { ...limits, ...logOutput }, positionals: false },
      show: { options: { ...diffOutput, ...flags("-u --include-untracked") }, positionals: "revision" },
      pop: { options: flags("--index -q --quiet"), positionals: "revision" },
      apply: { options: flags("--index -q --quiet"), positionals: "revision" },
      drop: { options: flags("-q --quiet"), positionals: "revision" },
    },
  },
  merge: {
    options: {
      ...commitText,
      ...flags(
        "--ff --no-ff --ff-only --squash --no-squash --no-commit --commit --no-edit --stat -n --no-stat -q --quiet -v --abort --continue --quit --allow-unrelated-histories",
      ),
      ...each(/ours|theirs|ignore-[a-z-]+|patience|no-renames/, "-X --strategy-option"),
      ...each(["ort", "recursive", "resolve", "ours", "octopus"], "-s --strategy"),
    },
    positionals: "revision",
  },
  rebase: {
    options: {
      ...flags(
        "--abort --continue --skip --quit -q --quiet -v --verbose --keep-base --autostash --no-autostash --root --no-ff -f --force-rebase",
      ),
      ...each("revision", "--onto"),
    },
    positionals: "revision",
  },
  "cherry-pick": {
    options: {
      ...flags("-n --no-commit -x -s --signoff --ff --abort --continue --skip --quit --allow-empty"),
      ...each("number", "-m --mainline"),
    },
    positionals: "revision",
  },
  revert: {
    options: {
      ...flags("-n --no-commit --no-edit -s --signoff --abort --continue --skip --quit"),
      ...each("number", "-m --mainline"),
    },
    positionals: "revision",
  },
  apply: {
    options: {
      ...flags(
        "--stat --numstat --summary --check --index --cached -3 --3way -R --reverse --reject -v --verbose --recount --unidiff-zero",
      ),
      ...each("number", "-p -C"),
      ...each(["nowarn", "warn", "fix", "error"], "--whitespace"),
    },
    positionals: "path",
  },
  init: { options: { ...flags("-q --quiet"), ...each(/[\w./-]+/, "-b --initial-branch") }, positionals: "path" },
};

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
