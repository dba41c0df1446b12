/** A program's assignments to properties of objects: numbered, so that a replay makes the same. */
import type { BoundObject, Hands, PastProgram } from "../../core/mode.ts";
import { pathOf } from "../../core/object-names.ts";
import type { ProgramObject, ProgramWrite, WriteAnswer } from "../../core/program.ts";

export class Writes {
  readonly #hands: Hands;
  /** The iteration of a program that is run again. */
  readonly #earlier: string | undefined;
  #count = 0;

  constructor(hands: Hands, earlier?: string) {
    this.#hands = hands;
    this.#earlier = earlier;
  }

  write(write: ProgramWrite): WriteAnswer | Promise<WriteAnswer> {
    const earlier = this.#earlier === undefined ? undefined : { earlier: this.#earlier };
    return this.#hands.write({ ...write, ...earlier, number: ++this.#count });
  }
}

/** The objects as a program finds them; one that is run again, as it found them then. */
export function programObjects(objects: readonly BoundObject[], past?: PastProgram): ProgramObject[] {
  return objects.map(({ object, properties }) => ({
    name: object.name,
    properties: properties.map(({ property, value }) => {
      const before = past?.valueBefore(pathOf(object, property));
      return { name: property.name, value: before ? before.value : value, writable: property.writable };
    }),
  }));
}
