// Prints the help of each command that is named, by the sources of the command line.
import { createJiti } from "jiti";

const [main, ...commands] = process.argv.slice(2);
const { exit } = process;
for (const command of commands) {
  process.argv = [process.argv[0], "haft", ...(command ? [command] : []), "--help"];
  process.stdout.write(`\n=== ${command}\n`);
  await new Promise((done) => {
    process.exit = done;
    createJiti(import.meta.url, { moduleCache: false })
      .import(main)
      .catch(done);
  });
}
exit(0);
