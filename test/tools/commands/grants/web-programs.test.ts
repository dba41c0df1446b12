/** curl and gh: attempts that do not get through, and ordinary uses that work. gh is a program that writes down its arguments. */
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Command, type CommandOptions } from "../../../../src/tools/index.ts";
import { openRepository, openTrap, SECRET, type Trap } from "./helpers.ts";

interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

async function openServer(): Promise<{ url: string; port: number; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    if (request.url === "/away") response.writeHead(302, { location: `http://localhost:${port()}/elsewhere` }).end();
    else response.end("answer\n");
  });
  const port = () => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${port()}`, port: port(), asked };
}

async function allRefused(trap: Trap, options: CommandOptions, attempts: string[][]): Promise<void> {
  const passed: string[] = [];
  for (const args of attempts) {
    const { code, text } = await trap.call(options, args);
    expect(trap.ran(), `${args.join(" ")}: the canary ran`).toBe(false);
    expect(text, args.join(" ")).not.toContain(SECRET);
    if (code !== "COMMAND_REFUSED") passed.push(`${args.join(" ")}: ${text}`);
  }
  expect(passed).toEqual([]);
}

describe("curl", () => {
  const granted = { command: "curl", network: ["127.0.0.1"] };

  test("attempts", async () => {
    const trap = await openTrap();
    const { outside } = trap;
    const { url, port, asked } = await openServer();
    symlinkSync(outside, join(trap.root, "link"));
    await allRefused(trap, granted, [
      ["-o", "x", url],
      ["-ox", url],
      ["-so", `${outside}/secret`, url],
      [`--output=${outside}/secret`, url],
      ["--output", `${outside}/secret`, url],
      ["--outpu", "x", url],
      ["-O", `${url}/secret`],
      ["-sO", `${url}/secret`],
      ["--remote-name", url],
      ["--remote-name-all", url],
      ["-OJ", url],
      ["--output-dir", outside, "-O", url],
      ["--create-dirs", url],
      ["-D", "x", url],
      ["--dump-header", "x", url],
      ["-c", "x", url],
      ["--cookie-jar", "x", url],
      ["--trace", "x", url],
      ["--trace-ascii", "-", url],
      ["--stderr", "x", url],
      ["--etag-save", "x", url],
      ["--hsts", "x", url],
      ["--libcurl", "x", url],
      ["-K", `${outside}/secret`],
      [`-K${outside}/secret`],
      ["--config", `${outside}/secret`],
      ["--config=x"],
      ["-T", `${outside}/secret`, url],
      ["--upload-file", "a.txt", url],
      ["-d", `@${outside}/secret`, url],
      [`-d@${outside}/secret`, url],
      ["-sd", "@a.txt", url],
      ["--data", "@a.txt", url],
      ["--data-ascii", "@a.txt", url],
      ["--data-binary", "@a.txt", url],
      ["--data-binary=@a.txt", url],
      ["--data-urlencode", "@a.txt", url],
      ["--data-urlencode", "name@a.txt", url],
      ["--url-query", "@a.txt", url],
      ["--json", "@a.txt", url],
      ["-F", "f=@a.txt", url],
      ["-F", "f=<a.txt", url],
      ["--form", "x=1", url],
      ["-H", "@a.txt", url],
      ["--header", `@${outside}/secret`, url],
      ["-b", `${outside}/secret`, url],
      ["--cookie", "a.txt", url],
      ["-w", "@a.txt", url],
      ["-w", "%output{x}hello", url],
      ["--write-out", "%OUTPUT{>>x}", url],
      ["-n", url],
      ["--netrc", url],
      ["--netrc-file", "x", url],
      ["-u", "a:b", url],
      ["--resolve", `127.0.0.1:${port}:10.0.0.1`, url],
      ["--connect-to", `::localhost:${port}`, url],
      ["-x", `http://localhost:${port}`, url],
      ["--proxy", `http://localhost:${port}`, url],
      ["--preproxy", "socks5://localhost", url],
      ["--socks5", "localhost", url],
      ["--unix-socket", "/var/run/docker.sock", url],
      ["--abstract-unix-socket", "x", url],
      ["--doh-url", "https://example.com", url],
      ["--interface", "lo", url],
      ["--dns-servers", "10.0.0.1", url],
      ["-E", "x", url],
      ["--cert", "x", url],
      ["--key", "x", url],
      ["--cacert", "x", url],
      ["--capath", "x", url],
      ["--engine", "x", url],
      ["-k", url],
      ["--insecure", url],
      ["-L", `${url}/away`],
      ["-sL", `${url}/away`],
      ["--location", `${url}/away`],
      ["--location-trusted", `${url}/away`],
      ["--proto", "=file", url],
      ["--proto-default", "file", "x"],
      ["--proto-redir", "=file", url],
      ["-Q", "DELE x", url],
      ["-t", "x=y", url],
      ["-:", url],
      ["--next", url],
      [`file://${outside}/secret`],
      [`FILE://${outside}/secret`],
      ["file:///etc/passwd"],
      ["ftp://127.0.0.1/x"],
      ["gopher://127.0.0.1/x"],
      ["dict://127.0.0.1/x"],
      ["scp://127.0.0.1/x"],
      ["telnet://127.0.0.1"],
      ["127.0.0.1"],
      [`http://localhost:${port}`],
      [`http://127.0.0.1@localhost:${port}`],
      [`http://a:b@127.0.0.1:${port}`],
      [`http://localhost:${port}#@127.0.0.1`],
      [`http://localhost:${port}\\@127.0.0.1`],
      [`http://127.0.0.1\\@localhost:${port}`],
      [`http://{127.0.0.1,localhost}:${port}`],
      [`http://[::1]:${port}`],
      ["http://2130706433"],
      ["http://0x7f.1"],
      ["http://127.1"],
      ["http://127.0.0.1.example.com"],
      ["http://example.com/127.0.0.1"],
      ["http:///127.0.0.1"],
      ["http://127.0.0.1:x@localhost"],
      [`http://127.0.0.1%2elocalhost`],
      [` ${url}`],
      [`${url}\n`],
      ["--url", `file://${outside}/secret`],
      ["--url=http://localhost"],
      [url, "--", `file://${outside}/secret`],
      [url, "file:///etc/passwd"],
    ]);
    expect(asked).toEqual([]);
    expect(existsSync(join(trap.root, "x"))).toBe(false);
  }, 60_000);

  test("the settings file of its user is left alone, and a redirection is not followed", async () => {
    const trap = await openTrap();
    const { url, asked } = await openServer();
    trap.write(join(trap.outside, ".curlrc"), `output = "${trap.outside}/made"\n`);
    const { text } = await trap.call({ ...granted, env: { HOME: trap.outside } }, ["-s", `${url}/away`]);
    expect(text).toContain("[exit 0, ");
    expect(asked.map(({ url }) => url)).toEqual(["/away"]);
    expect(existsSync(join(trap.outside, "made"))).toBe(false);
  });

  test("uses", async () => {
    const trap = await openTrap();
    const { url, asked } = await openServer();
    const uses = [
      [url],
      ["-s", `${url}/a?b=c&d[]=e`],
      ["-sS", "-i", url],
      ["-fsS", "--max-time", "5", "--retry", "1", url],
      ["-I", url],
      ["-X", "POST", "-H", "Content-Type: application/json", "-d", '{"mail":"a@b.c"}', url],
      ["-XDELETE", `${url}/x`],
      ["--data-urlencode", "q=a b@c", "-G", url],
      ["--json", '{"a":1}', url],
      ["-o", "/dev/null", "-s", "-w", "%{http_code}\n", url],
      ["-b", "session=1", "-A", "me", url],
      ["--url", url, "--compressed"],
    ];
    for (const args of uses) {
      const { text } = await trap.call(granted, args);
      expect(text, args.join(" ")).toContain("[exit 0, ");
    }
    expect(asked.length).toBe(uses.length);
    expect(asked[1]!.url).toBe("/a?b=c&d[]=e");
    expect(asked[5]).toMatchObject({ method: "POST", body: '{"mail":"a@b.c"}' });
    const everywhere = { command: "curl", network: true };
    expect((await trap.call(everywhere, ["-sL", `${url}/away`])).text).toContain("answer");
    expect((await trap.call(everywhere, ["file:///etc/passwd"])).code).toBe("COMMAND_REFUSED");
  });

  test("without a network it is no grant", () => {
    for (const network of [undefined, false] as const) {
      expect(() => Command.withOptions({ command: "curl", network })).toThrow(
        /curl is for the network: grant `network: true`/,
      );
    }
    expect(() => Command.withOptions({ command: "curl", network: ["https://example.com"] })).toThrow(/is no host/);
  });
});

