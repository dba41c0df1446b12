/** Options that many subcommands of git share. */
import { each, type OptionRule } from "../argument-rules.ts";
/** Short, for reading. Options that take a value: `-x` in the wrong group would let the next argument through unread. */
export const flags = (names: string) => each(true, names);

export const diffOutput: Record<string, OptionRule> = {
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

export const limits: Record<string, OptionRule> = {
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

export const logOutput: Record<string, OptionRule> = {
  ...flags(
    "--oneline --graph --no-decorate --abbrev-commit --no-abbrev-commit --parents --children --no-notes --source --no-mailmap",
  ),
  ...flags("--no-expand-tabs --relative-date -c --cc -m --root -t --full-diff --log-size"),
  ...each({ optional: "text" }, "--pretty --format --decorate --show-linear-break"),
  ...each(/[\w:%. +/-]+/, "--date"),
};

export const commitText: Record<string, OptionRule> = each("text", "-m --message");

export const refFilter: Record<string, OptionRule> = {
  ...each({ optional: "revision" }, "--merged --no-merged --contains --no-contains"),
  ...each("revision", "--points-at"),
  ...each("text", "--sort --format"),
};
