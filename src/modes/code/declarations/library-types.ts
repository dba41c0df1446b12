/** The types that JavaScript and the guest bring along: a program means those by these names. */

const names = `
  AggregateError Array ArrayBuffer ArrayBufferLike ArrayBufferTypes ArrayBufferView ArrayIterator ArrayLike
  AsyncDisposable AsyncDisposableStack AsyncGenerator AsyncGeneratorFunction AsyncIterable AsyncIterableIterator
  AsyncIterator AsyncIteratorObject Atomics Awaited BigInt BigInt64Array BigIntToLocaleStringOptions BigUint64Array
  Boolean BuiltinIteratorReturn CallableFunction Capitalize ClassAccessorDecoratorContext
  ClassAccessorDecoratorResult ClassAccessorDecoratorTarget ClassDecorator ClassDecoratorContext
  ClassFieldDecoratorContext ClassGetterDecoratorContext ClassMemberDecoratorContext ClassMethodDecoratorContext
  ClassSetterDecoratorContext ConcatArray Console ConstructorParameters Crypto DataView Date DecoratorContext
  DecoratorMetadata DecoratorMetadataObject Disposable DisposableStack Error ErrorOptions EvalError Exclude Exit
  Extract FinalizationRegistry FlatArray Float16Array Float32Array Float64Array Function Generator
  GeneratorFunction IArguments ImportAssertions ImportAttributes ImportCallOptions ImportMeta InstanceType
  Int16Array Int32Array Int8Array Intl Iterable IterableIterator Iterator IteratorObject IteratorResult
  IteratorReturnResult IteratorYieldResult JSON Lowercase Map MapIterator Math MethodDecorator NewableFunction
  NoInfer NonNullable Number Object Omit OmitThisParameter ParameterDecorator Parameters Partial Pick Promise
  PromiseConstructorLike PromiseFulfilledResult PromiseLike PromiseRejectedResult PromiseSettledResult
  PromiseWithResolvers PropertyDecorator PropertyDescriptor PropertyDescriptorMap PropertyKey Proxy ProxyHandler
  RangeError Readonly ReadonlyArray ReadonlyMap ReadonlySet ReadonlySetLike Record ReferenceError Reflect RegExp
  RegExpExecArray RegExpIndicesArray RegExpMatchArray RegExpStringIterator Required ReturnType Set SetIterator
  SharedArrayBuffer String StringIterator SuppressedError Symbol SyntaxError TemplateStringsArray TextDecoder
  TextEncoder ThisParameterType ThisType TypeError TypedPropertyDescriptor URIError URL URLSearchParams Uint16Array
  Uint32Array Uint8Array Uint8ClampedArray Uncapitalize Uppercase WeakKey WeakKeyTypes WeakMap WeakRef WeakSet
`;

export const libraryTypes: ReadonlySet<string> = new Set(names.trim().split(/\s+/));
