/** A folder becomes a running agent: its settings, sandbox, model, context and store, as options of `execute`. */
import type { ExecuteOptions } from "../core/execute.ts";
import type { Model } from "../core/model.ts";
import type { PolicyRule } from "../core/policy.ts";
import type { Sandbox } from "../core/sandbox.ts";
import type { SessionStore } from "../core/store.ts";
import { Tool } from "../core/tool.ts";
import { loadModel, modelLabel } from "./choose-model.ts";
import { openProjectSandbox } from "./choose-sandbox.ts";
import { type ContextFiles, readContextFiles } from "./context-files.ts";
import { HAFT_FOLDER } from "./haft-folder.ts";
import { composeInstructions } from "./instructions.ts";
import { openSessionStore } from "./open-store.ts";
import type { Settings } from "./settings.ts";

export interface Project {
  settings: Settings;
  /** Yours to dispose of: `dispose()`. */
  sandbox: Sandbox;
  store: SessionStore;
  context: ContextFiles | undefined;
  /** How the model is called, for people. */
  modelLabel: string;
  toolNames: string[];
  /** What someone should know: what could not be read, kept or loaded. */
  notes: string[];
  /** Everything that `execute` takes, but for the prompt and the session. */
  options: ExecuteOptions;
  dispose(): Promise<void>;
}

/**
 * @throws HaftError MODEL_ID_INVALID, MODEL_BASE_URL_INVALID, MODEL_KEY_MISSING, MODEL_PACKAGE_MISSING, and what
 * opening the sandbox throws. Nothing stays open then.
 */
export async function openProject(settings: Settings, model: Model): Promise<Project> {
  const notes: string[] = [];
  const { cwd, env } = settings;
  const loaded = await loadModel(model, { cwd, env, notes });
  const sandbox = await openProjectSandbox(settings.sandbox, cwd);
  try {
    const context = settings.contextFiles ? await readContextFiles(sandbox) : undefined;
    const { store, notes: storeNotes, close } = await openSessionStore(cwd, settings.config);
    notes.push(...(context?.notes ?? []), ...storeNotes);
    return {
      settings,
      sandbox,
      store,
      context,
      modelLabel: modelLabel(model),
      toolNames: settings.tools.map((entry) => (Tool.is(entry) ? entry.name : entry[0].name)),
      notes,
      options: executeOptions(settings, { model: loaded, sandbox, store, context }),
      async dispose() {
        await sandbox.dispose();
        await close();
      },
    };
  } catch (thrown) {
    await sandbox.dispose();
    throw thrown;
  }
}

/** Whoever can write there can put a decision into a session, and so agree to a call of a run that waits. */
const ownFolder: PolicyRule = {
  tool: "{Edit,Write}",
  path: `./${HAFT_FOLDER}/**`,
  then: "deny",
  reason: `${HAFT_FOLDER} holds what people decided; no tool writes there`,
};

interface Opened {
  model: Model;
  sandbox: Sandbox;
  store: SessionStore;
  context: ContextFiles | undefined;
}

function executeOptions(settings: Settings, { model, sandbox, store, context }: Opened): ExecuteOptions {
  const { config, cwd, mode, tools, iterations, approvals } = settings;
  const { exits, hooks, secrets, redact, temperature, reasoningEffort, maxOutputTokens, providerOptions, modelLimits } =
    config;
  const { budget, prices, compaction, resultLimit, approvalTimeoutMs, subagents, subagentLimits } = config;
  return {
    ...{ model, sandbox, store, cwd, mode, tools, iterations, approvals },
    policy: [ownFolder, ...(config.policy ?? [])],
    ...{ exits, hooks, secrets, redact, temperature, reasoningEffort, maxOutputTokens, providerOptions, modelLimits },
    ...{ budget, prices, compaction, resultLimit, approvalTimeoutMs, subagents, subagentLimits },
    assigns: config.assigns,
    instructions: composeInstructions(config.instructions, sandbox, context),
  };
}
