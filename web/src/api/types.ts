// The wire types, named as the API names them.

export type Lifecycle = "creating" | "running" | "paused" | "hibernated" | "exited" | "failed" | "trashed";

export type AttentionState = "unknown" | "working" | "permission" | "question" | "idle" | "done" | "error";

/** A session, as the list, the session route and the trash show it. Times are RFC 3339. */
export interface SessionView {
  id: string;
  version: number;
  title: string;
  agent: string;
  command: string[];
  repo: string;
  worktree: string | null;
  branch: string | null;
  base: string | null;
  base_commit: string | null;
  kind: string;
  state: Lifecycle;
  /** A step of its creation, or `trash`, `restore`, `purge`. */
  pending: string | null;
  attention: AttentionView;
  tags: string[];
  pinned: boolean;
  notes: string;
  created_at: string;
  changed_at: string;
  pane: PaneView | null;
  exit: ExitView | null;
  problem: ProblemBody | null;
  messages: string[];
  kept: string | null;
  diff_stat: DiffStat | null;
  terminal_title: string | null;
}

export interface AttentionView {
  state: AttentionState;
  since: string;
  source: string;
  confidence: number;
  why: string;
  evidence: Evidence[];
}

export interface Evidence {
  source: string;
  says: string;
  at: string;
}

export interface PaneView {
  id: string;
  cols: number;
  rows: number;
}

export interface ExitView {
  code: number | null;
  signal: number | null;
}

export interface DiffStat {
  files: number;
  additions: number;
  deletions: number;
}

export interface Change {
  title?: string;
  tags?: string[];
  pinned?: boolean;
  notes?: string;
}

export interface Operation {
  id: string;
  session: string;
  step: string;
  of: number;
  state: "running" | "done" | "failed";
}

export interface NewSession {
  repo: string;
  title?: string;
  agent?: string;
  command?: string[];
  prompt?: string;
  base?: string;
  branch?: string;
  worktree?: string;
  in_place?: boolean;
  shared?: boolean;
  tags?: string[];
  env?: Record<string, string>;
  cols?: number;
  rows?: number;
}

export interface AgentInfo {
  name: string;
  title: string;
  found: string | null;
  version: string | null;
  install: string | null;
  takes_prompt: boolean;
}

export interface RepoInfo {
  path: string;
  sessions: number;
  used_at: string;
}

export interface Branches {
  repo: string;
  default: string | null;
  local: string[];
  remote: string[];
  worktrees: string[];
}

export interface Paths {
  paths: string[];
}

export type FileStatus =
  | "added"
  | "modified"
  | "deleted"
  | "renamed"
  | "copied"
  | "type-changed"
  | "untracked"
  | "conflicted";

export interface DiffReply {
  base: DiffBase;
  files: DiffFile[];
  totals: DiffTotals;
  read_at: string;
  truncated: boolean;
}

export interface DiffBase {
  name: string;
  merge_base: string;
}

export interface DiffTotals {
  files: number;
  additions: number;
  deletions: number;
}

export interface DiffFile {
  path: string;
  old_path: string | null;
  status: FileStatus;
  old_mode: string | null;
  new_mode: string | null;
  additions: number | null;
  deletions: number | null;
  binary: boolean;
  size: number | null;
  large: boolean;
}

export interface FilePatch {
  path: string;
  patch: string;
  truncated: boolean;
  binary: boolean;
  size: number | null;
}

export interface EventRecord {
  number: number;
  at: string;
  session: string;
  kind: string;
  data: unknown;
}

export interface StreamHead {
  latest: number;
  version: string;
}

export interface LoginReply {
  token: string;
  device: string;
}

/** An error, as `application/problem+json`. */
export interface ProblemBody {
  type?: string;
  title: string;
  status?: number;
  code: string;
  hint: string;
  field?: string | null;
}

/** What a viewer sends as text on the terminal WebSocket. */
export type ClientFrame =
  | {
      type: "attach";
      from: number | null;
      cols: number;
      rows: number;
      scrollback?: number;
      read_only?: boolean;
    }
  | { type: "input"; data: string }
  | { type: "paste"; text: string }
  | { type: "resize"; cols: number; rows: number }
  | { type: "ack"; seq: number }
  | { type: "lease"; take?: boolean; release?: boolean };

/** What the server sends as text on the terminal WebSocket. */
export type ServerFrame =
  | { type: "snapshot"; seq: number; cols: number; rows: number; data: string }
  | { type: "resume"; seq: number; cols: number; rows: number }
  | { type: "resync"; reason: string }
  | { type: "size"; cols: number; rows: number; by: string }
  | { type: "exit"; code: number | null; signal: number | null }
  | { type: "lease"; holder: string | null }
  | { type: "error"; code: string; message: string };
