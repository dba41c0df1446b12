/** What the guest's codec knows of built-in classes. Part of one function: its names come from `guest-codec.ts`. */

export const guestKindsSource = `
/** By the prototypes that were there before the program; what is only made to look so fails when it is read, and is an object. */
function kindOf(value) {
  for (let prototype = getPrototypeOf(value); prototype !== null; prototype = getPrototypeOf(prototype)) {
    switch (prototype) {
      case ObjectPrototype: return undefined;
      case MapClass.prototype: return "map";
      case SetClass.prototype: return "set";
      case DateClass.prototype: return "date";
      case errorClasses.Error.prototype: return "error";
      case RegExpClass.prototype: return "regexp";
      case PromisePrototype: return "promise";
      case TypedPrototype: case Bits.prototype: case BufferPrototype: return "bytes";
      case LinkClass?.prototype: return "url";
    }
  }
  return undefined;
}

const PromisePrototype = Promise.prototype, BufferPrototype = ArrayBuffer.prototype;

function tagged(job, kind, value, path) {
  try {
    switch (kind) {
      case "map": mapEntries(value); return { __proto__: null, $haft: kind, entries: plainList() };
      case "set": setValues(value); return { __proto__: null, $haft: kind, values: plainList() };
      case "date": { const time = dateTime(value); return { __proto__: null, $haft: kind, value: time === time ? dateText(value) : null }; }
      case "regexp": {
        const json = { __proto__: null, $haft: kind, source: regexpSource(value), flags: "" };
        for (let index = 0; index < flags.length; index++) if (flags[index].read(value)) json.flags += flags[index].letter;
        return json;
      }
      case "url": return { __proto__: null, $haft: kind, value: linkText(value) };
      case "error": return { __proto__: null, $haft: kind, name: Text(find(value, "name") ?? errorName(value)), message: Text(find(value, "message") ?? "") };
      case "bytes": return writeBytes(value);
    }
  } catch (thrown) { if (kind === "error" || kind === "bytes") throw thrown; }
  return undefined;
}

function writeBytes(value) {
  const name = typedName(value);
  let type = name, bytes;
  if (name !== undefined) bytes = new Bytes(typedBuffer(value), typedOffset(value), typedLength(value));
  else if (isBits(value)) { type = "DataView"; bytes = new Bytes(bitsBuffer(value), bitsOffset(value), bitsLength(value)); }
  else { type = "ArrayBuffer"; bufferLength(value); bytes = new Bytes(value); }
  if (type !== "ArrayBuffer" && byteClasses[type] === undefined) throw new Mistake(type);
  return { __proto__: null, $haft: "bytes", type, base64: base64.encode(bytes) };
}

function isBits(value) { try { bitsLength(value); return true; } catch { return false; } }

function writeErrorParts(job, json, error, path) {
  const code = find(error, "code"), data = find(error, "data"), cause = find(error, "cause");
  if (typeof code === "string" || typeof code === "number") json.code = write(job, code, path, undefined);
  if (data !== undefined) json.data = write(job, data, path + ".data", undefined);
  if (cause !== undefined) json.cause = write(job, cause, path + ".cause", undefined);
  if (errorName(error) !== "AggregateError") return;
  const errors = find(error, "errors");
  if (errors !== undefined) json.errors = write(job, errors, path + ".errors", undefined);
}

/** Of the nearest class that was there before the program. */
function errorName(error) {
  for (let holder = error; holder !== null; holder = getPrototypeOf(holder)) {
    const name = errorNames.get(holder);
    if (name !== undefined) return name;
  }
  return "Error";
}
`;
