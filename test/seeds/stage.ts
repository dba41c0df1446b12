/** What the stand-ins of the prelude give and what they were asked: set before a fence runs, looked at afterwards. */
import type { Model, Run } from "../../src/index.ts";

export const stage = {
  /** The model of the next `execute` of a fence. */
  model: undefined as Model | undefined,
  /** Its mode; "tools" where there is none. */
  mode: undefined as "code" | undefined,
  /** The run that a fence started last. */
  run: undefined as Run | undefined,
  /** What `searchDocumentation` finds. */
  documents: [] as string[],
  /** What `knowledgeBase.search` finds. */
  knowledge: [] as { title: string; content: string }[],
  /** Everything that a stand-in was asked, in order: its name, then its arguments. */
  asked: [] as unknown[][],
};

export const user = {
  id: "user-1",
  state: {} as Record<string, any>,
  tags: {} as Record<string, string | undefined>,
};

export const bot = { state: {} as Record<string, any> };

export const conversation: { id: string } | undefined = { id: "conversation-1" };

export function clearStage(): void {
  Object.assign(stage, { model: undefined, mode: undefined, run: undefined, documents: [], knowledge: [], asked: [] });
  Object.assign(user, { state: {}, tags: {} });
  Object.assign(bot, { state: {} });
}

export function asked(name: string): unknown[][] {
  return stage.asked.filter(([of]) => of === name).map(([, ...given]) => given);
}
