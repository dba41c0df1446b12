/** What an archive would write, and what would go into one: looked at before tar does it. */
import { posix } from "node:path";
import { leadsInside, leadsIntoGit } from "../place.ts";
import { quoted, refused } from "../refusal.ts";
import { probe } from "./probe.ts";
import type { ProfileCall } from "./profile.ts";

/** What is packed must be inside, in whatever folder tar stands when it reads the name. */
export async function checkNames(call: ProfileCall, folder: string): Promise<void> {
  const { place, reading } = call;
  for (const name of reading.positionals) {
    const bases = [place.cwd, posix.resolve(place.cwd, folder)];
    const inside = await Promise.all(bases.map((base) => leadsInside(place, name, base)));
    if (name.startsWith("@") || inside.includes(false))
      throw refused(`${quoted(name)} leads outside`, `paths in ${place.root}`);
  }
}

/**
 * tar keeps archives from making links that they then write through, but it does write through a link that an earlier
 * archive made. So the folder of each member is looked at first.
 */
export async function checkArchive(call: ProfileCall, folder: string): Promise<void> {
  const { place, reading } = call;
  const file = reading.options.find(({ name }) => name === "-f" || name === "--file")?.value;
  if (file === undefined || file === "-") throw refused("an archive to unpack needs a file: -f archive.tar");
  const ask = (option: string) => probe(call, ["--force-local", "--quoting-style=escape", option, "-f", file]);
  const [names, lines] = [await ask("-t"), await ask("-tv")];
  if (names === undefined || lines === undefined)
    throw refused(`${quoted(file)} cannot be read as an archive, or is too long to look at`);
  if (lines.split("\n").some((line) => line.startsWith("h")))
    throw refused("the archive has hard links, which could be to files outside");

  const strip = Number(reading.options.find(({ name }) => name === "--strip-components")?.value ?? 0);
  const base = posix.resolve(place.cwd, folder);
  const folders = new Set(
    names
      .split("\n")
      .filter(Boolean)
      .map((name) => folderOfMember(name, strip)),
  );
  for (const parent of folders) {
    if (await leadsIntoGit(place, parent, base)) throw refused("nothing is unpacked into a .git folder");
    if (!(await leadsInside(place, parent, base)))
      throw refused(`the archive would write through ${quoted(parent)}, which leads outside`);
  }
}

function folderOfMember(name: string, strip: number): string {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (name.startsWith("/") || parts.includes("..") || name.includes("\\")) {
    throw refused(`the archive has ${quoted(name)}, a name that is absolute, goes up or is not plain`);
  }
  if (parts.some((part) => part.toLowerCase() === ".git")) {
    throw refused(`the archive has ${quoted(name)}: git would take settings and hooks from it`);
  }
  return parts.slice(strip, -1).join("/") || ".";
}
