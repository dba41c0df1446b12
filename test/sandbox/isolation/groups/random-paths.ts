/** A: two hundred paths that nobody thought of, made of the pieces that attacks on paths are made of. */
import fc from "fast-check";
import { ALL_BLOCK, type Attack } from "../attack.ts";
import { bytes, isSecret, type Scene, seen, text } from "../scene.ts";

const ATTACKS = 200;

export const randomPathAttacks: Attack[] = [
  {
    id: "A14",
    title: "API: 200 random paths",
    expect: ALL_BLOCK,
    run: async (scene) => {
      await scene.exec(`ln -s ${scene.stage.secret} mine; ln -s ../.. up; ln -s / root; mkdir -p deep/er`);
      let tried = 0;
      let answered = 0;
      const property = fc.asyncProperty(pathOf(scene), fc.constantFrom(...CALLS), async (path, call) => {
        tried++;
        const answer = await call(scene, path).catch(() => "");
        if (answer) answered++;
        if (isSecret(answer) || answer.includes("evil.sh")) throw new Error(`${path} gave ${answer}`);
      });
      const result = await fc.check(property, { numRuns: ATTACKS });
      if (result.failed)
        return seen("escapes", `seed ${result.seed}: ${JSON.stringify(result.counterexample)} ${result.errorInstance}`);
      const isUntouched = scene.stage.isUntouched({ withWorkspace: scene.kind.holdsBack });
      return seen(isUntouched ? "blocked" : "escapes", `${tried} tried, ${answered} answered from inside`);
    },
  },
];

const CALLS: ((scene: Scene, path: string) => Promise<string>)[] = [
  async ({ sandbox }, path) => text(await sandbox.readFile(path)),
  async ({ sandbox }, path) => (await sandbox.list(path)).map(({ name }) => name).join(),
  async ({ sandbox }, path) =>
    (await sandbox.grep({ pattern: "SECRET", path, timeoutMs: 2000 })).lines.map((line) => line.text).join(),
  async ({ sandbox }, path) => (await sandbox.glob({ pattern: "*.sh", path })).files.join(),
  async ({ sandbox }, path) => sandbox.writeFile(path, bytes("planted")).then(() => ""),
  async ({ sandbox }, path) => sandbox.rename("src/a.txt", path).then(() => ""),
  async ({ sandbox }, path) =>
    sandbox.rename(path, "src/moved").then(async () => text(await sandbox.readFile("src/moved"))),
  async ({ sandbox }, path) => sandbox.remove(path, { recursive: true }).then(() => ""),
];

/** Mostly ways out, with what may hide them: empty parts, dots, odd bytes, links, the real place of the secret. */
function pathOf({ stage }: Scene): fc.Arbitrary<string> {
  const ways = [
    "..",
    "..",
    "..",
    ".",
    "",
    "link-out",
    "mine",
    "up",
    "root",
    "loop",
    "deep",
    "er",
    "proc",
    "self",
    "cwd",
    "..\\..",
    "%2e%2e",
  ];
  const places = [
    stage.secret,
    stage.secret.slice(1),
    "secret",
    "host-secret.txt",
    "home",
    ".ssh",
    "id_rsa",
    "etc",
    "shadow",
  ];
  const odd = ["\u2025", "..\u200b", "\uff0e\uff0e", "..;", "~", "$HOME", "-", " ", "\ud800", "a\0b"];
  const part = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...ways) },
    { weight: 4, arbitrary: fc.constantFrom(...places) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
    { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
  );
  const end = fc.constantFrom("", "", "/", "/.", "/host-secret.txt", `/${stage.secret}/host-secret.txt`);
  return fc
    .tuple(fc.constantFrom("", "/", "//", "./"), fc.array(part, { minLength: 1, maxLength: 8 }), end)
    .map(([start, parts, last]) => start + parts.join("/") + last);
}
