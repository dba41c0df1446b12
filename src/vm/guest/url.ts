/** The guest's `URL` and `URLSearchParams`. Node reads and writes their text: a pure function, the same in a replay. */

export const guestUrl = `
const urlNames = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
const SEARCH = 9;
let linkParams;

class URL {
  #parts;
  #params;
  constructor(url, base) {
    const parts = host(URL_PARSE, wellFormed(text(url)), base === undefined ? undefined : wellFormed(text(base)));
    if (parts === undefined) throw invalidUrl(url);
    this.#parts = parse(parts);
  }
  static canParse(url, base) {
    return host(URL_PARSE, wellFormed(text(url)), base === undefined ? undefined : wellFormed(text(base))) !== undefined;
  }
  static parse(url, base) {
    return URL.canParse(url, base) ? new URL(url, base) : null;
  }
  static {
    for (let index = 0; index < urlNames.length; index++) {
      const name = urlNames[index];
      const get = { get() { return this.#parts[index]; } };
      const set = name === "origin" ? undefined : { set(value) { this.#change(name, value); } };
      defineProperty(URL.prototype, name, {
        get: getOwnPropertyDescriptor(get, "get").value,
        set: set && getOwnPropertyDescriptor(set, "set").value,
        enumerable: true,
        configurable: true,
      });
    }
  }
  #change(name, value) {
    const parts = host(URL_CHANGE, this.#parts[0], name, wellFormed(text(value)));
    if (parts === undefined) throw invalidUrl(value);
    this.#parts = parse(parts);
    if (this.#params && (name === "href" || name === "search")) linkParams(this.#params, this.#parts[SEARCH]);
  }
  get searchParams() {
    if (!this.#params) {
      this.#params = new URLSearchParams(this.#parts[SEARCH]);
      linkParams(this.#params, undefined, (query) => { this.#parts = parse(host(URL_CHANGE, this.#parts[0], "search", query)); });
    }
    return this.#params;
  }
  toString() { return this.#parts[0]; }
  toJSON() { return this.#parts[0]; }
  get [Symbol.toStringTag]() { return "URL"; }
}

function invalidUrl(input) {
  const error = new TypeErrorClass("Invalid URL: " + text(input));
  error.code = "ERR_INVALID_URL";
  return error;
}

class URLSearchParams {
  #pairs = [];
  #changed;
  static {
    linkParams = (params, query, changed) => {
      if (query !== undefined) params.#pairs = pairsOf(query);
      if (changed) params.#changed = changed;
    };
  }
  constructor(init = "") {
    if (typeof init === "object" && init !== null) {
      const pairs = typeof init[Symbol.iterator] === "function" ? [...init] : keys(init).map((key) => [key, init[key]]);
      for (const pair of pairs) {
        const [name, value, ...rest] = pair;
        if (value === undefined || rest.length > 0) throw new TypeErrorClass("Each pair of a query is a name and a value");
        this.#pairs.push([wellFormed(text(name)), wellFormed(text(value))]);
      }
    } else this.#pairs = pairsOf(wellFormed(text(init)));
  }
  get size() { return this.#pairs.length; }
  append(name, value) { this.#pairs.push([wellFormed(text(name)), wellFormed(text(value))]); this.#tell(); }
  delete(name, value) {
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== text(name) || (value !== undefined && pair[1] !== text(value)));
    this.#tell();
  }
  get(name) { return this.#pairs.find((pair) => pair[0] === text(name))?.[1] ?? null; }
  getAll(name) { return this.#pairs.filter((pair) => pair[0] === text(name)).map((pair) => pair[1]); }
  has(name, value) { return this.#pairs.some((pair) => pair[0] === text(name) && (value === undefined || pair[1] === text(value))); }
  set(name, value) {
    const wanted = wellFormed(text(name));
    const first = this.#pairs.findIndex((pair) => pair[0] === wanted);
    if (first < 0) return this.append(wanted, value);
    this.#pairs[first][1] = wellFormed(text(value));
    this.#pairs = this.#pairs.filter((pair, index) => index <= first || pair[0] !== wanted);
    this.#tell();
  }
  sort() {
    this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#tell();
  }
  forEach(callback, self) { for (const [name, value] of this.#pairs) apply(callback, self, [value, name, this]); }
  *entries() { for (let index = 0; index < this.#pairs.length; index++) yield [this.#pairs[index][0], this.#pairs[index][1]]; }
  *keys() { for (const [name] of this.entries()) yield name; }
  *values() { for (const [, value] of this.entries()) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  toString() {
    const query = host(QUERY_WRITE, queryJson(this.#pairs));
    if (query === undefined) throw new RangeErrorClass(TOO_LONG);
    return query;
  }
  get [Symbol.toStringTag]() { return "URLSearchParams"; }
  #tell() { this.#changed?.(this.toString()); }
}

const TOO_LONG = "The query is longer than 1 MiB, or holds what is no text";

function pairsOf(query) {
  const pairs = host(QUERY_PARSE, query);
  if (pairs === undefined) throw new RangeErrorClass(TOO_LONG);
  return parse(pairs);
}

function queryJson(pairs) {
  let json = "";
  for (let index = 0; index < pairs.length; index++)
    json += (index === 0 ? "[[" : ",[") + stringify(pairs[index][0]) + "," + stringify(pairs[index][1]) + "]";
  return json === "" ? "[]" : json + "]";
}

define(globals, "URL", URL);
define(globals, "URLSearchParams", URLSearchParams);
`;
