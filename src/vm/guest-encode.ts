/** The half of the guest's codec that writes. Part of one function: its names come from `guest-codec.ts`. */

export const guestEncodeSource = `
function encode(value, options) {
  const isLossy = options !== undefined && hasOwn(options, "isLossy") && options.isLossy === true;
  const path = options !== undefined && hasOwn(options, "path") ? options.path : "value";
  if (isUntouched() && isPlain(value)) {
    const text = stringify(value);
    if (typeof text === "string") return text; // else a proxy gave something else when it was asked again
  }
  const job = { __proto__: null, isLossy, written: newTable(), open: newTable(), depth: 0, repeated: newTable(), isCyclic: false, failure: undefined };
  const json = write(job, value, path, undefined);
  return stringify(job.isCyclic ? graphOf(json, job.repeated) : json);
}

/** Nothing is to be found in a prototype that JSON or an array would take for a value's own. */
function isUntouched() {
  for (const _ in ArrayPrototype) return false;
  return !("toJSON" in ArrayPrototype);
}

/** JSON.stringify writes it as it is. Runs no getter of an object, so that each runs once. */
function isPlain(value) {
  switch (typeof value) {
    case "string": case "boolean": return true;
    case "number": return value - value === 0 && (value !== 0 || 1 / value > 0);
    case "object":
      try { return value === null || isPlainObject(value, 0); } catch { return false; }
  }
  return false;
}

/** A call for each value would take longer than the rest: primitives are looked at in place. */
function isPlainObject(value, depth) {
  if (depth > 100) return false;
  if (isArray(value)) {
    const { length } = value;
    for (let index = 0; index < length; index++) {
      const item = value[index], type = typeof item;
      if (type === "string" || type === "boolean" || item === null) continue;
      if (type === "number") { if (item - item !== 0 || (item === 0 && 1 / item < 0)) return false; }
      else if (type !== "object" || !isPlainObject(item, depth + 1)) return false;
    }
    return true;
  }
  const prototype = getPrototypeOf(value);
  if (prototype !== ObjectPrototype && prototype !== null) return false;
  const names = keys(value), { length } = names;
  for (let index = 0; index < length; index++) {
    const key = names[index];
    if (key === "$haft" || key === "toJSON" || key === "__proto__" || getterOf(value, key) !== undefined) return false;
    const item = value[key], type = typeof item;
    if (type === "string" || type === "boolean" || item === null || item === undefined) continue;
    if (type === "number") { if (item - item !== 0 || (item === 0 && 1 / item < 0)) return false; }
    else if (type !== "object" || !isPlainObject(item, depth + 1)) return false;
  }
  return true;
}

/** Less than the host's: the stack of a VM is small. */
const MAX_DEPTH = 400;

/** "sources": a chain of objects whose toJSON gave the value. */
function write(job, value, path, sources) {
  switch (typeof value) {
    case "string": case "boolean": return value;
    case "number":
      if (value - value === 0 && (value !== 0 || 1 / value > 0)) return value;
      return { __proto__: null, $haft: "number", value: value === 0 ? "-0" : "" + value };
    case "undefined": return { __proto__: null, $haft: "undefined" };
    case "bigint": return { __proto__: null, $haft: "bigint", value: "" + value };
    case "symbol": return refuse(job, path, "a symbol", Text(value));
    case "function": return refuseFunction(job, path, value);
  }
  if (value === null) return null;
  const known = job.written.get(value);
  if (known !== undefined) {
    if (job.open.has(known)) job.isCyclic = true;
    job.repeated.set(known, true);
    for (let source = sources; source; source = source.next) job.written.set(source.value, known);
    return known;
  }
  for (let source = sources; source; source = source.next)
    if (source.value === value) return refuse(job, path, "an object whose toJSON gives that object again", "object");
  if (job.depth >= MAX_DEPTH) return refuse(job, textSlice(path, 0, 60) + "…", "nested deeper than " + MAX_DEPTH, "nested deeper than " + MAX_DEPTH);
  const { depth } = job;
  job.depth++;
  try {
    return writeObject(job, value, path, sources);
  } catch (thrown) {
    if (job.failure !== undefined && thrown === job.failure) throw thrown;
    return refuse(job, path, "an object that fails when it is read", "object that fails when it is read");
  } finally { job.depth = depth; }
}

function refuse(job, path, what, word) {
  if (job.isLossy) return "[" + word + "]";
  throw (job.failure = new Mistake(path + " is " + what + (what === "a promise" ? ": was an await forgotten?" : ", which cannot leave the program")));
}

function refuseFunction(job, path, value) {
  let name;
  try { name = getOwnPropertyDescriptor(value, "name")?.value; } catch {}
  const isNamed = typeof name === "string" && name !== "";
  return refuse(job, path, isNamed ? "the function " + name : "a function", isNamed ? "function " + name : "function");
}

function writeObject(job, value, path, sources) {
  const isList = isArray(value);
  const kind = isList ? undefined : kindOf(value);
  if (kind === "promise") return refuse(job, path, "a promise", "promise");
  const json = isList ? plainList() : kind === undefined ? undefined : tagged(job, kind, value, path);
  if (json === undefined) return writeProperties(job, value, path, sources);
  begin(job, json, value, sources);
  if (isList) {
    const { length } = value;
    for (let index = 0; index < length; index++)
      json[index] = write(job, hasOwn(value, index) ? value[index] : undefined, path + "[" + index + "]", undefined);
  } else if (kind === "map") {
    const entries = mapEntries(value);
    for (let index = 0, step; !(step = mapNext(entries)).done; index++) {
      const pair = json.entries[index] = plainList();
      pair[0] = write(job, step.value[0], path + "<key " + index + ">", undefined);
      pair[1] = write(job, step.value[1], path + "<value " + index + ">", undefined);
    }
  } else if (kind === "set") {
    const values = setValues(value);
    for (let index = 0, step; !(step = setNext(values)).done; index++)
      json.values[index] = write(job, step.value, path + "<item " + index + ">", undefined);
  } else if (kind === "error") {
    writeErrorParts(job, json, value, path);
  }
  job.open.delete(json);
  return json;
}

/** From here on the value is known, though its parts are still to come. */
function begin(job, json, value, sources) {
  job.written.set(value, json);
  for (let source = sources; source; source = source.next) job.written.set(source.value, json);
  job.open.set(json, true);
}

/** A property of the object or its own classes; what somebody put on the prototypes below is no part of a value. */
function find(value, key) {
  for (let holder = value; holder !== null && holder !== ObjectPrototype && !errorNames.has(holder); holder = getPrototypeOf(holder))
    if (hasOwn(holder, key)) return value[key];
  return undefined;
}

function writeProperties(job, value, path, sources) {
  const prototype = getPrototypeOf(value), isSimple = prototype === ObjectPrototype || prototype === null;
  const toJSON = find(value, "toJSON");
  if (!isSimple && typeof find(value, "then") === "function") return refuse(job, path, "a promise", "promise");
  if (typeof toJSON === "function")
    return write(job, apply(toJSON, value), path, { __proto__: null, value, next: sources });
  const names = keys(value), { length } = names;
  if (length === 0 && !isSimple) {
    const tag = find(value, toStringTag);
    if (tag !== undefined) return refuse(job, path, "an object of the class " + Text(tag), Text(tag));
  }
  const isTagged = find(value, "$haft") !== undefined || hasOwn(value, "$haft");
  const pairs = isTagged ? plainList() : undefined;
  const json = isTagged ? { __proto__: null, $haft: "object", value: pairs } : { __proto__: null };
  begin(job, json, value, sources);
  for (let index = 0; index < length; index++) {
    const key = names[index];
    if (key === "__proto__") continue;
    const item = value[key];
    if (item === undefined) continue;
    const part = write(job, item, path + "." + key, undefined);
    if (!isTagged) json[key] = part;
    else { const pair = pairs[pairs.length] = plainList(); pair[0] = key; pair[1] = part; }
  }
  job.open.delete(json);
  return json;
}

/** As the host's codec numbers them: the value, then each object that is met more than once. */
function graphOf(root, repeated) {
  const nodes = plainList(), numbers = newTable();
  nodes[0] = root;
  numbers.set(root, 0);
  const place = (json) => {
    let number = numbers.get(json);
    if (number === undefined) {
      if (!repeated.has(json)) { replaceParts(json); return json; }
      number = nodes.length;
      nodes[number] = json;
      numbers.set(json, number);
    }
    return { __proto__: null, $haft: "ref", node: number };
  };
  const replaceParts = (json) => {
    const names = keys(json), { length } = names;
    for (let index = 0; index < length; index++) {
      const part = json[names[index]];
      if (typeof part === "object" && part !== null) json[names[index]] = place(part);
    }
  };
  for (let next = 0; next < nodes.length; next++) replaceParts(nodes[next]);
  return { __proto__: null, $haft: "graph", nodes };
}
`;
