/** Real programs in an isolated sandbox, through its relay and the door: what is allowed works, the rest is told. */
import { expect, onTestFinished, test } from "vitest";
import { egress } from "../../../src/sandbox/egress/index.ts";
import { isolated } from "../../../src/sandbox/isolated/index.ts";
import { Bash } from "../../../src/tools/index.ts";
import { describeIsolated, tempFolder } from "../isolated/helpers.ts";
import { until, upstream, watched } from "./helpers.ts";

describeIsolated(
  "an isolated sandbox with a policy",
  () => {
    async function open(port: number, more: object = {}) {
      const { policy, audits } = watched({ rules: [{ action: "allow", host: "127.0.0.1", ports: [port] }], ...more });
      const sandbox = await isolated({ cwd: await tempFolder(), egress: policy });
      onTestFinished(() => sandbox.dispose());
      return { sandbox, audits };
    }

    test("curl reaches an allowed server, plain and by a tunnel; another is refused, and the model is told why", async () => {
      const server = await upstream();
      const other = await upstream();
      const { sandbox, audits } = await open(server.port);
      const url = `http://127.0.0.1:${server.port}`;
      const good = await Bash.execute({ command: `curl -sS ${url}/a; echo; curl -sS -p ${url}/b` }, { sandbox });
      const host = `127.0.0.1:${server.port}`;
      expect(good).toMatch(new RegExp(`^UP ${host} /a\nUP ${host} /b\n\\[exit 0`));

      const bad = await Bash.execute({ command: `curl -sS -f http://127.0.0.1:${other.port}/x` }, { sandbox });
      expect(bad).toContain("error: 403");
      expect(bad).toMatch(
        new RegExp(
          `\n\\[network: GET http://127.0.0.1:${other.port}/x was refused: 127.0.0.1 is a loopback address.*\\]\n\\[exit 22`,
        ),
      );
      const tunnel = await Bash.execute({ command: `curl -sS https://secret.test/` }, { sandbox });
      expect(tunnel).toMatch(
        /\[network: a connection to secret.test:443 was refused: no rule allows secret.test\]\n\[exit/,
      );
      expect(other.seen).toEqual([]);
      await until(() => audits.length === 4);
      expect(audits.map(({ isTunnel, allowed }) => [isTunnel, allowed])).toEqual([
        ...[
          [false, true],
          [true, true],
          [false, false],
          [true, false],
        ],
      ]);
      expect(new Set(audits.map(({ sandbox }) => sandbox))).toEqual(new Set([sandbox.id]));
    });

    test("there is no way around the door", async () => {
      const server = await upstream();
      const other = await upstream();
      const { sandbox } = await open(server.port);
      const target = `127.0.0.1:${other.port}`;
      const attempts = [
        `curl -sS --noproxy '*' http://${target}/`,
        `exec 3<>/dev/tcp/127.0.0.1/${other.port} && echo open`,
        `curl -sS --resolve 127.0.0.1:${server.port}:127.0.0.1 -H 'Host: ${target}' http://127.1:${other.port}/`,
        `curl -sS --connect-to ::${target} http://127.0.0.1:${server.port}/ -p --proxy-header 'Host: ${target}'`,
        `printf 'GET http://127.0.0.1:${server.port}/ HTTP/1.1\\r\\nHost: ${target}\\r\\nContent-Length: 0\\r\\n\\r\\nGET http://${target}/ HTTP/1.1\\r\\n\\r\\n' | timeout 2 bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; cat >&3; cat <&3'`,
        ...["2130706433", "0x7f.1", "017700000001", "127.1", "localhost", "[::ffff:127.0.0.1]"].map(
          (host) => `curl -sS -g http://${host}:${other.port}/`,
        ),
      ];
      for (const command of attempts) await sandbox.exec(command, { timeoutMs: 20_000 });
      expect(other.seen).toEqual([]);
      expect(new Set(server.seen.map(({ headers }) => headers.host))).toEqual(new Set([`127.0.0.1:${server.port}`]));
    });

    test("a transfer ends with its command", async () => {
      const server = await upstream((_, response) => void response.write("begun"));
      const { sandbox, audits } = await open(server.port);
      const result = await sandbox.exec(`curl -sSN http://127.0.0.1:${server.port}/`, { timeoutMs: 1500 });
      expect(result.status).toBe("timeout");
      expect(Buffer.from(result.stdout).toString()).toBe("begun");
      await until(() => audits.length === 1);
      expect(audits[0]).toMatchObject({ allowed: true, bytesDown: 5, reason: expect.stringContaining("broken off") });
    });

    test("a policy with headers is refused when it is opened", async () => {
      const policy = egress({ headers: [{ host: "a.test", name: "x-key", secret: "KEY" }] });
      const opening = isolated({ cwd: await tempFolder(), egress: policy });
      await expect(opening).rejects.toMatchObject({ code: "EGRESS_UNSUPPORTED" });
    });
  },
  { egress: true },
);
