/** One kind of sandbox, with a stage of its own, taken through the attacks one after the other. */
import type { Attack, Here } from "./attack.ts";
import { type Kind, lookAround } from "./kinds.ts";
import { type Neighbours, openNeighbours } from "./neighbours.ts";
import { runAttack, type Verdict } from "./run-attack.ts";
import { Scene } from "./scene.ts";
import { Stage } from "./stage.ts";

export class Lane {
  #group = "";

  private constructor(
    readonly here: Here,
    readonly stage: Stage,
    readonly neighbours: Neighbours,
    readonly scene: Scene,
  ) {}

  static async open(kind: Kind, probe?: string): Promise<Lane> {
    const here = await lookAround();
    const stage = new Stage();
    const neighbours = await openNeighbours(stage.workspace);
    stage.probe = probe;
    stage.restore();
    return new Lane(here, stage, neighbours, await Scene.open(kind, here, stage, neighbours));
  }

  /** Each group begins with a new sandbox. */
  async run(attack: Attack): Promise<Verdict> {
    const group = attack.id[0]!;
    if (this.#group !== "" && this.#group !== group) await this.scene.reopen();
    this.#group = group;
    return runAttack(attack, this.scene);
  }

  async close(): Promise<void> {
    await this.scene.sandbox.dispose();
    await this.neighbours.close();
    this.stage.remove();
  }
}
