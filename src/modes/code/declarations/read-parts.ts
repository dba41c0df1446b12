/** Functions, exits and objects with their schemas read: what is written, looked up and searched. */
import type { JsonSchema } from "../../../core/json-schema.ts";
import type { Declared, DeclaredExit, DeclaredObject } from "./index.ts";
import { isIdentifier } from "./literal.ts";
import { noteOf } from "./notes.ts";
import { SchemaReader } from "./read-schema.ts";
import { singular, typeName } from "./type-names.ts";
import { partsOf, type TypeNode, TypePool } from "./type-nodes.ts";

export interface Parts {
  /** Those of objects too: `Orders.cancel`. */
  readonly functions: readonly FunctionPart[];
  readonly exits: readonly ExitPart[];
  readonly objects: readonly ObjectPart[];
}

export interface FunctionPart {
  name: string;
  description: string | undefined;
  isOfObject: boolean;
  input: Parameter;
  /** Undefined: nobody says, so it may be anything. */
  output: TypeNode | undefined;
}

export interface ExitPart {
  name: string;
  description: string | undefined;
  value: Parameter;
}

export interface ObjectPart {
  name: string;
  description: string | undefined;
  properties: readonly PropertyPart[];
}

export interface PropertyPart {
  name: string;
  type: TypeNode | undefined;
  note: string;
  isWritable: boolean;
}

export interface Parameter {
  type: TypeNode | undefined;
  isOptional: boolean;
}

interface Given {
  functions: readonly Declared[];
  exits: readonly DeclaredExit[];
  objects: readonly DeclaredObject[];
}

export function readParts({ functions, exits, objects }: Given): Parts {
  const pool = new TypePool();
  const takes = new SchemaReader(pool, "input");
  const gives = new SchemaReader(pool, "output");
  const readFunction = (given: Declared, object?: string): FunctionPart => {
    const { description, input, output } = given;
    const name = object ? `${object}.${given.name}` : given.name;
    return {
      name,
      description,
      isOfObject: object !== undefined,
      input: parameter(takes, input, `${typeName(name)}Input`),
      output: output && gives.read(output, output, { name: resultName(name), rank: 1 }),
    };
  };
  const ofObjects = objects.flatMap((object) => object.functions.map((one) => readFunction(one, object.name)));
  return {
    functions: [...functions.map((one) => readFunction(one)), ...ofObjects],
    exits: exits.map(({ name, description, value }) => {
      return { name, description, value: parameter(takes, value, `${typeName(name)}Value`) };
    }),
    objects: objects.map(({ name, description, properties }) => {
      return { name, description, properties: properties.map((property) => readProperty(gives, property)) };
    }),
  };
}

/** Every place where a type stands. */
export function typesOf({ functions, exits, objects }: Parts): TypeNode[] {
  const types = [
    ...functions.flatMap(({ input, output }) => [input.type, output]),
    ...exits.map(({ value }) => value.type),
    ...objects.flatMap(({ properties }) => properties.map(({ type }) => type)),
  ];
  return types.filter((type) => type !== undefined);
}

function readProperty(gives: SchemaReader, property: DeclaredObject["properties"][number]): PropertyPart {
  const { name, description, type, writable } = property;
  const schema = type ?? {};
  return {
    name,
    type: type && gives.read(type, type, { name: typeName(name), rank: 2 }),
    note: noteOf(description === undefined ? schema : { ...schema, description }, schema, "output"),
    isWritable: writable,
  };
}

function parameter(takes: SchemaReader, schema: JsonSchema | undefined, name: string): Parameter {
  if (!schema) return { type: undefined, isOptional: true };
  const type = takes.read(schema, schema, { name, rank: 1 });
  return { type, isOptional: schema.default !== undefined || type === takes.pool.unknown || takesNothing(type) };
}

/** An object of which every property may be left out may be left out itself. */
function takesNothing(type: TypeNode): boolean {
  switch (type.kind) {
    case "object":
      return type.fields.every(({ isOptional }) => isOptional);
    case "intersection":
      return type.members.every(takesNothing);
    case "recursive":
      return partsOf(type).some((body) => body.kind === "object" && takesNothing(body));
    default:
      return false;
  }
}

/** What `orders.get` gives is best called an order. */
function resultName(name: string): string {
  const words = name.split(".").filter(isIdentifier);
  return words.length > 1 ? `${singular(typeName(words[0]!))}Result` : `${typeName(name)}Result`;
}
