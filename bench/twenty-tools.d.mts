/** What `twenty-tools.mjs` gives, for the tests that measure declarations by the same tools. */
import type { ZodType, z } from "zod";

export function twentyTools(
  library: typeof z,
): { name: string; description: string; input: ZodType; output: ZodType }[];
