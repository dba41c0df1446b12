/** What is logged beside a run holds no secrets either. */
import type { Logger } from "../core/context.ts";
import type { OpenSecrets } from "../core/secrets.ts";

export function quietLogger(logger: Logger, { redact }: OpenSecrets): Logger {
  return {
    debug: (message, data) => logger.debug(redact(message), redact(data)),
    info: (message, data) => logger.info(redact(message), redact(data)),
    warn: (message, data) => logger.warn(redact(message), redact(data)),
    error: (message, data) => logger.error(redact(message), redact(data)),
  };
}
