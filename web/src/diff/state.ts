import { getDiff, getPatch } from "../api/calls";
import { asProblem } from "../api/client";
import type { DiffReply, FilePatch, ProblemBody } from "../api/types";
import { createStore, type Store } from "../state/store";

export interface DiffState {
  reply: DiffReply | null;
  problem: ProblemBody | null;
  reading: boolean;
}

export interface PatchState {
  patch: FilePatch | null;
  problem: ProblemBody | null;
}

const KEPT = 200;

/** The diff of one session, and the patches that were read of it. */
export class DiffModel {
  readonly state: Store<DiffState> = createStore<DiffState>({ reply: null, problem: null, reading: false });
  /** By path; a patch that was read in full stays so. */
  readonly patches: Store<ReadonlyMap<string, PatchState>> = createStore<ReadonlyMap<string, PatchState>>(
    new Map(),
  );
  private readonly full = new Set<string>();
  private turn = 0;
  private readonly id: string;

  constructor(id: string) {
    this.id = id;
  }

  async refresh() {
    const turn = ++this.turn;
    this.state.set((old) => ({ ...old, reading: true }));
    try {
      const reply = await getDiff(this.id);
      if (turn !== this.turn) return;
      this.state.set({ reply, problem: null, reading: false });
      // What was read belongs to the diff before. It stays on the page until the new text is there.
      const known = new Set(reply.files.map((f) => f.path));
      const stale = [...this.patches.get().keys()].filter((path) => known.has(path)).slice(-3);
      this.patches.set((old) => new Map([...old].filter(([path]) => stale.includes(path))));
      await Promise.all(stale.map((path) => this.read(path)));
    } catch (error) {
      if (turn === this.turn)
        this.state.set((old) => ({ ...old, problem: asProblem(error), reading: false }));
    }
  }

  async read(path: string, full = false) {
    if (full) this.full.add(path);
    try {
      this.put(path, { patch: await getPatch(this.id, path, this.full.has(path)), problem: null });
    } catch (error) {
      this.put(path, { patch: null, problem: asProblem(error) });
    }
  }

  private put(path: string, value: PatchState) {
    this.patches.set((old) => {
      const next = new Map(old);
      next.delete(path);
      next.set(path, value);
      for (const oldest of next.keys()) {
        if (next.size <= KEPT) break;
        next.delete(oldest);
      }
      return next;
    });
  }
}
