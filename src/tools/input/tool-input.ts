/** The input of a built-in tool: the JSON Schema that a model is shown, and the reading of what it sends. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonSchema } from "../../core/json-schema.ts";
import type { SchemaPair } from "../../core/schema.ts";
import { Fields } from "./fields.ts";

/** `properties` are the schema's, in order. `Sent` is what callers write, `Read` what the handler gets. */
export function toolInput<Sent, Read>(
  properties: Record<string, JsonSchema>,
  required: readonly string[],
  read: (fields: Fields) => Read,
): SchemaPair<StandardSchemaV1<Sent, Read>> {
  return {
    jsonSchema: { type: "object", properties, required: [...required] },
    schema: {
      "~standard": {
        version: 1,
        vendor: "haft",
        validate(given) {
          const fields = new Fields(given);
          const value = read(fields);
          return fields.issues.length > 0 ? { issues: fields.issues } : { value };
        },
      },
    },
  };
}
