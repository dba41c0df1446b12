/** One request to one model: whole when nobody watches, streamed when somebody does. */
import type { LanguageModel, ModelTraits } from "../../core/model.ts";
import { type Answer, answerOf } from "./answer.ts";
import { refuseWebPage } from "./call-fault.ts";
import { Collector, type Listener } from "./collect.ts";
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
  return settings.listener ? guard.run(stream, collected) : guard.run(generate, answerOf);
}

function generate({ model, options, prompt, controller }: CallSettings): PromiseLike<any> {
  return model.doGenerate({ prompt, abortSignal: controller.signal, ...options });
}

async function stream(settings: CallSettings, guard: Guard<CallSettings>): Promise<Collector> {
  const { model, options, prompt, controller, listener } = settings;
  const given = await model.doStream({ prompt, abortSignal: controller.signal, ...options });
  refuseWebPage(given.response?.headers);
  const collector = new Collector(listener!);
  await guard.read(given.stream, collector);
  return collector;
}

function collected(collector: Collector, settings: CallSettings): Answer {
  return collector.answer(settings);
}
