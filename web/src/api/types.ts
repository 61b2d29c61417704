// The wire types, by the names that the API gives them. They are made from the description of the
// API (`npm run gen`); what the description calls text and is a word of a few is narrowed here.
import type { components } from "./schema";

type Schemas = components["schemas"];

/**
 * An answer as it is sent: the daemon writes every field, those without a value as null, which
 * the description cannot say.
 */
type Sent<T> = T extends (infer U)[]
  ? Sent<U>[]
  : T extends object
    ? { [K in keyof T]-?: Sent<Exclude<T[K], undefined>> }
    : T;

export type Lifecycle = "creating" | "running" | "paused" | "hibernated" | "exited" | "failed" | "trashed";

/** What can be done to a session, as its route and its `pending` call it. */
export type Action = "trash" | "restore" | "purge" | "pause" | "resume" | "hibernate" | "wake" | "restart";

export type AttentionState = "unknown" | "working" | "permission" | "question" | "idle" | "done" | "error";

/** An error, as `application/problem+json`; `field` is there when one field is to blame. */
export type ProblemBody = Pick<Schemas["ProblemBody"], "title" | "code" | "hint" | "field">;

export type AttentionView = Omit<Sent<Schemas["AttentionView"]>, "state"> & { state: AttentionState };

/** A session, as the lists, the session's route and the event stream show it. Times are RFC 3339. */
export type SessionView = Omit<
  Sent<Schemas["SessionView"]>,
  "state" | "attention" | "problem" | "shipping"
> & {
  state: Lifecycle;
  attention: AttentionView;
  problem: ProblemBody | null;
  shipping: ShippingView | null;
};

export type Change = Partial<Schemas["Change"]>;
type Given<T> = { [K in keyof T]?: NonNullable<T[K]> };
export type NewSession = Given<Schemas["NewSession"]> & { repo: string };
export type Input = Partial<Schemas["Input"]>;
export type Device = Sent<Schemas["Device"]>;
export type Pairing = Sent<Schemas["Pairing"]>;
export type PairLink = Sent<Schemas["PairLink"]>;
export type ConfigValue = Sent<Schemas["ConfigValue"]>;
export type AgentInfo = Sent<Schemas["AgentInfo"]>;
export type RepoInfo = Sent<Schemas["RepoInfo"]>;
export type Branches = Sent<Schemas["Branches"]>;
export type Paths = Sent<Schemas["Paths"]>;
export type FileStatus = Schemas["FileStatus"];
export type DiffFile = Sent<Schemas["DiffFile"]>;
export type Operation = Schemas["Operation"];
export type DiffReply = Sent<Schemas["DiffReply"]>;
export type FilePatch = Sent<Schemas["FilePatch"]>;
/** What is at stake; `files`, `commits` and `branch` are absent where there are none. */
export type LossView = Schemas["LossView"];
export type ShipView = Sent<Schemas["ShipView"]>;
export type ShipCommit = Sent<Schemas["ShipCommit"]>;
export type ShippingView = Omit<Sent<Schemas["ShippingView"]>, "problem"> & { problem: ProblemBody | null };
export type RebuildView = Sent<Schemas["RebuildView"]>;
export type RebuildCommit = Sent<Schemas["RebuildCommit"]>;
export type MergeView = Sent<Schemas["MergeView"]>;
export type NewMerge = Schemas["NewMerge"];
export type MergeWay = "merge" | "squash" | "rebase";
export type NewCommit = Partial<Schemas["NewCommit"]> & { message: string };
export type NewPush = Schemas["NewPush"];
export type NewFork = Given<Schemas["NewFork"]>;
export type EventRecord = Schemas["EventRecord"];
export type GoneEvent = Schemas["GoneEvent"];
export type StreamHead = Schemas["StreamHead"];
export type LoginReply = Schemas["LoginReply"];

/** What a viewer sends as text on the terminal WebSocket; absent fields have their defaults. */
export type ClientFrame =
  | { type: "attach"; from: number | null; cols: number; rows: number }
  | { type: "paste"; text: string }
  | { type: "resize"; cols: number; rows: number }
  | { type: "ack"; seq: number }
  | { type: "lease"; take: true }
  | { type: "lease"; release: true };

/** What the server sends as text on the terminal WebSocket. */
export type ServerFrame = Sent<Schemas["ServerFrame"]>;

/** Every frame that is sent is one that the description knows. */
type Known = ClientFrame extends PartialFrame<Schemas["ClientFrame"]> ? true : never;
type PartialFrame<T> = T extends { type: string } ? Pick<T, "type"> & Partial<Omit<T, "type">> : never;
export const framesAreKnown: Known = true;
