/** Which property a program means, or a sentence that says what there is. */
import type { BoundObject } from "../core/mode.ts";
import { nearest } from "../core/names.ts";
import type { ObjectInstance, ObjectProperty } from "../core/object.ts";
import { pathOf } from "../core/object-names.ts";
import type { ProgramWrite, WriteAnswer } from "../core/program.ts";

type Refused = Extract<WriteAnswer, { ok: false }>;

export function findProperty(
  objects: readonly BoundObject[],
  { object, property }: Pick<ProgramWrite, "object" | "property">,
): { ok: true; object: ObjectInstance; property: ObjectProperty } | Refused {
  const bound = objects.find((one) => one.object.name === object);
  if (!bound)
    return refused(
      `There is no object "${object}"`,
      "The objects are",
      objects.map((one) => one.object.name),
      object,
    );
  const { properties } = bound.object;
  const found = properties.find(({ name }) => name === property);
  if (found) return { ok: true, object: bound.object, property: found };
  return refused(
    `${object} has no property "${property}", and none can be added`,
    "Its properties are",
    properties.map(({ name }) => name),
    property,
  );
}

export function readOnly(object: ObjectInstance, property: ObjectProperty): Refused {
  const writable = object.properties.filter((one) => one.writable).map(({ name }) => name);
  const message = `${pathOf(object, property)} is read-only. `;
  return { ok: false, message: `${message}What can be set of ${object.name}: ${writable.join(", ") || "nothing"}` };
}

function refused(what: string, there: string, names: readonly string[], wanted: string): Refused {
  const near = nearest(wanted, names);
  const hint = near === undefined ? "" : `. Did you mean "${near}"?`;
  return { ok: false, message: `${what}. ${there}: ${names.join(", ") || "none"}${hint}` };
}
