/** What an agent, its sessions and its operations are made with. */
import type { Decision, PendingCall } from "../core/decision.ts";
import type { ExecuteOptions, Rooms, Run } from "../core/execute.ts";
import type { Exit } from "../core/exit.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import type { RunEvent, Store } from "../core/log.ts";
import type { Sandbox } from "../core/sandbox.ts";
import type { SchemaInput, SchemaOutput } from "../core/schema.ts";
import type { Session } from "./session.ts";

type Awaitable<T> = T | Promise<T>;
export type Exits = readonly Exit<any, any>[];

/** What one run is told, and no agent by itself. */
export type OfOneRun = "prompt" | "messages" | "log" | "session" | "epoch" | "agent" | "abortSignal";

/** Settings with a name: every option of `execute` that is not about one run, and these. */
export interface AgentOptions<E extends Exits = Exits> extends Omit<ExecuteOptions<E>, OfOneRun> {
  /** For people, and for messages of errors. Any text but an empty one. */
  name: string;
  /** When to give it a task, for an agent that has it as a sub-agent. */
  description?: string;
  /**
   * Whether this principal may decide this about that call. Without it, whoever holds the session decides. Anything but
   * `true`, also an error, is a no: HaftError `DECISION_FORBIDDEN`.
   */
  approver?: (request: DecisionRequest, principal: unknown) => Awaitable<boolean>;
  /** Sees every event of every run of the agent, watched or not. What it throws is logged, and changes nothing. */
  handleEvent?: (event: RunEvent, from: EventSource) => void;
}

export interface DecisionRequest extends PendingCall {
  session: string;
  decision: Decision;
}

export interface EventSource {
  run: Run;
  /** Undefined: the run is of no session. */
  session: Session | undefined;
}

/** What a run of an agent may be given: it wins over what the agent says; `undefined` does not. */
export type AgentRunOptions<E extends Exits = Exits> = Omit<ExecuteOptions<E>, "prompt" | "agent">;

/** In a session, its log is the log. */
export type SessionRunOptions<E extends Exits = Exits> = Omit<
  AgentRunOptions<E>,
  "log" | "store" | "session" | "epoch"
>;

export interface SessionOptions {
  /** Default: a new one. What a name may look like is the store's to say. */
  id?: string;
  /** Default: that of the agent, else one in memory that lives as long as the agent. */
  store?: Store;
  /** What a run does while another one works, here or in another process. Default "queue": it waits, first come first served. */
  whenBusy?: "queue" | "refuse";
  /** The longest wait for another process, in milliseconds; then HaftError `SESSION_BUSY`. Default 600,000 (ten minutes). */
  queueTimeoutMs?: number;
  /** For so many milliseconds a run has the session; it renews that while it works. Default 30,000; at least 30. */
  leaseMs?: number;
}

export interface OperationDefinition<I = any, O = any> extends Omit<ExecuteOptions, OfOneRun | "exits"> {
  description?: string;
  /** What it takes. Any schema; checked before a model is asked. Default: text. */
  input?: I;
  /** What it gives. Any schema; what does not fit goes back to the model. Default: text. */
  output?: O;
  /** Said to the model after the agent's own. */
  instructions?: string;
}

export type OperationInput<I> = [I] extends [undefined] ? string : SchemaInput<I>;
export type OperationOutput<O> = [O] extends [undefined] ? string : SchemaOutput<O>;

/** Rejects with the HaftError of a run that failed, `OPERATION_INPUT_INVALID`, or `OPERATION_INTERRUPTED`. */
export type Operation<I = any, O = any> = (
  input: OperationInput<I>,
  options?: Omit<AgentRunOptions, "exits" | "messages">,
) => Promise<OperationOutput<O>>;

export interface OperationInfo {
  name: string;
  description: string;
  /** What it takes and gives; undefined: text. */
  input: JsonSchema | undefined;
  output: JsonSchema | undefined;
}

/** What an agent takes from rooms and from the engine. Bound in `src/index.ts`. */
export interface AgentRooms {
  execute(options: ExecuteOptions): Run;
  sandbox(name: string, options: { cwd: string }): Promise<Sandbox>;
  memory(): Promise<Store>;
  /** What a summary of a conversation needs. */
  compaction: Pick<Rooms, "model" | "traits" | "contextWindow">;
}
