/** Files and folders do what they do everywhere, whatever their names and bytes. */
import assert from "node:assert/strict";
import { type ContractCase, text } from "./case.ts";

export const fileCases: ContractCase[] = [
  {
    name: "files: what was written is read back, byte for byte",
    async run({ sandbox }) {
      const all = Uint8Array.from({ length: 256 }, (_, value) => value);
      await sandbox.writeFile("all.bin", all);
      assert.deepEqual([...(await sandbox.readFile("all.bin"))], [...all]);
      await sandbox.writeFile("empty.bin", new Uint8Array(0));
      assert.equal((await sandbox.readFile("empty.bin")).length, 0);
    },
  },
  {
    name: "files: writing creates the folders that lead there, and replaces all that was in the file",
    async run(bench) {
      await bench.write("a/b/c.txt", "a long first version");
      await bench.write("a/b/c.txt", "short");
      assert.equal(await bench.read("a/b/c.txt"), "short");
      assert.deepEqual(await bench.sandbox.list("a"), [{ name: "b", type: "dir" }]);
    },
  },
  {
    name: "files: a part is read by offset and length",
    async run(bench) {
      await bench.given({ "digits.txt": "0123456789" });
      const part = async (offset?: number, length?: number) =>
        text(await bench.sandbox.readFile("digits.txt", { offset, length }));
      assert.equal(await part(3), "3456789");
      assert.equal(await part(3, 4), "3456");
      assert.equal(await part(undefined, 2), "01");
      assert.equal(await part(8, 100), "89", "a length past the end gives what there is");
      assert.equal(await part(50, 10), "", "an offset past the end gives nothing");
    },
  },
  {
    name: "files: a large file survives the round trip",
    async run({ sandbox }) {
      const large = new Uint8Array(3_000_000).map((_, index) => index % 251);
      await sandbox.writeFile("large.bin", large);
      const back = await sandbox.readFile("large.bin");
      assert.equal(back.length, large.length);
      assert.ok(back.every((value, index) => value === large[index]));
    },
  },
  {
    name: "files: stat tells type, size, time and mode",
    async run(bench) {
      await bench.write("five.txt", "12345");
      const file = await bench.sandbox.stat("five.txt");
      assert.equal(file.type, "file");
      assert.equal(file.size, 5);
      assert.ok(Math.abs(file.mtimeMs - Date.now()) < 3_600_000, "mtimeMs is in milliseconds since 1970");
      assert.equal(file.mode & 0o600, 0o600);
      assert.equal((await bench.sandbox.stat(".")).type, "dir");
    },
  },
  {
    name: "files: a new file gets the mode that was asked for, and an existing one keeps its own",
    async run({ sandbox }) {
      await sandbox.writeFile("run.sh", new Uint8Array([1]), { mode: 0o755 });
      assert.equal((await sandbox.stat("run.sh")).mode & 0o777, 0o755);
      await sandbox.writeFile("run.sh", new Uint8Array([2]), { mode: 0o600 });
      assert.equal((await sandbox.stat("run.sh")).mode & 0o777, 0o755);
    },
  },
  {
    name: "files: list is sorted, one folder deep, and tells types",
    async run(bench) {
      await bench.given({ "z.txt": "", "B.txt": "", "a.txt": "", ".hidden": "", "m/inner.txt": "" });
      assert.deepEqual(await bench.sandbox.list("."), [
        { name: ".hidden", type: "file" },
        { name: "B.txt", type: "file" },
        { name: "a.txt", type: "file" },
        { name: "m", type: "dir" },
        { name: "z.txt", type: "file" },
      ]);
    },
  },
  {
    name: "files: mkdir makes all folders of a path, and is content with one that exists",
    async run({ sandbox }) {
      await sandbox.mkdir("one/two/three");
      await sandbox.mkdir("one/two/three");
      assert.equal((await sandbox.stat("one/two/three")).type, "dir");
      assert.deepEqual(await sandbox.list("one/two/three"), []);
    },
  },
  {
    name: "files: rename moves files and folders, and replaces a file",
    async run(bench) {
      await bench.given({ "old.txt": "moved", "taken.txt": "replaced", "dir/inner.txt": "along" });
      await bench.sandbox.rename("old.txt", "taken.txt");
      assert.equal(await bench.read("taken.txt"), "moved");
      await bench.sandbox.rename("dir", "other");
      assert.equal(await bench.read("other/inner.txt"), "along");
      const names = (await bench.sandbox.list(".")).map((entry) => entry.name);
      assert.deepEqual(names, ["other", "taken.txt"]);
    },
  },
  {
    name: "files: remove takes a file, and a folder with all it holds when told to",
    async run(bench) {
      await bench.given({ "one.txt": "1", "dir/two.txt": "2", "dir/deep/three.txt": "3" });
      await bench.sandbox.remove("one.txt");
      await bench.sandbox.remove("dir", { recursive: true });
      assert.deepEqual(await bench.sandbox.list("."), []);
    },
  },
  {
    name: "files: names may hold anything but a slash and NUL",
    async run(bench) {
      const names = [
        ...["two\nlines.txt", "-rf", `quo'te"s.txt`, "$(id)`x`.txt", "g*?[x].txt", "tail ", " lead", "back\\slash"],
        ...["caf\u00e9", "cafe\u0301", "\u202ertl.txt", "日本語.txt", "🦊.txt", ".dot", "...", "~", "#"],
      ];
      for (const name of names) await bench.write(`odd/${name}`, `content of ${name}`);
      for (const name of names) assert.equal(await bench.read(`odd/${name}`), `content of ${name}`);
      const listed = (await bench.sandbox.list("odd")).map((entry) => entry.name);
      assert.deepEqual(new Set(listed), new Set(names));
      for (const name of names) await bench.sandbox.remove(`odd/${name}`);
      assert.deepEqual(await bench.sandbox.list("odd"), []);
    },
  },
  {
    name: "files: a symlink is followed by read and write, shown by list and stat, and removed by itself",
    async run(bench) {
      await bench.write("real/file.txt", "first");
      await bench.link("link.txt", "real/file.txt");
      await bench.link("folder", "real");
      assert.equal(await bench.read("link.txt"), "first");
      await bench.write("link.txt", "second");
      assert.equal(await bench.read("real/file.txt"), "second");
      assert.equal(await bench.read("folder/file.txt"), "second");

      const entries = await bench.sandbox.list(".");
      assert.deepEqual(entries[1], { name: "link.txt", type: "symlink", target: "real/file.txt" });
      assert.equal((await bench.sandbox.stat("link.txt")).type, "file");
      assert.equal((await bench.sandbox.stat("link.txt", { followSymlinks: false })).type, "symlink");

      await bench.sandbox.remove("link.txt");
      await bench.sandbox.remove("folder", { recursive: true });
      assert.equal(await bench.read("real/file.txt"), "second", "what it pointed to stays");
    },
  },
  {
    name: "files: ifMatch lets a write through only when the file is still the same",
    async run(bench) {
      await bench.write("notes.txt", "one");
      const seen = await bench.sandbox.stat("notes.txt");
      const ifMatch = { mtimeMs: seen.mtimeMs, size: seen.size };
      await bench.sandbox.writeFile("notes.txt", new TextEncoder().encode("longer"), { ifMatch });
      assert.equal(await bench.read("notes.txt"), "longer");
      await bench.sandbox.writeFile("new.txt", new TextEncoder().encode("new"), { ifMatch: "absent" });
      assert.equal(await bench.read("new.txt"), "new");
    },
  },
];
