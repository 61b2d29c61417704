import { request } from "./client";
import type {
  Action,
  AgentInfo,
  Branches,
  Change,
  ConfigValue,
  Device,
  DiffFile,
  DiffReply,
  FilePatch,
  Input,
  LoginReply,
  LossView,
  MergeView,
  MergeWay,
  NewCommit,
  NewFork,
  NewMerge,
  NewPush,
  NewSession,
  Operation,
  Pairing,
  Paths,
  RebuildView,
  RepoInfo,
  SessionView,
  ShipView,
} from "./types";

const at = (id: string) => `/sessions/${encodeURIComponent(id)}`;

export const login = (code: string, device: string) =>
  request<LoginReply>("/login", { method: "POST", body: { code, device } });

export const listDevices = async () => (await request<{ devices: Device[] }>("/devices")).devices;
export const revokeDevice = (id: string) =>
  request<void>(`/devices/${encodeURIComponent(id)}`, { method: "DELETE" });

/** Login links for another device. A refusal says how it can be reached. */
export const pair = () => request<Pairing>("/pairings", { method: "POST", body: {} });
export const getConfig = async () => (await request<{ values: ConfigValue[] }>("/config")).values;

export const listSessions = () => request<SessionView[]>("/sessions");
export const listTrash = () => request<SessionView[]>("/trash");
export const getSession = (id: string) => request<SessionView>(at(id));

/** The session, being made. The same `key` twice makes one session. */
export const createSession = (session: NewSession, key: string) =>
  request<SessionView>("/sessions", { method: "POST", body: session, key });

export const changeSession = (id: string, change: Change) =>
  request<SessionView>(at(id), { method: "PATCH", body: change });

/** Answered when the program has it. The same `key` twice types once. */
export const sendInput = (id: string, input: Input, key: string) =>
  request<void>(`${at(id)}/send`, { method: "POST", body: input, key });

/** Begins something that is done to it; events tell how it ends. */
export const actOn = (id: string, action: Action) =>
  action === "trash"
    ? request<Operation>(at(id), { method: "DELETE" })
    : request<Operation>(`${at(id)}/${action}`, { method: "POST" });

/** What it would deliver; with `fetch` the remote is asked first. */
export const getShip = (id: string, fetch: boolean) =>
  request<ShipView>(`${at(id)}/ship`, { query: { fetch } });
export const getRebuild = (id: string) => request<RebuildView>(`${at(id)}/ship/rebuild`);
const ship = (id: string, step: string, body: unknown) =>
  request<Operation>(`${at(id)}/ship/${step}`, { method: "POST", body });
export const shipCommit = (id: string, commit: NewCommit) => ship(id, "commit", commit);
export const shipPush = (id: string, push: NewPush) => ship(id, "push", push);
export const shipRebuild = (id: string, tip: string) => ship(id, "rebuild", { tip });
export const getMerge = (id: string, way: MergeWay) =>
  request<MergeView>(`${at(id)}/ship/merge`, { query: { way } });
export const shipMerge = (id: string, merge: NewMerge) => ship(id, "merge", merge);
export const shipUndo = (id: string) => ship(id, "undo", {});
export const shipStop = (id: string) => ship(id, "stop", {});

/** What is at stake when it goes to the trash, or is purged there. */
export const getLoss = (id: string) => request<LossView>(`${at(id)}/loss`);

/** A second terminal in its worktree, being made. */
export const openShell = (id: string, key: string) =>
  request<SessionView>(`${at(id)}/shell`, { method: "POST", body: {}, key });

/** A session like it, that begins where it is now. */
export const forkSession = (id: string, fork: NewFork, key: string) =>
  request<SessionView>(`${at(id)}/fork`, { method: "POST", body: fork, key });

export const getDiff = (id: string, signal?: AbortSignal) => request<DiffReply>(`${at(id)}/diff`, { signal });

/** `whole` asks for a patch that would be cut. */
export const getPatch = (id: string, file: DiffFile, whole: boolean) =>
  request<FilePatch>(`${at(id)}/diff/file`, {
    query: { path: file.path, old_path: file.old_path ?? undefined, whole: whole || undefined },
  });

export const listAgents = () => request<AgentInfo[]>("/agents");
export const listRepos = () => request<RepoInfo[]>("/repos");
export const listBranches = (path: string, signal?: AbortSignal) =>
  request<Branches>("/repos/branches", { query: { path }, signal });
export const listPaths = (prefix: string, signal?: AbortSignal) =>
  request<Paths>("/paths", { query: { prefix }, signal });
