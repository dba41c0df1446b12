/** A write to an object's property, and the answer to it, as the guest's bridge has them: one text. */
import { HaftError, messageOf } from "../../base/errors.ts";
import { isThenable } from "../../base/kinds.ts";
import type { ProgramSessionOptions, ProgramWrite, WriteAnswer } from "../../core/program.ts";

type Write = ProgramSessionOptions["write"];

export function writeOf(object: string, property: string, value: string | undefined): ProgramWrite {
  return { object, property, value: value === undefined ? undefined : JSON.parse(value) };
}

/** Nothing, or the JSON text of what was written, or `!` and the reason. */
export function answerText(answer: WriteAnswer): string | undefined {
  return answer.ok ? JSON.stringify(answer.value) : `!${answer.message}`;
}

/** Where nobody can wait for the answer. */
export function askNow(write: Write, asked: ProgramWrite): string | undefined {
  try {
    const answer = (write ?? refuse)(asked);
    if (!isThenable(answer)) return answerText(answer);
    throw new HaftError(
      "VM_WRITE_ASYNC",
      `${asked.object}.${asked.property} cannot be assigned: its check is asynchronous`,
      {
        hint: "Run programs in a worker, or give an answer that is no promise.",
      },
    );
  } catch (thrown) {
    return `!${messageOf(thrown)}`;
  }
}

/** Where the guest stands still in another thread. */
export async function askAndWait(write: Write, asked: ProgramWrite): Promise<string | undefined> {
  try {
    return answerText(await (write ?? refuse)(asked));
  } catch (thrown) {
    return `!${messageOf(thrown)}`;
  }
}

function refuse({ object, property }: ProgramWrite): WriteAnswer {
  return { ok: false, message: `${object}.${property} cannot be assigned: nobody takes it` };
}
