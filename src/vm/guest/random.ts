/** The guest's `Math.random` and `crypto`: everything comes from the program's seed. */

export const guestRandom = `
let state0 = 0, state1 = 0, state2 = 0, state3 = 0;

/** Four whole numbers. */
function seedRandom(a, b, c, d) {
  state0 = a | 0; state1 = b | 0; state2 = c | 0; state3 = d | 0;
  for (let round = 0; round < 12; round++) next32(); // a poor seed is no different from a good one after that
}

/** sfc32. */
function next32() {
  const sum = (((state0 + state1) | 0) + state3) | 0;
  state3 = (state3 + 1) | 0;
  state0 = state1 ^ (state1 >>> 9);
  state1 = (state2 + (state2 << 3)) | 0;
  state2 = (state2 << 21) | (state2 >>> 11);
  state2 = (state2 + sum) | 0;
  return sum >>> 0;
}

define(Math, "random", function random() {
  return (next32() * 2097152 + (next32() >>> 11)) / 9007199254740992;
});

const isIntegerTag = table();
for (const tag of ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array"]) isIntegerTag[tag] = true;

const cryptoObject = {
  getRandomValues(array) {
    if (isIntegerTag[tagOfArray(array)] !== true) throw new TypeErrorClass("getRandomValues takes an array of whole numbers, such as Uint8Array");
    const bytes = bytesOfArray(array);
    if (bytes > 65536) throw new RangeErrorClass("getRandomValues fills at most 65,536 bytes");
    setArray(new Bytes(bufferOfArray(array), offsetOfArray(array), bytes), host(RANDOM, bytes));
    return array;
  },
  randomUUID() {
    const bytes = host(RANDOM, 16);
    bytes[6] = (bytes[6] & 15) | 64;
    bytes[8] = (bytes[8] & 63) | 128;
    let uuid = "";
    for (let index = 0; index < 16; index++) {
      if (index === 4 || index === 6 || index === 8 || index === 10) uuid += "-";
      uuid += hexDigits[bytes[index] >> 4] + hexDigits[bytes[index] & 15];
    }
    return uuid;
  },
};
const hexDigits = "0123456789abcdef";
define(globals, "crypto", cryptoObject);
`;
