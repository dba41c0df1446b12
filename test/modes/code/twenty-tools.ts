/** Twenty tools such as agents have, as JSON Schemas: what declarations are measured by. */
import { z } from "zod";
import type { Declared } from "../../../src/modes/code/declarations/index.ts";

const text = z.string();
const tier = z.enum(["free", "pro", "enterprise"]);
const orderStatus = z.enum(["open", "paid", "shipped", "cancelled", "refunded"]);
const place = z.object({ country: text, zip: text });

const customer = z.object({
  id: text,
  name: text,
  email: text,
  phone: text.nullable(),
  tier,
  createdAt: text,
  tags: z.array(text),
});

const order = z.object({
  id: text,
  customerId: text,
  status: orderStatus,
  total: z.number().describe("In cents"),
  currency: text,
  items: z.array(z.object({ sku: text, name: text, qty: z.number(), price: z.number() })),
  createdAt: text,
});

const assignee = z.union([
  z.object({ type: z.literal("user"), id: text }),
  z.object({ type: z.literal("team"), name: text }),
]);

export const twentyTools: readonly Declared[] = [
  tool(
    "crm.findCustomer",
    "Find a customer by email, phone or id. Returns null when nobody matches.",
    { email: text.optional().describe("Exact email address"), phone: text.optional(), id: text.optional() },
    customer.nullable(),
  ),
  tool(
    "crm.updateCustomer",
    "Update fields of a customer",
    {
      id: text,
      patch: z.object({
        name: text.optional(),
        email: text.optional(),
        phone: text.nullable().optional(),
        tier: tier.optional(),
        tags: z.array(text).optional(),
      }),
    },
    z.object({ updated: z.boolean() }),
  ),
  tool(
    "orders.list",
    "List orders, newest first",
    {
      customerId: text.optional(),
      status: orderStatus.optional(),
      limit: z.number().min(1).max(100).default(20).describe("Page size"),
      cursor: text.optional().describe("Cursor of the previous page"),
    },
    z.object({ orders: z.array(order), nextCursor: text.nullable() }),
  ),
  tool("orders.get", "Get one order", { id: text }, order),
  tool(
    "orders.refund",
    "Refund an order in full or in part. Needs human approval above 100 USD.",
    {
      orderId: text,
      amount: z.number().optional().describe("Cents; omit for a full refund"),
      reason: z.enum(["damaged", "late", "wrong_item", "other"]),
      note: text.max(500).optional(),
    },
    z.object({ refundId: text, status: z.enum(["pending", "done"]) }),
  ),
  tool(
    "inventory.check",
    "Check stock for SKUs",
    { skus: z.array(text).min(1), warehouse: text.optional() },
    z.record(text, z.number()),
  ),
  tool(
    "shipping.quote",
    "Quote shipping options",
    { from: place, to: place, weightGrams: z.number(), express: z.boolean().default(false) },
    z.array(z.object({ carrier: text, price: z.number(), days: z.number() })),
  ),
  tool(
    "shipping.track",
    "Track a parcel",
    { trackingNumber: text },
    z.object({
      status: z.enum(["label_created", "in_transit", "out_for_delivery", "delivered", "exception"]),
      eta: text.nullable(),
      events: z.array(z.object({ at: text, place: text, text })),
    }),
  ),
  tool(
    "email.send",
    "Send an email",
    {
      to: z.array(text).min(1),
      cc: z.array(text).optional(),
      subject: text,
      body: text.describe("Markdown"),
      attachments: z.array(z.object({ filename: text, fileId: text })).optional(),
    },
    z.object({ messageId: text }),
  ),
  tool(
    "email.search",
    "Search the mailbox",
    { query: text.describe("Gmail query syntax"), limit: z.number().optional() },
    z.array(z.object({ id: text, from: text, subject: text, snippet: text, date: text })),
  ),
  tool(
    "calendar.listEvents",
    "List calendar events in a time range",
    { from: text.describe("ISO date"), to: text.describe("ISO date"), calendarId: text.default("primary") },
    z.array(
      z.object({
        id: text,
        title: text,
        start: text,
        end: text,
        attendees: z.array(
          z.object({ email: text, status: z.enum(["accepted", "declined", "tentative", "needsAction"]) }),
        ),
      }),
    ),
  ),
  tool(
    "calendar.createEvent",
    "Create a calendar event",
    {
      title: text,
      start: text,
      end: text,
      attendees: z.array(text).optional(),
      location: text.optional(),
      description: text.optional(),
    },
    z.object({ id: text, url: text }),
  ),
  tool(
    "slack.post",
    "Post a message to a Slack channel",
    { channel: text.describe("Like #ops"), text, threadTs: text.optional() },
    z.object({ ts: text }),
  ),
  tool(
    "kb.search",
    "Semantic search over the knowledge base",
    {
      query: text,
      topK: z.number().default(5),
      filters: z.object({ product: text.optional(), language: z.enum(["en", "fr", "es", "de"]).optional() }).optional(),
    },
    z.array(z.object({ id: text, title: text, text, score: z.number(), url: text.nullable() })),
  ),
  tool("files.read", "Read a text file", { path: text, encoding: z.enum(["utf8", "base64"]).default("utf8") }, text),
  tool(
    "files.write",
    "Write a text file",
    { path: text, content: text, append: z.boolean().optional() },
    z.object({ bytes: z.number() }),
  ),
  tool(
    "db.query",
    "Run a read-only SQL query (PostgreSQL)",
    { sql: text, params: z.array(z.union([text, z.number(), z.boolean(), z.null()])).optional() },
    z.object({ columns: z.array(text), rows: z.array(z.record(text, z.unknown())), truncated: z.boolean() }),
  ),
  tool(
    "web.fetch",
    "Fetch a URL",
    {
      url: text,
      method: z.enum(["GET", "POST", "PUT", "DELETE"]).default("GET"),
      headers: z.record(text, text).optional(),
      body: text.optional(),
    },
    z.object({ status: z.number(), headers: z.record(text, text), text }),
  ),
  tool(
    "human.approve",
    "Ask a human for approval; may take days",
    { title: text, details: text, options: z.array(text).default(["approve", "reject"]) },
    z.object({ choice: text, comment: text.optional(), by: text }),
  ),
  tool(
    "tickets.create",
    "Create a support ticket",
    {
      title: text,
      body: text,
      priority: z.enum(["low", "normal", "high", "urgent"]).default("normal"),
      assignee: assignee.optional(),
    },
    z.object({ id: text, url: text }),
  ),
];

function tool(name: string, description: string, input: z.ZodRawShape, output: z.ZodType): Declared {
  return {
    name,
    description,
    input: z.toJSONSchema(z.object(input), { io: "input" }),
    output: z.toJSONSchema(output, { io: "output" }),
  };
}
