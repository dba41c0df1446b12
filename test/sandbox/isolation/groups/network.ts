/** N: commands that want servers of the host, or the world. */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Attack, ONLY_LOCAL_ESCAPES } from "../attack.ts";
import { type Scene, seen } from "../scene.ts";
import { SOCKET_NAME } from "../stage.ts";

export const networkAttacks: Attack[] = [
  {
    id: "N01",
    title: "an allowed address works",
    expect: { local: "ok", virtual: "ok", isolated: "ok" },
    needs: ["curl"],
    run: async (scene) => {
      const { out } = await scene.exec(curl(`http://127.0.0.1:${scene.neighbours.allowedPort}/ok`));
      return seen(out.includes("ALLOWED") ? "ok" : "fails", out);
    },
  },
  {
    id: "N02",
    title: "another port of the host",
    expect: ONLY_LOCAL_ESCAPES,
    needs: ["curl"],
    run: (scene) => scene.leak(curl(denied(scene))),
  },
  {
    id: "N03",
    title: "around the proxy, by /dev/tcp",
    expect: ONLY_LOCAL_ESCAPES,
    needs: ["curl"],
    run: (scene) => {
      const port = scene.neighbours.deniedPort;
      const tcp = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
      return scene.leak(
        `${curl(denied(scene), "--noproxy '*'")}; env -u http_proxy -u HTTP_PROXY ${curl(denied(scene))}; ${tcp}`,
      );
    },
  },
  {
    id: "N04",
    title: "ten spellings of 127.0.0.1",
    expect: ONLY_LOCAL_ESCAPES,
    needs: ["curl"],
    run: (scene) => {
      const { deniedPort, allowedPort } = scene.neighbours;
      const hosts = [
        "localhost",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::ffff:127.0.0.1]",
        "localhost.",
        "0",
        "127.1",
      ];
      const urls = hosts.map((host) => `http://${host}:${deniedPort}/`);
      const tricks = [
        `http://127.0.0.1:${allowedPort}@127.0.0.1:${deniedPort}/`,
        `http://127.0.0.1:${allowedPort}#@127.0.0.1:${deniedPort}/`,
      ];
      return scene.leak([...urls, ...tricks].map((url) => curl(url, "-g")).join("; "), { timeoutMs: 20_000 });
    },
  },
  {
    id: "N05",
    title: "a redirect from allowed to not",
    expect: ONLY_LOCAL_ESCAPES,
    needs: ["curl"],
    run: (scene) => scene.leak(curl(`http://127.0.0.1:${scene.neighbours.allowedPort}/redirect`, "-L")),
  },
  {
    id: "N06",
    title: "a tunnel, a false Host header",
    expect: ONLY_LOCAL_ESCAPES,
    needs: ["curl"],
    run: (scene) => {
      const { deniedPort, allowedPort } = scene.neighbours;
      const allowed = `http://127.0.0.1:${allowedPort}/`;
      return scene.leak(
        [
          curl(denied(scene), "-p"),
          curl(denied(scene), `-H 'Host: 127.0.0.1:${allowedPort}'`),
          curl(allowed, `-H 'Host: 127.0.0.1:${deniedPort}'`),
          curl(`http://allowed.test:${deniedPort}/`, `--resolve allowed.test:${deniedPort}:127.0.0.1`),
          curl(allowed, `--connect-to 127.0.0.1:${allowedPort}:127.0.0.1:${deniedPort}`),
        ].join("; "),
        { timeoutMs: 20_000 },
      );
    },
  },
  {
    id: "N07",
    title: "a datagram (DNS and the like)",
    expect: ONLY_LOCAL_ESCAPES,
    run: async (scene) => {
      const { udpPort, datagrams } = scene.neighbours;
      const before = datagrams();
      const { out } = await scene.exec(
        `echo x > /dev/udp/127.0.0.1/${udpPort}; perl -MIO::Socket::INET -e 'IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1:${udpPort}")->send("x")'`,
      );
      await sleep(100);
      return seen(datagrams() > before ? "escapes" : "blocked", out);
    },
  },
  {
    id: "N08",
    title: "a Unix socket in the workspace",
    expect: ONLY_LOCAL_ESCAPES,
    needs: ["curl", "perl"],
    run: (scene) =>
      scene.leak(
        `${curl("http://docker/", `--unix-socket ${SOCKET_NAME}`)}; ${perlSocket(SOCKET_NAME, "GET / HTTP/1.0\\r\\n\\r\\n")}`,
      ),
  },
  {
    id: "N09",
    title: "an abstract Unix socket",
    expect: ONLY_LOCAL_ESCAPES,
    needs: ["perl"],
    run: (scene) => scene.leak(perlSocket(`\\0${scene.neighbours.abstractSocket}`, "")),
  },
  {
    id: "N10",
    title: "listen where the host can connect",
    expect: ONLY_LOCAL_ESCAPES,
    needs: ["perl"],
    run: async (scene) => {
      const port = 20_000 + ((process.pid * 7 + scene.neighbours.deniedPort) % 20_000);
      const server = `perl -MIO::Socket::INET -e 'IO::Socket::INET->new(Listen => 1, ReuseAddr => 1, LocalAddr => "127.0.0.1:${port}")->accept'`;
      const listening = scene.exec(server, { timeoutMs: 1200 });
      let isReached = false;
      for (let attempt = 0; attempt < 10 && !isReached; attempt++) {
        await sleep(100);
        isReached = await canConnect(port);
      }
      await listening;
      return seen(isReached ? "escapes" : "blocked", `port ${port}`);
    },
  },
];

function denied({ neighbours }: Scene): string {
  return `http://127.0.0.1:${neighbours.deniedPort}/`;
}

function curl(url: string, options = ""): string {
  return `curl -s -m 3 ${options} '${url}'`;
}

/** Perl, because every Linux has it; `name` as in a double-quoted string of its. */
function perlSocket(name: string, request: string): string {
  return `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("${name}")) or die $!; syswrite S, "${request}"; print while <S>'`;
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
