/** The calls that stand in for a program's reading and setting of properties: `Orders_get`, `Orders_set_status`. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { ObjectInstance, ObjectProperty } from "../core/object.ts";
import { getName, pathOf, setName } from "../core/object-names.ts";
import { decodeValue } from "../core/object-value.ts";
import type { WriteAnswer } from "../core/program.ts";
import { Tool } from "../core/tool.ts";
import { schemaUnder } from "../core/tool-input.ts";
import type { RunObjects } from "./objects.ts";

export function accessorsOf(object: ObjectInstance, run: RunObjects): readonly Tool[] {
  if (object.properties.length === 0) return [];
  const writable = object.properties.filter((property) => property.writable);
  return [getter(object, run), ...writable.map((property) => setter(object, property, run))];
}

function getter(object: ObjectInstance, run: RunObjects): Tool {
  return new Tool({
    name: getName(object),
    description: describeProperties(object),
    input: { type: "object", properties: {}, additionalProperties: false },
    readOnly: true,
    modes: ["tools"],
    handler: () => Object.fromEntries(object.properties.map((one) => [one.name, decodeValue(run.value(object, one))])),
  });
}

function describeProperties({ name, description, properties }: ObjectInstance): string {
  const told = properties.filter((property) => property.description);
  const lines = told.map((property) => `- ${property.name}: ${property.description}`);
  return [`Gives the properties of ${name}.${description && ` ${description}`}`, ...lines].join("\n");
}

/** Setting again what was set already writes nothing, so a call whose outcome a crash left unknown is made again. */
function setter(object: ObjectInstance, property: ObjectProperty, run: RunObjects): Tool {
  const path = pathOf(object, property);
  return new Tool({
    name: setName(object, property),
    description: `Sets ${path}.${property.description && ` ${property.description}`}`,
    input: { schema: sent, jsonSchema: schemaUnder("value", property.inputSchema ?? {}) },
    idempotent: true,
    modes: ["tools"],
    handler({ value }, { callId }) {
      const key = callId.replace(/(\d+)$/, "w$1");
      const answer = run.set({ object, property, value: value === undefined ? undefined : encode(value, path), key });
      return answer instanceof Promise ? answer.then(accept) : accept(answer);
    },
  });
}

function accept(answer: WriteAnswer): unknown {
  if (answer.ok) return decodeValue(answer.value);
  throw new HaftError("OBJECT_VALUE_INVALID", answer.message);
}

/** The property's own type looks at the value, and names the property. */
const sent: StandardSchemaV1<{ value?: unknown }, { value?: unknown }> = {
  "~standard": {
    version: 1,
    vendor: "haft",
    validate: (input) =>
      isPlainObject(input) ? { value: { value: input.value } } : { issues: [{ message: "expected { value }" }] },
  },
};
