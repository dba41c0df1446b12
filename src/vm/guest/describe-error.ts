/** The guest's last words on an error: JSON of its name, message, code, data, cause and stack. Its getters may be hostile. */

export const guestDescribeError = `
const MAX_MESSAGE = 10000, MAX_STACK = 20000, MAX_ATTACHED = 65536;
const attachedOptions = { __proto__: null, isLossy: true, path: "value" };

function describeError(thrown) {
  if (!looksLikeError(thrown)) return describeOther(thrown);
  const name = readText(thrown, "name") || "Error";
  const message = readText(thrown, "message");
  const code = readProperty(thrown, "code");
  let json = '{"name":' + stringify(sliceText(name, 0, 200)) + ',"message":' + stringify(shorten(message));
  if (typeof code === "string" || (typeof code === "number" && code - code === 0)) json += ',"code":' + stringify(typeof code === "string" ? sliceText(code, 0, 1000) : code);
  const data = readProperty(thrown, "data");
  json += attached("data", data === undefined ? readProperty(thrown, "errors") : data);
  json += attached("cause", readProperty(thrown, "cause"));
  return json + ',"stack":' + stringify(sliceText(readText(thrown, "stack"), 0, MAX_STACK)) + "}";
}

function looksLikeError(thrown) {
  if (isErrorObject(thrown)) return true;
  try {
    return thrown instanceof ErrorClass;
  } catch {
    return false;
  }
}

function describeOther(thrown) {
  let words;
  try {
    words = typeof thrown === "string" ? thrown : typeof thrown === "symbol" ? describeSymbol(thrown)
      : typeof thrown === "object" && thrown !== null ? encode(thrown, attachedOptions) : text(thrown);
  } catch {
    words = "a value that cannot be told: " + typeof thrown;
  }
  return '{"name":"Thrown","message":' + stringify(shorten(words)) + "}";
}

function attached(name, value) {
  if (value === undefined) return "";
  try {
    const json = encode(value, attachedOptions);
    return json.length > MAX_ATTACHED ? "" : ',"' + name + '":' + json;
  } catch {
    return "";
  }
}

function readProperty(object, name) {
  try {
    return object[name];
  } catch {
    return undefined;
  }
}

function readText(object, name) {
  const value = readProperty(object, name);
  return typeof value === "string" ? value : "";
}

const shorten = (message) => (message.length > MAX_MESSAGE ? sliceText(message, 0, MAX_MESSAGE) + "…" : message);
`;
