/** Each thing that can go wrong with a path has one code, everywhere. */
import assert from "node:assert/strict";
import { assertRefused, bytes, type ContractCase } from "./case.ts";

export const fileErrorCases: ContractCase[] = [
  {
    name: "errors: ENOENT for what is not there, naming the path",
    async run({ sandbox }) {
      const error = await assertRefused(sandbox.readFile("no/such.txt"), "ENOENT");
      assert.match(error.message, /no\/such\.txt/);
      await assertRefused(sandbox.stat("missing"), "ENOENT");
      await assertRefused(sandbox.list("missing"), "ENOENT");
      await assertRefused(sandbox.remove("missing"), "ENOENT");
      await assertRefused(sandbox.rename("missing", "other"), "ENOENT");
    },
  },
  {
    name: "errors: EISDIR where a file is needed and a folder is there",
    async run(bench) {
      await bench.given({ "dir/kept.txt": "kept" });
      await assertRefused(bench.sandbox.readFile("dir"), "EISDIR");
      await assertRefused(bench.write("dir", "text"), "EISDIR");
      await assertRefused(bench.sandbox.remove("dir"), "EISDIR");
      assert.equal(await bench.read("dir/kept.txt"), "kept");
    },
  },
  {
    name: "errors: ENOTDIR where a folder is needed and a file is there",
    async run(bench) {
      await bench.given({ "file.txt": "text" });
      await assertRefused(bench.sandbox.list("file.txt"), "ENOTDIR");
      await assertRefused(bench.sandbox.readFile("file.txt/inner"), "ENOTDIR");
      await assertRefused(bench.write("file.txt/inner", "text"), "ENOTDIR");
      assert.equal(await bench.read("file.txt"), "text");
    },
  },
  {
    name: "errors: EINVAL for a NUL in a path",
    async run(bench) {
      await bench.given({ "file.txt": "text" });
      await assertRefused(bench.sandbox.readFile("file.txt\0.png"), "EINVAL");
      await assertRefused(bench.write("new\0.txt", "text"), "EINVAL");
      await assertRefused(bench.sandbox.list("\0"), "EINVAL");
    },
  },
  {
    name: "errors: ENAMETOOLONG for a name over 255 bytes or a path over 4,095",
    async run(bench) {
      await assertRefused(bench.write("n".repeat(300), "text"), "ENAMETOOLONG");
      await assertRefused(bench.sandbox.readFile("é".repeat(200)), "ENAMETOOLONG");
      await assertRefused(bench.sandbox.readFile("a/".repeat(3_000)), "ENAMETOOLONG");
      await assertRefused(bench.sandbox.stat("a/".repeat(50_000)), "ENAMETOOLONG");
    },
  },
  {
    name: "errors: EFBIG for more bytes than the reader allows, unless a part is asked for",
    async run(bench) {
      await bench.given({ "eleven.txt": "12345678901" });
      await assertRefused(bench.sandbox.readFile("eleven.txt", { maxBytes: 10 }), "EFBIG");
      assert.equal((await bench.sandbox.readFile("eleven.txt", { maxBytes: 11 })).length, 11);
      assert.equal((await bench.sandbox.readFile("eleven.txt", { maxBytes: 2, length: 5 })).length, 5);
    },
  },
  {
    name: "errors: EEXIST where something is in the way",
    async run(bench) {
      await bench.given({ "file.txt": "first" });
      await assertRefused(bench.sandbox.writeFile("file.txt", bytes("second"), { ifMatch: "absent" }), "EEXIST");
      await assertRefused(bench.sandbox.mkdir("file.txt"), "EEXIST");
      assert.equal(await bench.read("file.txt"), "first");
    },
  },
  {
    name: "errors: ESTALE for a file that is not the one that was read",
    async run(bench) {
      await bench.given({ "file.txt": "first" });
      const { mtimeMs, size } = await bench.sandbox.stat("file.txt");
      await bench.write("file.txt", "someone else's longer version");
      const write = (path: string) => bench.sandbox.writeFile(path, bytes("mine"), { ifMatch: { mtimeMs, size } });
      await assertRefused(write("file.txt"), "ESTALE");
      assert.equal(await bench.read("file.txt"), "someone else's longer version");
      await bench.sandbox.remove("file.txt");
      await assertRefused(write("file.txt"), "ESTALE");
    },
  },
  {
    name: "errors: EPERM for removing or moving the sandbox's own folder",
    async run(bench) {
      await bench.given({ "kept.txt": "kept" });
      await assertRefused(bench.sandbox.remove(".", { recursive: true }), "EPERM");
      await assertRefused(bench.sandbox.rename(".", "elsewhere"), "EPERM", "EINVAL");
      assert.equal(await bench.read("kept.txt"), "kept");
    },
  },
  {
    name: "errors: symlinks in a circle end in an error",
    async run(bench) {
      await bench.link("a", "b");
      await bench.link("b", "a");
      await assertRefused(bench.sandbox.readFile("a"), "EINVAL", "ENOENT");
      await assertRefused(bench.write("a", "text"), "EINVAL", "ENOENT", "EPERM");
    },
  },
];
