/** Two workers, one session: one of them works at a time, also when the other was frozen, or died. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { SessionStore } from "../../src/core/store.ts";
import type { ExecuteResult, Session } from "../../src/index.ts";
import { sqliteStore } from "../../src/stores/index.ts";
import { sleep } from "../engine/support.ts";
import { root } from "../helpers/source-files.ts";
import { errorOf } from "./support.ts";
import { bound, type Order, type Report, worker } from "./workers/child.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) await clean();
});

function place(): { folder: string; store: SessionStore } {
  const folder = mkdtempSync(join(tmpdir(), "haft-workers-"));
  const store = sqliteStore(join(folder, "log.db"));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  cleanUp.push(() => store.close());
  return { folder, store };
}

interface Other {
  process: ChildProcess;
  report: Promise<Report>;
  stopped(): Promise<void>;
}

/** Starts a worker in a process of its own. */
function start(order: Order): Other {
  const child = spawn(process.execPath, [
    join(root, "node_modules/jiti/lib/jiti-cli.mjs"),
    join(root, "test/agents/workers/child.ts"),
    JSON.stringify(order),
  ]);
  cleanUp.push(() => child.kill("SIGKILL"));
  let printed = "";
  let complaint = "";
  child.stdout.on("data", (data) => {
    printed += data;
  });
  child.stderr.on("data", (data) => {
    complaint += data;
  });
  const report = new Promise<Report>((resolve, reject) => {
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(printed)) : reject(new Error(complaint || `${code}`)),
    );
  });
  report.catch(() => {});
  const stopped = () => until(() => readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]![0] === "T");
  return { process: child, report, stopped };
}

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; !holds(); turn++) {
    if (turn > 4000) throw new Error("it never came");
    await sleep(5);
  }
}

