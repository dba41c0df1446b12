/** rg: searches inside the root. No preprocessor, no settings file, no decompression, no link followed. */
import { type ArgsRules, each, type ReadArguments, type ValueRule } from "../argument-rules.ts";
import type { Profile } from "./profile.ts";

const patternOptions = ["-e", "--regexp", "-f", "--file", "--files", "--type-list"];

const rules: ArgsRules = {
  options: {
    ...each(
      true,
      "-i --ignore-case -s --case-sensitive -S --smart-case -w --word-regexp -x --line-regexp -F --fixed-strings",
    ),
    ...each(
      true,
      "-v --invert-match -l --files-with-matches --files-without-match -c --count --count-matches -o --only-matching",
    ),
    ...each(
      true,
      "-n --line-number -N --no-line-number -H --with-filename -I --no-filename --column --heading --no-heading",
    ),
    ...each(
      true,
      "-U --multiline --multiline-dotall -P --pcre2 -a --text -u --unrestricted -. --hidden --no-hidden --no-ignore",
    ),
    ...each(
      true,
      "--no-ignore-vcs --no-ignore-parent --no-ignore-global --no-messages -0 --null --json --vimgrep --trim -q --quiet",
    ),
    ...each(
      true,
      "--stats --files --type-list -p --pretty --passthru --crlf --no-config --no-follow --one-file-system --version -V",
    ),
    ...each(
      "number",
      "-A --after-context -B --before-context -C --context -m --max-count -M --max-columns -d --max-depth -j --threads",
    ),
    ...each(
      "text",
      "-e --regexp -g --glob --iglob -t --type -T --type-not -r --replace -E --encoding --max-filesize --context-separator",
    ),
    ...each(["path", "modified", "accessed", "created", "none"], "--sort --sortr"),
    ...each(["never", "auto", "always", "ansi"], "--color"),
    ...each("path", "-f --file --ignore-file"),
  },
  positionals: patternThenPaths,
};

export const rg: Profile = {
  name: "rg",
  rules: () => rules,
  env: () => ({ RIPGREP_CONFIG_PATH: "" }),
  prepare: ({ args }) => ["--no-config", "--no-follow", ...args],
};

function patternThenPaths({ options, positionals }: ReadArguments): ValueRule[] {
  const hasPattern = options.some(({ name }) => patternOptions.includes(name));
  return positionals.map((_, index) => (index === 0 && !hasPattern ? "text" : "path"));
}
