/** What a client of the door may say, and what it gets: 22 ways to ask, of which 17 are attempts to get around. */
import { expect, test } from "vitest";
import { door, say, until, upstream, watched } from "./helpers.ts";

async function open() {
  const { port, seen } = await upstream();
  const asked: string[] = [];
  const loopback = ["a.corp.test", "api.test", "rebind.test", "ask.test", "corp.test", "secret.corp.test"];
  const { policy, audits } = watched({
    rules: [
      { action: "deny", host: "secret.corp.test" },
      { action: "allow", host: "*.corp.test", ports: [80, 443, port] },
      { action: "allow", host: "127.0.0.1", ports: [port] },
      { action: "allow", host: "api.test", methods: ["GET"], pathPrefix: "/v1/", ports: [port] },
      { action: "allow", host: "rebind.test", ports: [port + 1] },
      { action: "allow", host: "meta.test" },
    ],
    decide: async (request) => {
      asked.push(`${request.method ?? "CONNECT"} ${request.host}:${request.port}`);
      return { allow: request.host === "ask.test" && request.port === port, reason: "operator said no" };
    },
    lookup: async (host) => (loopback.includes(host) ? ["127.0.0.1"] : host === "meta.test" ? ["169.254.169.254"] : []),
  });
  return { port, seen, asked, audits, door: await door(policy) };
}

const HOST = "Host: x\r\nConnection: close\r\n\r\n";

/** `P` stands for the server's port, `Q` for another. What is allowed reaches the server as it says. */
const cases: [name: string, request: string, status: string, body: string | RegExp][] = [
  ["wildcard allow", `GET http://a.corp.test:P/x HTTP/1.1\r\n${HOST}`, "200", "UP a.corp.test:P /x"],
  ["deny beats wildcard", `GET http://secret.corp.test:P/ HTTP/1.1\r\n${HOST}`, "403", /"deny secret.corp.test"/],
  ["apex not matched by *.", `GET http://corp.test:P/ HTTP/1.1\r\n${HOST}`, "403", /operator said no/],
  ["case and trailing dot", `GET http://SECRET.corp.test.:P/ HTTP/1.1\r\n${HOST}`, "403", /"deny secret.corp.test"/],
  [
    "a spoofed Host is rewritten",
    "GET http://a.corp.test:P/x HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n",
    "200",
    "UP a.corp.test:P /x",
  ],
  ["userinfo", `GET http://a.corp.test:P@evil.test/ HTTP/1.1\r\n${HOST}`, "403", /operator said no/],
  ["method rule", `POST http://api.test:P/v1/a HTTP/1.1\r\nContent-Length: 0\r\n${HOST}`, "403", /operator said no/],
  ["path rule", `GET http://api.test:P/v2/a HTTP/1.1\r\n${HOST}`, "403", /operator said no/],
  ["path rule, dots", `GET http://api.test:P/v1/../v2 HTTP/1.1\r\n${HOST}`, "403", /operator said no/],
  ["path rule, kept", `GET http://api.test:P/v1/a?b=c#d HTTP/1.1\r\n${HOST}`, "200", "UP api.test:P /v1/a?b=c"],
  ["CONNECT to a path-ruled host", `CONNECT api.test:P HTTP/1.1\r\n${HOST}`, "403", /a tunnel \(HTTPS\) hides them/],
  ["DNS to loopback", `GET http://rebind.test:Q/ HTTP/1.1\r\n${HOST}`, "403", /127.0.0.1, which is a loopback/],
  ["metadata", `GET http://meta.test/ HTTP/1.1\r\n${HOST}`, "403", /169.254.169.254, which is a metadata/],
  ["asked, and a rule for the address", `GET http://ask.test:P/ HTTP/1.1\r\n${HOST}`, "200", "UP ask.test:P /"],
  ["asked, no", `CONNECT other.test:443 HTTP/1.1\r\n${HOST}`, "403", /operator said no/],
  ["CONNECT with a URL", `CONNECT http://a.corp.test:P/ HTTP/1.1\r\n${HOST}`, "400", /CONNECT wants host:port/],
  ["CONNECT to a decimal address", `CONNECT 2130706433:Q HTTP/1.1\r\n${HOST}`, "403", /127.0.0.1 is a loopback/],
  [
    "CONNECT to a v4-mapped one",
    `CONNECT [::ffff:7f00:1]:P HTTP/1.1\r\n${HOST}`,
    "403",
    /IPv4 address written as IPv6/,
  ],
  ["origin-form", "GET / HTTP/1.1\r\nHost: 127.0.0.1:P\r\n\r\n", "400", /whole http:\/\/ address/],
  ["ftp", `GET ftp://a.corp.test/ HTTP/1.1\r\n${HOST}`, "400", /whole http:\/\/ address/],
  [
    "smuggling with two lengths",
    "POST http://a.corp.test:P/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://evil.test/ HTTP/1.1\r\n\r\n",
    "",
    "",
  ],
  [
    "a tunnel",
    "CONNECT a.corp.test:P HTTP/1.1\r\nHost: x\r\n\r\nGET /in HTTP/1.0\r\n\r\n",
    "200",
    /^HTTP\/1.1 200 OK[\s\S]*UP undefined \/in$/,
  ],
];

test.each(cases)("%s", async (_, request, status, body) => {
  const { port, seen, audits, door } = await open();
  const filled = (text: string) => text.replaceAll(/:P\b/g, `:${port}`).replaceAll(":Q", `:${port + 1}`);
  const answer = await say(door.socketPath, filled(request));
  expect(answer.status.split(" ")[1] ?? "").toBe(status);
  if (typeof body === "string") expect(answer.body).toBe(filled(body));
  else expect(answer.body).toMatch(body);

  expect(seen.length).toBe(status === "200" ? 1 : 0);
  await until(() => audits.length > 0, "the audit");
  expect(audits).toEqual([
    expect.objectContaining({ sandbox: "sandbox_1", exec: "exec_1", allowed: status === "200" }),
  ]);
  expect(door.denied).toEqual(status === "200" ? [] : [expect.objectContaining({ reason: audits[0]!.reason })]);
});

test("only what no rule names is asked about", async () => {
  const { port, asked, door } = await open();
  for (const target of [`a.corp.test:${port}`, `secret.corp.test:${port}`, `meta.test:443`, `2130706433:${port + 1}`]) {
    await say(door.socketPath, `CONNECT ${target} HTTP/1.1\r\n\r\n`, 300); // one of them is a tunnel, and stays open
  }
  expect(asked).toEqual([]);
  await say(door.socketPath, `CONNECT other.test:443 HTTP/1.1\r\n\r\n`);
  expect(asked).toEqual(["CONNECT other.test:443"]);
});
