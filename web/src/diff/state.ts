import { getDiff, getPatch } from "../api/calls";
import { asProblem } from "../api/client";
import type { DiffFile, DiffReply, FilePatch, ProblemBody } from "../api/types";
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
/** So many patches are read anew with the list. */
const OPEN = 3;

/** The diff of one session, and the patches that were read of it. */
export class DiffModel {
  readonly state: Store<DiffState> = createStore<DiffState>({ reply: null, problem: null, reading: false });
  /** By path; a patch that was read in full stays so. */
  readonly patches: Store<ReadonlyMap<string, PatchState>> = createStore<ReadonlyMap<string, PatchState>>(
    new Map(),
  );
  private readonly whole = new Set<string>();
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
      // What was read belongs to the diff before: what is open is read anew, and stays till then.
      const open = reply.files.filter((f) => this.patches.get().has(f.path)).slice(-OPEN);
      this.patches.set((old) => new Map([...old].filter(([path]) => open.some((f) => f.path === path))));
      await Promise.all(open.map((file) => this.read(file)));
    } catch (error) {
      if (turn === this.turn)
        this.state.set((old) => ({ ...old, problem: asProblem(error), reading: false }));
    }
  }

  async read(file: DiffFile, whole = false) {
    const { path } = file;
    if (whole) this.whole.add(path);
    try {
      this.put(path, { patch: await getPatch(this.id, file, this.whole.has(path)), problem: null });
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
