/** A conversation that is kept in a file: each start is another process, and says one more thing. */
import { Agent } from "haft";
import { sqliteStore } from "haft/stores";
import { scriptedModel } from "haft/testing";

const [said = "Hello"] = process.argv.slice(2);
const counts = scriptedModel([
  ({ prompt }) => {
    const heard = prompt.filter(({ role }) => role === "user").map(({ content }) => content[0].text);
    return `You said ${heard.length} things: ${heard.join(", ")}.`;
  },
]);

const store = sqliteStore("sessions.db");
const agent = new Agent({ name: "listener", model: process.env.HAFT_MODEL || counts, store });
const session = agent.session({ id: "talk" });
if (said === "--clear") await session.clear();
else {
  const result = await session.run(said);
  console.log(result.isError() ? result.error.message : result.output);
}
await agent.close();
await store.close();
