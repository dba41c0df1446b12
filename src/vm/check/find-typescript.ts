/** Whether there is a TypeScript that the check can work with, found without loading it. */
import { createRequire } from "node:module";

/** From 5.4 to 5.9: the version has the compiler as a library, and infers what the check relies on. */
export function hasTypeScript(): boolean {
  try {
    const { version } = createRequire(import.meta.url)("typescript/package.json") as { version: string };
    const [major, minor] = version.split(".").map(Number);
    return major === 5 && minor! >= 4;
  } catch {
    return false;
  }
}
