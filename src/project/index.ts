/** The project floor: the only place, beside the root, that wires rooms together. */
export {
  findModelOffers,
  type ModelOffers,
  modelMissing,
  serverName,
} from "./choose-model.ts";
export { defineConfig, type ProjectConfig } from "./config.ts";
export { type ContextFiles, readContextFiles } from "./context-files.ts";
export { openProject, type Project } from "./open.ts";
export { decide, HAFT_FOLDER, haftFolder, knownSession, openSessionStore, waitingCalls } from "./session-store.ts";
export { readSettings, type SettingFlags, type Settings } from "./settings.ts";
export type { Skill } from "./skills.ts";