describe("gh", () => {
  /** Writes down its arguments and what it was given of the environment. */
  function fakeGh(trap: Trap): { command: string; last(): string[]; env(): string } {
    const command = join(trap.outside, "gh");
    trap.write(command, `#!/bin/sh\nprintf '%s\\0' "$@" > ${trap.outside}/args\nenv > ${trap.outside}/env\n`, 0o755);
    return {
      command,
      last: () => readFileSync(join(trap.outside, "args"), "utf8").split("\0").slice(0, -1),
      env: () => readFileSync(join(trap.outside, "env"), "utf8"),
    };
  }

  test("attempts", async () => {
    const trap = await openTrap();
    const { canary, outside } = trap;
    const { command } = fakeGh(trap);
    await allRefused(trap, { command, env: { GH_TOKEN: "gho_very-secret-token" } }, [
      ["alias", "set", "x", `!${canary}`],
      ["alias", "set", "--shell", "x", canary],
      ["alias", "import", "x"],
      ["extension", "install", "a/b"],
      ["extension", "exec", "x"],
      ["ext", "upgrade", "--all"],
      ["x"],
      [canary],
      ["config", "set", "pager", canary],
      ["config", "set", "browser", canary],
      ["config", "set", "editor", canary],
      ["config", "get", "pager"],
      ["auth", "token"],
      ["auth", "status", "--show-token"],
      ["auth", "login"],
      ["auth", "setup-git"],
      ["auth", "git-credential", "get"],
      ["browse"],
      ["pr", "list", "--web"],
      ["pr", "list", "-w"],
      ["pr", "view", "1", "-cw"],
      ["pr", "view", "--web", "1"],
      ["issue", "create", "--web"],
      ["issue", "create", "--editor"],
      ["issue", "create", "-e"],
      ["pr", "create", "-e"],
      ["pr", "create", "--recover", `${outside}/secret`],
      ["pr", "create", "--template", `${outside}/secret`],
      ["pr", "create", "-F", `${outside}/secret`, "-t", "x"],
      ["pr", "create", `--body-file=${outside}/secret`, "-t", "x"],
      ["issue", "comment", "1", "-F", "../outside/secret"],
      ["issue", "comment", "1", `-F=${outside}/secret`],
      ["pr", "list", "-R=evil.example/a/b"],
      ["pr", "checkout", "1"],
      ["pr", "merge", "1", "--delete-branch", "--admin"],
      ["repo", "clone", "a/b"],
      ["repo", "clone", "a/b", "--", `--upload-pack=${canary}`],
      ["repo", "create", "x"],
      ["repo", "delete", "a/b", "--yes"],
      ["repo", "fork", "a/b", "--clone"],
      ["repo", "sync"],
      ["gist", "create", `${outside}/secret`],
      ["release", "upload", "v1", `${outside}/secret`],
      ["release", "download", "-D", outside],
      ["run", "download", "1"],
      ["run", "watch", "1"],
      ["workflow", "run", "x.yml"],
      ["secret", "list"],
      ["secret", "set", "X"],
      ["variable", "list"],
      ["ssh-key", "add", "x"],
      ["codespace", "ssh"],
      ["cs", "ssh"],
      ["copilot", "suggest"],
      ["attestation", "verify", "x"],
      ["api", "-X", "POST", "/user/repos"],
      ["api", "-XDELETE", "/repos/a/b"],
      ["api", "--method", "PATCH", "/repos/a/b"],
      ["api", "--method=PUT", "/x"],
      ["api", "--meth=PUT", "/x"],
      ["api", "/user/repos", "-f", "name=x"],
      ["api", "/user/repos", "-F", "name=@a.txt"],
      ["api", "/user/repos", "--raw-field", "name=x"],
      ["api", "/x", "--input", `${outside}/secret`],
      ["api", "/x", "--hostname", "evil.example"],
      ["api", "https://evil.example/x"],
      ["api", "//evil.example/x"],
      ["api", "x", "-H", "Authorization: none"],
      ["api", "x", "-p", "corsair"],
      ["api", "user", "--jq", "env.GH_TOKEN"],
      ["api", "user", "-q", "env|@base64"],
      ["api", "user", "-q", "$ENV.GH_TOKEN"],
      ["api", "user", "-q", "[env]|tostring"],
      ["pr", "list", "--json", "title", "--jq", "$ENV"],
      ["pr", "list", "-q", '"\\(env)"'],
      ["pr", "list", "-R", "evil.example/a/b"],
      ["pr", "list", "--repo=https://evil.example/a/b"],
      ["pr", "view", "https://evil.example/a/b/pull/1"],
      ["pr", "view", "http://github.com@evil.example/a/b/pull/1"],
      ["pr", "lis"],
      ["pr"],
      ["--help"],
      ["-R", "a/b", "pr", "list"],
      [],
    ]);
    expect(existsSync(join(outside, "args"))).toBe(false);
  });

  test("uses; its arguments arrive as they are", async () => {
    const trap = await openTrap();
    const gh = fakeGh(trap);
    const uses = [
      ["pr", "list"],
      ["pr", "list", "--state", "open", "--limit", "5", "--json", "number,title", "--jq", ".[].title"],
      ["pr", "view", "12", "--comments", "-R", "cli/cli"],
      ["pr", "view", "https://github.com/cli/cli/pull/12"],
      ["pr", "diff", "12", "--name-only"],
      ["pr", "checks", "12"],
      ["pr", "create", "--title", "A title", "--body", "- a list\n- of things", "--base", "main", "--draft"],
      ["pr", "review", "12", "--approve", "-b", "fine"],
      ["pr", "comment", "12", "--body", "thanks"],
      ["issue", "list", "-l", "bug", "-L", "3"],
      ["issue", "create", "-t", "A title", "-b", "Text"],
      ["issue", "close", "3", "-r", "not planned"],
      ["run", "list", "-w", "ci.yml"],
      ["run", "view", "123", "--log-failed"],
      ["repo", "view", "cli/cli"],
      ["search", "issues", "is:open label:bug", "--limit", "5"],
      ["api", "repos/{owner}/{repo}/pulls?state=open", "--paginate", "-q", ".[].title"],
      ["api", "-X", "GET", "/rate_limit", "-H", "Accept: application/vnd.github+json"],
      ["release", "list"],
    ];
    const options = { command: gh.command, env: { GH_TOKEN: "gho_very-secret-token" } };
    for (const args of uses) {
      const { code, text } = await trap.call(options, args);
      expect(code, `${args.join(" ")}: ${text}`).toBeUndefined();
      expect(gh.last()).toEqual(args);
    }
    expect(gh.env()).toContain("GH_TOKEN=gho_very-secret-token\n");
    expect(gh.env()).toContain("GH_PROMPT_DISABLED=1\n");
    expect(gh.env()).toContain("GH_PAGER=cat\n");
    expect(gh.env()).toContain("GH_BROWSER=false\n");
  });

  test("the git below it has the same settings, and a hostile repository is refused", async () => {
    const trap = await openRepository();
    const command = join(trap.outside, "gh");
    trap.write(command, "#!/bin/sh\ngit status && git log --oneline\n", 0o755);
    trap.git("config", "core.fsmonitor", trap.canary);
    trap.reset();
    expect((await trap.call({ command }, ["pr", "list"])).text).toContain("second");
    expect(trap.ran()).toBe(false);
    trap.git("config", "filter.e.clean", trap.canary);
    trap.reset();
    expect((await trap.call({ command }, ["pr", "create", "-t", "x"])).text).toContain('"filter.e.clean"');
    expect(trap.ran()).toBe(false);
  });

  test("another host is named by a person, in GH_HOST", async () => {
    const trap = await openTrap();
    const { command } = fakeGh(trap);
    expect((await trap.call({ command, network: ["git.example.com"] }, ["pr", "list"])).code).toBe("COMMAND_REFUSED");
    const own = { command, network: ["git.example.com"], env: { GH_HOST: "git.example.com" } };
    expect((await trap.call(own, ["pr", "list"])).code).toBeUndefined();
    expect((await trap.call(own, ["pr", "view", "https://github.com/a/b/pull/1"])).code).toBe("COMMAND_REFUSED");
    expect(() => Command.withOptions({ command, network: false })).toThrow(/gh is for the network/);
  });
});
