/** What the holder of a running command gets: its output as it arrives, its input, and a way to end it. */
import { HaftError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { ExecHandle } from "../../core/sandbox.ts";
import type { OutputQueue } from "./output-queue.ts";
import type { RunningProcess } from "./run-process.ts";

export function processHandle(running: RunningProcess, queue: OutputQueue): ExecHandle {
  let inputEnded = false;
  const end = () => {
    inputEnded = true;
    queue.end();
  };
  running.result.then(end, end);
  return {
    id: newId("exec"),
    output: queue,
    result: running.result,
    write: (data) => (inputEnded ? Promise.reject(inputClosed()) : write(running, data)),
    endInput() {
      inputEnded = true;
      running.stdin?.end();
    },
    async kill() {
      running.stop("aborted");
      await running.result.catch(() => {});
    },
  };
}

function write(running: RunningProcess, data: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const { stdin } = running;
    if (!stdin || stdin.destroyed) return reject(inputClosed());
    stdin.write(data, (thrown) => (thrown ? reject(inputClosed(thrown)) : resolve()));
  });
}

function inputClosed(cause?: unknown): HaftError {
  return new HaftError(
    "EXEC_INPUT_CLOSED",
    "The command does not read its input any more: it has ended, or its input was ended.",
    {
      hint: "Look at the result of the command, or start it again.",
      cause,
    },
  );
}
