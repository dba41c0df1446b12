/** This library as it is where the package `typescript` is installed: each program is checked before it runs. */
import { programPeer } from "../haft/peer.mjs";

export { load, promptOf } from "../haft/peer.mjs";

export const makeProgram = programPeer({ typecheck: true });
