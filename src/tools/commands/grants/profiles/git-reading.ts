/** What looks at a repository, and changes nothing in it. */
import { type ArgsRules, each } from "../argument-rules.ts";
import { diffOutput, flags, limits, logOutput, refFilter } from "./git-options.ts";

const log: ArgsRules = { options: { ...diffOutput, ...limits, ...logOutput }, positionals: "revision" };

export const reading: Record<string, ArgsRules> = {
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
      ...flags("-s --summary -n --numbered -e --email -c --committer"),
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
