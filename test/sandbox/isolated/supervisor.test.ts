import { expect, test } from "vitest";
import { describeIsolated, openIsolated, text } from "./helpers.ts";

/** The second name is none that a shell could use: then bash is pid 1, where dash could be. */
const environments = { "plain names": { plain: "1" }, "other names": { "a.b": "1" } };

describeIsolated("pid 1 of an isolated command", () => {
  for (const [names, env] of Object.entries(environments)) {
    test(`hands on every variable, and tells a signal from a code: ${names}`, async () => {
      const { sandbox } = await openIsolated({ env });
      const printed = text((await sandbox.exec(["env"])).stdout);
      for (const [name, value] of Object.entries(env)) expect(printed).toContain(`${name}=${value}\n`);

      const words = ["é\u0081ÁÂÈ", "$HOME `id` \\ * ?", "a\nb", "", "-n"];
      expect(text((await sandbox.exec(["printf", "<%s>", ...words])).stdout)).toBe(words.map((w) => `<${w}>`).join(""));

      for (const [signal, code] of [
        ["KILL", 137],
        ["SEGV", 139],
        ["TERM", 143],
        ["USR1", 138],
      ] as const) {
        expect(await sandbox.exec(`kill -${signal} $$`)).toMatchObject({ status: "signaled", signal: `SIG${signal}` });
        expect(await sandbox.exec(`exit ${code}`)).toMatchObject({ status: "exited", exitCode: code });
      }
      const { status, stderr } = await sandbox.exec("echo ready >&2; echo end >&2; exit 3");
      expect([status, text(stderr)]).toEqual(["exited", "ready\nend\n"]);
    });
  }
});
