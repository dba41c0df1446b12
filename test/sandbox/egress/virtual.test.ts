/** The simulated curl of a virtual sandbox: the same policy, asked outside of the shell. */
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { EgressHeader, EgressRule } from "../../../src/core/egress.ts";
import { type EgressOptions, egress } from "../../../src/sandbox/egress/index.ts";
import { type VirtualOptions, virtual } from "../../../src/sandbox/virtual/index.ts";
import { until, upstream, watched } from "./helpers.ts";

async function open(policy: EgressOptions, options: Partial<VirtualOptions> = {}) {
  const { policy: made, audits } = watched(policy);
  const sandbox = await virtual({ egress: made, ...options });
  onTestFinished(() => sandbox.dispose());
  async function run(command: string, timeoutMs?: number) {
    const result = await sandbox.exec(command, { timeoutMs });
    return { ...result, out: Buffer.from(result.stdout).toString(), err: Buffer.from(result.stderr).toString() };
  }
  return { sandbox, audits, run };
}

const to = (port: number, more: Partial<EgressRule> = {}): EgressRule => ({
  ...{ action: "allow", host: "127.0.0.1", ports: [port] },
  ...more,
});

describe("without a policy", () => {
  test("there is no curl, and the model is told", async () => {
    const sandbox = await virtual();
    onTestFinished(() => sandbox.dispose());
    expect((await sandbox.exec("curl http://127.0.0.1/")).exitCode).toBe(127);
    expect(sandbox.capabilities.notes.join(" ")).toMatch(/no git, .*curl, .*no network/);
  });
});

