/** The policy of a run: the first rule that holds for a call decides, and nothing that happens later changes the rules. */

import { messageOf } from "../../base/errors.ts";
import { compileGlob } from "../../base/glob-pattern.ts";
import type { PolicyAction, PolicyRule } from "../../core/policy.ts";
import { allowsCommand, type Command, namesCommand } from "./command-rule.ts";
import { type PathRule, readPathRule } from "./path-rule.ts";
import { type JudgedCall, type Places, Subject } from "./subject.ts";

export interface Verdict {
  then: PolicyAction;
  reason: string | undefined;
  /** Its place in the policy, from 0. */
  rule: number;
}

/** What judges calls. */
export type Judge = Pick<Policy, "judge">;

export class Policy {
  readonly #rules: readonly ReadRule[];

  /** The rules were found right by `policyProblem`. */
  constructor(rules: readonly PolicyRule[]) {
    this.#rules = rules.map((rule) => new ReadRule(rule));
  }

  /** undefined when no rule holds. What cannot be judged is denied. */
  async judge(call: JudgedCall): Promise<Verdict | undefined> {
    let subject: Subject | undefined;
    const about = () => {
      subject ??= new Subject(call);
      return subject;
    };
    for (const [rule, one] of this.#rules.entries()) {
      try {
        if (await one.holds(call, about)) return { then: one.then, reason: one.reason, rule };
      } catch (error) {
        return { then: "deny", reason: `the policy of this run could not judge it: ${messageOf(error)}`, rule };
      }
    }
    return undefined;
  }
}

class ReadRule {
  readonly then: PolicyAction;
  readonly reason: string | undefined;
  readonly #isFor: ((name: string) => boolean) | undefined;
  readonly #path: string | undefined;
  /** By the folder that its pattern starts from. */
  #pathRule: { cwd: string; rule: PathRule } | undefined;
  readonly #command: ((command: Command) => boolean) | undefined;
  readonly #when: PolicyRule["when"];

  constructor({ tool, path, command, when, then, reason }: PolicyRule) {
    this.then = then;
    this.reason = reason;
    this.#isFor = tool === undefined ? undefined : compileGlob(tool.toLowerCase()).matches;
    this.#path = path;
    if (command !== undefined) this.#command = then === "allow" ? allowsCommand(command) : namesCommand(command);
    this.#when = when;
  }

  async holds({ tool, input, ctx }: JudgedCall, about: () => Subject): Promise<boolean> {
    if (this.#isFor && ![tool.name, ...tool.aliases].some((name) => this.#isFor!(name.toLowerCase()))) return false;
    if (this.#command) {
      const { command } = about();
      if (command === undefined || !this.#command(command)) return false;
    }
    if (this.#path !== undefined && !(await this.#holdsForPaths(this.#path, about()))) return false;
    if (!this.#when) return true;
    const answer: unknown = await this.#when(input, ctx);
    return this.then === "allow" ? answer === true : Boolean(answer);
  }

  /** As the call names its places, and as they are when links are followed: to allow, both must match. */
  async #holdsForPaths(pattern: string, subject: Subject): Promise<boolean> {
    const { cwd, files, folders } = subject;
    if (files.length + folders.length === 0) return false;
    if (this.#pathRule?.cwd !== cwd) this.#pathRule = { cwd, rule: readPathRule(pattern, cwd) };
    const { rule } = this.#pathRule;
    if (this.then === "allow") return allows(rule, subject) && allows(rule, await subject.real());
    if (names(rule, subject)) return true;
    const real = await subject.real();
    if (names(rule, real)) return true;
    for (const folder of new Set([...folders, ...real.folders])) {
      if (!rule.mayReach(folder)) continue;
      const below = await subject.filesBelow(folder);
      if (below ? below.some(rule.names) : await subject.finds(pattern, folder)) return true;
    }
    return false;
  }
}

function allows(rule: PathRule, { files, folders }: Places): boolean {
  return files.every(rule.allowsFile) && folders.every(rule.allowsFolder);
}

function names(rule: PathRule, { files, folders }: Places): boolean {
  return files.some(rule.names) || folders.some(rule.names);
}
