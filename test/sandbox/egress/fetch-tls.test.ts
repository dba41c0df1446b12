/** HTTPS of the simulated curl: made here, with the certificate of the name, and the whole request judged. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EgressHeader, EgressRule } from "../../../src/core/egress.ts";
import { EgressFetch } from "../../../src/sandbox/egress/fetch.ts";
import { FilledHeaders } from "../../../src/sandbox/egress/filled-headers.ts";
import { watched } from "./helpers.ts";

let folder: string;
let ca: string;
let port: number;
const server: { close?: () => void } = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "haft-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=api.test", "-addext", "subjectAltName=DNS:api.test"];
  const made = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    key,
    "-out",
    cert,
    "-days",
    "2",
    ...subject,
  ];
  execFileSync("openssl", made, { stdio: "ignore" });
  ca = readFileSync(cert, "utf8");
  const made2 = createServer({ key: readFileSync(key), cert: ca }, (request, response) => {
    response.end(`${request.headers.host} ${request.url} ${request.headers.authorization}`);
  });
  await new Promise<void>((resolve) => made2.listen(0, "127.0.0.1", resolve));
  server.close = () => {
    made2.closeAllConnections();
    made2.close();
  };
  port = (made2.address() as AddressInfo).port;
});
afterAll(() => {
  server.close?.();
  rmSync(folder, { recursive: true, force: true });
});

function network(rules: EgressRule[], headers: EgressHeader[] = [], trusted: string | undefined = ca) {
  const { policy, audits } = watched({ rules, headers, lookup: async () => ["127.0.0.1"] });
  const filled = new FilledHeaders(policy, { get: () => "s3cret-value" });
  return { audits, net: new EgressFetch({ policy, filled, sandbox: "s", exec: "e", ca: trusted }) };
}

const asked = (url: string) => ({ url, method: "GET", headers: [] });
const rules = (): EgressRule[] => [
  { action: "allow", host: "api.test", ports: [port], pathPrefix: "/v1" },
  { action: "allow", host: "other.test", ports: [port] },
  { action: "allow", host: "127.0.0.1", ports: [port] },
];

test("reaches a name by the checked address, and is judged by its path", async () => {
  const { net, audits } = network(rules());
  const answer = await net.fetch(asked(`https://api.test:${port}/v1/x`));
  expect("body" in answer && String(Buffer.from(answer.body))).toBe(`api.test:${port} /v1/x undefined`);
  expect(await net.fetch(asked(`https://api.test:${port}/v2`))).toEqual({ error: expect.stringContaining("denied") });
  expect(audits).toMatchObject([
    { scheme: "https", isTunnel: false, path: "/v1/x", allowed: true, address: "127.0.0.1" },
    { path: "/v2", allowed: false },
  ]);
});

test("wants the certificate of the name, by somebody who is trusted", async () => {
  const { net } = network(rules());
  expect(await net.fetch(asked(`https://other.test:${port}/`))).toEqual({
    error: expect.stringMatching(/certificate|altnames/i),
  });
  expect(await net.fetch(asked(`https://127.0.0.1:${port}/`))).toEqual({
    error: expect.stringMatching(/certificate|altnames/i),
  });
  const strict = network(rules(), [], "");
  expect(await strict.net.fetch(asked(`https://api.test:${port}/v1`))).toEqual({
    error: expect.stringMatching(/self-signed/),
  });
});

test("fills in a header for the name that it was meant for", async () => {
  const header = { host: "api.test", name: "authorization", secret: "TOKEN", ports: [port] };
  const { net } = network(rules(), [header]);
  const answer = await net.fetch(asked(`https://api.test:${port}/v1`));
  expect("body" in answer && String(Buffer.from(answer.body))).toBe(`api.test:${port} /v1 [REDACTED:TOKEN]`);
});

test("a secret that is gone, or has become unusable, ends the request and not the program", async () => {
  const header = { host: "api.test", name: "authorization", secret: "TOKEN", ports: [port] };
  const { policy } = watched({ rules: rules(), headers: [header], lookup: async () => ["127.0.0.1"] });
  let value = "s3cret-value";
  const net = new EgressFetch({
    policy,
    filled: new FilledHeaders(policy, { get: () => value }),
    sandbox: "s",
    exec: "e",
    ca,
  });
  value = "short";
  expect(await net.fetch(asked(`https://api.test:${port}/v1`))).toEqual({
    error: "a secret of the policy cannot be read",
  });
});

test("more than sixteen at once are not made, and none after the end", async () => {
  const { net } = network(rules());
  const all = await Promise.all(Array.from({ length: 20 }, () => net.fetch(asked(`https://api.test:${port}/v1`))));
  expect(all.filter((answer) => "error" in answer)).toEqual(Array(4).fill({ error: "more than 16 requests at once" }));
  net.close();
  expect(await net.fetch(asked(`https://api.test:${port}/v1`))).toEqual({ error: "the request was aborted" });
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["a number for a URL", { url: 1, headers: [] }],
  ["headers that are no list", { url: "http://a.test", headers: {} }],
  ["a header that is no pair", { url: "http://a.test", headers: ["a: b"] }],
  ["a header with a line end", { url: "http://a.test", headers: [["a", "b\r\nc: d"]] }],
  ["too many headers", { url: "http://a.test", headers: Array(500).fill(["a", "b"]) }],
  ["a body of text", { url: "http://a.test", headers: [], body: "x" }],
  ["a method with a space", { url: "http://a.test", headers: [], method: "GET /x" }],
])("what comes from the shell is not trusted: %s", async (_, given) => {
  const { net, audits } = network(rules());
  expect(await net.fetch(given)).toEqual({ error: expect.any(String) });
  expect(audits).toEqual([]);
});
