/** What a model is told of requests that were refused. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { EgressPolicy } from "../../../src/core/egress.ts";
import type { Sandbox } from "../../../src/core/sandbox.ts";
import { egress } from "../../../src/sandbox/egress/index.ts";
import { virtual } from "../../../src/sandbox/virtual/index.ts";
import { Bash, Command } from "../../../src/tools/index.ts";

const withoutTime = (text: string) => text.replace(/\d+\.\d s/g, "N s");

async function open(policy: EgressPolicy): Promise<Sandbox> {
  const sandbox = await virtual({ egress: policy });
  onTestFinished(() => sandbox.dispose());
  return sandbox;
}

test("a line for each that differs, before the exit code", async () => {
  const sandbox = await open(egress({ decide: ({ host }) => ({ allow: false, reason: `ask Ann\nabout ${host}` }) }));
  const command =
    "curl -s http://a.test/x?y; curl -s http://a.test/x?z; curl -s -X POST https://b.test:8443/; echo done";
  expect(withoutTime(await Bash.execute({ command }, { sandbox }))).toBe(
    [
      "done",
      "[network: GET http://a.test/x was refused: ask Ann about a.test]",
      "[network: POST https://b.test:8443/ was refused: ask Ann about b.test]",
      "[exit 0, N s]",
    ].join("\n"),
  );
  const curl = Command.withOptions({ command: "curl", profile: false });
  expect(withoutTime(await curl.execute({ args: ["-s", "http://[::1]:80/"] }, { sandbox }))).toMatch(
    /^\[no output\]\n\[network: GET http:\/\/\[::1\]\/ was refused: ::1 is a loopback address, .*\]\n\[exit 7, N s\]$/,
  );
});

test("no more than ten lines, and no secret in them", async () => {
  const sandbox = await open(egress());
  const env = { TOKEN: "s3cret-value" };
  const secrets = { names: ["TOKEN"], env: () => env, get: () => env.TOKEN };
  const command = 'for i in $(seq 1 30); do curl -s "http://a$i.test/$TOKEN"; done';
  const lines = (await Bash.execute({ command }, { sandbox, secrets })).split("\n");
  expect(lines[1]).toBe("[network: GET http://a1.test/[REDACTED:TOKEN] was refused: no rule allows a1.test]");
  expect(lines.slice(11, 12)).toEqual(["[network: 20 more requests were refused]"]);
  expect(lines.length).toBe(13);
  const long = await Bash.execute({ command: `curl -s http://a.test/${"x".repeat(3000)}` }, { sandbox });
  expect(long.length).toBeLessThan(400);
});

test("nothing when nothing was refused; also what was refused before a timeout", async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const sandbox = await open(egress({ rules: [{ action: "allow", host: "127.0.0.1", ports: [port] }] }));
  expect(withoutTime(await Bash.execute({ command: "echo hi" }, { sandbox }))).toBe("hi\n[exit 0, N s]");
  const command = `curl -s http://a.test/; curl -s http://127.0.0.1:${port}/`;
  const failure = await Bash.execute({ command, timeout: 1 }, { sandbox }).catch((thrown) => thrown);
  expect(failure.code).toBe("COMMAND_TIMEOUT");
  expect(failure.message).toMatch(/\[network: GET http:\/\/a.test\/ was refused: .*\]\n\[Command timed out/);
});
