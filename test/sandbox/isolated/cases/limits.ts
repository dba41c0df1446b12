/** A command cannot use up the machine. */
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { IsolationCase } from "../cases.ts";

const MEBIBYTE = 1024 * 1024;

export const limitCases: IsolationCase[] = [
  {
    name: "limits: processes",
    options: { limits: { processes: 40 } },
    async run(place) {
      if (!place.sandbox.capabilities.limits.processes) return;
      const result = await place.exec("for i in $(seq 200); do sleep 20 & echo x; done 2>/dev/null", {
        timeoutMs: 4000,
      });
      const started = Buffer.from(result.stdout).toString().split("x").length - 1;
      assert.ok(started > 10 && started < 40, `${started} of 200 were started`);
      assert.equal(await place.said("echo fine"), "fine\n");
    },
  },
  {
    name: "limits: memory",
    options: { limits: { memoryMb: 200 } },
    async run(place) {
      const take = (mb: number) => `head -c ${mb * MEBIBYTE} /dev/zero | tail -c ${mb * MEBIBYTE} | wc -c`;
      assert.equal(await place.said(take(50)), `${50 * MEBIBYTE}\n`);
      const result = await place.exec(take(1500));
      assert.notEqual(Buffer.from(result.stdout).toString(), `${1500 * MEBIBYTE}\n`);
      assert.equal(await place.said("echo fine"), "fine\n");
    },
  },
  {
    name: "limits: one file, and what is kept in memory as files",
    options: { limits: { fileMb: 5, tmpMb: 3 } },
    async run(place) {
      await place.exec(`head -c ${20 * MEBIBYTE} /dev/zero > big`);
      assert.ok(statSync(join(place.cwd, "big")).size <= 5 * MEBIBYTE);
      for (const folder of ["/tmp", "$HOME", ".envrc", "/proc/acpi"]) {
        const command = `for i in 1 2 3 4; do head -c ${4 * MEBIBYTE} /dev/zero > ${folder}/$i; done 2>/dev/null; du -smx ${folder} | cut -f1`;
        assert.ok(Number(await place.said(command)) <= 4, folder);
      }
    },
  },
  {
    name: "limits: processor time of a process",
    options: { limits: { cpuSeconds: 1 } },
    async run(place) {
      const result = await place.exec("while :; do :; done");
      assert.equal(result.status, "signaled");
    },
  },
  {
    name: "limits: no core file is written",
    async run(place) {
      assert.equal(await place.said("ulimit -H -c; (bash -c 'kill -SEGV $$'; true) 2>/dev/null; ls"), "0\n");
    },
  },
];
