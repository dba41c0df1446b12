import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Entry } from "../../src/core/log.ts";
import { fileStore } from "../../src/stores/index.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "haft-file-"));
  folders.push(made);
  return made;
}

function entry(seq: number, text = `entry ${seq}`): Entry {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  return { v: 2, seq, at: seq, key: "run_1", type: "message", via: "prompt", message };
}

async function written(count: number, text?: string) {
  const place = folder();
  const entries = Array.from({ length: count }, (_, seq) => entry(seq, text));
  await fileStore(place).append("s", entries, { epoch: 0 });
  return { place, path: join(place, "s.jsonl"), entries };
}

describe("after a crash", () => {
  test("a torn last line is dropped, wherever it was torn, and the next append stands on a line of its own", async () => {
    const { path, entries } = await written(2);
    const whole = readFileSync(path);
    const torn = Buffer.from(JSON.stringify(entry(2, "torn 🪓 text")));
    for (let length = 1; length <= torn.length; length++) {
      const place = folder();
      writeFileSync(join(place, "s.jsonl"), Buffer.concat([whole, torn.subarray(0, length)]));
      const store = fileStore(place);
      expect(await store.read("s")).toEqual(entries);
      await store.append("s", [entry(2, "again")], { epoch: 0 });
      expect(await fileStore(place).read("s")).toEqual([...entries, entry(2, "again")]);
    }
  });

  test("a last line of zeros is dropped", async () => {
    const { place, path, entries } = await written(2);
    appendFileSync(path, `${"\0".repeat(80)}\n`);
    await fileStore(place).append("s", [entry(2)], { epoch: 0 });
    expect(await fileStore(place).read("s")).toEqual([...entries, entry(2)]);
  });

  test("an epoch outlives the process", async () => {
    const { place } = await written(1);
    await fileStore(place).append("s", [entry(1)], { epoch: 5 });
    await expect(fileStore(place).append("s", [entry(2)], { epoch: 4 })).rejects.toMatchObject({
      code: "STORE_EPOCH_STALE",
    });
    expect((await fileStore(place).read("s"))[1]).toEqual(entry(1)); // the epoch is not part of the entry
  });
});

describe("two writers of one file", () => {
  test("a writer that was overtaken writes nothing, although it has the session open", async () => {
    const { place } = await written(1);
    const old = fileStore(place);
    await old.append("s", [entry(1)], { epoch: 1 });
    await fileStore(place).append("s", [entry(2)], { epoch: 2 });
    await expect(old.append("s", [entry(2)], { epoch: 1 })).rejects.toMatchObject({ code: "STORE_EPOCH_STALE" });
    expect(await old.read("s")).toHaveLength(3);
  });

  test("of the same epoch, the second to write the same place is refused", async () => {
    const { place } = await written(1);
    const [one, two] = [fileStore(place), fileStore(place)];
    await one.append("s", [entry(1, "one")], { epoch: 0 });
    await expect(two.append("s", [entry(1, "two")], { epoch: 0 })).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    await two.append("s", [entry(2, "two")], { epoch: 0 });
    await one.append("s", [entry(3, "one")], { epoch: 0 });
    expect(await one.read("s")).toHaveLength(4);
  });
});

