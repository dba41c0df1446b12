/** What the members of an object are called: in a program behind a dot, as calls behind an underscore. */

interface Named {
  readonly name: string;
}

/** In a program, in the log and in the sentences of errors: `Orders.status`. */
export function pathOf(object: Named, member: Named): string {
  return `${object.name}.${member.name}`;
}

/** Under which a tool is called: `Orders_cancel`. */
export function callName(object: Named, member: string): string {
  return `${object.name}_${member}`;
}

/** The call that reads all properties. */
export function getName(object: Named): string {
  return callName(object, "get");
}

/** The call that sets one. */
export function setName(object: Named, property: Named): string {
  return callName(object, `set_${property.name}`);
}
