/** The secrets of a run inside a call: as many of the run's around as it is handed down, or its own; both are taken out. */
import { chained } from "../core/redact/redactor.ts";
import type { OpenSecrets } from "../core/secrets.ts";

export interface Handing {
  /** Of those that are handed down. Undefined: all. */
  names: readonly string[] | undefined;
  /** It has sources of its own: it is handed down none. */
  hasSources: boolean;
}

/** `own`: what was opened for it alone, secrets or rules of what is taken out. */
export function handedDown(
  around: OpenSecrets | undefined,
  own: OpenSecrets | undefined,
  { names, hasSources }: Handing,
): OpenSecrets | undefined {
  if (!around) return own;
  const used = hasSources ? own! : narrowed(around, names);
  if (!own) return used;
  return {
    known: used.known,
    redact: (value) => around.redact(own.redact(value)),
    stream: () => chained([own.stream(), around.stream()]),
    secretsFor: (tool, accessed) => used.secretsFor(tool, accessed),
  };
}

/** All of them are taken out, and only these are handed out. */
function narrowed(around: OpenSecrets, names: readonly string[] | undefined): OpenSecrets {
  if (!names) return around;
  return {
    known: around.known.filter(({ name }) => names.includes(name)),
    redact: around.redact,
    stream: () => around.stream(),
    secretsFor({ name, secrets }, accessed) {
      const allowed = secrets ? names.filter((one) => secrets.includes(one)) : names;
      return around.secretsFor({ name, secrets: allowed }, accessed);
    },
  };
}