describe("with a policy", () => {
  test("curl reaches what is allowed, is refused the rest, and both are written down", async () => {
    const server = await upstream();
    const other = await upstream();
    const { run, audits, sandbox } = await open({ rules: [to(server.port)] });
    const good = await run(`curl -s http://127.0.0.1:${server.port}/a?b=c`);
    expect(good).toMatchObject({ exitCode: 0, out: `UP 127.0.0.1:${server.port} /a?b=c` });
    expect(good).not.toHaveProperty("egressDenied");

    const bad = await run(`curl -s -S http://127.0.0.1:${other.port}/x; curl -s http://a.test/`);
    expect(bad.exitCode).toBe(7);
    expect(bad.err).toMatch(/curl: \(7\) Network access denied: 127.0.0.1 is a loopback address/);
    expect(bad.egressDenied).toMatchObject([
      {
        host: "127.0.0.1",
        port: other.port,
        path: "/x",
        method: "GET",
        scheme: "http",
        sandbox: sandbox.id,
        allowed: false,
      },
      { host: "a.test", port: 80, reason: "no rule allows a.test" },
    ]);
    expect(other.seen).toEqual([]);
    expect(audits).toMatchObject([
      { allowed: true, bytesDown: good.out.length, path: "/a" },
      { allowed: false },
      { allowed: false },
    ]);
    expect(new Set(audits.map(({ exec }) => exec)).size).toBe(2);
    expect((await run("which curl")).exitCode).toBe(0);
  });

  test("notes say what can be reached", async () => {
    const { sandbox } = await open({
      rules: [
        to(8080, { pathPrefix: "/v1", methods: ["GET"] }),
        { action: "allow", host: "*.a.test" },
        { action: "deny", host: "b.test" },
      ],
    });
    const notes = sandbox.capabilities.notes.join(" ");
    expect(notes).toContain("It reaches 127.0.0.1:8080/v1 (GET), *.a.test; every other request is refused.");
    expect(notes).not.toMatch(/no network|patch, curl/);
    const asking = await open({ decide: () => ({ allow: false }) });
    expect(asking.sandbox.capabilities.notes.join(" ")).toContain(
      "reaches nothing that is named; every other request is asked about first.",
    );
  });

  test.each([
    ...[
      "http://127.1:P/",
      "http://0x7f.1:P/",
      "http://2130706433:P/",
      "http://017700000001:P/",
      "http://127.0.0.1.:P/",
    ],
    ...["http://[::ffff:127.0.0.1]:P/", "http://localhost:P/", "http://%31%32%37.0.0.1:P/", "http://1２7.0.0.1:P/"],
    ...["http://allowed.test@127.0.0.1:P/", "http://allowed.test#@127.0.0.1:P/", "http://allowed.test:P/"],
    ...[
      "http://127.0.0.1:P/%2e%2e/",
      "http:\\\\127.0.0.1:P",
      "ftp://127.0.0.1:P/",
      "file:///etc/passwd",
      "http://[::1]:P/",
    ],
    ...["gopher://127.0.0.1:P/", "//127.0.0.1:P/", "127.0.0.1:P/"],
  ])("%s does not get around", async (url) => {
    const server = await upstream();
    const { run } = await open({
      rules: [{ action: "allow", host: "allowed.test", ports: [80, 443, server.port] }],
      lookup: async () => ["127.0.0.1"],
    });
    const result = await run(`curl -sS '${url.replaceAll(":P", `:${server.port}`)}'`);
    expect(result.exitCode).not.toBe(0);
    expect(result.out).toBe("");
    expect(server.seen).toEqual([]);
  });

  test("a name that turns is dialed where it was checked, once", async () => {
    const server = await upstream();
    let count = 0;
    const { run } = await open({
      rules: [{ action: "allow", host: "turns.test", ports: [server.port] }, to(server.port)],
      lookup: async () => [count++ === 0 ? "127.0.0.1" : "10.0.0.1"],
    });
    const url = `http://turns.test:${server.port}/`;
    expect((await run(`curl -s ${url}`)).out).toBe(`UP turns.test:${server.port} /`);
    expect(count).toBe(1);
    expect((await run(`curl -s ${url}`)).egressDenied).toHaveLength(1);
  });

  test("methods, headers and bodies arrive; what is a connection's does not", async () => {
    const server = await upstream((request, response) => {
      response.setHeader("x-answer", "1");
      request.pipe(response);
    });
    const { run } = await open(
      { rules: [to(server.port, { methods: ["POST", "PUT"] })] },
      { files: { body: "füll\n" } },
    );
    const url = `http://127.0.0.1:${server.port}`;
    const headers =
      "-H 'Host: evil.test' -H 'X-Mine: 1' -H 'Connection: X-Mine' -H 'Transfer-Encoding: gzip' -H 'Content-Length: 3' -H 'Upgrade: h2c'";
    expect((await run(`curl -s ${headers} -d 'a=b c' ${url}`)).out).toBe("a=b c");
    expect(server.seen[0]!.headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      "x-mine": "1",
      "content-length": "5",
      connection: "close",
    });
    expect(server.seen[0]!.headers).not.toHaveProperty("upgrade");
    expect((await run(`curl -s -T body ${url}`)).out).toBe("füll\n");
    expect((await run(`curl -si -X PUT ${url}`)).out).toMatch(/HTTP\/1.1 200 OK\r\n[\s\S]*x-answer: 1/);
    for (const method of ["GET", "DELETE", "TRACE", "CONNECT", "'PUT\r\nX: y'"]) {
      expect((await run(`curl -s -X ${method} ${url}`)).exitCode).not.toBe(0);
    }
    expect((await run(`curl -sS -X PUT -H 'A: b\u0001' ${url}`)).err).toMatch(/no header can have/);
    expect(server.seen.length).toBe(3);
  });

  test("bytes arrive as they are in a file", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const server = await upstream((_, response) => void response.end(bytes));
    const { run, sandbox } = await open({ rules: [to(server.port)] });
    await run(`curl -s http://127.0.0.1:${server.port}/ -o got`);
    expect(Buffer.from(await sandbox.readFile("got"))).toEqual(bytes);
  });

  test("a redirect is judged like any other request, and takes no one's password along", async () => {
    const denied = await upstream();
    const second = await upstream();
    const first = await upstream((request, response) => {
      const where: Record<string, string> = { "/bad": `http://127.0.0.1:${denied.port}/secret`, "/loop": "/loop" };
      response.writeHead(request.method === "POST" ? 302 : 307, {
        location: where[request.url!] ?? `http://127.0.0.1:${second.port}/on`,
      });
      response.end();
    });
    const { run, audits } = await open({ rules: [to(first.port), to(second.port)] });
    const base = `http://127.0.0.1:${first.port}`;
    const bad = await run(`curl -sSL ${base}/bad`);
    expect(bad).toMatchObject({ exitCode: 7, out: "", egressDenied: [{ port: denied.port, path: "/secret" }] });
    expect(denied.seen).toEqual([]);
    expect(audits.map(({ allowed }) => allowed)).toEqual([true, false]);

    expect((await run(`curl -s -u me:pass -b a=1 -d x=y ${base}/`)).out).toBe(`UP 127.0.0.1:${second.port} /on`);
    expect(second.seen[0]).toMatchObject({ method: "GET" });
    expect(second.seen[0]!.headers).not.toHaveProperty("authorization");
    expect(second.seen[0]!.headers).not.toHaveProperty("cookie");
    expect(first.seen.at(-1)!.headers).toMatchObject({ cookie: "a=1" });
    expect(await run(`curl -sS ${base}/loop`)).toMatchObject({
      exitCode: 47,
      err: expect.stringContaining("Too many redirects"),
    });
  });

  test("a slow or endless answer ends with its command", async () => {
    const closed: string[] = [];
    const server = await upstream((request, response) => {
      response.on("close", () => closed.push(request.url!));
      if (request.url === "/endless") {
        const chunk = Buffer.alloc(1024 * 1024);
        const more = () => void (response.write(chunk, more) || 0);
        more();
      } else response.write("begun");
    });
    const { run, audits } = await open({ rules: [to(server.port)] });
    const base = `http://127.0.0.1:${server.port}`;
    expect((await run(`curl -s -m 0.2 ${base}/max-time`)).exitCode).toBe(28);
    expect((await run(`curl -s ${base}/slow`, 300)).status).toBe("timeout");
    const endless = await run(`curl -sS ${base}/endless`);
    expect(endless).toMatchObject({ exitCode: 1, err: expect.stringContaining("more than 33554432 bytes") });
    await until(() => closed.length === 3, "the end of each");
    await until(() => audits.length === 3);
    expect(audits.every(({ allowed, reason }) => allowed && reason.includes("; "))).toBe(true);
    expect((await run("echo alive")).out).toBe("alive\n");
  });

  test("disposing in the middle of a request ends it", async () => {
    const server = await upstream(() => {});
    const { run, sandbox, audits } = await open({ rules: [to(server.port)] });
    const running = run(`curl -s http://127.0.0.1:${server.port}/`);
    await until(() => server.seen.length === 1);
    await sandbox.dispose();
    expect((await running).status).toBe("aborted");
    await until(() => audits.length === 1);
  });

  test("a server that is not there, or breaks off, is an error of curl", async () => {
    const server = await upstream(
      (request) => void request.socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
    );
    const { run } = await open({ rules: [to(server.port)] });
    expect((await run(`curl -sS http://127.0.0.1:${server.port}/`)).err).toMatch(/curl: \(1\) .*broke it off/);
    server.server.close();
    server.server.closeAllConnections();
    expect((await run(`curl -sS http://127.0.0.1:${server.port}/`)).err).toMatch(/ECONNREFUSED/);
  });

  test("the one who is asked sees the whole request, over TLS too", async () => {
    const asked: unknown[] = [];
    const { run, sandbox } = await open({
      decide: (request) => {
        asked.push(request);
        return { allow: false, reason: "not today" };
      },
    });
    expect((await run("curl -sS -X POST 'https://a.test:8443/b?c=d'")).err).toContain("not today");
    expect(asked).toEqual([
      {
        ...{ host: "a.test", port: 8443, scheme: "https", method: "POST", path: "/b", isTunnel: false },
        ...{ sandbox: sandbox.id, exec: expect.stringMatching(/^exec_/) },
      },
    ]);
  });
});

