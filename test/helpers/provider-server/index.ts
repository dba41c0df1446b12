/** A real HTTP server on loopback that speaks the providers' protocols and answers from a script. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chatCompletions } from "./chat-completions.ts";
import { google } from "./google.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Protocol } from "./protocol.ts";
import { RecordedRequest } from "./request.ts";
import type { Script, Step } from "./script.ts";
import { send } from "./send.ts";

export type { ReadImage, ReadMessage, ReadReasoning, ReadTool, ReadToolResult, RecordedRequest } from "./request.ts";
export type { Fault, Script, ScriptedCall, ScriptedUsage, Step } from "./script.ts";

const protocols: Protocol[] = [openaiResponses, chatCompletions, anthropic, google];

export interface ProviderServerOptions {
  /** What `GET …/api/tags` and `GET …/models` list. Default: `test-model`. */
  models?: string[];
  /** How many bytes go into one write of a stream. 0: one event a write. Default 37, so that no event comes whole. */
  pieceBytes?: number;
}

export interface ProviderServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`: also the address of an Ollama. */
  readonly url: string;
  /** The base URL to give to each provider. */
  readonly urls: Readonly<Record<ProviderName, string>>;
  /** Keys and base URLs as environment variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly requests: RecordedRequest[];
  /** More steps, after those of the script. Only where the script is a list. */
  push(...steps: Step[]): void;
  /** Ends what is open, silent streams too. Safe to call twice. */
  close(): Promise<void>;
}

export type ProviderName =
  | "openai"
  | "openai-compatible"
  | "anthropic"
  | "google"
  | "cerebras"
  | "groq"
  | "openrouter"
  | "ollama";

/** It never keeps its process alive, so a test that forgets to close it still ends. */
export async function startProviderServer(
  script?: Script,
  options: ProviderServerOptions = {},
): Promise<ProviderServer> {
  const { models = ["test-model"], pieceBytes = 37 } = options;
  const requests: RecordedRequest[] = [];
  const steps = Array.isArray(script) ? [...script] : undefined;

  async function stepFor(request: RecordedRequest): Promise<Step> {
    if (typeof script === "function") return script(request, request.index);
    if (!steps) return { text: "Hello" };
    const missing = `The script has ${steps.length} steps, and this is request ${request.index + 1}.`;
    return steps[request.index] ?? { fault: { status: 400, message: missing } };
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? "/";
    if (incoming.method === "GET") return list(path, models, response);
    const body = parse(await textOf(incoming));
    for (const protocol of protocols) {
      const matched = protocol.match(path, body);
      if (!matched) continue;
      const { model, stream, dialect } = matched;
      const request = new RecordedRequest(protocol, requests.length, path, incoming.headers, body, model, stream);
      requests.push(request);
      let step: Step | undefined;
      response.once("close", () => {
        request.abandoned = !response.writableEnded && step?.fault !== "cut";
      });
      step = await stepFor(request);
      return send(step, { response, protocol, dialect, request, pieceBytes });
    }
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `Nothing at ${path}` } }));
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error) => {
      if (response.headersSent) return response.destroy();
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `The script failed: ${error}` } }));
    });
  });
  server.on("connection", (socket) => socket.unref());
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urls = urlsOf(url);

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  return {
    url,
    urls,
    env: envOf(urls),
    requests,
    push(...more) {
      if (!steps) throw new Error("push() wants a script that is a list");
      steps.push(...more);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function list(path: string, models: string[], response: ServerResponse): void {
  response.setHeader("content-type", "application/json");
  if (path.endsWith("/api/tags")) {
    response.end(JSON.stringify({ models: models.map((name) => ({ name, model: name })) }));
  } else if (path.endsWith("/models")) {
    response.end(JSON.stringify({ object: "list", data: models.map((id) => ({ id, object: "model" })) }));
  } else {
    response.writeHead(404).end("{}");
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  return text ? JSON.parse(text) : undefined;
}

function urlsOf(url: string): Record<ProviderName, string> {
  return {
    openai: `${url}/openai/v1`,
    "openai-compatible": `${url}/chat/v1`,
    anthropic: `${url}/anthropic/v1`,
    google: `${url}/google/v1beta`,
    cerebras: `${url}/cerebras/v1`,
    groq: `${url}/groq/v1`,
    openrouter: `${url}/openrouter/v1`,
    ollama: url,
  };
}

function envOf(urls: Record<ProviderName, string>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, url] of Object.entries(urls)) {
    const prefix = name.toUpperCase().replaceAll("-", "_");
    env[`${prefix}_BASE_URL`] = url;
    if (name !== "ollama") env[`${prefix}_API_KEY`] = `key-of-${name}`;
  }
  return env;
}
