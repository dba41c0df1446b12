/** Tools that several test files of this folder begin with. */
import { type Mock, vi } from "vitest";
import { Tool } from "../../src/core/tool.ts";
import type { ToolDefinition } from "../../src/core/tool-definition.ts";

/** A tool that gives back the input it got. */
export const echo = (input: unknown, staticInputValues?: unknown): Tool =>
  new Tool({
    name: "echo",
    input: input as any,
    staticInputValues: staticInputValues as any,
    handler: (got: unknown) => got,
  });

/** What a tool gives for an input of any type. */
export const sent = (tool: Tool, input?: unknown) => tool.execute(input as never);

export const tool = (handler: ToolDefinition["handler"], rest: Partial<ToolDefinition> = {}): Tool =>
  new Tool({ name: "t", handler, ...rest });

/** Fails with these, one a call, and then gives "done". */
export function failing(...errors: unknown[]): Mock<(input: any, ctx: any) => Promise<string>> {
  return vi.fn(async (_input: any, _ctx: any) => {
    if (errors.length > 0) throw errors.shift();
    return "done";
  });
}
