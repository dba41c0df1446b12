import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { EgressPolicy } from "../../../src/core/egress.ts";
import { local } from "../../../src/sandbox/local/index.ts";
import { sleepers, uniqueSleep } from "../../helpers/sleepers.ts";
import { describeIsolated, openIsolated, tempFolder, text } from "./helpers.ts";
import { OneServer } from "./one-server-policy.ts";

async function hostServer(): Promise<{ server: Server; port: number; requests: () => number }> {
  let count = 0;
  const server = createServer((_request, response) => {
    count++;
    response.end("hello of the host\n");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as { port: number }).port, requests: () => count };
}

async function openWithPolicy() {
  const host = await hostServer();
  const policy = new OneServer(host.port);
  return { ...(await openIsolated({ egress: policy })), policy, host };
}

describeIsolated(
  "egress",
  () => {
    test("what the policy allows is reached through the proxy, and what it refuses is told", async () => {
      const { sandbox, policy } = await openWithPolicy();
      const result = await sandbox.exec(
        "curl -sS http://allowed.test/; curl -sS http://other.test/; curl -sS https://third.test/",
      );
      expect(text(result.stdout)).toBe("through the door: allowed.test\ndenied\n");
      expect(result.egressDenied?.map(({ host, isTunnel }) => ({ host, isTunnel }))).toEqual([
        { host: "other.test", isTunnel: false },
        { host: "third.test", isTunnel: true },
      ]);
      expect(policy.opened).toEqual([{ sandbox: sandbox.id, exec: expect.stringMatching(/^exec_/) }]);
      expect(policy.doors).toBe(0);
      expect((await sandbox.exec("true")).egressDenied).toEqual([]);
    });

    test("a tunnel carries bytes both ways", async () => {
      const { sandbox, host } = await openWithPolicy();
      const result = await sandbox.exec(`curl -sSp http://allowed.test:${host.port}/`);
      expect(text(result.combined)).toBe("hello of the host\n");
    });

    test("programs that do not use the proxy have no network", async () => {
      const { sandbox, host } = await openWithPolicy();
      const ways = [
        `curl -sS --noproxy '*' http://127.0.0.1:${host.port}/`,
        `env -u http_proxy -u HTTP_PROXY -u ALL_PROXY -u all_proxy curl -sS http://127.0.0.1:${host.port}/`,
        `cat < /dev/tcp/127.0.0.1/${host.port}`,
        "getent hosts example.com",
      ];
      for (const way of ways) expect((await sandbox.exec(way)).exitCode, way).not.toBe(0);
      expect(host.requests()).toBe(0);
      expect(text((await sandbox.exec("cut -d: -f1 /proc/net/dev | tail -1")).stdout).trim()).toBe("lo");
    });

    test("both spellings of the variables are set, and no other sandbox has them", async () => {
      const { sandbox } = await openWithPolicy();
      const { stdout } = await sandbox.exec("env | grep -i proxy | sort");
      const names = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "http_proxy", "https_proxy"];
      const seen = text(stdout).trim().split("\n");
      for (const name of names) expect(seen).toContain(`${name}=http://127.0.0.1:3128`);
      const plain = await openIsolated();
      expect(text((await plain.sandbox.exec("env | grep -ic proxy")).stdout)).toBe("0\n");
    });

    test("many commands at once have a door each", async () => {
      const { sandbox, policy } = await openWithPolicy();
      const commands = Array.from(
        { length: 6 },
        (_, index) => `curl -sS http://no-${index}.test/ http://allowed.test/`,
      );
      const results = await Promise.all(commands.map((command) => sandbox.exec(command)));
      for (const [index, result] of results.entries()) {
        expect(text(result.stdout)).toBe("denied\nthrough the door: allowed.test\n");
        expect(result.egressDenied?.map(({ host }) => host)).toEqual([`no-${index}.test`]);
      }
      expect(policy.opened).toHaveLength(6);
      expect(policy.doors).toBe(0);
    });

    test("the relay ends with the command, by itself, by a timeout and by an abort", async () => {
      const { sandbox, policy } = await openWithPolicy();
      const seconds = uniqueSleep();
      const results = await Promise.all([
        sandbox.exec("sleep 0.2"),
        sandbox.exec(`sleep ${seconds}`, { timeoutMs: 500 }),
        sandbox.exec(`sleep ${seconds}`, { abortSignal: AbortSignal.timeout(10) }),
        sandbox.exec(`sleep ${seconds}`, { abortSignal: AbortSignal.abort() }),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["exited", "timeout", "aborted", "aborted"]);
      expect(policy.doors).toBe(0);
      const { execFileSync } = await import("node:child_process");
      expect(execFileSync("ps", ["axww", "-o", "args"]).toString()).not.toMatch(/a door, with|a door\\, with/);
      expect(sleepers(seconds)).toEqual([]);
    });

    test("a door that cannot be opened is an error, and nothing was started", async () => {
      const policy: EgressPolicy = {
        rules: [],
        evaluate: async () => ({ allow: false, reason: "" }),
        open: async () => {
          throw new Error("no door today");
        },
      };
      const { cwd, sandbox } = await openIsolated({ egress: policy });
      await expect(sandbox.exec("echo x > ran")).rejects.toThrow("no door today");
      expect((await import("node:fs")).readdirSync(cwd)).toEqual([]);
    });
  },
  { egress: true },
);

test("a policy for the local sandbox is refused, for nothing could keep commands to it", async () => {
  const cwd = await tempFolder();
  await expect(local({ cwd, egress: new OneServer(1) })).rejects.toMatchObject({ code: "EGRESS_UNSUPPORTED" });
});
