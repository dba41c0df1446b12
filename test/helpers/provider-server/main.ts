/**
 * The provider server as a process of its own: `node --import jiti/register main.ts [script.ts] [pieceBytes]`, where
 * the script is a default export. Prints one line of JSON, `{ url, urls, env }`, and ends when its input ends.
 */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { startProviderServer } from "./index.ts";

const [file, pieceBytes = "37"] = process.argv.slice(2);
const script = file && (await import(pathToFileURL(resolve(file)).href)).default;
const server = await startProviderServer(script, { pieceBytes: Number(pieceBytes) });
const { url, urls, env } = server;
console.log(JSON.stringify({ url, urls, env }));

process.stdin.resume();
process.stdin.once("end", () => server.close());
