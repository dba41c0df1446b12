/** The stores that outlive a process, from the built package: the victims and who looks after them open the same one. */
import * as stores from "../../../dist/stores/index.js";

const open = {
  file: (at) => stores.fileStore(at),
  "sqlite-strict": (at) => stores.sqliteStore(at, { durability: "strict" }),
  "sqlite-fast": (at) => stores.sqliteStore(at, { durability: "fast" }),
  postgres: (at) => stores.postgresStore({ connectionString: at }),
};

/** `at`: a folder, a file, or a connection string. */
export function openStore({ kind, at }) {
  return open[kind](at);
}
