/** Read, in real sandboxes. */
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Read } from "../../../src/tools/index.ts";
import { contentFor, inEachSandbox, openLocal, put } from "../helpers.ts";

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

inEachSandbox((open) => {
  test("numbered lines", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", "first\n\n  third\n");
    expect(await Read.execute({ path: "a.txt" }, { sandbox })).toBe("1\tfirst\n2\t\n3\t  third");
    expect(await Read.execute({ path: `${sandbox.cwd}/a.txt` }, { sandbox })).toBe("1\tfirst\n2\t\n3\t  third");
  });

  test("offset and limit, also as text", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", lines(10));
    expect(await Read.execute({ path: "a.txt", offset: 2, limit: 2 }, { sandbox })).toBe(
      "2\tline 2\n3\tline 3\n[lines 2-3 of 10; use offset=4]",
    );
    expect(await Read.execute({ path: "a.txt", offset: "9" as never }, { sandbox })).toBe(
      "9\tline 9\n10\tline 10\n[lines 9-10 of 10]",
    );
  });

  test("2,000 lines at most", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", `${lines(8123)}\n`);
    const text = String(await Read.execute({ path: "a.txt", limit: 5000 }, { sandbox }));
    expect(text.split("\n")).toHaveLength(2001);
    expect(text.endsWith("\n2000\tline 2000\n[lines 1-2000 of 8123; use offset=2001]")).toBe(true);
  });

  test("50 KiB at most, in whole lines", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", `${"é".repeat(500)}\n`.repeat(100));
    const text = String(await Read.execute({ path: "a.txt" }, { sandbox }));
    const shown = text.slice(0, text.lastIndexOf("\n"));
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(50 * 1024);
    expect(shown.split("\n").at(-1)).toBe(`51\t${"é".repeat(500)}`);
    expect(text.endsWith("\n[lines 1-51 of 100; use offset=52]")).toBe(true);
  });

  test("2,000 characters of a line at most, whole ones", async () => {
    const sandbox = await open();
    await put(sandbox, "a.txt", `\uFEFF${"😀".repeat(2003)}\r\n${"x".repeat(100_000)}\r\n`);
    const text = await Read.execute({ path: "a.txt" }, { sandbox });
    expect(text).toBe(`1\t${"😀".repeat(2000)}… [+3 chars]\n2\t${"x".repeat(2000)}… [+98000 chars]\n[CRLF]`);
  });

  test("an empty file, and an offset past the end", async () => {
    const sandbox = await open();
    await put(sandbox, "empty", "");
    await put(sandbox, "a.txt", "one\ntwo\n");
    expect(await Read.execute({ path: "empty" }, { sandbox })).toBe("[empty is empty]");
    await expect(Read.execute({ path: "a.txt", offset: 3 }, { sandbox })).rejects.toMatchObject({
      code: "OFFSET_PAST_END",
      message: "offset 3 is past the end of a.txt, which has 2 lines",
    });
  });

  test("CRLF is said, mixed ends too, a BOM is hidden, a lone CR is a line end where there is no LF", async () => {
    const sandbox = await open();
    await put(sandbox, "crlf", "\uFEFFa\r\nb\r\nc");
    await put(sandbox, "mixed", "a\r\nb\n");
    await put(sandbox, "mac", "a\rb\r");
    expect(await Read.execute({ path: "crlf" }, { sandbox })).toBe("1\ta\n2\tb\n3\tc\n[CRLF]");
    expect(await Read.execute({ path: "crlf", limit: 1 }, { sandbox })).toBe(
      "1\ta\n[lines 1-1 of 3; use offset=2] [CRLF]",
    );
    expect(await Read.execute({ path: "mixed" }, { sandbox })).toBe("1\ta\n2\tb\n[CRLF and LF mixed]");
    expect(await Read.execute({ path: "mac" }, { sandbox })).toBe("1\ta\n2\tb");
  });

  test("bytes that are not UTF-8 are shown and said", async () => {
    const sandbox = await open();
    await put(sandbox, "latin1", Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
    expect(await Read.execute({ path: "latin1" }, { sandbox })).toBe(
      "1\tcaf\uFFFD\n[not UTF-8; Edit will refuse this file]",
    );
  });

  test("images are told by their bytes and shown as images", async () => {
    const sandbox = await open();
    const images: Record<string, string> = {
      "image/png": "\x89PNG\r\n\x1a\n\0\0",
      "image/jpeg": "\xff\xd8\xff\xe0\0\x10",
      "image/gif": "GIF89a\x01\0",
      "image/webp": "RIFF\x10\0\0\0WEBPVP8 ",
    };
    for (const [mediaType, start] of Object.entries(images)) {
      const bytes = Buffer.from(start, "latin1");
      await put(sandbox, "picture.dat", bytes);
      const data = bytes.toString("base64");
      expect(await Read.execute({ path: "picture.dat" }, { sandbox })).toEqual({ type: "image", mediaType, data });
      const content = await contentFor(Read, { path: "picture.dat" }, sandbox);
      expect(content).toEqual([
        { type: "text", text: `[picture.dat: ${mediaType}, ${bytes.length} bytes]` },
        { type: "image", data, mediaType },
      ]);
    }
  });

  test("a picture's name is not a picture", async () => {
    const sandbox = await open();
    await put(sandbox, "text.png", "words\n");
    expect(await Read.execute({ path: "text.png" }, { sandbox })).toBe("1\twords");
  });

  test("an image over 5 MiB is refused with its size", async () => {
    const sandbox = await open();
    const bytes = new Uint8Array(5 * 1024 * 1024 + 1);
    bytes.set(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"));
    await put(sandbox, "big.png", bytes);
    await expect(Read.execute({ path: "big.png" }, { sandbox })).rejects.toMatchObject({
      code: "FILE_TOO_LARGE",
      message: expect.stringMatching(/image\/png.* of 5 MiB/),
    });
  });

  test("binary files are refused with kind and size", async () => {
    const sandbox = await open();
    await put(sandbox, "data.bin", Buffer.from("some text\0\x01\x02", "latin1"));
    await put(sandbox, "paper.pdf", "%PDF-1.7\n% no zero byte here\n");
    const refusal = (path: string) =>
      Read.execute({ path }, { sandbox }).catch((error) => `${error.code}: ${error.message}`);
    expect(await refusal("data.bin")).toBe("FILE_BINARY: data.bin is not text: it is binary data of 12 bytes");
    expect(await refusal("paper.pdf")).toBe("FILE_BINARY: paper.pdf is not text: it is a PDF document of 29 bytes");
  });

  test("a directory, and a file that is not there, with what is near", async () => {
    const sandbox = await open();
    await put(sandbox, "src/config.ts", "x");
    await put(sandbox, "src/main.ts", "x");
    await expect(Read.execute({ path: "src" }, { sandbox })).rejects.toMatchObject({
      code: "EISDIR",
      message: "src is a directory, not a file",
      hint: expect.stringContaining("Glob"),
    });
    await expect(Read.execute({ path: "src/confg.ts" }, { sandbox })).rejects.toMatchObject({
      code: "ENOENT",
      message: "src/confg.ts was not found",
      hint: expect.stringContaining("src/config.ts"),
    });
    await expect(Read.execute({ path: "nowhere/a.ts" }, { sandbox })).rejects.toMatchObject({
      code: "ENOENT",
      message: "nowhere/a.ts was not found: there is no directory nowhere",
    });
  });
});

