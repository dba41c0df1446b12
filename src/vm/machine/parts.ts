/** What every machine of a thread shares: the started engine and the compiler, loaded with the first of them. */

import { compileProgram } from "../compile/index.ts";
import { BootImage } from "../engine/boot-image.ts";
import { type EntryName, entryNames, prelude } from "../guest/prelude.ts";

export interface MachineParts {
  readonly image: BootImage<EntryName>;
  readonly compile: typeof compileProgram;
}

let loaded: Promise<MachineParts> | undefined;

export function machineParts(): Promise<MachineParts> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<MachineParts> {
  return { image: await BootImage.create(prelude, entryNames), compile: compileProgram };
}
