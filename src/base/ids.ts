/** Identifiers that sort by the time they were made. */
import { randomBytes } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
let pool: Buffer = Buffer.alloc(0);
let used = 0;

/** `<prefix>_` and 20 characters of Crockford base 32: 10 of time in milliseconds, 10 at random (50 bits). */
export function newId(prefix: string): string {
  let time = Date.now();
  let head = "";
  for (let index = 0; index < 10; index++) {
    head = alphabet[time % 32] + head;
    time = Math.floor(time / 32);
  }
  let tail = "";
  for (const byte of random(10)) tail += alphabet[byte & 31];
  return `${prefix}_${head}${tail}`;
}

function random(count: number): Buffer {
  if (used + count > pool.length) {
    pool = randomBytes(1024);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}
