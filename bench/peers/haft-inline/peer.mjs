/** This library with its programs on the caller's thread, where the VM of llmz has them too: `{ worker: false }`. */
import { programPeer } from "../haft/peer.mjs";

export { load, promptOf } from "../haft/peer.mjs";

export const makeProgram = programPeer({ typecheck: false, worker: false });
