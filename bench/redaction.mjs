/**
 * What taking secrets out costs: a megabyte of text, twenty secrets, beside one plain pass over the same text and beside
 * looking for each raw value by itself. Medians of one process; the ratios are what to read.
 */
import { createHash } from "node:crypto";
import { Redactor } from "../dist/core/redact/redactor.js";

const MEGABYTE = 1_000_000;
const hash = (text) => createHash("sha512").update(text);
const secrets = Array.from({ length: 20 }, (_, index) => [
  `SECRET_${index}`,
  hash(`${index}`).digest("base64").slice(0, 40),
]);

const texts = {
  "source code": "export const value = { name: 'some name', list: [1, 2, 3] }; // what it is for\n",
  "hex digests": Array.from({ length: 1000 }, (_, index) => hash(`${index}`).digest("hex")).join("\n"),
  base64: Array.from({ length: 1000 }, (_, index) => hash(`x${index}`).digest("base64")).join(""),
  "only secrets": secrets.map(([, value]) => value).join(" "),
};

function plainPass(text) {
  let sum = 0;
  for (let place = 0; place < text.length; place++) sum = (sum * 31 + text.charCodeAt(place)) | 0;
  return sum;
}

const eachRawValue = (text) =>
  secrets.reduce((result, [name, value]) => result.replaceAll(value, `[REDACTED:${name}]`), text);

function medianMs(work) {
  const times = Array.from({ length: 15 }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return times.slice(4).sort((a, b) => a - b)[5];
}

export function printRedaction() {
  const startedAt = performance.now();
  const redactor = new Redactor(secrets);
  const builtMs = performance.now() - startedAt;
  console.log(
    `\nredaction of 1 MB with 20 secrets, ms; × is the ratio to one plain pass (ready in ${builtMs.toFixed(0)} ms)`,
  );
  console.log(
    ["text".padEnd(20), ...["plain pass", "redaction", "raw values only"].map((name) => name.padStart(18))].join(""),
  );
  for (const [name, line] of Object.entries(texts)) {
    const text = line.repeat(Math.ceil(MEGABYTE / line.length)).slice(0, MEGABYTE);
    const plain = medianMs(() => plainPass(text));
    const cells = [medianMs(() => redactor.text(text)), medianMs(() => eachRawValue(text))];
    console.log(
      [
        name.padEnd(20),
        plain.toFixed(1).padStart(18),
        ...cells.map((ms) => `${ms.toFixed(1)} ×${(ms / plain).toFixed(1)}`.padStart(18)),
      ].join(""),
    );
  }
}
