/** The stores whose cost is measured, and counters of what their drivers are asked: shared by the processes of `log.mjs`. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const stores = ["memory", "file", "sqlite-fast", "sqlite-strict", "postgres"];

export async function openStore(kind, folder) {
  const { fileStore, memoryStore, postgresStore, sqliteStore } = await import("../dist/stores/index.js");
  const open = {
    memory: () => memoryStore(),
    file: () => fileStore(join(folder, "log")),
    "sqlite-fast": () => sqliteStore(join(folder, "haft.db"), { durability: "fast" }),
    "sqlite-strict": () => sqliteStore(join(folder, "haft.db"), { durability: "strict" }),
    postgres: () => postgresStore({ connectionString: process.env.DATABASE_URL }),
  };
  return open[kind]();
}

export const statements = { count: 0 };

/** Counts each statement that is run by the driver that this peer or store uses; false when there is none. */
export function countStatements(kind) {
  if (kind.startsWith("sqlite")) return countSqlite(createRequire(import.meta.url));
  if (kind === "langgraph-sqlite") {
    const from = fileURLToPath(new URL("./peers/langgraph-sqlite/peer.mjs", import.meta.url));
    return countPrepared(createRequire(from)("better-sqlite3"));
  }
  if (kind === "postgres") return countQueries(createRequire(import.meta.url)("pg"));
  return false;
}

/** Whichever of the two drivers it takes. */
function countSqlite(require) {
  countPrepared(require("libsql"));
  const inNode = process.getBuiltinModule?.("node:sqlite");
  return inNode ? countPrepared(inNode.DatabaseSync) : true;
}

function countPrepared({ prototype }) {
  const { prepare, exec } = prototype;
  const counted = {
    prepare(...args) {
      const statement = prepare.apply(this, args);
      for (const name of ["run", "get", "all", "iterate"]) {
        const made = statement[name];
        const counting = function (...values) {
          statements.count++;
          return made.apply(this, values);
        };
        statement[name] = counting;
      }
      return statement;
    },
    exec(...args) {
      statements.count++;
      return exec.apply(this, args);
    },
  };
  Object.assign(prototype, counted);
  return true;
}

function countQueries({ Client }) {
  const { query } = Client.prototype;
  const counted = {
    query(...args) {
      statements.count++;
      return query.apply(this, args);
    },
  };
  Object.assign(Client.prototype, counted);
  return true;
}

/** Bytes that this process has written to files and sockets; NaN where the system does not say. */
export function bytesWritten() {
  try {
    return Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))[1]);
  } catch {
    return Number.NaN;
  }
}
