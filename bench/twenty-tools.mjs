/** Twenty tools as agents have them. `z` is given, so that each library gets the same ones in its own schemas. */
export function twentyTools(z) {
  const text = z.string();
  const note = (description) => z.string().describe(description);
  const tier = z.enum(["free", "pro", "enterprise"]);
  const status = z.enum(["open", "paid", "shipped", "cancelled", "refunded"]);
  const place = z.object({ country: text, zip: text });
  const order = z.object({
    id: text,
    customerId: text,
    status,
    total: z.number().describe("In cents"),
    currency: text,
    items: z.array(z.object({ sku: text, name: text, qty: z.number(), price: z.number() })),
    createdAt: text,
  });
  const tool = (name, description, input, output) => ({ name, description, input: z.object(input), output });
  return [
    tool(
      "crm_findCustomer",
      "Find a customer by email, phone or id. Returns null when nobody matches.",
      { email: note("Exact email address").optional(), phone: text.optional(), id: text.optional() },
      z
        .object({
          id: text,
          name: text,
          email: text,
          phone: text.nullable(),
          tier,
          createdAt: text,
          tags: z.array(text),
        })
        .nullable(),
    ),
    tool(
      "crm_updateCustomer",
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
      "orders_list",
      "List orders, newest first",
      {
        customerId: text.optional(),
        status: status.optional(),
        limit: z.number().min(1).max(100).default(20).describe("Page size"),
        cursor: note("Cursor of the previous page").optional(),
      },
      z.object({ orders: z.array(order), nextCursor: text.nullable() }),
    ),
    tool("orders_get", "Get one order", { id: text }, order),
    tool(
      "orders_refund",
      "Refund an order in full or in part. Needs human approval above 100 USD.",
      {
        orderId: text,
        amount: z.number().describe("Cents; omit for a full refund").optional(),
        reason: z.enum(["damaged", "late", "wrong_item", "other"]),
        note: z.string().max(500).optional(),
      },
      z.object({ refundId: text, status: z.enum(["pending", "done"]) }),
    ),
    tool(
      "inventory_check",
      "Check stock for SKUs",
      { skus: z.array(text).min(1), warehouse: text.optional() },
      z.record(z.string(), z.number()),
    ),
    tool(
      "shipping_quote",
      "Quote shipping options",
      { from: place, to: place, weightGrams: z.number(), express: z.boolean().default(false) },
      z.array(z.object({ carrier: text, price: z.number(), days: z.number() })),
    ),
    tool(
      "shipping_track",
      "Track a parcel",
      { trackingNumber: text },
      z.object({
        status: z.enum(["label_created", "in_transit", "out_for_delivery", "delivered", "exception"]),
        eta: text.nullable(),
        events: z.array(z.object({ at: text, place: text, text })),
      }),
    ),
    tool(
      "email_send",
      "Send an email",
      {
        to: z.array(text).min(1),
        cc: z.array(text).optional(),
        subject: text,
        body: note("Markdown"),
        attachments: z.array(z.object({ filename: text, fileId: text })).optional(),
      },
      z.object({ messageId: text }),
    ),
    tool(
      "email_search",
      "Search the mailbox",
      { query: note("Gmail query syntax"), limit: z.number().optional() },
      z.array(z.object({ id: text, from: text, subject: text, snippet: text, date: text })),
    ),
    tool(
      "calendar_listEvents",
      "List calendar events in a time range",
      { from: note("ISO date"), to: note("ISO date"), calendarId: z.string().default("primary") },
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
      "calendar_createEvent",
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
      "slack_post",
      "Post a message to a Slack channel",
      { channel: note("Like #ops"), text, threadTs: text.optional() },
      z.object({ ts: text }),
    ),
    tool(
      "kb_search",
      "Semantic search over the knowledge base",
      {
        query: text,
        topK: z.number().default(5),
        filters: z
          .object({ product: text.optional(), language: z.enum(["en", "fr", "es", "de"]).optional() })
          .optional(),
      },
      z.array(z.object({ id: text, title: text, text, score: z.number(), url: text.nullable() })),
    ),
    tool("files_read", "Read a text file", { path: text, encoding: z.enum(["utf8", "base64"]).default("utf8") }, text),
    tool(
      "files_write",
      "Write a text file",
      { path: text, content: text, append: z.boolean().optional() },
      z.object({ bytes: z.number() }),
    ),
    tool(
      "db_query",
      "Run a read-only SQL query (PostgreSQL)",
      { sql: text, params: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).optional() },
      z.object({
        columns: z.array(text),
        rows: z.array(z.record(z.string(), z.unknown())),
        truncated: z.boolean(),
      }),
    ),
    tool(
      "web_fetch",
      "Fetch a URL",
      {
        url: text,
        method: z.enum(["GET", "POST", "PUT", "DELETE"]).default("GET"),
        headers: z.record(z.string(), z.string()).optional(),
        body: text.optional(),
      },
      z.object({ status: z.number(), headers: z.record(z.string(), z.string()), text }),
    ),
    tool(
      "human_approve",
      "Ask a human for approval; may take days",
      { title: text, details: text, options: z.array(text).default(["approve", "reject"]) },
      z.object({ choice: text, comment: text.optional(), by: text }),
    ),
    tool(
      "tickets_create",
      "Create a support ticket",
      {
        title: text,
        body: text,
        priority: z.enum(["low", "normal", "high", "urgent"]).default("normal"),
        assignee: z
          .union([z.object({ type: z.literal("user"), id: text }), z.object({ type: z.literal("team"), name: text })])
          .optional(),
      },
      z.object({ id: text, url: text }),
    ),
  ];
}
