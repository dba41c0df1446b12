/** The half of the guest's codec that reads. Part of one function: its names come from `guest-codec.ts`. */

export const guestDecodeSource = `
/** JSON.stringify, which wrote the text, escapes none of these. */
function decode(text) {
  const json = parse(text);
  return textIncludes(text, "$haft") || textIncludes(text, "__proto__") ? read(json, undefined) : json;
}

/** Lists and objects are those that were parsed: nothing else holds them. */
function read(json, graph) {
  if (typeof json !== "object" || json === null) return json;
  if (!isArray(json) && hasOwn(json, "$haft") && typeof json.$haft === "string") return readTagged(json, graph);
  graph?.made.set(json, json);
  const names = keys(json), { length } = names;
  for (let index = 0; index < length; index++) {
    const key = names[index];
    if (key === "__proto__") delete json[key];
    else { const part = json[key]; if (typeof part === "object" && part !== null) json[key] = read(part, graph); }
  }
  return json;
}

function readTagged(json, graph) {
  switch (json.$haft) {
    case "undefined": return undefined;
    case "number": return +textOf(json, "value");
    case "bigint": return Big(textOf(json, "value"));
    case "date": return new DateClass(part(json, "value") === null ? NaN : textOf(json, "value"));
    case "regexp": return new RegExpClass(textOf(json, "source"), textOf(json, "flags"));
    case "url": return LinkClass ? new LinkClass(textOf(json, "value")) : textOf(json, "value");
    case "map": return readMap(json, graph);
    case "set": return readSet(json, graph);
    case "error": return readError(json, graph);
    case "bytes": return readBytes(textOf(json, "type"), textOf(json, "base64"));
    case "object": return readPairs(json, graph);
    case "graph": return readNode(0, { __proto__: null, nodes: listOf(json, "nodes"), made: newTable() });
    case "ref": return readNode(part(json, "node"), graph);
    default: throw unreadable();
  }
}

function unreadable() { return new Mistake("A value that was handed over cannot be read"); }

function part(json, key) { return hasOwn(json, key) ? json[key] : undefined; }

function textOf(json, key) {
  const text = part(json, key);
  if (typeof text !== "string") throw unreadable();
  return text;
}

function listOf(json, key) {
  const list = part(json, key);
  if (!isArray(list)) throw unreadable();
  return list;
}

function readNode(number, graph) {
  if (graph === undefined || !isInteger(number) || !hasOwn(graph.nodes, number)) throw unreadable();
  const node = graph.nodes[number];
  if (typeof node !== "object" || node === null) return node;
  if (graph.made.has(node)) return graph.made.get(node);
  if (part(node, "$haft") === "ref") throw unreadable();
  const value = read(node, graph);
  graph.made.set(node, value);
  return value;
}

function readMap(json, graph) {
  const map = new MapClass(), entries = listOf(json, "entries");
  graph?.made.set(json, map);
  for (let index = 0; index < entries.length; index++) {
    const pair = listOf(entries, index);
    mapSet(map, read(part(pair, 0), graph), read(part(pair, 1), graph));
  }
  return map;
}

function readSet(json, graph) {
  const set = new SetClass(), values = listOf(json, "values");
  graph?.made.set(json, set);
  for (let index = 0; index < values.length; index++) setAdd(set, read(values[index], graph));
  return set;
}

function readPairs(json, graph) {
  const result = {}, pairs = listOf(json, "value");
  graph?.made.set(json, result);
  for (let index = 0; index < pairs.length; index++) {
    const pair = listOf(pairs, index), key = textOf(pair, 0);
    if (key !== "__proto__") define(result, key, read(part(pair, 1), graph), true);
  }
  return result;
}

/** Past any setter. */
function define(target, key, value, enumerable) {
  defineProperty(target, key, { __proto__: null, value, enumerable, writable: true, configurable: true });
}

function readError(json, graph) {
  const name = textOf(json, "name"), message = textOf(json, "message"), isAggregate = name === "AggregateError";
  const known = errorClasses[name];
  const error = isAggregate ? new AggregateClass(setPrototypeOf([], noItems), message) : new (known ?? errorClasses.Error)(message);
  graph?.made.set(json, error);
  if (known === undefined && !isAggregate) define(error, "name", name, false);
  const code = part(json, "code");
  if (typeof code === "string" || typeof code === "number") define(error, "code", code, true);
  if (hasOwn(json, "data")) define(error, "data", read(json.data, graph), true);
  if (hasOwn(json, "cause")) define(error, "cause", read(json.cause, graph), false);
  if (isAggregate) define(error, "errors", hasOwn(json, "errors") ? read(json.errors, graph) : [], false);
  return error;
}

/** The constructor of an AggregateError iterates. */
const noItems = { __proto__: null, [Symbol.iterator]: () => ({ __proto__: null, next: () => ({ __proto__: null, done: true }) }) };

function readBytes(type, text) {
  let bytes = base64.decode(text);
  if (typedOffset(bytes) !== 0 || bufferLength(typedBuffer(bytes)) !== typedLength(bytes)) bytes = new Bytes(bytes);
  if (type === "ArrayBuffer") return typedBuffer(bytes);
  return new (byteClasses[type] ?? Bytes)(typedBuffer(bytes));
}
`;
