/** The programs that a grant knows by name. */
import { programName } from "../open-programs.ts";
import { curl } from "./curl.ts";
import { find } from "./find.ts";
import { gh } from "./gh.ts";
import { git } from "./git.ts";
import type { Profile } from "./profile.ts";
import { rg } from "./rg.ts";
import { tar } from "./tar.ts";

const profiles: readonly Profile[] = [git, gh, curl, tar, find, rg];

export function profileOf(command: string): Profile | undefined {
  const name = programName(command);
  return profiles.find((profile) => profile.name === name);
}
