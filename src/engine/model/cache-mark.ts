/** Says to Claude up to where a prompt is to be cached; the other providers find that out by themselves. */
import type { LanguageModel } from "../../core/model.ts";

/** Claude at Anthropic, in other clouds that speak its protocol, and behind OpenRouter. */
export function wantsCacheMarks({ provider, modelId }: LanguageModel): boolean {
  if (provider.split(".").includes("anthropic")) return true;
  return provider.startsWith("openrouter") && modelId.startsWith("anthropic/");
}

const cacheControl = { type: "ephemeral" };
export const cacheMark = { anthropic: { cacheControl } };

/** The same message with a mark on its last part. */
export function withCacheMark(message: any): any {
  if (typeof message.content === "string") return { ...message, providerOptions: cacheMark };
  const last = message.content.at(-1);
  if (!last) return message;
  const providerOptions = {
    ...last.providerOptions,
    anthropic: { ...last.providerOptions?.anthropic, cacheControl },
  };
  return { ...message, content: [...message.content.slice(0, -1), { ...last, providerOptions }] };
}
