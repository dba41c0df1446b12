/** The standing instructions of code mode: how a program is written, what it finds, and what becomes of it. */

export interface PromptParts {
  /** What the model is shown of functions, exits and objects. */
  declarations: string;
  hasExits: boolean;
  hasObjects: boolean;
  /** `declarations` has only names with a line each. */
  isShort: boolean;
}

/** The same parts give the same text, byte for byte. */
export function codePrompt({ declarations, hasExits, hasObjects, isShort }: PromptParts): string {
  const rules = [
    "The functions below are global and async: await every call, `Promise.all` independent ones, and loop, filter and compute in code. `void f()` detaches a call; a call without either is refused.",
    "A failed call throws; catch what you can handle.",
    "`return` and `console.log` are what you see next: keep them small. Top-level variables and functions stay for your next program; `$return` is the value last returned.",
    hasObjects && "Assign to properties of objects that are not readonly; the change is checked at once.",
    "There is the language with its built-ins; no import, require, fetch, process, DOM or Intl: toLocaleString ignores locales, the time zone is UTC. Time stands still between awaits.",
    isShort &&
      'Only names are listed: `return await describe("name")` gives a declaration, `search("words")` finds names.',
    hasExits
      ? 'When done, leave with `return exit("name", value)`.'
      : "When done, answer in text without calling the tool.",
    "Text beside a call is a message to the user.",
  ];
  const list = rules.filter((rule) => rule !== false).map((rule) => `- ${rule}`);
  const fence = isShort ? "```" : "```ts";
  return [
    "To act, call the tool `run_program` with `code`: one TypeScript program that does as much as it can.",
    ...list,
    ...(declarations === "" ? [] : ["", fence, declarations, "```"]),
  ].join("\n");
}
