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
export async function callModel(settings: CallSettings): Promise<Answer> {
  const { model, traits, prompt, listener, controller } = settings;
  const options = { ...settings.options, prompt, abortSignal: controller.signal };
  const guard = new Guard(settings);
  try {
    if (!listener) {
      const whole = await guard.race(model.doGenerate(options));
      return answerOf(whole.content ?? [], whole, traits);
    }
    const { stream, response } = await guard.race(model.doStream(options));
    refuseWebPage(response?.headers);
    const collector = new Collector(listener);
    await guard.read(stream, collector);
    return collector.answer(traits);
  } catch (error) {
    guard.hangUp();
    throw guard.reason ?? error; // packages wrap our own reason in errors of theirs
  } finally {
    guard.release();
  }
}
