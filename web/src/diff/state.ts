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
/** So many patches are read anew with the list: the one that is open, and those used last. */
const OPEN = 3;

/** The diff of one session, and the patches that were read of it. */
export class DiffModel {
  readonly state: Store<DiffState> = createStore<DiffState>({ reply: null, problem: null, reading: false });
  /** By path; a patch that was read in full stays so. */
  readonly patches: Store<ReadonlyMap<string, PatchState>> = createStore<ReadonlyMap<string, PatchState>>(
    new Map(),
  );
  private readonly whole = new Set<string>();
  /** By path, the one used last at the end: the number of its last reading, as an older answer is dropped. */
  private readonly readings = new Map<string, number>();
  private open: string | null = null;
  private turn = 0;
  private count = 0;
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
      const used = [...this.readings.keys()].filter((path) => path !== this.open).slice(1 - OPEN);
      const kept = new Set(this.open === null ? used : [...used, this.open]);
      for (const path of this.readings.keys()) if (!kept.has(path)) this.readings.delete(path);
      this.patches.set((old) => new Map([...old].filter(([path]) => kept.has(path))));
      await Promise.all(reply.files.filter((f) => this.readings.has(f.path)).map((file) => this.read(file)));
    } catch (error) {
      if (turn === this.turn)
        this.state.set((old) => ({ ...old, problem: asProblem(error), reading: false }));
    }
  }

  /** The file is looked at now. */
  use(path: string) {
    this.open = path;
    const reading = this.readings.get(path);
    if (reading === undefined) return;
    this.readings.delete(path);
    this.readings.set(path, reading);
  }

  isWhole(path: string): boolean {
    return this.whole.has(path);
  }

  async read(file: DiffFile, whole = false) {
    const { path } = file;
    if (whole) this.whole.add(path);
    const reading = ++this.count;
    this.readings.set(path, reading);
    const put = (value: PatchState) => {
      if (this.readings.get(path) === reading) this.put(path, value);
    };
    try {
      put({ patch: await getPatch(this.id, file, this.whole.has(path)), problem: null });
    } catch (error) {
      put({ patch: null, problem: asProblem(error) });
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
