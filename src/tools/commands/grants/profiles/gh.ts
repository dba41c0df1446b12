/** gh: issues, pull requests, runs, releases and searches. No settings, aliases, extensions, browser or token. */
import { type ArgsRules, each, type OptionRule, type ValueRule } from "../argument-rules.ts";
import { checkHost, checkUrl } from "../network.ts";
import { refused } from "../refusal.ts";
import { gitEnv, gitSettings, gitSettingsEnv } from "./git.ts";
import { checkRepository } from "./git-repository.ts";
import type { Profile, ProfileCall } from "./profile.ts";

/** A host in front would be sent the token. */
const repository = /[\w.-]+\/[\w.-]+/;
/** jq can read the environment, and with it the token. */
const noEnvironment = /(?![\s\S]*(\benv\b|\$ENV|\$__|\binput_filename\b|\bimport\b|\binclude\b))[\s\S]*/;

const everywhere: Record<string, OptionRule> = { ...each(repository, "-R --repo"), ...each(true, "--help") };
const asData: Record<string, OptionRule> = {
  ...everywhere,
  ...each("text", "--json -t --template"),
  ...each(noEnvironment, "-q --jq"),
};
const listed: Record<string, OptionRule> = {
  ...asData,
  ...each("number", "-L --limit"),
  ...each("text", "-s --state -l --label -a --assignee -A --author -S --search -m --milestone"),
};
const written: Record<string, OptionRule> = {
  ...everywhere,
  ...each("text", "-t --title -b --body -a --assignee -l --label -m --milestone -p --project"),
  ...each("path", "-F --body-file"),
};
const edited: Record<string, OptionRule> = {
  ...written,
  ...each(
    "text",
    "--add-label --remove-label --add-assignee --remove-assignee --add-reviewer --remove-reviewer -B --base",
  ),
};

function rules(options: Record<string, OptionRule>, positionals: ValueRule | false = "text"): ArgsRules {
  return { options, positionals };
}

const subcommands: Record<string, ArgsRules> = {
  pr: {
    subcommands: {
      list: rules({ ...listed, ...each("text", "-B --base -H --head"), ...each(true, "-d --draft") }, false),
      view: rules({ ...asData, ...each(true, "-c --comments") }),
      diff: rules({ ...everywhere, ...each(true, "--name-only --patch"), ...each(["never"], "--color") }),
      checks: rules({ ...asData, ...each(true, "--required --fail-fast") }),
      status: rules(asData, false),
      create: rules(
        { ...written, ...each("text", "-B --base -H --head -r --reviewer"), ...each(true, "-d --draft -f --fill") },
        false,
      ),
      edit: rules(edited),
      comment: rules({ ...everywhere, ...each("text", "-b --body"), ...each("path", "-F --body-file") }),
      review: rules({
        ...everywhere,
        ...each("text", "-b --body"),
        ...each("path", "-F --body-file"),
        ...each(true, "-a --approve -c --comment -r --request-changes"),
      }),
      ready: rules({ ...everywhere, ...each(true, "--undo") }),
      close: rules({ ...everywhere, ...each("text", "-c --comment") }),
      reopen: rules({ ...everywhere, ...each("text", "-c --comment") }),
      merge: rules({
        ...everywhere,
        ...each(true, "-m --merge -s --squash -r --rebase --auto --disable-auto"),
        ...each("text", "-t --subject -b --body --match-head-commit"),
      }),
    },
  },
  issue: {
    subcommands: {
      list: rules(listed, false),
      view: rules({ ...asData, ...each(true, "-c --comments") }),
      status: rules(asData, false),
      create: rules(written, false),
      edit: rules(edited),
      comment: rules({ ...everywhere, ...each("text", "-b --body"), ...each("path", "-F --body-file") }),
      close: rules({ ...everywhere, ...each("text", "-c --comment -r --reason") }),
      reopen: rules({ ...everywhere, ...each("text", "-c --comment") }),
    },
  },
  repo: {
    subcommands: {
      view: rules({ ...asData, ...each("text", "-b --branch") }),
      list: rules({
        ...asData,
        ...each("number", "-L --limit"),
        ...each("text", "-l --language --topic --visibility"),
        ...each(true, "--fork --source --archived"),
      }),
    },
  },
  run: {
    subcommands: {
      list: rules({ ...listed, ...each("text", "-w --workflow -b --branch -u --user -e --event -c --commit") }, false),
      view: rules({
        ...asData,
        ...each(true, "--log --log-failed -v --verbose --exit-status"),
        ...each("text", "-j --job"),
        ...each("number", "--attempt"),
      }),
    },
  },
  workflow: {
    subcommands: {
      list: rules({ ...asData, ...each("number", "-L --limit"), ...each(true, "-a --all") }, false),
      view: rules({ ...everywhere, ...each(true, "-y --yaml"), ...each("text", "-r --ref") }),
    },
  },
  release: { subcommands: { list: rules(listed, false), view: rules(asData) } },
  label: { subcommands: { list: rules(listed, false) } },
  search: {
    subcommands: Object.fromEntries(
      ["issues", "prs", "repos", "code", "commits"].map((what) => [
        what,
        rules({
          ...listed,
          ...each("text", "--owner --language --sort --order --created --updated --match --filename --extension"),
        }),
      ]),
    ),
  },
  api: rules(
    {
      ...each(true, "--paginate --slurp -i --include --silent"),
      ...each(["GET", "HEAD"], "-X --method"),
      ...each(/accept: [\w.+/;=* -]+/i, "-H --header"),
      ...each("text", "-t --template --cache"),
      ...each(noEnvironment, "-q --jq"),
    },
    /\/?[\w{][^:\\]*/,
  ),
  version: rules({}, false),
};

export const gh: Profile = {
  name: "gh",
  networkProblem: (network) =>
    network === false ? "gh is for the network: leave `network` out, or name the hosts that it may reach" : undefined,
  rules: () => ({ subcommands }),
  env: (place) => ({
    ...gitEnv(place, "none"),
    ...gitSettingsEnv(),
    GH_HOST: "github.com",
    GH_PROMPT_DISABLED: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    GH_NO_EXTENSION_UPDATE_NOTIFIER: "1",
    GH_SPINNER_DISABLED: "1",
    GH_PAGER: "cat",
    GH_EDITOR: "false",
    GH_BROWSER: "false",
    EDITOR: "false",
    VISUAL: "false",
    BROWSER: "false",
  }),
  async prepare(call) {
    checkAddresses(call);
    if ((await call.place.names(".git")).length > 0)
      await checkRepository({ ...call, command: "git" }, gitSettings(false));
    return call.args;
  },
};

/** Numbers, branches and names; an address only of a host that is granted. */
function checkAddresses({ reading, network, env }: ProfileCall): void {
  const own = env.GH_HOST ?? "github.com";
  const hosts = Array.isArray(network) ? network : [own];
  checkHost(own, hosts);
  for (const value of reading.positionals) {
    if (value.includes("://")) checkUrl(value, hosts);
    else if (value.startsWith("//")) throw refused("an address must be whole", "https://github.com/…");
  }
}
