/** The steps that change a tree: bring nodes into memory, put them somewhere, take them away, and note what was there. */

import { posix } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fileError } from "../files/file-error.ts";
import { type FolderNode, GONE, newFolder, now, type TreeNode } from "./nodes.ts";
import { isPlaced, isWithin, namesOf, PLACES, WORKSPACE, within } from "./places.ts";
import { ENTRY_BYTES, type Space } from "./space.ts";
import type { Tree } from "./tree.ts";

const STEPS_BETWEEN_RESTS = 250;

export class TreeSurgery {
  readonly #tree: Tree;
  readonly #space: Space;
  #steps = 0;

  constructor(tree: Tree, space: Space) {
    this.#tree = tree;
    this.#space = space;
  }

  /** The node of an existing path, after everything on the way that was only seen through is held in memory. */
  hold(path: string): TreeNode {
    this.checkWritable(path);
    let node: TreeNode = this.#tree.root;
    let at = "";
    for (const name of namesOf(path)) {
      const folder = node as FolderNode;
      const child: TreeNode | undefined = this.#tree.child(folder, name);
      at = `${at}/${name}`;
      if (!child) throw fileError("ENOENT", path);
      if (!folder.children.has(name)) {
        this.#space.take(ENTRY_BYTES);
        if (child.type !== "dir") this.#noteOrigin(folder, at, true);
        folder.children.set(name, child);
      }
      node = child;
    }
    return node;
  }

  /** Puts a node where its folder is, over what is there. */
  put(path: string, node: TreeNode): void {
    this.checkWritable(path);
    const folder = this.hold(posix.dirname(path)) as FolderNode;
    const name = posix.basename(path);
    if (!folder.children.has(name)) this.#space.take(ENTRY_BYTES);
    this.#noteOrigin(folder, path, true);
    folder.children.set(name, node);
    folder.mtimeMs = now();
  }

  take(path: string): void {
    const folder = this.hold(posix.dirname(path)) as FolderNode;
    const name = posix.basename(path);
    if (folder.host !== undefined) {
      if (!folder.children.has(name)) this.#space.take(ENTRY_BYTES);
      folder.children.set(name, GONE);
    } else if (folder.children.delete(name)) {
      this.#space.free(ENTRY_BYTES);
    }
    folder.mtimeMs = now();
  }

  /** Frees what a node took that is in no folder any more. */
  release(node: TreeNode): void {
    if (node.type === "dir") {
      this.#space.free(node.children.size * ENTRY_BYTES);
      for (const child of node.children.values()) if (child !== GONE) this.release(child);
    } else if (node.type === "file" && --node.names === 0) {
      this.#space.free(node.data?.length ?? 0);
    }
  }

  /** Notes what the host has at this place and everywhere below it. */
  async noteOrigins(path: string, node: TreeNode): Promise<void> {
    const parent = this.#tree.get(posix.dirname(path), false);
    if (parent.type === "dir") this.#noteOrigin(parent, path, true);
    if (node.type === "dir") await this.#noteBelow(path, node);
  }

  async #noteBelow(path: string, folder: FolderNode): Promise<void> {
    if (folder.host === undefined) return;
    for (const { name } of this.#tree.entries(folder)) {
      await this.step();
      const below = within(path, name);
      const child = this.#tree.child(folder, name);
      this.#noteOrigin(folder, below, false);
      if (child?.type === "dir") await this.#noteBelow(below, child);
    }
  }

  /** The same node, with every folder below it held in memory, so that it can be put somewhere else. */
  async loosened(node: TreeNode): Promise<TreeNode> {
    if (node.type !== "dir") return node;
    const loose = newFolder(undefined, node.mode, node.mtimeMs);
    for (const { name } of this.#tree.entries(node)) {
      await this.step();
      const child = this.#tree.child(node, name);
      if (!child) continue;
      if (!node.children.has(name)) this.#space.take(ENTRY_BYTES);
      loose.children.set(name, await this.loosened(child));
    }
    return loose;
  }

  /** Throws EROFS and EPERM. */
  checkWritable(path: string): void {
    if (this.#tree.isReadOnly && isWithin(WORKSPACE, path)) throw fileError("EROFS", path);
    if (!isPlaced(path)) throw fileError("EPERM", path, { problem: `is not inside ${PLACES.join(", ")}` });
  }

  /** To be awaited in long walks, to let other work run. */
  async step(): Promise<void> {
    if (++this.#steps % STEPS_BETWEEN_RESTS === 0) await setImmediate();
  }

  /** Once for each place. Below a folder that was made here, or removed, the host has nothing that is not noted yet. */
  #noteOrigin(folder: FolderNode, path: string, thorough: boolean): void {
    const place = this.#tree.inMount(path);
    if (place === undefined || folder.host === undefined || this.#tree.origins.has(place)) return;
    this.#tree.origins.set(place, this.#tree.host!.origin(place, thorough));
  }
}
