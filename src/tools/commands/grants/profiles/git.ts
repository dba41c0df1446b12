/** git: no option, setting, hook, attribute, helper or address that starts another program. */
import { posix } from "node:path";
import type { ArgsRules } from "../argument-rules.ts";
import type { NetworkGrant } from "../network.ts";
import { leadsIntoGit, type Place } from "../place.ts";
import { quoted, refused } from "../refusal.ts";
import { localCommands, networkCommands, safeOptions } from "./git-commands.ts";
import { checkRemotes, checkRepository } from "./git-repository.ts";
import type { Profile, ProfileCall } from "./profile.ts";

/** Stronger than every file of settings. What can have any name is refused when the repository has it. */
const SETTINGS: readonly string[] = [
  "safe.directory=*",
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.editor=:",
  "sequence.editor=:",
  "core.askPass=",
  "core.sshCommand=false",
  "core.gitProxy=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "credential.interactive=false",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "tag.forceSignAnnotated=false",
  "push.gpgSign=false",
  "log.showSignature=false",
  "merge.verifySignatures=false",
  "gpg.program=false",
  "gpg.openpgp.program=false",
  "gpg.x509.program=false",
  "gpg.ssh.program=false",
  "gpg.ssh.defaultKeyCommand=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
  "status.submoduleSummary=false",
  "diff.submodule=short",
  "diff.ignoreSubmodules=all",
  "protocol.ext.allow=never",
];

export const git: Profile = {
  name: "git",
  rules: (network): ArgsRules => ({ subcommands: network ? { ...localCommands, ...networkCommands } : localCommands }),
  normalise: plainCommand,
  env: (place, network) => gitEnv(place, network ? "http:https" : "none"),
  async prepare(call) {
    const { args, reading, network } = call;
    const [subcommand = ""] = reading.subcommands;
    const global = gitSettings(network);
    if (placesFiles.includes(subcommand)) await checkPlaces(call);
    if (!["init", "clone", "version"].includes(subcommand)) {
      const settings = await checkRepository(call, global);
      if (subcommand in networkCommands) checkRemotes(settings, reading, network);
    }
    const count = reading.subcommands.length;
    return [...global, ...args.slice(0, count), ...safeOptions(reading.subcommands), ...args.slice(count)];
  },
};

/** These put files where they are told to, and git itself does not mind when that is a `.git` folder. */
const placesFiles = ["mv", "init", "clone"];

async function checkPlaces({ reading, place }: ProfileCall): Promise<void> {
  const [first = "", ...rest] = reading.positionals;
  const isClone = reading.subcommands[0] === "clone";
  // Without a folder, git makes one of the address's last part.
  if (isClone && /\.git\.git\/*$/i.test(first)) throw refused("the address would be cloned into a .git folder");
  for (const path of isClone ? rest : reading.positionals) {
    if (await leadsIntoGit(place, path)) throw refused(`${quoted(path)} is in a .git folder, with settings and hooks`);
  }
}

/** What models write by habit, in the form that the rules know. */
function plainCommand(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first === "--no-pager") return plainCommand(rest);
  if (first === "--version") return ["version", ...rest];
  if (first === "stash" && (rest.length === 0 || rest[0]!.startsWith("-"))) return ["stash", "push", ...rest];
  return args;
}

/** A server may send on to another host only where every host is granted. */
export function gitSettings(network: NetworkGrant | undefined): string[] {
  const redirects = `http.followRedirects=${network === true ? "initial" : "false"}`;
  return ["--no-pager", "--no-optional-locks", ...[...SETTINGS, redirects].flatMap((setting) => ["-c", setting])];
}

/** `protocols`: what may be spoken, with colons between. A repository is looked for in the root, and not above it. */
export function gitEnv({ root }: Place, protocols: string): Record<string, string> {
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_CEILING_DIRECTORIES: posix.dirname(root),
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_SSH_COMMAND: "false",
    GIT_NO_LAZY_FETCH: "1",
  };
}

/** The same settings for git below another program, which cannot be given options. */
export function gitSettingsEnv(): Record<string, string> {
  const entries = SETTINGS.map((setting) => {
    const at = setting.indexOf("=");
    return [setting.slice(0, at), setting.slice(at + 1)] as const;
  });
  return {
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
