/** What changes a repository and its files. */
import { type ArgsRules, each } from "../argument-rules.ts";
import { commitText, diffOutput, flags, limits, logOutput, refFilter } from "./git-options.ts";

export const writing: Record<string, ArgsRules> = {
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
