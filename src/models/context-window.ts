/** How much a model can read and write, as the price list tells, where that is installed. */
import type { LanguageModel } from "../core/model.ts";

type PriceList = typeof import("@pydantic/genai-prices");

/** Loaded once, by the first conversation that is long enough to matter. */
let loading: Promise<PriceList | undefined> | undefined;

/** In tokens; undefined without the list, or for a model that it does not know. Nothing is guessed: a wrong window is worse than none. */
export async function contextWindow({ provider, modelId }: LanguageModel): Promise<number | undefined> {
  loading ??= import("@pydantic/genai-prices").catch(() => undefined);
  const list = await loading;
  const providerId = idOf(provider);
  if (list?.findProvider({ providerId })?.id !== providerId) return undefined;
  try {
    return list.calcPrice({ input_tokens: 1 }, modelId, { providerId })?.model.context_window;
  } catch {
    return undefined; // a price that cannot be told says nothing of the window either
  }
}

/** The packages' names for providers that the list calls otherwise. */
const others: Record<string, string> = {
  "amazon-bedrock": "aws",
  vertex: "google",
  xai: "x-ai",
  togetherai: "together",
};

/** `openai.responses` → `openai` */
function idOf(provider: string): string {
  const name = provider.split(".")[0]!;
  return others[name] ?? name;
}