describe("a file over 50 MiB", () => {
  async function openLarge() {
    const sandbox = await openLocal();
    await put(sandbox, "large.log", `${"x".repeat(99)}\n`.repeat(90_000));
    // The rest is a hole: zero bytes without a line end, which takes no room on the disk.
    await truncate(join(sandbox.cwd, "large.log"), 60 * 1024 * 1024);
    return sandbox;
  }

  test("is refused whole, and read in part", async () => {
    const sandbox = await openLarge();
    await expect(Read.execute({ path: "large.log" }, { sandbox })).rejects.toMatchObject({
      code: "FILE_TOO_LARGE",
      message: "large.log has 60 MiB, too much to be read at once",
    });
    const line = "x".repeat(99);
    expect(await Read.execute({ path: "large.log", offset: 80_000, limit: 2 }, { sandbox })).toBe(
      `80000\t${line}\n80001\t${line}\n[lines 80000-80001 of more (60 MiB); use offset=80002]`,
    );
  });

  test("an offset past its end is told with the count", async () => {
    const sandbox = await openLarge();
    await expect(Read.execute({ path: "large.log", offset: 100_000 }, { sandbox })).rejects.toMatchObject({
      code: "OFFSET_PAST_END",
      message: expect.stringContaining("which has 90001 lines"),
    });
  });

  test("one very long line is not held in memory", async () => {
    const sandbox = await openLarge();
    const text = String(await Read.execute({ path: "large.log", offset: 90_001 }, { sandbox }));
    const length = 60 * 1024 * 1024 - 9_000_000;
    expect(text).toBe(`90001\t${"\0".repeat(2000)}… [+${length - 2000} chars]\n[lines 90001-90001 of 90001]`);
  });
});

test("a pipe is refused, and does not hang", async () => {
  const sandbox = await openLocal();
  await sandbox.exec("mkfifo pipe");
  await expect(Read.execute({ path: "pipe" }, { sandbox })).rejects.toMatchObject({ code: "EINVAL" });
});

describe("input", () => {
  test("mistakes are told in a sentence", async () => {
    const sandbox = await openLocal();
    const refusal = (input: object) => Read.execute(input as never, { sandbox }).catch((error) => error.message);
    expect(await refusal({})).toBe('Tool "Read" received invalid input: path: is missing: it must be text');
    expect(await refusal({ path: 5 })).toBe('Tool "Read" received invalid input: path: must be text, got a number');
    expect(await refusal({ path: "a", offset: 0 })).toBe(
      'Tool "Read" received invalid input: offset: must be a whole number of at least 1, got 0',
    );
    expect(await refusal({ path: "a", limit: "many" })).toBe(
      'Tool "Read" received invalid input: limit: must be a number, got "many"',
    );
  });

  test("null is nothing, and unknown keys are let be", async () => {
    const sandbox = await openLocal();
    await put(sandbox, "a", "x");
    expect(await Read.execute({ path: "a", offset: null, extra: 1 } as never, { sandbox })).toBe("1\tx");
  });

  test("without a sandbox it says so", async () => {
    await expect(Read.execute({ path: "a" })).rejects.toMatchObject({ code: "SANDBOX_NONE" });
  });
});
