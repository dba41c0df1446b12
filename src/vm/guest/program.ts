/** The guest's part of a program's life: what it finds, its run, its end, and what stays of its top level. */

export const guestProgram = String.raw`
let previousReturn;
/** What this program's host put into the global object. */
let placed = table();
/** The names of the program that runs: { name: [get, set | null] }. */
let scope = null;
/** The kept names of all programs before it, in the same form. */
const kept = table();

/** The texts: paths of functions, and objects. */
function prepare(functionsJson, objectsJson) {
  forgetCalls();
  forgetTimers();
  scope = null;
  for (const name in placed) delete globals[name];
  const namespaces = table();
  makeFunctions(parse(functionsJson), namespaces);
  makeObjects(parse(objectsJson), namespaces);
  namespaces.exit = exit;
  namespaces.$return = previousReturn;
  for (const name in namespaces) {
    delete kept[name];
    defineProperty(globals, name, { __proto__: null, value: namespaces[name], writable: false, enumerable: true, configurable: true });
  }
  placed = namespaces;
}

/** Gives the promise of the program's end. */
function run(program) {
  return program((names) => { scope ??= names; });
}

class Exit {
  #name;
  #value;
  constructor(name, value) {
    this.#name = name;
    this.#value = value;
    freeze(this);
  }
  static is(value) { return typeof value === "object" && value !== null && #name in value; }
  static nameOf(exit) { return exit.#name; }
  static valueOf(exit) { return exit.#value; }
}
const { is: isExit, nameOf: nameOfExit, valueOf: valueOfExit } = Exit;
freeze(Exit.prototype);

function exit(name, value) {
  if (typeof name !== "string") throw new TypeErrorClass('exit takes a name and a value: return exit("name", value)');
  return new Exit(name, value);
}

const returnOptions = { __proto__: null, isLossy: true, path: "the returned value" };

/** A letter (returned, exit, threw), then JSON. */
function finish(isFulfilled, value) {
  if (!isFulfilled) return "t" + describeError(value);
  if (isExit(value)) return finishExit(nameOfExit(value), valueOfExit(value));
  previousReturn = value;
  return value === undefined ? "r" : "r" + encode(value, returnOptions);
}

function finishExit(name, value) {
  let json = "";
  try {
    if (value !== undefined) json = encode(value, { __proto__: null, isLossy: false, path: "the value of exit(" + stringify(name) + ")" });
  } catch (error) {
    return "t" + describeError(error);
  }
  return "x" + stringify(name) + "\n" + json;
}

/** What stands at the program's top level becomes part of the global object, and stays as live as it was. */
function keepScope() {
  const names = scope;
  scope = null;
  if (names === null) return;
  const all = keys(names);
  for (let index = 0; index < all.length; index++) keepName(all[index], names[all[index]]);
}

function keepName(name, accessors) {
  const { 0: get, 1: set } = accessors;
  try {
    get();
  } catch {
    return; // the program did not get as far as its declaration
  }
  const refuse = () => { throw new TypeErrorClass(name + " is a constant"); };
  try {
    defineProperty(globals, name, { __proto__: null, get, set: set ?? refuse, enumerable: true, configurable: true });
    kept[name] = accessors;
  } catch {} // "undefined" and the like cannot be replaced
}

/** JSON: [{ name, kind }]. */
function describeKept() {
  let json = "";
  for (const name in kept)
    json += (json && ",") + '{"name":' + stringify(name) + ',"kind":' + stringify(kindOf(kept[name][0])) + "}";
  return "[" + json + "]";
}

function kindOf(get) {
  try {
    const value = get();
    if (value === null) return "null";
    if (typeof value !== "object") return typeof value;
    if (isArray(value)) return "Array(" + value.length + ")";
    if (value instanceof Map) return "Map(" + sizeOfMap(value) + ")";
    if (value instanceof Set) return "Set(" + sizeOfSet(value) + ")";
    const name = getOwnPropertyDescriptor(getPrototypeOf(value)?.constructor ?? {}, "name")?.value;
    return typeof name === "string" && name !== "" && name !== "Object" ? sliceText(name, 0, 60) : "object";
  } catch {
    return "object";
  }
}
`;
