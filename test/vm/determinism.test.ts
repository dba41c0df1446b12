/** The same input and the same settlements give the same turns: in both VMs, in any process, in a fresh and a used engine. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ProgramVm } from "../../src/core/program.ts";
import { inlineVm, workerVm } from "../../src/vm/program-vm.ts";
import { now, runAlone, runIn, seed } from "../helpers/run-program.ts";
import { root } from "../helpers/source-files.ts";

const programs = [
  "return [Math.random(), Math.random(), Date.now(), new Date().toISOString(), crypto.randomUUID()]",
  "const a = crypto.getRandomValues(new Uint8Array(40)); console.log(a); return Array.from({ length: 20 }, () => Math.random())",
  "const t = Date.now(); let n = 0; while (Date.now() < t + 5) n++;\nreturn n",
  "const all = await Promise.all([1, 2, 3].map((i) => f(i).then((x) => [x, Math.random(), Date.now()])));\nconsole.log(all); return all",
  "const race = await Promise.race([f(1), g(2)]); await new Promise((r) => setTimeout(r, 5)); return [race, Date.now(), Math.random()]",
  "try { await g(1) } catch (e) { console.log(e, e.stack); throw e }",
  "let n = 0; const f = () => { n++; f() }; try { f() } catch {} return n > 100",
  "const m = new Map(); for (let i = 0; i < 50; i++) m.set({ i }, Math.random()); return [...m].map(([k, v]) => [k.i, v])",
  "return [new Date(2024, 5, 1).toString(), (1234.5).toLocaleString(), [3, 1, 2].sort(), new Intl_missing()]",
  "class A { static #n = 0; id = ++A.#n }\nreturn [new A(), new A(), new URL('http://ü.example/?q=ä').href]",
];

const handlers = {
  f: (input: unknown) => ({ got: input }),
  g: () => {
    throw Object.assign(new TypeError("no"), { code: "G" });
  },
};

async function turnsOf(vm: ProgramVm): Promise<string> {
  const turns = [];
  for (const code of programs) turns.push((await runAlone(vm, code, { handlers, limits: { stackKb: 128 } })).turns);
  const session = await vm.open({});
  for (const code of [
    "let n = Math.random(); return n",
    "n += Math.random(); return [n, $return, crypto.randomUUID()]",
  ]) {
    turns.push((await runIn(session, code, { handlers })).turns);
  }
  session.close();
  return JSON.stringify(turns);
}

describe("the same turns", () => {
  const inline = inlineVm();
  const worker = workerVm({ workers: 1 });
  afterAll(() => Promise.all([inline.close(), worker.close()]));

  test("in both VMs, and in engines that others have used", async () => {
    const first = await turnsOf(inline);
    expect(await turnsOf(worker)).toBe(first);
    expect(await turnsOf(inline)).toBe(first);
  });

  test("in another process, of another place on earth", async () => {
    const code = programs[0]!;
    const { turns } = await runAlone(inline, code);
    const script = `
      import { inlineVm } from ${JSON.stringify(join(root, "dist/vm/program-vm.js"))};
      const session = await inlineVm().open({});
      const turn = await session.start({ code: ${JSON.stringify(code)}, seed: "${seed}", now: ${now}, functions: [] });
      console.log(JSON.stringify([turn]));`;
    const told = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { TZ: "Asia/Tokyo", LANG: "de_DE.UTF-8" },
      encoding: "utf8",
    });
    expect(told.trim()).toBe(JSON.stringify(turns));
  });

  test("and another seed or time gives others", async () => {
    const code = "return [Math.random(), crypto.randomUUID(), Date.now()]";
    const run = async (options: object) => (await runAlone(inline, code, options)).value as unknown[];
    const [one, other] = [await run({}), await run({ seed: "ff".repeat(16), now: now + 5 })];
    for (const index of [0, 1, 2]) expect(one[index]).not.toEqual(other[index]);
    expect(await run({ seed: "0".repeat(32) })).toEqual(await run({ seed: "0".repeat(32) }));
  });
});
