/** Without a policy there is no network: not the machine's, not its loopback, not its sockets. */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { join } from "node:path";
import type { IsolationCase } from "../cases.ts";
import { OneServer } from "../one-server-policy.ts";

export const networkCases: IsolationCase[] = [
  {
    name: "network: a server of the host cannot be reached by any name",
    async run(place) {
      let connections = 0;
      const server = createServer((socket) => {
        connections++;
        socket.end("hello of the host");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as { port: number };
      try {
        const hosts = ["127.0.0.1", "localhost", "0.0.0.0", "127.1", "2130706433", "::1", "::ffff:127.0.0.1"];
        for (const host of hosts) {
          const said = await place.said(`cat < /dev/tcp/${host}/${port}`);
          assert.doesNotMatch(said, /hello of the host/, host);
        }
        assert.equal(connections, 0);
      } finally {
        server.close();
      }
      assert.equal(
        await place.said("grep -c : /proc/net/dev; cut -d: -f1 /proc/net/dev | tail -1 | tr -d ' '"),
        "1\nlo\n",
      );
      assert.notEqual((await place.exec("echo x > /dev/udp/127.0.0.53/53 && getent hosts example.com")).exitCode, 0);
    },
  },
  {
    name: "network: Unix sockets of the host cannot be reached, by path or by name",
    async run(place) {
      let connections = 0;
      const servers = [join(place.cwd, "host.sock"), `\0haft-isolated-${process.pid}`].map((path) =>
        createServer((socket) => {
          connections++;
          socket.end("hello of the host");
        }).listen(path),
      );
      try {
        const program = `use Socket; for my $p ("host.sock", "\\0haft-isolated-${process.pid}") {
          socket(my $s, AF_UNIX, SOCK_STREAM, 0) or do { print "refused\\n"; next };
          connect($s, pack_sockaddr_un($p)) and print "connected\\n";
        }`;
        if ((await place.exec("command -v perl")).exitCode === 0) {
          assert.equal(await place.said(["perl", "-e", program]), "refused\nrefused\n");
        }
        assert.equal(connections, 0);
      } finally {
        for (const server of servers) server.close();
      }
    },
  },
  {
    name: "network: with a policy, its door is the only way out",
    options: { egress: new OneServer(9) },
    async run(place) {
      const result = await place.exec("curl -sS http://allowed.test/ http://denied.test/; cat < /dev/tcp/127.0.0.1/9");
      assert.equal(Buffer.from(result.stdout).toString(), "through the door: allowed.test\ndenied\n");
      assert.deepEqual(
        result.egressDenied?.map(({ host }) => host),
        ["denied.test"],
      );
    },
  },
];
