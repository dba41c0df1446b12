/** The guest's part of a call: its promise, its place, its input on the way out, and its settlement on the way back. */

export const guestCalls = `
let lastCall = 0;
/** By id: { resolve, reject, site }. */
let waiting = table();
let functionNames = [];

/** The functions of this program: namespaces are made on the way. */
function makeFunctions(paths, namespaces) {
  functionNames = paths;
  for (let index = 0; index < paths.length; index++) {
    const parts = splitText(paths[index], ".");
    let place = namespaces;
    for (let depth = 0; depth < parts.length - 1; depth++) {
      const name = parts[depth];
      if (!getOwnPropertyDescriptor(place, name)) defineShown(place, name, {});
      place = place[name];
    }
    const name = parts[parts.length - 1];
    const inner = getOwnPropertyDescriptor(place, name)?.value;
    const made = makeFunction(index, name);
    const below = inner ? keys(inner) : [];
    for (let key = 0; key < below.length; key++) defineShown(made, below[key], inner[below[key]]);
    defineProperty(place, name, { __proto__: null, value: made, enumerable: true, configurable: true });
  }
}

function makeFunction(index, name) {
  return {
    [name](input, second = undefined) {
      if (second !== undefined) return rejected(new TypeErrorClass(functionNames[index] + " takes one argument: an object with everything that it needs"));
      return call(index, input);
    },
  }[name];
}

function call(index, input) {
  const site = stackOf(new ErrorClass());
  let json;
  try {
    if (input !== undefined) json = encode(input, inputOptions(index));
  } catch (error) {
    return rejected(error);
  }
  const id = ++lastCall;
  const refusal = host(CALL, id, index, site, json);
  if (refusal !== undefined) {
    lastCall--;
    return rejected(new RangeErrorClass(refusal));
  }
  const { promise, resolve, reject } = promiseWithResolvers();
  waiting[id] = { __proto__: null, resolve, reject, site };
  return promise;
}

const optionsOfInput = table();
function inputOptions(index) {
  const name = functionNames[index];
  return (optionsOfInput[name] ??= { __proto__: null, isLossy: false, path: name + "(input)" });
}

function take(id) {
  const call = waiting[id];
  delete waiting[id];
  return call;
}

/** With a value that is JSON as it is. */
function resolveCall(id, value) {
  take(id).resolve(value);
}

/** With a text that holds more than JSON has. */
function resolveEncoded(id, json) {
  const { resolve, reject } = take(id);
  let value;
  try {
    value = decode(json);
  } catch (error) {
    return reject(error);
  }
  resolve(value);
}

/** The text: { name, message, code, data, cause }, the last two texts themselves. */
function rejectCall(id, json) {
  const { reject, site } = take(id);
  reject(makeError(parse(json), site));
}

const errorClasses = table();
for (const make of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) errorClasses[make.name] = make;

function makeError(told, site) {
  const { name, message, code, data, cause } = { __proto__: null, ...told };
  const error = new (errorClasses[name] ?? ErrorClass)(message);
  if (name !== undefined && errorClasses[name] === undefined) define(error, "name", name);
  if (code !== undefined) defineShown(error, "code", code);
  if (data !== undefined) defineShown(error, "data", decode(data));
  if (cause !== undefined) define(error, "cause", decode(cause));
  define(error, "stack", ownStack(site));
  return error;
}

/** Nothing settles what an ended program had begun. */
function forgetCalls() {
  waiting = table();
  lastCall = 0;
}
`;
