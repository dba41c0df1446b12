/** Secrets of a run: resolved once, opaque, and taken out of everything that is recorded. */
import { HaftError } from "../base/errors.ts";
import { describeValue } from "../base/json.ts";
import { Redactor } from "../core/redact/redactor.ts";
import { type RedactRule, readRule } from "../core/redact/rules.ts";
import type { OpenSecrets, SecretSource } from "../core/secrets.ts";
import { OpaqueSecrets } from "./opaque.ts";
import { resolveAll } from "./resolve.ts";

export interface OpenSecretsOptions {
  sources?: Readonly<Record<string, SecretSource>>;
  /** What is taken out beside the secrets. */
  rules?: readonly RedactRule[];
  /** What files are relative to. */
  cwd: string;
  /** Ends what is being resolved. */
  abortSignal: AbortSignal;
}

/**
 * @throws HaftError `SECRET_SOURCE_INVALID`, `SECRET_MISSING`, `SECRET_FAILED`: with the name, never the value;
 * `OPTIONS_INVALID` for what is no rule
 */
export async function openSecrets({ sources = {}, rules = [], ...around }: OpenSecretsOptions): Promise<OpenSecrets> {
  const read = rules.map((rule, index) => readRule(rule) ?? refuse(rule, index));
  const resolved = await resolveAll(sources, around);
  const redactor = new Redactor(
    resolved.map(({ name, value }) => [name, value] as const),
    read,
  );
  const byName = new Map(resolved.map((secret) => [secret.name, secret]));
  const stream = () => redactor.stream();
  return {
    known: resolved.map(({ name, source }) => ({ name, source })),
    redact: redactor.none ? (value) => value : (value) => redactor.value(value),
    stream,
    secretsFor({ name: tool, secrets }, accessed) {
      const allowed = resolved.filter(
        ({ name, tools }) => (secrets?.includes(name) ?? true) && (tools?.includes(tool) ?? true),
      );
      return new OpaqueSecrets(new Map(allowed.map(({ name, value }) => [name, value])), { accessed, stream, byName });
    },
  };
}

function refuse(rule: unknown, index: number): never {
  const found = typeof rule === "string" ? `"${rule.slice(0, 40)}"` : describeValue(rule);
  throw new HaftError("OPTIONS_INVALID", `redact[${index}] is ${found}, which is no rule`, {
    hint: 'A rule is "email", "jwt", "private-key" or "token", { name, pattern: /…/ }, or a function from text to text.',
  });
}
