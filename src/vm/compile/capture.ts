/** How a program's top level stays open when it has ended, or has thrown: a reader and a writer for each name. */

/** An object of `[get, set]`, by name. `set` is null for what cannot be assigned to. */
export function captureOf(names: ReadonlyMap<string, { isWritable: boolean }>): string {
  const pairs = [...names].map(([name, { isWritable }]) => {
    const value = name === "_" ? "__" : "_";
    // In brackets, for a property that is written `"__proto__":` is none.
    return `[${JSON.stringify(name)}]:[()=>${name},${isWritable ? `(${value})=>{${name}=${value}}` : "null"}]`;
  });
  return `{${pairs.join(",")}}`;
}
