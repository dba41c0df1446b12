/** Stand-in until the codec of the guest is there: plain JSON only. */
export const guestCodecSource = String.raw`(base64) => ({
  encode(value, options) {
    const json = JSON.stringify(value, (key, item) => {
      if (typeof item === "function" || typeof item === "symbol") {
        if (options.lossy) return "[" + typeof item + "]";
        throw new TypeError(options.path + " is a " + typeof item);
      }
      return typeof item === "bigint" ? { $haft: "bigint", value: String(item) } : item;
    });
    return json === undefined ? '{"$haft":"undefined"}' : json;
  },
  decode(json) {
    return JSON.parse(json);
  },
})`;
