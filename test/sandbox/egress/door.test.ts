/** The door under load, under slow and hostile clients, and when it is closed in the middle. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import type { DoorLimits } from "../../../src/sandbox/egress/door.ts";
import { door, get, say, type Upstream, until, upstream, watched } from "./helpers.ts";

const run = promisify(execFile);

async function openTo(server: Upstream, limits?: Partial<DoorLimits>) {
  const { policy, audits } = watched({ rules: [{ action: "allow", host: "127.0.0.1", ports: [server.port] }] });
  return { audits, base: `http://127.0.0.1:${server.port}`, door: await door(policy, limits) };
}

/** A server of bytes, for what no HTTP server would say. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<Upstream> {
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, server: server as never, seen: [] };
}

describe("the socket", () => {
  test("is for this user only, in a folder of its own, and is gone when the door is closed", async () => {
    const opened = await door(watched({}).policy);
    expect(statSync(dirname(opened.socketPath)).mode & 0o777).toBe(0o700);
    expect(statSync(opened.socketPath).mode & 0o777).toBe(0o600);
    await Promise.all([opened.close(), opened.close()]);
    expect(existsSync(dirname(opened.socketPath))).toBe(false);
  });

  test("fits where the folder for temporary files has a long name", async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = `/tmp/${"long-".repeat(20)}`;
    try {
      expect((await door(watched({}).policy)).socketPath).toMatch(/^\/tmp\/haft-egress-/);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

describe("a request that goes through", () => {
  test("streams both ways, and its bytes are counted", async () => {
    const size = 20 * 1024 * 1024;
    const server = await upstream((request, response) => request.pipe(response));
    const { audits, base, door } = await openTo(server);
    const { stdout } = await run("sh", [
      "-c",
      `head -c ${size} /dev/zero | curl -sS --unix-socket "$1" -T - -X POST --request-target "$2/echo" http://127.0.0.1:${server.port}/ | wc -c`,
      ...["sh", door.socketPath, base],
    ]);
    expect(Number(stdout)).toBe(size);
    await until(() => audits.length === 1, "the audit");
    expect(audits[0]).toMatchObject({
      allowed: true,
      bytesUp: size,
      bytesDown: size,
      path: "/echo",
      address: "127.0.0.1",
    });
  });

  test("leaves behind what belongs to a connection, and keeps the rest", async () => {
    const server = await upstream((_, response) => {
      response.writeHead(200, [
        ...["Connection", "x-inner", "X-Inner", "1", "Keep-Alive", "timeout=5", "Proxy-Authenticate", "Basic"],
        ...["Set-Cookie", "a=1", "Set-Cookie", "b=2"],
      ]);
      response.end("body");
    });
    const { base, door } = await openTo(server);
    const headers = [
      ...[
        "Proxy-Authorization: Basic c2VjcmV0",
        "Proxy-Connection: keep-alive",
        "Connection: close, X-Mine",
        "X-Mine: 1",
      ],
      ...["TE: trailers", "Upgrade: websocket", "Cookie: a=1", "X-Kept: yes"],
    ];
    const answer = await say(door.socketPath, `GET ${base}/ HTTP/1.1\r\nHost: y\r\n${headers.join("\r\n")}\r\n\r\n`);
    expect(server.seen[0]!.headers).toEqual({
      ...{ host: `127.0.0.1:${server.port}`, connection: "close", cookie: "a=1", "x-kept": "yes" },
    });
    expect(answer.head.toLowerCase()).toMatch(/set-cookie: a=1\r\nset-cookie: b=2/);
    expect(answer.head).not.toMatch(/x-inner|proxy-authenticate|keep-alive/i);
  });

  test("needs no Host, expects what it likes, and has as many headers as fit", async () => {
    const server = await upstream();
    const { audits, base, door } = await openTo(server);
    const close = "Connection: close\r\n";
    const many = `${"a:\r\n".repeat(3000)}X-Last: 1\r\nConnection: close, X-Last\r\n`;
    const ask = (headers: string) => say(door.socketPath, `GET ${base}/ HTTP/1.1\r\n${headers}\r\n`);
    for (const headers of [close, `Expect: miracles\r\n${close}`, `Expect: 100-continue\r\n${close}`]) {
      const answer = await ask(headers);
      expect(answer.head + answer.body).toContain("200 OK");
    }
    // A server of Node 24 refuses so many by itself; none drops those at the end, where Connection may stand.
    expect((await ask(many)).status).toMatch(/200 OK|431/);
    expect(server.seen.length).toBeGreaterThanOrEqual(3);
    expect(server.seen[1]!.headers).not.toHaveProperty("expect");
    for (const { headers } of server.seen) expect(headers).not.toHaveProperty("x-last");
    await until(() => audits.length === 4);
  });

  test("may follow another on the same connection, each judged by itself", async () => {
    const server = await upstream();
    const { audits, base, door } = await openTo(server);
    const kept = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answer = await say(door.socketPath, kept(`${base}/1`) + kept("http://10.0.0.1/2") + kept(`${base}/3`));
    expect(server.seen.map(({ url }) => url)).toEqual(["/1", "/3"]);
    expect(answer.body).toMatch(/^UP .*\/1HTTP\/1.1 403 Forbidden/);
    await until(() => audits.length === 3);
    expect(audits.map(({ allowed }) => allowed).sort()).toEqual([false, true, true]);
  });

  test("is told when the server is not there, is silent, or breaks off", async () => {
    const gone = await upstream();
    gone.server.close();
    const refused = await openTo(gone);
    expect((await say(refused.door.socketPath, get(refused.base))).status).toBe("HTTP/1.1 502 Bad Gateway");
    await until(() => refused.audits.length === 1);
    expect(refused.audits[0]!.reason).toMatch(/allows it; the server could not be reached \(ECONNREFUSED\)/);

    const silent = await openTo(await rawServer(() => {}), { idleMs: 100 });
    await say(silent.door.socketPath, get(silent.base));
    await until(() => silent.audits.length === 1);
    expect(silent.audits[0]).toMatchObject({ allowed: true, reason: expect.stringMatching(/; /) });

    const broken = await openTo(
      await rawServer((socket) => {
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"));
      }),
    );
    await say(broken.door.socketPath, get(broken.base));
    await until(() => broken.audits.length === 1);
    expect(broken.audits[0]!.reason).toMatch(/the answer was broken off/);
  });

  test("gets an answer that comes before all was sent", async () => {
    const server = await rawServer((socket) => {
      socket.once("data", () =>
        socket.end("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n"),
      );
    });
    const { base, door } = await openTo(server);
    const head = `POST ${base}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n`;
    const answer = await say(door.socketPath, head + "x".repeat(1_000_000));
    expect(answer).toMatchObject({ status: "HTTP/1.1 413 Payload Too Large", body: "no\n" });
  });

  test("has a status in our own words", async () => {
    const server = await rawServer(
      (socket) => void socket.once("data", () => socket.end("HTTP/1.1 200 \x01\r\n\r\nhi")),
    );
    const { base, door } = await openTo(server);
    expect(await say(door.socketPath, get(base))).toMatchObject({ status: "HTTP/1.1 200 OK" });
  });

  test.each([
    ["a status that there is not", "HTTP/1.1 099 x\r\n\r\n"],
    ["an upgrade that nobody asked for", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nraw"],
    ["no HTTP", "SSH-2.0-OpenSSH\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ])("and whose server answers with %s fails by itself", async (_, bytes) => {
    const server = await rawServer((socket) => void socket.once("data", () => socket.end(bytes)));
    const { audits, base, door } = await openTo(server);
    const { status, body } = await say(door.socketPath, get(base));
    // Half an answer can only be broken off.
    expect(status).toMatch(/ 502 |^$/);
    expect(body).not.toMatch(/raw|SSH/);
    await until(() => audits.length === 1);
  });
});

describe("what is no proper request", () => {
  const others: [string, string, string][] = [
    ["https without CONNECT", get("https://127.0.0.1:P/"), "400"],
    ["a scheme without slashes", get("http:127.0.0.1:P/"), ""],
    ["three slashes", get("http:///127.0.0.1:P/"), "400"],
    ["a backslash", get("http://\\127.0.0.1:P/"), ""],
    ["no scheme", get("//127.0.0.1:P/"), "400"],
    ["an asterisk", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "400"],
    ["port 0", get("http://127.0.0.1:0/"), "400"],
    ["a port that is too large", get("http://127.0.0.1:99999/"), "400"],
    ["lengths that differ", get("http://127.0.0.1:P/", "Content-Length: 1\r\nContent-Length: 2\r\n"), ""],
    ["an unknown coding", get("http://127.0.0.1:P/", "Transfer-Encoding: gzip, chunked\r\n"), "400"],
    ["a chunk of no size", get("http://127.0.0.1:P/", "Transfer-Encoding: chunked\r\n").concat("zz\r\n"), ""],
    ["a header with a bare line feed", "GET http://127.0.0.1:P/ HTTP/1.1\nHost: x\nX: \x00\n\n", ""],
    ["a folded header", "GET http://127.0.0.1:P/ HTTP/1.1\r\nHost: x\r\n y: z\r\n\r\n", ""],
    ["a head that is too long", get("http://127.0.0.1:P/", `X: ${"x".repeat(20_000)}\r\n`), ""],
    ["another protocol", "SSH-2.0-x\r\n\r\n", ""],
    ["CONNECT without a port", "CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n", "400"],
    ["CONNECT to port 0", "CONNECT 127.0.0.1:0 HTTP/1.1\r\n\r\n", "400"],
    ["CONNECT with userinfo", "CONNECT a@127.0.0.1:P HTTP/1.1\r\n\r\n", "400"],
    ["CONNECT with a path", "CONNECT 127.0.0.1:P/x HTTP/1.1\r\n\r\n", "400"],
  ];
  test.each(others)("%s", async (_, request, status) => {
    const server = await upstream();
    const { audits, door } = await openTo(server);
    const answer = await say(door.socketPath, request.replaceAll(":P", `:${server.port}`));
    if (status === "") expect(answer.status).not.toMatch(/ 200 /);
    else expect(answer.status.split(" ")[1]).toBe(status);
    await until(() => audits.some(({ allowed }) => !allowed) || server.seen.length > 0);
    expect(audits.filter(({ allowed }) => allowed).every(({ bytesDown }) => bytesDown === 0)).toBe(true);
  });

  test.each([
    ["GET", "Connection: close, Content-Length\r\nContent-Length: LENGTH"],
    ["POST", "Connection: close, Content-Length\r\nContent-Length: LENGTH"],
    ["DELETE", "Connection: close, Transfer-Encoding\r\nTransfer-Encoding: chunked"],
    ["GET", "Connection: close\r\nTransfer-Encoding: Chunked"],
  ])("a body of %s with %s is no second request", async (method, headers) => {
    const server = await upstream();
    const rules = [{ action: "allow" as const, host: "127.0.0.1", ports: [server.port], pathPrefix: "/v1" }];
    const opened = await door(watched({ rules }).policy);
    const inner = "GET /admin HTTP/1.1\r\nHost: x\r\n\r\n";
    const isChunked = /chunked/i.test(headers);
    const body = isChunked ? `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n` : inner;
    const head = `${method} http://127.0.0.1:${server.port}/v1 HTTP/1.1\r\nHost: x\r\n`;
    await say(opened.socketPath, `${head}${headers.replace("LENGTH", String(inner.length))}\r\n\r\n${body}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.seen.map(({ url }) => url)).toEqual(["/v1"]);
    const said = server.seen[0]!.headers;
    expect(said["content-length"] ?? said["transfer-encoding"]).toBe(isChunked ? "chunked" : String(inner.length));
  });

  test("does not reach a server by a fragment, another spelling or a dot", async () => {
    const server = await upstream();
    const { base, door } = await openTo(server);
    for (const host of [
      `10.0.0.1#@127.0.0.1:${server.port}`,
      `127.0.0.1:${server.port}@10.0.0.1`,
      "10.1",
      "localhost.",
    ]) {
      expect((await say(door.socketPath, get(`http://${host}/`))).status).not.toMatch(/ 200 /);
    }
    expect(server.seen).toEqual([]);
    for (const same of ["127.1", "0x7f.1", "2130706433", "127.0.0.1.", "%31%32%37.0.0.1"]) {
      expect((await say(door.socketPath, get(base.replace("127.0.0.1", same)))).status).toMatch(/ 200 /);
    }
    expect(new Set(server.seen.map(({ headers }) => headers.host))).toEqual(new Set([`127.0.0.1:${server.port}`]));
  });

  test("a redirect goes to the client, which has to ask again", async () => {
    const other = await upstream();
    const server = await upstream((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/secret` }).end();
    });
    const { base, door } = await openTo(server);
    const curl = ["-sSL", "--unix-socket", door.socketPath, "--request-target", `${base}/`, base];
    await run("curl", curl).catch(() => {});
    expect((await say(door.socketPath, get(`http://127.0.0.1:${other.port}/secret`))).status).toMatch(/ 403 /);
    expect(other.seen).toEqual([]);
    expect(server.seen.length).toBeGreaterThan(0);
  });
});

describe("limits", () => {
  test("more connections than there may be are dropped, and are said", async () => {
    const { door, base } = await openTo(await upstream((_, response) => void response.write("x")), { connections: 3 });
    const sockets = Array.from({ length: 3 }, () => connect(door.socketPath).on("error", () => {}));
    for (const socket of sockets) socket.write(get(base));
    await Promise.all(sockets.map((socket) => once(socket, "data")));
    expect((await say(door.socketPath, get(base))).status).toBe("");
    expect(door.denied).toMatchObject([{ host: "", reason: "there are too many connections at once" }]);
    for (const socket of sockets) socket.destroy();
    const again = async () => (await say(door.socketPath, get("http://10.0.0.1/"))).status.includes("403");
    let isOpen = false;
    for (let tries = 0; !isOpen && tries < 50; tries++) isOpen = await again();
    expect(isOpen).toBe(true);
  });

  test("256 at once are served", async () => {
    const server = await upstream();
    const { door, base } = await openTo(server);
    const answers = await Promise.all(Array.from({ length: 256 }, () => say(door.socketPath, get(base), 20_000)));
    expect(answers.filter(({ status }) => status === "HTTP/1.1 200 OK").length).toBe(256);
  });

  test.each([
    ["that says nothing", ""],
    ["whose head never ends", "GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n"],
  ])("a client %s is dropped", async (_, text) => {
    const { door } = await openTo(await upstream(), { headersMs: 100 });
    const socket = connect(door.socketPath).on("error", () => {});
    if (text) socket.write(text);
    const drip = setInterval(() => text && socket.write("X"), 30);
    socket.resume();
    await new Promise((resolve) => socket.on("close", resolve));
    clearInterval(drip);
  });

  test("a silent tunnel is closed, a silent upload too", async () => {
    const server = await rawServer(() => {});
    const { audits, base, door } = await openTo(server, { idleMs: 100 });
    expect((await say(door.socketPath, `CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n\r\n`, 9000)).status).toMatch(
      / 200 /,
    );
    await say(door.socketPath, `POST ${base}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf`, 9000);
    await until(() => audits.length === 2);
    expect(audits.map(({ allowed }) => allowed)).toEqual([true, true]);
  });

  test("of what was refused, a thousand are kept", async () => {
    const { door, audits } = await openTo(await upstream());
    for (let round = 0; round < 11; round++) {
      await say(door.socketPath, "GET http://10.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100), 5000);
    }
    expect(audits.length).toBe(1100);
    expect(door.denied.length).toBe(1000);
  });
});

describe("a tunnel", () => {
  test("carries bytes both ways, to their end, and counts them", async () => {
    const server = await rawServer((socket) => void socket.pipe(socket));
    const { audits, door } = await openTo(server);
    const socket = connect(door.socketPath);
    socket.write(`CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [established] = await once(socket, "data");
    expect(String(established)).toBe("HTTP/1.1 200 Connection Established\r\n\r\n");
    const size = 5 * 1024 * 1024;
    socket.end(Buffer.alloc(size, 7));
    let received = 0;
    for await (const chunk of socket) received += chunk.length;
    expect(received).toBe(size);
    await until(() => audits.length === 1);
    expect(audits[0]).toMatchObject({ isTunnel: true, allowed: true, bytesUp: size, bytesDown: size });
    expect(audits[0]).not.toHaveProperty("method");
  });

  test("to a server that is not there says so", async () => {
    const gone = await upstream();
    gone.server.close();
    const { audits, door } = await openTo(gone);
    const answer = await say(door.socketPath, `CONNECT 127.0.0.1:${gone.port} HTTP/1.1\r\n\r\n`);
    expect(answer.status).toBe("HTTP/1.1 502 Bad Gateway");
    await until(() => audits.length === 1);
    expect(audits).toMatchObject([{ allowed: true, reason: expect.stringContaining("ECONNREFUSED") }]);
  });

  test("ends when its client leaves", async () => {
    const ended = deferred<void>();
    const server = await rawServer((socket) => void socket.on("close", () => ended.resolve()));
    const { door } = await openTo(server);
    const socket = connect(door.socketPath);
    socket.write(`CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n\r\n`);
    await once(socket, "data");
    socket.destroy();
    await ended.promise;
  });
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe("closing", () => {
  test("in the middle of a transfer ends it, and writes it down", async () => {
    const closed = deferred<void>();
    const server = await upstream((_, response) => {
      response.on("close", () => closed.resolve());
      response.write("begun");
    });
    const { audits, base, door } = await openTo(server);
    const answer = say(door.socketPath, get(base), 20_000);
    await until(() => server.seen.length === 1);
    await door.close();
    await closed.promise;
    expect((await answer).status).toMatch(/200|^$/);
    expect(audits).toMatchObject([{ allowed: true, reason: expect.stringContaining("broken off") }]);
    await expect(say(door.socketPath, get(base))).resolves.toMatchObject({ status: "" });
  });

  test("ends tunnels, and questions that nobody answered", async () => {
    const server = await rawServer(() => {});
    const { policy, audits } = watched({
      rules: [{ action: "allow", host: "127.0.0.1", ports: [server.port] }],
      decide: () => new Promise(() => {}),
    });
    const opened = await door(policy);
    const tunnel = say(opened.socketPath, `CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n\r\n`, 20_000);
    const question = say(opened.socketPath, get("http://8.8.8.8/"), 20_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await opened.close();
    await Promise.all([tunnel, question]);
    expect(audits.map(({ host, allowed }) => `${host} ${allowed}`).sort()).toEqual(["127.0.0.1 true", "8.8.8.8 false"]);
    expect(opened.denied).toMatchObject([{ reason: "the command ended before it was decided" }]);
  });

  test("a client that left while it was decided is not served", async () => {
    const server = await upstream();
    const answer = deferred<{ allow: boolean }>();
    const { policy, audits } = watched({
      rules: [{ action: "allow", host: "127.0.0.1", ports: [server.port], methods: ["PUT"] }],
      decide: () => answer.promise,
    });
    const opened = await door(policy);
    const socket = connect(opened.socketPath).on("error", () => {});
    socket.write(get("http://8.8.8.8/"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await until(() => audits.length === 1);
    expect(audits).toMatchObject([{ allowed: false, reason: "the command ended before it was decided" }]);
    answer.resolve({ allow: true });
  });
});

test("an audit that throws does not end the door", async () => {
  const server = await upstream();
  const { policy } = watched({});
  const rules = [{ action: "allow" as const, host: "127.0.0.1", ports: [server.port] }];
  const { egress } = await import("../../../src/sandbox/egress/index.ts");
  const loud = egress({ rules, audit: () => Promise.reject(new Error("full")) });
  expect(policy.asks).toBe(false);
  const opened = await door(loud);
  for (let round = 0; round < 3; round++) {
    expect((await say(opened.socketPath, get(`http://127.0.0.1:${server.port}/`))).status).toMatch(/ 200 /);
    expect((await say(opened.socketPath, get("http://10.0.0.1/"))).status).toMatch(/ 403 /);
  }
});

test("a policy with headers opens no door", async () => {
  const { policy } = watched({ headers: [{ host: "a.test", name: "authorization", secret: "TOKEN" }] });
  await expect(policy.open({ sandbox: "s", exec: "e" })).rejects.toMatchObject({ code: "EGRESS_UNSUPPORTED" });
});
