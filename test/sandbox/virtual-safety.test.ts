import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../src/core/sandbox.ts";
import { virtual } from "../../src/sandbox/virtual/index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await virtual({ memoryMb: 48, timeoutMs: 400, files: { big: "a".repeat(1_000_000) } });
});
afterAll(() => sandbox.dispose());

/** The longest time that this thread could do nothing else. */
async function lagDuring(action: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  await action();
  clearInterval(timer);
  return longest;
}

const bombs: [string, string][] = [
  ["a busy loop", "while true; do :; done"],
  ["a string that doubles", "a=xxxxxxxx; while true; do a=$a$a; done"],
  ["an awk loop", "awk 'BEGIN { for (;;) a[i++] = i \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" }'"],
  ["a jq range", "jq -n '[range(1e9)]'"],
  ["a jq recursion", "jq -n 'def f: [., .] | f; f'"],
  ["a sed loop", "echo x | sed ':a; s/^/xxxxxxxxxx/; ba'"],
  ["a regular expression for grep", `echo ${"a".repeat(60)}! | grep -P '^(a+)+$'`],
  ["a regular expression for bash", `[[ ${"a".repeat(60)}! =~ ^(a+)+$ ]]`],
  ["a recursion of pipes", "f() { f | f; }; f"],
  ["a brace expansion", "echo {1..1000}{1..1000}{1..1000}"],
  ["a wide number", "printf '%1000000000d' 1"],
  ["a sort in little memory", "sort big big big | uniq -c | base64 -w0 | base64 | wc -c"],
  [
    "an endless query",
    "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c) select max(x) from c'",
  ],
  ["a disk that fills", "while true; do cat big big big big >> /tmp/huge || break; done; rm /tmp/huge"],
  ["folders in folders", "cd /tmp; while mkdir d && cd d; do :; done"],
];

describe("neither the host's time nor its life is taken by", () => {
  test.concurrent.each(bombs)("%s", async (_, script) => {
    const lag = await lagDuring(async () => {
      const result = await sandbox.exec(script);
      expect(["exited", "timeout", "output_limit", "signaled"]).toContain(result.status);
      expect(result.durationMs).toBeLessThan(15_000);
    });
    // 250 ms is the promise; the rest is for a machine that does other things too.
    expect(lag).toBeLessThan(1000);
    const after = await sandbox.exec("echo alive", { timeoutMs: 20_000 });
    expect(Buffer.from(after.stdout).toString()).toBe("alive\n");
  });
});

test("a command that needs too much memory is ended, and says so", async () => {
  const small = await virtual({ memoryMb: 16, files: { big: "a".repeat(4_000_000) } });
  const result = await small.exec("fold -w 1 big | sort | uniq -c", { timeoutMs: 30_000 });
  expect(result).toMatchObject({
    status: "signaled",
    signal: "SIGABRT",
    exitCode: null,
    error: expect.stringContaining("too much memory"),
  });
  expect((await small.exec("ls")).exitCode).toBe(0);
  await small.dispose();
});