function effects(folder: string): string[] {
  const file = join(folder, "effects.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Goes on with whatever is found, as somebody would who looks what a call in doubt has done. */
async function toItsEnd(session: Session): Promise<ExecuteResult> {
  let result: ExecuteResult = await session.resume();
  while (result.isInterrupted()) {
    for (const { callId } of result.pending) await session.decide(callId, { value: "looked at" });
    result = await session.resume();
  }
  return result;
}

const LEASE_MS = 400;

describe("a worker that was frozen", () => {
  /** An answer, its call and the end take the entries 0 to 12; each of these is the last of an append. */
  test.for([2, 5, 6, 8])("after entry %i was acknowledged: it writes nothing more, and starts nothing", async (seq) => {
    const { folder, store } = place();
    const other = start({ folder, name: "A", options: { leaseMs: LEASE_MS }, stopAfterEntry: seq });
    await other.stopped();
    const before = effects(folder);
    const session = worker({ folder, name: "B", options: {} }, store).session({ id: "s", leaseMs: LEASE_MS });
    expect((await toItsEnd(session)).output).toBe("Over.");
    const log = await store.read("s");
    other.process.kill("SIGCONT");
    expect(await other.report).toMatchObject({ status: "error", code: "SESSION_LOST" });
    expect(effects(folder).filter((line) => line.startsWith("A"))).toEqual(before);
    expect(await store.read("s")).toEqual(log);
    const times = effects(folder).filter((line) => line.includes("effect"));
    expect(new Set(times.map((line) => line.slice(2))).size).toBe(times.length);
  });

  test("the window: between the acknowledged start of a call and its effect. That effect happens, and nothing after it", async () => {
    const { folder, store } = place();
    const other = start({ folder, name: "A", options: { leaseMs: LEASE_MS }, stopInHandler: true });
    await other.stopped();
    const session = worker({ folder, name: "B", options: {} }, store).session({ id: "s", leaseMs: LEASE_MS });
    const waits = await session.resume();
    if (!waits.isInterrupted()) throw new Error("it is not in doubt");
    expect(waits.pending).toMatchObject([{ name: "effect", reason: "in-doubt" }]);
    expect((await toItsEnd(session)).output).toBe("Over.");
    const log = await store.read("s");
    other.process.kill("SIGCONT");
    expect(await other.report).toMatchObject({ status: "error", code: "SESSION_LOST" });
    expect(effects(folder).filter((line) => line.startsWith("A"))).toEqual(["A model 1", "A begins 1", "A effect 1"]);
    expect(effects(folder).filter((line) => line.startsWith("B effect"))).toEqual(["B effect 2"]);
    expect(await store.read("s")).toEqual(log);
  });

  test("while a model thinks: it calls nothing that the answer asks for", async () => {
    const { folder, store } = place();
    const other = start({ folder, name: "A", options: { leaseMs: LEASE_MS }, modelMs: 500 });
    await until(() => effects(folder).includes("A model 1"));
    other.process.kill("SIGSTOP");
    const session = worker({ folder, name: "B", options: {} }, store).session({ id: "s", leaseMs: LEASE_MS });
    expect((await toItsEnd(session)).output).toBe("Over.");
    other.process.kill("SIGCONT");
    expect(await other.report).toMatchObject({ code: "SESSION_LOST" });
    expect(effects(folder).filter((line) => line.startsWith("A"))).toEqual(["A model 1"]);
  });
});

test("one that was killed: another goes on when its claim has run out", async () => {
  const { folder, store } = place();
  const other = start({ folder, name: "A", options: { leaseMs: LEASE_MS }, modelMs: 60_000 });
  await until(() => effects(folder).includes("A model 1"));
  other.process.kill("SIGKILL");
  const session = worker({ folder, name: "B", options: {} }, store).session({ id: "s" });
  expect((await session.resume()).output).toBe("Over.");
  expect(effects(folder).filter((line) => line.includes("effect"))).toEqual(["B effect 1", "B effect 2"]);
});

test("one that works keeps its session, for much longer than a claim lasts", async () => {
  const { folder, store } = place();
  const other = start({ folder, name: "A", options: { leaseMs: 200 }, handlerMs: 500 });
  await until(() => effects(folder).includes("A begins 1"));
  const agent = worker({ folder, name: "B", options: {} }, store);
  const refusing = agent.session({ id: "s", whenBusy: "refuse", leaseMs: 200 });
  const refused = errorOf(await refusing.run("more"));
  expect(refused).toMatchObject({ code: "SESSION_BUSY", message: expect.stringContaining(`:${other.process.pid}`) });
  await expect(refusing.decide("x/1/1", { approve: true })).rejects.toMatchObject({ code: "SESSION_BUSY" });
  await refusing.close();
  const impatient = agent.session({ id: "s", queueTimeoutMs: 50 });
  expect(errorOf(await impatient.run("more"))).toMatchObject({ code: "SESSION_BUSY" });
  await impatient.close();
  const waiting = agent.session({ id: "s" }).run("more");
  expect(await other.report).toEqual({ status: "success", output: "Over." });
  expect((await waiting).output).toBe("Over.");
  expect(effects(folder).filter((line) => line.includes("effect"))).toEqual(["A effect 1", "A effect 2"]);
});

describe("a store that cannot be asked", () => {
  test("starts nothing further, and writes nothing", async () => {
    const { folder, store } = place();
    const isDeaf = () => effects(folder).includes("A effect 1");
    const deaf: SessionStore = {
      ...bound(store),
      renew: (...args) => (isDeaf() ? Promise.reject(new Error("no connection")) : store.renew(...args)),
    };
    const agent = worker({ folder, name: "A", options: {}, modelMs: 400 }, deaf);
    const result = await agent.session({ id: "s", leaseMs: 300 }).run("go");
    expect(errorOf(result)).toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining("no connection") });
    expect(effects(folder)).toContain("A effect 1");
    expect(effects(folder)).not.toContain("A begins 2");
    expect((await store.read("s")).at(-1)!.type).not.toBe("run-end");
  });

  test("for a moment only: the run goes on", async () => {
    const { folder, store } = place();
    let asked = 0;
    const deaf: SessionStore = {
      ...bound(store),
      renew: (...args) => (++asked === 1 ? Promise.reject(new Error("no connection")) : store.renew(...args)),
    };
    const session = worker({ folder, name: "A", options: {}, handlerMs: 700 }, deaf).session({
      id: "s",
      leaseMs: 1500,
    });
    expect((await session.run("go")).output).toBe("Over.");
    expect(asked).toBeGreaterThan(1);
  });

  test("one that cannot be told that it is over lets the claim run out", async () => {
    const { folder, store } = place();
    const deaf: SessionStore = { ...bound(store), release: () => Promise.reject(new Error("no connection")) };
    const session = worker({ folder, name: "A", options: {} }, deaf).session({ id: "s", leaseMs: 100 });
    expect((await session.run("go")).output).toBe("Over.");
    expect((await session.run("and on")).output).toBe("Over.");
  });
});
