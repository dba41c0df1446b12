/** How the codec writes objects that are met again: as a list of nodes that refer to each other, or in each place. */
import { type Json, setOwn } from "./json.ts";

const TAG = "$haft";

/**
 * `{ "$haft": "graph", "nodes": […] }`: the value, and each object that is met more than once. In the nodes,
 * `{ "$haft": "ref", "node": 0 }` stands where one of them is met. Changes `root` and all below it.
 */
export function graphOf(root: Json, repeated: ReadonlySet<Json>): Json {
  const nodes: Json[] = [root];
  const numbers = new Map<Json, number>([[root, 0]]);
  const placed = (json: Json): Json => {
    let number = numbers.get(json);
    if (number === undefined) {
      if (!repeated.has(json)) {
        replaceParts(json, placed);
        return json;
      }
      number = nodes.push(json) - 1;
      numbers.set(json, number);
    }
    return { [TAG]: "ref", node: number };
  };
  for (let next = 0; next < nodes.length; next++) replaceParts(nodes[next]!, placed);
  return { [TAG]: "graph", nodes };
}

/** How many objects it is when it is written out; without a cycle. */
export function placesOf(json: Json, known = new Map<Json, number>()): number {
  if (typeof json !== "object" || json === null) return 0;
  let places = known.get(json);
  if (places === undefined) {
    places = Object.values(json).reduce<number>((sum, part) => sum + placesOf(part, known), 1);
    known.set(json, places);
  }
  return places;
}

/** The same without an object that stands in two places. */
export function writtenOut(json: Json): Json {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(writtenOut);
  const copy: Json = {};
  for (const key in json) setOwn(copy, key, writtenOut(json[key]!));
  return copy;
}

function replaceParts(json: Json, replacement: (part: Json) => Json): void {
  if (typeof json !== "object" || json === null) return;
  for (const [key, part] of Object.entries(json) as [string, Json][]) {
    if (typeof part === "object" && part !== null) setOwn(json, key, replacement(part));
  }
}
