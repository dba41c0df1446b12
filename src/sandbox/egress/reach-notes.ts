/** What a policy lets through, in words for a model. */

import type { EgressPolicy } from "../../core/egress.ts";
import { bracketed } from "./hosts.ts";

const MAX_SHOWN = 20;

/** `reaches a.test, b.test:8080; every other request is refused` */
export function reachNotes({ rules, asks }: EgressPolicy): string {
  const allowed = rules.filter(({ action }) => action === "allow");
  const shown = allowed.slice(0, MAX_SHOWN).map(({ host, ports, methods, pathPrefix }) => {
    const where = `${bracketed(host)}${ports ? `:${ports.join("/")}` : ""}${pathPrefix ?? ""}`;
    return methods ? `${where} (${methods.join(", ")})` : where;
  });
  if (allowed.length > shown.length) shown.push(`${allowed.length - shown.length} more`);
  const named = shown.length > 0 ? `reaches ${shown.join(", ")}` : "reaches nothing that is named";
  return `${named}; every other request is ${asks ? "asked about first" : "refused"}`;
}
