/** The objects of a run: what their properties are now, and the one way in which they are set. */
import { HaftError } from "../base/errors.ts";
import { canonicalJson, type Json } from "../base/json.ts";
import type { Entry, EntryOf } from "../core/log.ts";
import type { BoundObject } from "../core/mode.ts";
import type { ObjectInstance, ObjectProperty } from "../core/object.ts";
import { pathOf } from "../core/object-names.ts";
import { decodeValue, readValue } from "../core/object-value.ts";
import type { ProgramWrite, WriteAnswer } from "../core/program.ts";
import type { Tool } from "../core/tool.ts";
import { checkObjects, readyObjects } from "./check-objects.ts";
import { findProperty, readOnly } from "./find-property.ts";
import { accessorsOf } from "./object-accessors.ts";
import { keyOfWrite, PastWrites, type Written } from "./past-writes.ts";
import type { Recorder } from "./record.ts";

/** One value for one property. */
export interface Write {
  readonly object: ObjectInstance;
  readonly property: ObjectProperty;
  /** Encoded. */
  readonly value: Json | undefined;
  readonly key: string;
  /** An earlier process went past it: it was written then, or there was nothing to write. */
  readonly isPassed?: boolean;
}

export class RunObjects {
  #log!: Recorder;
  #past!: PastWrites;
  readonly #accessors = new WeakMap<ObjectInstance, readonly Tool[]>();
  #hasChanged = false;

  /** The run has begun, or goes on. */
  open(run: string, log: Recorder, entries: readonly Entry[]): void {
    this.#log = log;
    this.#past = new PastWrites(run, entries);
  }

  /** A value is another one than when the objects were bound. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** As they were when this iteration began, also where an earlier process began it. */
  bind(objects: readonly ObjectInstance[], iteration: string): readonly BoundObject[] {
    this.#hasChanged = false;
    return objects.map((object) => ({
      object,
      properties: object.properties.map((property) => ({
        property,
        value: this.#valueAt(object, property, iteration),
      })),
      tools: object.tools.map((tool, index) => ({ tool, call: object.calls[index]! })),
      accessors: this.#accessorsOf(object),
    }));
  }

  /** These tools, and all that a model may call of the objects. @throws HaftError for objects that do not fit */
  withTools(objects: readonly ObjectInstance[], tools: readonly Tool[]): readonly Tool[] {
    checkObjects(objects, tools);
    return [...tools, ...objects.flatMap((object) => [...object.calls, ...this.#accessorsOf(object)])];
  }

  /** Initial values whose types validate asynchronously are looked at before anybody sees them. */
  ready(objects: readonly ObjectInstance[] | undefined): Promise<unknown> | undefined {
    return readyObjects(objects);
  }

  /** Encoded. */
  value(object: ObjectInstance, property: ObjectProperty): Json | undefined {
    const written = this.#written(object, property);
    return written ? written.value : this.#log.redacted(property.initial);
  }

  /** A program's writes come in one order, also when a replay makes them again. */
  write(
    iteration: string,
    objects: readonly BoundObject[],
    { number, earlier, ...write }: ProgramWrite & { number: number; earlier?: string },
  ): WriteAnswer | Promise<WriteAnswer> {
    const found = findProperty(objects, write);
    if (!found.ok) return found;
    const { object, property } = found;
    const isPassed = earlier !== undefined || this.#past.isPassed(iteration, number);
    return this.set({ object, property, value: write.value, key: keyOfWrite(earlier ?? iteration, number), isPassed });
  }

  /** @throws HaftError `REPLAY_DIVERGED` */
  set(write: Write): WriteAnswer | Promise<WriteAnswer> {
    const { object, property } = write;
    const past = this.#past.write(write.key);
    if (past) assertSamePlace(past, pathOf(object, property));
    const sent = this.#log.redacted(write.value);
    if (past && isSame(sent, past.after)) return recalled(past);
    if (!property.writable) {
      return isSame(sent, this.value(object, property)) ? { ok: true, value: sent } : readOnly(object, property);
    }
    const reading = readValue(pathOf(object, property), property.type, decodeValue(write.value));
    const keep = (answer: WriteAnswer) => this.#keep(write, past, answer);
    return reading instanceof Promise ? reading.then(keep) : keep(reading);
  }

  #keep(write: Write, past: EntryOf<"state"> | undefined, answer: WriteAnswer): WriteAnswer {
    const value = answer.ok ? this.#log.redacted(answer.value) : undefined;
    if (past) {
      if (!answer.ok || !isSame(value, past.after)) throw diverged(past, "another value");
      return recalled(past);
    }
    if (!answer.ok) return answer;
    const { object, property, key, isPassed } = write;
    const before = this.value(object, property);
    if (!isPassed && !isSame(before, value)) {
      const path = pathOf(object, property);
      const sides = { ...(before !== undefined && { before }), ...(value !== undefined && { after: value }) };
      this.#past.note(this.#log.record(key, { type: "state", path, ...sides }));
      this.#hasChanged = true;
    }
    return { ok: true, value };
  }

  #valueAt(object: ObjectInstance, property: ObjectProperty, iteration: string): Json | undefined {
    const written = this.#written(object, property);
    if (written?.iteration !== iteration) return this.value(object, property);
    this.#hasChanged = true; // it is another one when the next iteration begins
    return written.before;
  }

  /** What nobody may write is told anew by each definition. */
  #written(object: ObjectInstance, property: ObjectProperty): Written | undefined {
    return property.writable ? this.#past.values.get(pathOf(object, property)) : undefined;
  }

  #accessorsOf(object: ObjectInstance): readonly Tool[] {
    let accessors = this.#accessors.get(object);
    if (!accessors) {
      accessors = accessorsOf(object, this);
      this.#accessors.set(object, accessors);
    }
    return accessors;
  }
}

/** Its value, and what came after it, was read from the log. */
function recalled({ after }: EntryOf<"state">): WriteAnswer {
  return { ok: true, value: after };
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

function assertSamePlace(past: EntryOf<"state">, path: string): void {
  if (past.path !== path) throw diverged(past, path);
}

/** A replay must write what was written. */
function diverged(past: EntryOf<"state">, now: string): HaftError {
  return new HaftError("REPLAY_DIVERGED", `Write ${past.key} was of ${past.path} and is now of ${now}`, {
    hint: "Go on with the objects, model and options that the log was made with.",
    data: { key: past.key },
  });
}
