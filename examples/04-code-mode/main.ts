/** The model writes a program over two tools. With HAFT_MODEL it is a real one, else it follows a script. */
import { execute, Tool } from "haft";
import { scriptedModel } from "haft/testing";
import { z } from "zod";

const invoices = [
  { id: 1, customer: "Ada", total: 120, isPaid: false },
  { id: 2, customer: "Grace", total: 80, isPaid: true },
  { id: 3, customer: "Mary", total: 240, isPaid: false },
];
const invoice = z.object({ id: z.number(), customer: z.string(), total: z.number(), isPaid: z.boolean() });

const listInvoices = new Tool({
  name: "listInvoices",
  description: "All invoices of this month",
  output: z.array(invoice),
  readOnly: true,
  handler: () => invoices,
});
const remind = new Tool({
  name: "remind",
  description: "Sends a customer a reminder",
  input: z.object({ customer: z.string(), text: z.string() }),
  output: z.string(),
  handler: ({ customer, text }) => `to ${customer}: ${text}`,
});

const code = `
const open = (await listInvoices()).filter((invoice) => !invoice.isPaid);
return Promise.all(open.map(({ customer, total }) => remind({ customer, text: "Please pay " + total + "." })));
`;
const script = scriptedModel([
  { toolCalls: [{ name: "run_program", input: { code } }] },
  "Ada and Mary were reminded.",
]);

const run = execute({
  model: process.env.HAFT_MODEL || script,
  mode: "code",
  tools: [listInvoices, remind],
  prompt: "Remind everybody who has not paid yet.",
});
for await (const event of run) {
  if (event.type === "program-start") console.log(event.code.trim());
  if (event.type === "tool-end") console.log("→", event.name, JSON.stringify(event.output ?? event.error));
}
const result = await run;
console.log(result.isError() ? result.error.message : result.output);
