import { learnClock } from "../state/time";
import { currentToken, tokenRefused } from "./token";
import type { ProblemBody } from "./types";

/** A request that failed, with the words to show. */
export class Failure extends Error {
  readonly problem: ProblemBody;
  readonly status: number;
  constructor(status: number, problem: ProblemBody) {
    super(problem.title);
    this.name = "Failure";
    this.status = status;
    this.problem = problem;
  }
}

/** Why what needs the daemon cannot be done, without the full stop of a sentence. */
export const AWAY = "The daemon does not answer";

const NO_DAEMON: ProblemBody = {
  code: "no_daemon",
  title: `${AWAY}.`,
  hint: "Agents go on in tmux. Run `qd` to start the daemon, or `qd doctor` to see what is wrong.",
};

/** Whether the daemon said no. With no answer, it may have done what was asked. */
export function isAnswered(error: unknown): boolean {
  return error instanceof Failure && error.problem.code !== NO_DAEMON.code;
}

/** Any error as a problem that can be shown. */
export function asProblem(error: unknown): ProblemBody {
  if (error instanceof Failure) return error.problem;
  const title = error instanceof Error ? error.message : String(error);
  return { code: "internal", title: `The page failed: ${title}`, hint: "Reload the page." };
}

function isProblem(value: unknown): value is ProblemBody {
  return typeof value === "object" && value !== null && "title" in value && "code" in value;
}

async function problemOf(response: Response): Promise<ProblemBody> {
  try {
    const body: unknown = await response.json();
    if (isProblem(body)) return { ...body, hint: body.hint ?? "" };
  } catch {
    // Not JSON: a proxy answered, or nothing did.
  }
  // A proxy in front of a daemon that is down answers so.
  if (response.status === 502 || response.status === 503 || response.status === 504) return NO_DAEMON;
  return {
    code: "internal",
    title: `The daemon answered ${response.status}.`,
    hint: "Look at the daemon's log.",
  };
}

export interface Options {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** The same for each try of one action; made afresh when absent. */
  key?: string;
  signal?: AbortSignal;
}

/** A fresh name for one action. Plain http pages have no `crypto.randomUUID`. */
export function actionKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}

export function bearer(token: string | null): Record<string, string> {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Throws a [`Failure`] for every answer that is not a success, and when there is none. */
export async function request<T>(path: string, options: Options = {}): Promise<T> {
  const method = options.method ?? "GET";
  const token = currentToken();
  const headers: Record<string, string> = { Accept: "application/json", ...bearer(token) };
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (method === "POST") headers["Idempotency-Key"] = options.key ?? actionKey();
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const url = `/api/v1${path}${query.size > 0 ? `?${query}` : ""}`;
  let response: Response;
  const asked = Date.now();
  try {
    response = await fetch(url, {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
      credentials: "omit",
      cache: "no-store",
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Failure(0, NO_DAEMON);
  }
  learnClock(response.headers.get("date"), asked, Date.now());
  if (response.ok) {
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }
  const problem = await problemOf(response);
  if (response.status === 401 && token !== null && path !== "/login") tokenRefused(token);
  throw new Failure(response.status, problem);
}
