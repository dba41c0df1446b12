/** How a checked address is connected to: as it is, without a resolver in between. */

import type { LookupFunction } from "node:net";

/** For the options of a connection. An address is never looked up; if it ever were, that fails. */
export const noLookup: LookupFunction = (host, _options, done) => {
  done(new Error(`${host} is not an address that was checked`), "", 0);
};
