/** The output of the built-in tools that answer with text. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { SchemaPair } from "../../core/schema.ts";

export const textOutput: SchemaPair<StandardSchemaV1<string, string>> = {
  jsonSchema: { type: "string" },
  schema: {
    "~standard": {
      version: 1,
      vendor: "haft",
      validate: (value) => (typeof value === "string" ? { value } : { issues: [{ message: "must be text" }] }),
    },
  },
};
