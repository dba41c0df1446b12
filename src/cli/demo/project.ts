/** The small project that the demo works on: three files of a shop, and a mistake in one of them. */

/** Paths and their text. */
export type DemoFiles = Record<string, string>;

export const demoProject: DemoFiles = {
  "package.json": `{
  "name": "corner-shop",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  "src/cart.js": `/** What a cart costs, in cents. */
export function total(items) {
  let sum = 0;
  for (const { price, quantity } of items) {
    sum += price + quantity;
  }
  return sum;
}

/** Cents as people write them: 1250 is "12.50". */
export function format(cents) {
  return (cents / 100).toFixed(2);
}
`,
  "test/cart.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { format, total } from "../src/cart.js";

test("an empty cart costs nothing", () => {
  assert.equal(total([]), 0);
});

test("each line counts its price times its quantity", () => {
  const cart = [
    { price: 250, quantity: 3 },
    { price: 500, quantity: 1 },
  ];
  assert.equal(format(total(cart)), "12.50");
});
`,
};
