/** A real Postgres for tests: the one of DATABASE_URL, else one of Debian's package, started here and ended with the process. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface PostgresServer {
  /** A new database of its own. */
  database(): Promise<string>;
  /** Undefined where it is somebody else's. "immediate": as a crash leaves it. */
  control: { stop(how: "immediate" | "fast"): Promise<void>; start(): Promise<void> } | undefined;
  /** Databases and, where it is ours, the server are gone after it. */
  close(): Promise<void>;
}

/** `HAFT_REQUIRE=postgres`: a machine that must have one. */
export const isPostgresRequired = (process.env.HAFT_REQUIRE ?? "").split(",").includes("postgres");

/** Why there is none here, or undefined. */
export function whyNoPostgres(): string | undefined {
  if (process.env.DATABASE_URL || programs() !== undefined) return undefined;
  return "no DATABASE_URL, and no PostgreSQL (apt-get install postgresql)";
}

/** @throws Error where there is none */
export async function openPostgres(): Promise<PostgresServer> {
  const missing = whyNoPostgres();
  if (missing) throw new Error(`There is no Postgres: ${missing}`);
  const { DATABASE_URL } = process.env;
  return DATABASE_URL ? databasesOf(DATABASE_URL, undefined) : startServer();
}

async function startServer(): Promise<PostgresServer> {
  const server = new OwnServer(programs()!, await freePort());
  await server.start();
  return databasesOf(server.url, server);
}

function databasesOf(url: string, own: OwnServer | undefined): PostgresServer {
  const made: string[] = [];
  const command = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  return {
    async database() {
      const name = `haft_${randomUUID().replaceAll("-", "")}`;
      await command(`CREATE DATABASE ${name}`);
      made.push(name);
      const place = new URL(url);
      place.pathname = `/${name}`;
      return place.href;
    },
    control: own && { stop: (how) => own.stop(how), start: () => own.start() },
    async close() {
      if (own) return own.close();
      for (const name of made) await command(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

const password = "secret-of-tests";

class OwnServer {
  readonly url: string;
  readonly #bin: string;
  readonly #port: number;
  readonly #folder: string;
  readonly #data: string;
  readonly #user: { uid: number; gid: number } | undefined;
  #guard: ChildProcess | undefined;

  constructor(bin: string, port: number) {
    this.#bin = bin;
    this.#port = port;
    this.#folder = mkdtempSync(join(tmpdir(), "haft-postgres-"));
    this.#data = join(this.#folder, "data");
    this.#user = process.getuid?.() === 0 ? postgresUser() : undefined;
    if (this.#user) chownSync(this.#folder, this.#user.uid, this.#user.gid);
    this.url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const passwordFile = join(this.#folder, "password");
    writeFileSync(passwordFile, password);
    const access = ["-U", "postgres", "-A", "scram-sha-256", "--pwfile", passwordFile];
    const settings = ["-D", this.#data, ...access, "-E", "UTF8", "--locale=C.UTF-8"];
    execFileSync(join(bin, "initdb"), settings, { ...this.#as(), stdio: "pipe" });
  }

  /** A shell holds it that waits for a line: without one this process has ended, however that came, and all of it goes. */
  async start(): Promise<void> {
    const script = `folder=$1; shift; "$@" & pid=$!; read _ && { wait $pid; exit; }; kill -QUIT $pid; wait $pid; rm -rf "$folder"`;
    const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${this.#folder}`, "shared_buffers=32MB"];
    if (Number(this.#bin.split("/").at(-2)) >= 14) settings.push("recovery_init_sync_method=syncfs"); // each file by itself takes long
    const args = ["-D", this.#data, "-p", String(this.#port), ...settings.flatMap((one) => ["-c", one])];
    const command = ["-c", script, "sh", this.#folder, join(this.#bin, "postgres"), ...args];
    this.#guard = spawn("sh", command, { ...this.#as(), stdio: ["pipe", "ignore", "ignore"] });
    this.#guard.stdin!.on("error", () => {});
    this.#guard.unref();
    await answers(this.url);
  }

  async stop(how: "immediate" | "fast"): Promise<void> {
    const pid = this.#pid();
    if (pid !== undefined) {
      process.kill(pid, how === "immediate" ? "SIGQUIT" : "SIGINT");
      this.#guard?.stdin?.end("\n");
      await gone(pid);
    }
  }

  async close(): Promise<void> {
    await this.stop("immediate");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #as() {
    return { cwd: this.#folder, env: { PATH: process.env.PATH ?? "", HOME: this.#folder }, ...this.#user };
  }

  #pid(): number | undefined {
    const file = join(this.#data, "postmaster.pid");
    return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined;
  }
}

async function answers(url: string): Promise<void> {
  // After a crash it syncs its files before it answers, and disks are busy.
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt === 1_200) throw error;
      await sleep(50);
    }
  }
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(10);
  }
}

/** Where Debian puts them: the newest. */
function programs(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(root, version, "bin")).find((bin) => existsSync(join(bin, "postgres")));
}

/** Postgres does not run as root. */
function postgresUser(): { uid: number; gid: number } {
  const number = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: number("-u"), gid: number("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
