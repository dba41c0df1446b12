/** find: looks and prints. It runs nothing, deletes nothing and writes no file. */
import { type ArgsRules, each } from "../argument-rules.ts";
import type { Profile } from "./profile.ts";

const rules: ArgsRules = {
  singleDash: "whole",
  options: {
    ...each(
      true,
      "-P -H -depth -d -mount -xdev -noleaf -daystart -ignore_readdir_race -noignore_readdir_race -warn -nowarn",
    ),
    ...each(true, "-a -and -o -or -not -true -false -empty -executable -readable -writable -nouser -nogroup"),
    ...each(true, "-print -print0 -ls -prune -quit"),
    ...each("number", "-maxdepth -mindepth"),
    ...each("text", "-name -iname -path -ipath -wholename -iwholename -lname -ilname -regex -iregex -regextype"),
    ...each("text", "-type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -used -newermt -newerat -newerct"),
    ...each("text", "-perm -user -group -uid -gid -inum -links -fstype -printf"),
    ...each("path", "-newer -anewer -cnewer -samefile"),
  },
  // `(`, `)`, `!` and `,` are words of it, and as paths they lead inside.
  positionals: "path",
};

export const find: Profile = {
  name: "find",
  rules: () => rules,
};
