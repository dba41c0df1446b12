/** The project floor: the only place, beside the root, that wires rooms together. */
export {
  findModelOffers,
  type ModelOffers,
  modelMissing,
  serverName,
} from "./choose-model.ts";
export { defineConfig, type ProjectConfig } from "./config.ts";
export { type ContextFiles, readContextFiles } from "./context-files.ts";
export { HAFT_FOLDER, haftFolder } from "./haft-folder.ts";
export { type HeldSession, holdSession, isGone, withSession, workerName } from "./lease.ts";
export { openProject, type Project } from "./open.ts";
export { findSessionStore, type OpenedStore, openSessionStore } from "./open-store.ts";
export { type Decided, decide, fork, knownSession, waitingCalls } from "./session-store.ts";
export { readSettings, readStoreSettings, type SettingFlags, type Settings, type StoreFlags } from "./settings.ts";
export type { Skill } from "./skills.ts";
