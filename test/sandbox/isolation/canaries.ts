/** Variables that are set in this process, and that no command in any sandbox may ever see. */
import { MARK } from "./stage.ts";

export const CANARIES = [
  "HAFT_CANARY",
  "AWS_SECRET_ACCESS_KEY",
  "GITHUB_TOKEN",
  "OPENAI_API_KEY",
  "PATHOLOGICAL",
  "home_canary",
];

/** Once, before any sandbox is opened. */
export function setCanaries(): void {
  for (const name of CANARIES) process.env[name] = `${MARK}-${name}`;
}
