/** A look at the repository before git works in it: its settings are the work of whoever could write to the folder. */

import type { ReadArguments } from "../argument-rules.ts";
import type { NetworkGrant } from "../network.ts";
import { checkUrl } from "../network.ts";
import { leadsInside } from "../place.ts";
import { quoted, refused } from "../refusal.ts";
import { probe } from "./probe.ts";
import type { ProfileCall } from "./profile.ts";

export interface GitSetting {
  scope: string;
  /** Lower case where git does not tell cases apart. */
  key: string;
  value: string;
}

/** Settings that start nothing and lead nowhere, and those that our own are stronger than. */
const HARMLESS = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf)$/,
  /^core\.(abbrev|compression|bigfilethreshold|untrackedcache|quotepath|preloadindex|commentchar|whitespace|splitindex)$/,
  /^core\.(fsmonitor|hookspath|pager|editor|askpass|attributesfile|excludesfile|sshcommand|gitproxy|sparsecheckout|sparsecheckoutcone)$/,
  /^(commit|tag|push)\.gpgsign$/,
  /^gpg\.(format|program)$/,
  /^(gpg\.(openpgp|x509|ssh)\.program)$/,
  /^(sequence\.editor|credential\.helper|credential\.interactive|log\.showsignature)$/,
  /^user\.(name|email|signingkey|useconfigonly)$/,
  /^(author|committer)\.(name|email)$/,
  /^extensions\.(objectformat|worktreeconfig|compatobjectformat|refstorage)$/,
  /^branch\..+\.(remote|merge|rebase|pushremote|description|vscode-merge-base|github-pr-owner-number|gk-[a-z-]+)$/,
  /^branch\.(autosetupmerge|autosetuprebase|sort)$/,
  /^remote\..+\.(url|pushurl|fetch|push|tagopt|prune|skipfetchall|skipdefaultupdate|gh-resolved)$/,
  /^(pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel)|remote\.pushdefault)$/,
  /^(merge\.(ff|conflictstyle|renames|stat|log)|rebase\.(autostash|autosquash|updaterefs|stat)|rerere\.(enabled|autoupdate))$/,
  /^(diff\.(algorithm|renames|renamelimit|mnemonicprefix|noprefix|colormoved|context|indentheuristic))$/,
  /^(init\.defaultbranch|status\.[a-z]+|log\.(date|decorate|abbrevcommit|follow)|color\.[a-z.]+|column\.[a-z]+|advice\.[a-z]+)$/,
  /^(submodule\.(recurse|active)|feature\.[a-z]+|index\.[a-z]+|pack\.[a-z]+|gc\.(auto|[a-z]*expire|autodetach)|maintenance\.(auto|strategy))$/,
  /^(tag\.(sort|forcesignannotated)|versionsort\.suffix|help\.autocorrect|commit\.(verbose|status|cleanup)|i18n\.[a-z]+|gui\.[a-z]+)$/,
];

/**
 * Refuses a repository that is not inside, has submodules, or has a setting that could start a program.
 *
 * @throws HaftError `COMMAND_REFUSED`
 */
export async function checkRepository(call: ProfileCall, global: readonly string[]): Promise<GitSetting[]> {
  const ask = (args: readonly string[]) => probe(call, [...global, ...args]);
  const [places, listed, index] = await Promise.all([
    ask(["rev-parse", "--absolute-git-dir", "--git-common-dir"]),
    ask(["config", "--list", "--show-scope", "--no-includes", "-z"]),
    ask(["ls-files", "--stage", "-z"]),
  ]);
  if (places === undefined) throw refused(`there is no git repository in ${call.place.cwd}, or it cannot be read`);
  const [gitDir = "", commonDir = ""] = places.split("\n");
  for (const folder of [gitDir, commonDir]) {
    if (!(await leadsInside(call.place, folder)))
      throw refused("the repository's own folder is outside of what is granted");
  }
  const settings = settingsIn(listed);
  if (!settings) throw refused("the repository's settings cannot be read");
  const unsafe = settings
    .filter(({ scope, key }) => scope !== "command" && !isHarmless(key))
    .map(({ key }) => quoted(key));
  if (unsafe.length > 0) {
    throw refused(
      `the repository's own settings have ${[...new Set(unsafe)].join(", ")}, which could start a program or lead elsewhere`,
    );
  }
  await checkFiles(call, commonDir);
  checkSubmodules(index);
  if (bringsFiles.includes(call.reading.subcommands[0] ?? ""))
    await checkNested(call, await ask(["rev-parse", "--show-toplevel"]));
  return settings;
}

