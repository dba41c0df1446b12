/** curl: asks the hosts that are granted. It reads and writes no file, and no settings of anybody. */
import { type ArgsRules, each } from "../argument-rules.ts";
import type { NetworkGrant } from "../network.ts";
import type { Profile } from "./profile.ts";

/** `@name` is a file to curl. */
const noFile = /(?!@)[\s\S]*/;
/** `name@file` too, unless an = comes first. */
const noFileInside = /[^@=]*|=[\s\S]*|[^@=]+=[\s\S]*/;

export const curl: Profile = {
  name: "curl",
  networkProblem: (network) =>
    network ? undefined : "curl is for the network: grant `network: true`, or the hosts that it may reach",
  rules,
  // The first argument must be this for the settings file to be left alone.
  prepare: ({ args }) => ["-q", "--globoff", "--proto", "=http,https", "--proto-redir", "=http,https", ...args],
};

function rules(network: NetworkGrant | undefined): ArgsRules {
  return {
    options: {
      ...each(
        true,
        "-s --silent -S --show-error -i --include -I --head -f --fail --fail-with-body -v --verbose -G --get",
      ),
      ...each(
        true,
        "--compressed -g --globoff -0 --http1.0 --http1.1 --http2 --tlsv1.2 --tlsv1.3 -4 --ipv4 -6 --ipv6 -N --no-buffer",
      ),
      ...each(true, "--path-as-is --raw --no-progress-meter --no-keepalive --retry-connrefused -V --version"),
      // A server could send on to a host that is not granted.
      ...(network === true && each(true, "-L --location")),
      ...each("number", "--retry --retry-delay --retry-max-time --max-redirs --max-filesize"),
      ...each(/\d+(\.\d+)?/, "-m --max-time --connect-timeout"),
      ...each(/[A-Z]+/, "-X --request"),
      ...each(noFile, "-d --data --data-ascii --data-binary --json -H --header"),
      ...each("text", "--data-raw -A --user-agent -e --referer -r --range"),
      ...each(noFileInside, "--data-urlencode --url-query"),
      // Without an =, this is a file of cookies.
      ...each(/[^@=][^=]*=[\s\S]*/, "-b --cookie"),
      ...each(/(?!@)(?![\s\S]*%(output|\{json))[\s\S]*/i, "-w --write-out"),
      ...each(["/dev/null"], "-o --output"),
      ...each("url", "--url"),
    },
    positionals: "url",
  };
}
