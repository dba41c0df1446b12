/** The first process of the demo of programs: runs until a person is asked, and waits for an answer that never comes. */
import { plain } from "../../core/plain.ts";
import { execute } from "../../index.ts";
import { holdSession } from "../../project/index.ts";
import { writing } from "./code-script.ts";
import type { FirstProcessOptions, Sent } from "./first-process.ts";
import { openCodeProject } from "./open-code-project.ts";

const { folder, session, prompt, paceMs }: FirstProcessOptions = JSON.parse(process.argv[2]!);

process.on("SIGINT", () => {}); // Ctrl-C is said to both, and the other one decides
process.on("disconnect", () => process.exit());

const project = await openCodeProject(folder, [writing], paceMs);
const { epoch } = await holdSession(project.store, session); // never given back: this process is killed
const approve = () => new Promise<never>(() => {});
const run = execute({ ...project.options, session, epoch, prompt, approve });
for await (const event of run) {
  send({ event: plain(event) as typeof event });
  if (event.type === "tool-pause") send({ waits: true }); // the log has it: what is told is written
}
send({ waits: false });

function send(sent: Sent): void {
  process.send?.(sent);
}
