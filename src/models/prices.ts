/** What models cost, as the package `@pydantic/genai-prices` knows it. */
import { HaftError } from "../base/errors.ts";
import type { Prices } from "../core/budget.ts";
import type { Usage } from "../core/model.ts";

type Package = Pick<typeof import("@pydantic/genai-prices"), "calcPrice">;

/** @throws HaftError `PRICES_MISSING` where the package is not installed */
export async function genaiPrices(): Promise<Prices> {
  const { calcPrice } = await load();
  return (name, usage) => {
    const colon = name.indexOf(":");
    const providerId = name.slice(0, Math.max(0, colon)).split(".", 1)[0]!; // "groq.chat" is Groq
    if (anybodys.has(providerId)) return undefined;
    try {
      return calcPrice(unitsOf(usage), name.slice(colon + 1), { providerId })?.total_price;
    } catch {
      return undefined; // of numbers that cannot be, such as more cached tokens than there were
    }
  };
}

/** A server of any owner, who may serve a model under any name: the package would take it for OpenAI's own. */
const anybodys = new Set(["", "openai-compatible"]);

async function load(): Promise<Package> {
  try {
    return await import("@pydantic/genai-prices");
  } catch (cause) {
    throw new HaftError("PRICES_MISSING", "The prices of models come from @pydantic/genai-prices, which is not here", {
      cause,
      hint: "npm install @pydantic/genai-prices, or give prices: (model, usage) => US dollars.",
    });
  }
}

function unitsOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  };
}
