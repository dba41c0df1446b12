/** The guest's `console`, `setTimeout`, `clearTimeout` and `queueMicrotask`. */

export const guestConsoleAndTimers = `
const printOptions = { __proto__: null, isLossy: true, path: "value" };
/** One by one: with a cycle in one of them, all together would be a graph and no list. */
const printer = (level, name) => ({
  [name](...values) {
    let list = "";
    for (let index = 0; index < values.length; index++) list += (index === 0 ? "" : ",") + encode(values[index], printOptions);
    host(PRINT, level, "[" + list + "]");
  },
})[name];
const consoleObject = {};
["log", "info", "warn", "error", "debug"].forEach((name, level) => { consoleObject[name] = printer(level, name); });
define(globals, "console", consoleObject);

let lastTimer = 0;
let timers = table();

define(globals, "setTimeout", function setTimeout(callback, delayMs = 0, ...args) {
  if (typeof callback !== "function") throw new TypeErrorClass("setTimeout takes a function");
  const delay = number(delayMs);
  const id = ++lastTimer;
  host(TIMER, id, delay > 0 ? (delay < 2147483647 ? delay : 2147483647) : 0);
  timers[id] = { __proto__: null, callback, args };
  return id;
});

define(globals, "clearTimeout", function clearTimeout(id) {
  if (typeof id === "number" && timers[id] !== undefined) {
    delete timers[id];
    host(TIMER_CLEARED, id);
  }
});

define(globals, "queueMicrotask", function queueMicrotask(callback) {
  if (typeof callback !== "function") throw new TypeErrorClass("queueMicrotask takes a function");
  nativeQueueMicrotask(() => guarded(callback, []));
});

function fireTimer(id) {
  const timer = timers[id];
  delete timers[id];
  if (timer !== undefined) guarded(timer.callback, timer.args);
}

/** Nobody could catch what it throws: it is reported like a rejection that nobody handled. */
function guarded(callback, args) {
  try {
    apply(callback, undefined, args);
  } catch (error) {
    rejected(error);
  }
}

function forgetTimers() {
  timers = table();
  lastTimer = 0;
}
`;
