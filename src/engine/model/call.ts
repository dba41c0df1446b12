/** One request to one model: whole when nobody watches, streamed when somebody does. */
import type { LanguageModel, ModelTraits } from "../../core/model.ts";
import { type Answer, answerOf } from "./answer.ts";
import { Collector, type Listener } from "./collect.ts";
import { refuseWebPage } from "./failure.ts";
import { Guard, type GuardSettings } from "./guard.ts";

export interface CallSettings extends GuardSettings {
  model: LanguageModel;
  traits: ModelTraits;
  /** The spec's call options, without `prompt` and `abortSignal`. */
  options: Record<string, unknown>;
  prompt: unknown[];
  /** Streams, when there is one. */
  listener: Listener | undefined;
}

/** @throws the reason of the abort, a CallFault, or whatever the provider package throws */
export function callModel(settings: CallSettings): Promise<Answer> {
  const guard = new Guard(settings);
  const { model, options, prompt, controller, traits, listener } = settings;
  if (listener) return guard.run(() => streamed(settings, guard, listener));
  return guard.run(
    () => model.doGenerate({ prompt, abortSignal: controller.signal, ...options }),
    (whole) => answerOf(whole.content ?? [], whole, traits),
  );
}

async function streamed(settings: CallSettings, guard: Guard, listener: Listener): Promise<Answer> {
  const { model, options, prompt, controller, traits } = settings;
  const { stream, response } = await model.doStream({ prompt, abortSignal: controller.signal, ...options });
  refuseWebPage(response?.headers);
  const collector = new Collector(listener);
  await guard.read(stream, collector);
  return collector.answer(traits);
}
