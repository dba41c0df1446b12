/** The guest's objects: sealed, their values frozen, each assignment asked of the host before it is true. */

export const guestObjects = `
/** The text: [{ name, properties: [{ name, writable, value }] }], each value a text itself. */
function makeObjects(objects, namespaces) {
  for (let index = 0; index < objects.length; index++) {
    const { name, properties } = objects[index];
    const inner = getOwnPropertyDescriptor(namespaces, name)?.value;
    defineProperty(namespaces, name, {
      __proto__: null, value: makeObject(index, name, properties, inner ?? {}), enumerable: true, configurable: true,
    });
  }
}

function makeObject(objectIndex, name, properties, target) {
  const slots = table();
  for (let index = 0; index < properties.length; index++) {
    const property = properties[index];
    const slot = slots[property.name] = { __proto__: null, index, writable: property.writable, value: undefined };
    const path = name + "." + property.name;
    if (property.value !== undefined) slot.value = protect(decode(property.value), path);
    const accessor = {
      get value() { return slot.value; },
      set value(value) { assign(slot, path, objectIndex, value, slots, name); },
    };
    const { get, set } = getOwnPropertyDescriptor(accessor, "value");
    defineProperty(target, property.name, { __proto__: null, get, set, enumerable: true, configurable: false });
  }
  preventExtensions(target);
  return new ProxyClass(target, {
    __proto__: null,
    set(_target, key, value) {
      const slot = typeof key === "string" ? slots[key] : undefined;
      if (slot === undefined) throw new TypeErrorClass(noProperty(name, key, target, slots));
      assign(slot, name + "." + key, objectIndex, value, slots, name);
      return true;
    },
  });
}

function noProperty(name, key, target, slots) {
  const shown = typeof key === "symbol" ? describeSymbol(key) : key;
  if (getOwnPropertyDescriptor(target, key)) return name + "." + shown + " is a function, and cannot be assigned. " + writableNames(name, slots);
  return name + " has no property " + shown + ". It has: " + listOf(keys(slots));
}

const writableNames = (name, slots) => {
  let names = "";
  for (const key in slots) if (slots[key].writable) names += (names && ", ") + key;
  return names === "" ? "Nothing of " + name + " can be assigned" : "What can be assigned: " + names;
};

function listOf(names) {
  let list = "";
  for (let index = 0; index < names.length; index++) list += (index === 0 ? "" : ", ") + names[index];
  return list || "nothing";
}

function assign(slot, path, objectIndex, value, slots, name) {
  if (!slot.writable) throw new TypeErrorClass(path + " is read-only. " + writableNames(name, slots));
  const json = value === undefined ? undefined : encode(value, { __proto__: null, isLossy: false, path });
  const answer = host(WRITE, objectIndex, slot.index, json);
  if (answer === undefined) slot.value = undefined;
  else if (answer[0] === "!") throw new TypeErrorClass(sliceText(answer, 1));
  else slot.value = protect(decode(answer), path);
}

/** A value that the program can read and not change: whoever would change a part of it assigns the whole property. */
function protect(value, path) {
  if (typeof value !== "object" || value === null) return value;
  const refuse = () => { throw new TypeErrorClass("A part of " + path + " cannot be changed: assign the whole property"); };
  const isPlain = isArray(value) || getPrototypeOf(value) === plainPrototype;
  if (!isPlain) return protectOther(value, refuse);
  const names = keys(value);
  for (let index = 0; index < names.length; index++) defineShown(value, names[index], protect(value[names[index]], path));
  freeze(value);
  return new ProxyClass(value, { __proto__: null, set: refuse, defineProperty: refuse, deleteProperty: refuse, setPrototypeOf: refuse });
}

/** Date, Map, Set and their like hold what they hold beside their properties: their own methods refuse instead. */
function protectOther(value, refuse) {
  const names = ownKeys(getPrototypeOf(value));
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (typeof name === "string" && (changingNames[name] === true || sliceText(name, 0, 3) === "set")) define(value, name, refuse);
  }
  return bytesLike(value) ? value : freeze(value);
}

const changingNames = table();
for (const name of ["add", "delete", "clear", "copyWithin", "fill", "reverse", "sort"]) changingNames[name] = true;
const bytesLike = ArrayBuffer.isView;
const plainPrototype = getPrototypeOf({});
`;