/** What these bring into the folder may be a submodule, and git looks into it at once. */
const bringsFiles = "checkout switch restore reset stash merge rebase cherry-pick revert apply pull".split(" ");

/** `top` is where the files are; a bare repository has none. */
async function checkNested(call: ProfileCall, top: string | undefined): Promise<void> {
  const folder = top?.replace(/\n$/, "");
  if (!folder) return;
  if (!(await leadsInside(call.place, folder))) throw refused("the repository's files are outside of what is granted");
  const search = ["-P", folder, "-mindepth", "2", "-iname", ".git", "-prune", "-print", "-quit"];
  const found = await probe({ ...call, command: "find" }, search);
  if (found === undefined) throw refused("the folder cannot be searched for repositories inside of it");
  if (found !== "") {
    throw refused(`there is another repository inside, ${quoted(found.trim())}, with settings that nobody looked at`);
  }
}

function isHarmless(key: string): boolean {
  return HARMLESS.some((pattern) => pattern.test(key));
}

/** `local\0core.bare\nfalse\0…`; a key without a value has no line. */
function settingsIn(text: string | undefined): GitSetting[] | undefined {
  if (text === undefined) return undefined;
  const parts = text.split("\0");
  const settings: GitSetting[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = "", ...lines] = parts[at + 1]!.split("\n");
    settings.push({ scope: parts[at]!, key, value: lines.join("\n") });
  }
  return settings;
}

/** Files beside the settings that name other repositories and addresses. */
async function checkFiles(call: ProfileCall, commonDir: string): Promise<void> {
  const { place } = call;
  const inside = async (folder: string) => place.names(`${commonDir}/${folder}`);
  const objects = await inside("objects/info");
  const found = [
    ...objects.filter((name) => name.includes("alternates")).map((name) => `objects/info/${name}`),
    ...(await inside("remotes")).map((name) => `remotes/${name}`),
    ...(await inside("branches")).map((name) => `branches/${name}`),
  ];
  // Hooks may be links, for none of them runs.
  const links = ["-P", commonDir, "-path", `${commonDir}/hooks`, "-prune", "-o", "-type", "l", "-print", "-quit"];
  const [link] = (await probe({ ...call, command: "find" }, links))?.split("\n") ?? [
    "its folder, which cannot be read",
  ];
  if (link) found.push(link);
  if (found.length > 0) throw refused(`the repository has the file ${quoted(found[0]!)}, which leads elsewhere`);
}

/** git starts itself in each submodule, under settings that nobody looked at. */
function checkSubmodules(index: string | undefined): void {
  if (index === undefined) throw refused("the repository's index cannot be read, or is too long");
  if (/(^|\0)160000 /.test(index)) throw refused("the repository has submodules, which may have settings of their own");
}

/** Whom git will talk to, by name or by address. */
export function checkRemotes(
  settings: readonly GitSetting[],
  { subcommands, positionals }: ReadArguments,
  network: NetworkGrant | undefined,
): void {
  const own = settings.filter(({ scope }) => scope !== "command");
  const urls = own.filter(({ key }) => /^remote\..+\.(url|pushurl)$/.test(key));
  const names = new Set(urls.map(({ key }) => key.replace(/^remote\.|\.(url|pushurl)$/g, "")));
  for (const { key, value } of own) {
    const isRemoteName = /^branch\..+\.(remote|pushremote)$|^remote\.pushdefault$/.test(key);
    if (isRemoteName && value !== "." && !names.has(value))
      throw refused(`the setting ${quoted(key)} names no remote of the repository`);
  }
  for (const { value } of urls) checkUrl(value, network);
  const [target] = positionals;
  if (target === undefined) {
    if (names.size === 0) throw refused(`git ${subcommands[0]} needs a remote, and the repository has none`);
  } else if (!names.has(target)) checkUrl(target, network);
}
