/** Asks at the terminal which model to use, when nobody named one. */
import { findModelOffers, type ModelOffers, modelMissing, serverName } from "../../project/index.ts";
import { openPrompt } from "./prompt.ts";

/** Rows of one server's models. */
const MAX_MODELS = 8;

/**
 * The chosen model; undefined when the answer is Ctrl-C.
 *
 * @throws HaftError MODEL_MISSING where nobody can be asked, or there is nothing to choose from
 */
export async function askForModel(
  env: Record<string, string | undefined>,
  canAsk: boolean,
): Promise<string | undefined> {
  const offers = await findModelOffers(env);
  const options = optionsOf(offers);
  if (!canAsk || options.length === 0) throw modelMissing(offers);
  const { select } = await import("@clack/prompts");
  const message = "No model was named. Which one?";
  const chosen = await openPrompt((place) => select({ message, options, ...place }));
  if (typeof chosen === "symbol") return undefined;
  return chosen.endsWith(":") ? askForName(chosen) : chosen;
}

/** A value that ends in a colon still needs the name of a model. */
function optionsOf({ keys, servers }: ModelOffers): { value: string; label: string; hint?: string }[] {
  const local = servers.flatMap(({ name, id, models }) =>
    models.slice(0, MAX_MODELS).map((model) => {
      const provider = id!.slice(0, id!.indexOf(":"));
      return {
        value: `${provider}:${model}`,
        label: `${provider}:${model}`,
        hint: `${serverName(name)} on this machine`,
      };
    }),
  );
  const remote = keys.map(({ provider, variable }) => {
    return { value: `${provider}:`, label: `${provider}:…`, hint: `${variable} is set` };
  });
  return [...local, ...remote];
}

async function askForName(provider: string): Promise<string | undefined> {
  const { text } = await import("@clack/prompts");
  const message = `${provider}… which model?`;
  const validate = (value?: string) => (value?.trim() ? undefined : "Type the provider's name of a model.");
  const name = await openPrompt((place) => text({ message, validate, ...place }));
  return typeof name === "symbol" ? undefined : `${provider}${name.trim()}`;
}