describe("headers that are filled in", () => {
  const value = 's3cret/"value"+0123';
  const secrets = { get: (name: string) => (name === "TOKEN" ? value : "") };
  const filled = (port: number, more: Partial<EgressHeader> = {}): EgressHeader => ({
    ...{ host: "127.0.0.1", name: "Authorization", secret: "TOKEN", prefix: "Bearer ", ports: [port] },
    ...more,
  });

  test("reach the server, and not the shell, not even when the server sends them back", async () => {
    const server = await upstream((request, response) => {
      const got = request.headers.authorization!;
      const forms = [got, JSON.stringify(got), encodeURIComponent(value), Buffer.from(value).toString("base64")];
      response.writeHead(200, { "x-echo": got, "set-cookie": [`a=${encodeURIComponent(value)}`, "b=2"] });
      response.end(forms.join("\n"));
    });
    const { run, audits, sandbox } = await open(
      { rules: [to(server.port)], headers: [filled(server.port)] },
      { secrets },
    );
    const url = `http://127.0.0.1:${server.port}/`;
    const result = await run(
      `env; curl -sv -H 'authorization: Bearer mine' -H 'Range: bytes=0-3' ${url} | tee saved; cat saved`,
    );
    expect(result.exitCode).toBe(0);
    expect(server.seen[0]!.headers.authorization).toBe(`Bearer ${value}`);
    expect(server.seen[0]!.headers).not.toHaveProperty("range");
    const all = JSON.stringify([
      result.out,
      result.err,
      audits,
      sandbox.capabilities,
      Buffer.from(await sandbox.readFile("saved")).toString(),
    ]);
    for (const form of [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      Buffer.from(value).toString("base64"),
    ]) {
      expect(all).not.toContain(form);
    }
    expect(all).not.toContain("s3cret");
    expect(result.out.match(/\[REDACTED:TOKEN\]/g)!.length).toBeGreaterThan(5);
  });

  test("are taken out of what any server says, and go to no other host or port", async () => {
    const other = await upstream((request, response) => void response.end(`${request.headers.authorization} ${value}`));
    const server = await upstream((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/${encodeURIComponent(value)}` }).end();
    });
    const { run } = await open(
      { rules: [to(server.port), to(other.port)], headers: [filled(server.port)] },
      { secrets },
    );
    const { out } = await run(`curl -s -w '%{url_effective}' http://127.0.0.1:${server.port}/`);
    expect(out).toBe(`undefined [REDACTED:TOKEN]http://127.0.0.1:${other.port}/[REDACTED:TOKEN]`);
  });

  test("go over plain HTTP only to a port that was named", async () => {
    const server = await upstream((request, response) => void response.end(String(request.headers.authorization)));
    const { run } = await open(
      {
        rules: [to(server.port)],
        headers: [filled(0, { ports: undefined }), filled(server.port, { name: "x-key", prefix: undefined })],
      },
      { secrets },
    );
    expect((await run(`curl -s http://127.0.0.1:${server.port}/`)).out).toBe("undefined");
    expect(server.seen[0]!.headers["x-key"]).toBe(value);
  });

  test("an answer that cannot be looked through is refused", async () => {
    const server = await upstream((request, response) => {
      response
        .writeHead(200, { "content-encoding": "gzip" })
        .end(gzipSync(`${request.headers["accept-encoding"]} ${value}`));
    });
    const { run } = await open({ rules: [to(server.port)], headers: [filled(server.port)] }, { secrets });
    const result = await run(`curl -sS -H 'Accept-Encoding: gzip' http://127.0.0.1:${server.port}/ -o got; ls`);
    expect(result.err).toContain("the answer is compressed");
    expect(result.out).toBe("");
    expect(server.seen[0]!.headers["accept-encoding"]).toBe("identity");
  });

  test.each<[string, Partial<VirtualOptions>]>([
    ["no source", {}],
    ["a value that is missing", { secrets: { get: () => undefined as never } }],
    ["a value that is too short to be found again", { secrets: { get: () => "short" } }],
    ["a value with a line end", { secrets: { get: () => "12345678\r\nX: y" } }],
  ])("and have %s are an error when the sandbox is made", async (_, options) => {
    const error = await open({ headers: [filled(80)] }, options).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "EGRESS_INVALID" });
    expect(JSON.stringify(error)).not.toMatch(/12345678|short"/);
  });

  test("a secret that is not there says so", async () => {
    const unknown = {
      get: (name: string) => {
        throw Object.assign(new Error(`no ${name}`), { code: "SECRET_UNKNOWN" });
      },
    };
    await expect(virtual({ egress: egress({ headers: [filled(80)] }), secrets: unknown })).rejects.toMatchObject({
      code: "SECRET_UNKNOWN",
    });
  });
});
