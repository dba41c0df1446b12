/**
 * The guest's globals beside the language, and where the language's own declarations would refuse what runs well.
 * Later declarations of an interface are tried first.
 */
export const guestLib = `
interface Console {
  log(...values: any[]): void;
  info(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  debug(...values: any[]): void;
}
declare var console: Console;
/** What the program before this one returned. */
declare var $return: any;

declare function setTimeout(callback: (...values: any[]) => unknown, delayMs?: number, ...values: any[]): number;
declare function clearTimeout(timer?: number | null): void;
declare function queueMicrotask(callback: () => unknown): void;
declare function structuredClone<T>(value: T, options?: any): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;

interface Crypto {
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  randomUUID(): \`\${string}-\${string}-\${string}-\${string}-\${string}\`;
}
declare var crypto: Crypto;

interface TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array<ArrayBuffer>;
}
declare var TextEncoder: { prototype: TextEncoder; new (): TextEncoder };
interface TextDecoder {
  readonly encoding: string;
  decode(bytes?: ArrayBuffer | ArrayBufferView | null, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  prototype: TextDecoder;
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
};

interface URL {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
  toJSON(): string;
}
declare var URL: {
  prototype: URL;
  new (url: string | URL, base?: string | URL): URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};
interface URLSearchParams {
  readonly size: number;
  append(name: string, value: any): void;
  delete(name: string, value?: any): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: any): boolean;
  set(name: string, value: any): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, name: string, parent: URLSearchParams) => unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: Iterable<readonly [string, any]> | Record<string, any> | string | URLSearchParams): URLSearchParams;
};

declare function parseInt(text: string | number, radix?: number): number;
declare function parseFloat(text: string | number): number;
declare function isNaN(value: any): boolean;
declare function isFinite(value: any): boolean;

type $Truthy<T> = T extends false | 0 | 0n | "" | null | undefined ? never : T;
type $Wide<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : T;
/** What an earlier program left in a variable: not what it can hold, where its end had ruled null out. */
type $Kept<Declared, Final> = null extends Final ? Declared : undefined extends Final ? Declared
  : [Final] extends [never] ? Declared : NonNullable<Declared>;

interface Array<T> {
  filter(predicate: BooleanConstructor): $Truthy<T>[];
  includes(value: $Wide<T> | null | undefined, fromIndex?: number): boolean;
}
interface ReadonlyArray<T> {
  filter(predicate: BooleanConstructor): $Truthy<T>[];
  includes(value: $Wide<T> | null | undefined, fromIndex?: number): boolean;
}
interface SetConstructor {
  new <T = any>(): Set<T>;
}
interface PromiseConstructor {
  new <T = any>(
    executor: (resolve: (value?: T | PromiseLike<T>) => void, reject: (reason?: any) => void) => unknown,
  ): Promise<T>;
}
interface PromiseWithResolvers<T> {
  resolve(value?: T | PromiseLike<T>): void;
}
`;
