import {
  getMerge,
  getRebuild,
  getShip,
  shipCommit,
  shipMerge,
  shipPush,
  shipRebuild,
  shipStop,
  shipUndo,
} from "../api/calls";
import { asProblem } from "../api/client";
import type {
  MergeView,
  MergeWay,
  NewCommit,
  NewMerge,
  ProblemBody,
  RebuildView,
  ShipView,
} from "../api/types";
import { createStore, patch, type Store } from "../state/store";

export interface ShipState {
  view: ShipView | null;
  problem: ProblemBody | null;
  reading: boolean;
  /** Why a step was not even begun. */
  refused: ProblemBody | null;
}

/** Messages of commits that are not made yet, by session. */
export const drafts = createStore<Readonly<Record<string, string>>>({});

/** What one session would deliver, and the steps that it asks for. */
export class ShipModel {
  readonly state: Store<ShipState> = createStore<ShipState>({
    view: null,
    problem: null,
    reading: false,
    refused: null,
  });
  private turn = 0;
  private readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  /** Reads what is here first, so that there is something to see while the remote is asked. */
  async open() {
    await this.read(false);
    if (this.state.get().view !== null) await this.read(true);
  }

  async read(fetch: boolean) {
    const turn = ++this.turn;
    patch(this.state, { reading: true });
    try {
      const view = await getShip(this.id, fetch);
      if (turn === this.turn) patch(this.state, { view, problem: null, reading: false });
    } catch (error) {
      if (turn === this.turn) patch(this.state, { problem: asProblem(error), reading: false });
    }
  }

  preview(): Promise<RebuildView> {
    return getRebuild(this.id);
  }

  commit(commit: NewCommit) {
    return this.begin(() => shipCommit(this.id, commit));
  }

  push(tip: string, with_foreign: boolean) {
    return this.begin(() => shipPush(this.id, { tip, with_foreign }));
  }

  rebuild(tip: string) {
    return this.begin(() => shipRebuild(this.id, tip));
  }

  mergePreview(way: MergeWay): Promise<MergeView> {
    return getMerge(this.id, way);
  }

  merge(merge: NewMerge) {
    return this.begin(() => shipMerge(this.id, merge));
  }

  undo() {
    return this.begin(() => shipUndo(this.id));
  }

  stop() {
    return this.begin(() => shipStop(this.id));
  }

  /** Whether it has begun. */
  private async begin(ask: () => Promise<unknown>): Promise<boolean> {
    patch(this.state, { refused: null });
    try {
      await ask();
      return true;
    } catch (error) {
      patch(this.state, { refused: asProblem(error) });
      return false;
    }
  }
}
