/**
 * A program that puts a folder and a symlink to the outside under the same name, in turns, as fast as it can. A folder that
 * is made in a moment when there is neither goes out of the way.
 */
export const SWAPPER = `
const { renameSync } = require("node:fs");
const moved = (from, to) => { try { renameSync(from, to); return true; } catch { return false; } };
process.stdout.write("swapping");
for (let turn = 0; ; turn++) {
  moved("swapped", "folder") || moved("swapped", "away/" + turn);
  moved("link", "swapped");
  moved("swapped", "link");
  moved("folder", "swapped");
}`;
