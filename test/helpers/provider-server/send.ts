/** Puts an answer on the wire of the provider server: whole or as a stream, in odd pieces, with the fault that was asked for. */

import type { ServerResponse } from "node:http";
import { setImmediate as tick, setTimeout as wait } from "node:timers/promises";
import type { Protocol, StreamEvents } from "./protocol.ts";
import type { RecordedRequest } from "./request.ts";
import { answerOf, type Fault, type Step } from "./script.ts";

export interface Wire {
  response: ServerResponse;
  protocol: Protocol;
  dialect: string;
  request: RecordedRequest;
  /** How many bytes go into one write of a stream. 0: one event. */
  pieceBytes: number;
}

export async function send(step: Step, wire: Wire): Promise<void> {
  const { fault } = step;
  if (step.delayMs) await wait(step.delayMs);
  if (typeof fault === "object") return sendError(fault, wire);
  if (fault === "html") return sendHtml(wire);
  if (wire.request.stream) return sendStream(step, wire);
  if (fault === "overloaded") return sendError({ status: wire.protocol.overloadedStatus, message: "Overloaded" }, wire);
  return sendJson(step, wire);
}

function sendError(fault: Exclude<Fault, string>, { response, protocol }: Wire): void {
  const { status, retryAfter, message = `scripted ${status}` } = fault;
  response.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  });
  response.end(JSON.stringify(protocol.error(status, message)));
}

function sendHtml({ response }: Wire): void {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<!doctype html><title>Sign in</title><p>Sign in to this network to go on.</p>");
}

async function sendJson(step: Step, { response, protocol, dialect, request }: Wire): Promise<void> {
  const answer = answerOf(step, request.model);
  const json = JSON.stringify(protocol.reply(answer, request.body, dialect));
  response.writeHead(200, { "content-type": "application/json" });
  switch (step.fault) {
    case "silence":
      response.flushHeaders();
      return;
    case "malformed":
      response.end(`{not json ${json}`);
      return;
    case "truncated":
      response.end(json.slice(0, json.length / 2));
      return;
    case "cut":
      response.write(json.slice(0, json.length / 2));
      await wait(20);
      response.destroy();
      return;
    default:
      response.end(json);
  }
}

async function sendStream(step: Step, wire: Wire): Promise<void> {
  const { response, protocol, dialect, request } = wire;
  const events = protocol.events(answerOf(step, request.model), request.body, dialect);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  await sendEvents(eventsWith(step.fault, events, protocol), step.eventDelayMs, wire);
  if (step.fault === "silence") return;
  if (step.fault === "cut") {
    await wait(20);
    response.destroy();
    return;
  }
  response.end();
}

function eventsWith(fault: Fault | undefined, { open, body, finish }: StreamEvents, protocol: Protocol): string[] {
  const all = [...open, ...body, ...finish];
  // Without its last event, the last thing that the model said is not complete either.
  const half = body.length > 1 ? body.slice(0, -1) : body;
  switch (fault) {
    case "silence":
      return all.slice(0, 1);
    case "malformed":
      return [all[0]!, "data: {not json\n\n", ...all.slice(1)];
    case "cut":
    case "truncated":
      return [...open, ...half];
    case "overloaded":
      return [...open, ...half, protocol.overloaded()];
    default:
      return all;
  }
}

async function sendEvents(events: string[], eventDelayMs: number | undefined, wire: Wire): Promise<void> {
  if (!eventDelayMs) return sendPieces(events, wire);
  for (const event of events) {
    if (wire.response.destroyed) return;
    wire.response.write(event);
    await wait(eventDelayMs);
  }
}

/** Pieces do not end where events end, and may end inside of a character. */
async function sendPieces(events: string[], { response, pieceBytes }: Wire): Promise<void> {
  const pieces = pieceBytes > 0 ? slices(Buffer.from(events.join("")), pieceBytes) : events;
  for (const piece of pieces) {
    if (response.destroyed) return;
    response.write(piece);
    await tick();
  }
}

function slices(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
}
