/** Identifiers that sort in the order in which they were made. */
import { randomBytes } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
let time = 0;
let tail = 0;

/**
 * `<prefix>_` and 20 characters of Crockford base 32: 10 of time in milliseconds, 10 at random (49 bits). Those of one
 * millisecond go up in random steps, and a clock that is set back does not turn the order around.
 */
export function newId(prefix: string): string {
  const now = Date.now();
  if (now > time) {
    time = now;
    tail = (random32() % 2 ** 17) * 2 ** 32 + random32();
  } else {
    tail += 1 + (random32() % 2 ** 24);
  }
  return `${prefix}_${base32(time)}${base32(tail)}`;
}

function base32(value: number): string {
  let text = "";
  for (let digit = 0; digit < 10; digit++) {
    text = alphabet[value % 32] + text;
    value = Math.floor(value / 32);
  }
  return text;
}

let pool = new Uint32Array(0);
let used = 0;

function random32(): number {
  if (used === pool.length) {
    pool = new Uint32Array(new Uint8Array(randomBytes(1024)).buffer);
    used = 0;
  }
  return pool[used++]!;
}