describe("a file that cannot be read", () => {
  test("a line in the middle that is no entry is named", async () => {
    const { place, path } = await written(3);
    const lines = readFileSync(path, "utf8").split("\n");
    for (const bad of ["{", "5", "null", "", '{"v":']) {
      writeFileSync(path, [lines[0], bad, ...lines.slice(2)].join("\n"));
      await expect(fileStore(place).read("s"), bad).rejects.toMatchObject({
        code: "STORE_CORRUPT",
        message: expect.stringContaining('Line 2 of session "s"'),
      });
      await expect(fileStore(place).append("s", [entry(3)], { epoch: 0 }), bad).rejects.toMatchObject({
        code: "STORE_CORRUPT",
      });
    }
  });

  test("a byte that is no text is a corrupt line, not another text", async () => {
    const { place, path } = await written(3);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf("entry 1") + 2] = 0xff;
    writeFileSync(path, bytes);
    await expect(fileStore(place).read("s")).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  test("an unknown version is said, and nothing is changed", async () => {
    const { place, path } = await written(1);
    appendFileSync(path, `${JSON.stringify({ ...entry(1), v: 3 })}\n`);
    const before = readFileSync(path);
    await expect(fileStore(place).read("s")).rejects.toMatchObject({ code: "LOG_VERSION_UNKNOWN" });
    await expect(fileStore(place).append("s", [entry(2)], { epoch: 0 })).rejects.toMatchObject({
      code: "LOG_VERSION_UNKNOWN",
    });
    expect(readFileSync(path)).toEqual(before);
  });

  test("a file cut short under an open store is read anew", async () => {
    const { place, path } = await written(2);
    const store = fileStore(place);
    await store.append("s", [entry(2)], { epoch: 0 });
    truncateSync(path, readFileSync(path, "utf8").indexOf("\n") + 1);
    await expect(store.append("s", [entry(3)], { epoch: 0 })).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    await store.append("s", [entry(1)], { epoch: 0 });
    expect(await store.read("s")).toEqual([entry(0), entry(1)]);
  });
});

describe("names of sessions", () => {
  test.each(["", "..", ".hidden", "a/b", "../up", "a\\b", "a b", "a\0b", "ä", "x".repeat(201)])(
    "%j is refused, and nothing is written",
    async (name) => {
      const place = join(folder(), "in");
      await expect(fileStore(place).append(name, [entry(0)], { epoch: 0 })).rejects.toMatchObject({
        code: "SESSION_INVALID",
      });
      await expect(fileStore(place).read(name)).rejects.toMatchObject({ code: "SESSION_INVALID" });
      expect(existsSync(place)).toBe(false);
    },
  );
});

/** A file system of 64 KiB, mounted where only a child process sees it. */
const mayMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

describe("a full disk", () => {
  test.skipIf(!mayMount)(
    "takes all of an append or none, and goes on when there is room (skipped where mounting is not allowed)",
    () => {
      const script = join(folder(), "full.ts");
      const store = new URL("../../src/stores/index.ts", import.meta.url).href;
      writeFileSync(
        script,
        `import { fileStore } from ${JSON.stringify(store.replace("file://", ""))};
         import { rmSync, writeFileSync } from "node:fs";
         const entry = (seq, size) => ({ v: 2, seq, at: 0, key: "r", type: "message", text: "x".repeat(size) });
         const main = async () => {
           const store = fileStore("/mnt/sessions");
           writeFileSync("/mnt/ballast", "x".repeat(20_000));
           await store.append("s", [entry(0, 10)], { epoch: 0 });
           const codes = [];
           for (const attempt of [1, 2])
             await store.append("s", [entry(1, 10), entry(2, 60_000)], { epoch: 0 }).catch((error) => codes.push(error.code));
           const during = (await store.read("s")).length;
           rmSync("/mnt/ballast");
           await store.append("s", [entry(1, 10), entry(2, 20_000)], { epoch: 0 });
           console.log(JSON.stringify({ codes, during, after: (await store.read("s")).length }));
         };
         main();`,
      );
      const jiti = new URL("../../node_modules/jiti/lib/jiti-register.mjs", import.meta.url).href;
      const command = `mount -t tmpfs -o size=64k tmpfs /mnt && exec "$0" --import "$1" "$2"`;
      const ran = spawnSync("unshare", ["-m", "sh", "-c", command, process.execPath, jiti, script], {
        encoding: "utf8",
      });
      expect(ran.stderr).toBe("");
      expect(JSON.parse(ran.stdout)).toEqual({ codes: ["STORE_FAILED", "STORE_FAILED"], during: 1, after: 3 });
    },
  );
});
