// A daemon that is none: it serves the built page and invented sessions, so that the page can be
// looked at and tested without agents. For development only.
//   node mock/server.mjs [--port N] [--scene empty|one|many|fifty|huge|COUNT]

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";
import { diffOf, patchOf, scene } from "./scene.mjs";
import { mergeOf, rebuildOf, shipOf, shipped } from "./ship.mjs";

const args = Object.fromEntries(
  process.argv.slice(2).flatMap((a, i, all) => (a.startsWith("--") ? [[a.slice(2), all[i + 1]]] : [])),
);
const port = Number(args.port ?? 4747);
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const TOKEN = "mock-token";
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

const sessions = new Map(scene(args.scene ?? "many").map((s) => [s.id, s]));
const devices = [
  { id: "d1", name: "Chrome on Linux", created_at: "2026-08-01T10:00:00Z", current: true },
  {
    id: "d2",
    name: "Safari on iPhone",
    created_at: "2026-07-30T08:12:00Z",
    last_seen: "2026-07-31T21:40:00Z",
    current: false,
  },
];
let made = 0;

function freshId() {
  made += 1;
  return `s${(Date.now() % 1e9).toString(36)}${made}`;
}

const log = [];
const streams = new Set();
const terminals = new Map();

function emit(session, kind, data = null) {
  const record = { number: log.length + 1, at: new Date().toISOString(), session, kind, data };
  log.push(record);
  const view = sessions.get(session);
  for (const res of streams) {
    res.write(`id: ${record.number}\nevent: log\ndata: ${JSON.stringify(record)}\n\n`);
    if (view) res.write(`event: session\ndata: ${JSON.stringify(view)}\n\n`);
    else res.write(`event: gone\ndata: ${JSON.stringify({ id: session })}\n\n`);
  }
}

function change(id, fields, kind, data) {
  const session = sessions.get(id);
  if (!session) return;
  const moved = fields.state && fields.state !== session.state;
  Object.assign(session, fields, { version: session.version + 1 });
  if (moved) session.changed_at = new Date().toISOString();
  emit(id, kind, data);
}

const later = (ms, run) => setTimeout(run, ms);

function json(res, status, body) {
  res.writeHead(status, { "Content-Type": status >= 400 ? "application/problem+json" : "application/json" });
  res.end(JSON.stringify(body));
}

function problem(res, status, code, title, hint, field) {
  json(res, status, { type: "about:blank", title, status, code, hint, ...(field ? { field } : {}) });
}

async function bodyOf(req) {
  const parts = [];
  for await (const part of req) parts.push(part);
  return parts.length ? JSON.parse(Buffer.concat(parts).toString()) : {};
}

/** What is done to a session and takes a moment. */
function begin(id, res, step, ended) {
  change(id, { pending: step }, `${step}-began`);
  later(400, () => change(id, { pending: null, ...ended }, `${step}-ended`));
  json(res, 202, { id: `${id}/${step}`, session: id, step, of: 1, state: "running" });
}

/** A step of shipping, with what it says on the way. */
function ship(session, res, what) {
  const { id } = session;
  const shipping = {
    what,
    state: "running",
    said: "Running hooks",
    commit: null,
    since: new Date().toISOString(),
    problem: null,
  };
  change(id, { shipping }, "shipping-began");
  later(400, () =>
    change(id, { shipping: { ...shipping, state: "done", said: shipped(session, what) } }, "shipped"),
  );
  json(res, 202, { id: `${id}-${what}`, session: id, step: what, of: 1, state: "running" });
}

const PANE = { id: "%9", cols: 120, rows: 40 };

const GO_ON = { state: "running", pane: PANE, kept: null, exit: null };

const ACTIONS = {
  restore: { state: "exited", kept: null },
  pause: { state: "paused", pane: null, kept: "Kept: the branch, 3 changed files, 2 untracked files." },
  resume: GO_ON,
  hibernate: { state: "hibernated", pane: null },
  wake: GO_ON,
  restart: GO_ON,
};

/** Another session in the place of one, or one like it beside it. */
function beside(from, body, fields, res) {
  const id = freshId();
  const now = new Date().toISOString();
  const old = sessions.get(from);
  const one = {
    ...old,
    id,
    version: 1,
    created_at: now,
    changed_at: now,
    exit: null,
    kept: null,
    pane: PANE,
  };
  sessions.set(id, { ...one, state: "running", pending: null, ...fields(old, body) });
  Object.defineProperty(sessions.get(id), "paint", { value: old.paint });
  emit(id, "created");
  json(res, 201, sessions.get(id));
}

const shellOf = (old) => ({
  title: `${old.title} (shell)`,
  agent: "shell",
  command: ["bash"],
  kind: "existing-worktree",
  parent: old.parent ?? old.id,
});

const forkOf = (old, body) => ({
  title: body.title ?? `${old.title} (fork)`,
  branch: body.branch ?? `${old.branch}-fork`,
  parent: null,
});

function created(body, res) {
  if (body.title === "taken")
    return problem(
      res,
      409,
      "branch_checked_out",
      "Another worktree has the branch checked out.",
      "Choose another name.",
      "branch",
    );
  if (body.repo === "/nowhere")
    return problem(res, 400, "path_missing", "The folder is not there.", "Check the path.", "repo");
  const id = freshId();
  const base = scene("one")[0];
  sessions.set(id, {
    ...base,
    id,
    version: 1,
    title: body.title ?? "shell",
    agent: body.agent ?? (body.command ? "command" : "shell"),
    command: body.command ?? ["bash"],
    repo: body.repo,
    branch: body.branch ?? null,
    base: body.base ?? "main",
    worktree: null,
    state: "creating",
    pending: "fetch",
    tags: body.tags ?? [],
    created_at: new Date().toISOString(),
    changed_at: new Date().toISOString(),
    parent: null,
    purge_at: null,
    wake_at: null,
    diff_stat: null,
    shipping: null,
    attention: {
      ...base.attention,
      state: "unknown",
      since: new Date().toISOString(),
      source: "none",
      evidence: [],
      why: "It has just been asked for.",
    },
  });
  Object.defineProperty(sessions.get(id), "paint", { value: base.paint });
  emit(id, "created");
  later(700, () => change(id, { pending: "worktree" }, "step-began", "worktree"));
  if (body.title === "fails")
    later(1400, () =>
      change(
        id,
        {
          state: "failed",
          pending: null,
          problem: {
            title: "The program is not there.",
            code: "program_missing",
            hint: "Install it, or choose another agent.",
            status: 0,
          },
        },
        "creation-failed",
      ),
    );
  else {
    later(1400, () =>
      change(id, { pending: "start", worktree: `/home/you/.qd/worktrees/${id}` }, "place-ready"),
    );
    later(2000, () =>
      change(id, { state: "running", pending: null, pane: { id: "%9", cols: 120, rows: 40 } }, "started"),
    );
  }
  json(res, 201, sessions.get(id));
}

async function api(req, res, url) {
  const path = url.pathname.slice("/api/v1".length);
  if (path === "/login" && req.method === "POST") {
    const body = await bodyOf(req);
    if (body.code !== "demo")
      return problem(
        res,
        401,
        "login_code_wrong",
        "The login code is not valid any more.",
        "Run `qd` for a new link.",
      );
    return json(res, 200, { token: TOKEN, device: body.device ?? "browser" });
  }
  if (req.headers.authorization !== `Bearer ${TOKEN}`)
    return problem(res, 401, "token_wrong", "The token is not valid.", "Run `qd` for a new login link.");
  if (path === "/events") return stream(req, res);
  if (path === "/sessions" && req.method === "GET")
    return json(
      res,
      200,
      [...sessions.values()].filter((s) => s.state !== "trashed"),
    );
  if (path === "/sessions" && req.method === "POST") return created(await bodyOf(req), res);
  if (path === "/trash")
    return json(
      res,
      200,
      [...sessions.values()].filter((s) => s.state === "trashed"),
    );
  if (path === "/agents")
    return json(res, 200, [
      {
        name: "claude",
        title: "Claude Code",
        found: "/usr/bin/claude",
        version: "2.4.1",
        install: null,
        takes_prompt: true,
      },
      {
        name: "codex",
        title: "Codex",
        found: "/usr/bin/codex",
        version: "1.9.0",
        install: null,
        takes_prompt: true,
      },
      {
        name: "gemini",
        title: "Gemini CLI",
        found: "/usr/bin/gemini",
        version: "1.3.2",
        install: null,
        takes_prompt: true,
      },
      {
        name: "opencode",
        title: "OpenCode",
        found: "/usr/bin/opencode",
        version: "0.14",
        install: null,
        takes_prompt: false,
      },
      {
        name: "aider",
        title: "Aider",
        found: null,
        version: null,
        install: "pip install aider-chat",
        takes_prompt: false,
      },
    ]);
  if (path === "/devices" && req.method === "GET") return json(res, 200, { devices });
  if (path === "/pairings" && req.method === "POST")
    return json(res, 200, {
      links: [
        { address: "demo.example", link: "https://demo.example/#login=demo", qr: ["101", "010", "101"] },
      ],
    });
  if (path === "/config" && req.method === "GET")
    return json(res, 200, {
      values: [
        {
          name: "listen",
          group: "Reach",
          about: "The address that it listens at.",
          value: "127.0.0.1:4747",
          source: "default",
          change: "qd serve --listen ADDRESS:PORT",
        },
      ],
    });
  if (path.startsWith("/devices/") && req.method === "DELETE") {
    const at = devices.findIndex(({ id }) => id === decodeURIComponent(path.slice("/devices/".length)));
    if (at < 0) return problem(res, 404, "unknown_device", "No device has that id.", "Run `qd devices`.");
    devices.splice(at, 1);
    return res.writeHead(204).end();
  }
  if (path === "/repos")
    return json(res, 200, [
      { path: "/home/you/code/ledger", sessions: 3, used_at: "2026-08-01T10:00:00Z" },
      { path: "/home/you/code/harbor-api", sessions: 2, used_at: "2026-07-31T10:00:00Z" },
    ]);
  if (path === "/repos/branches") {
    const repo = url.searchParams.get("path");
    if (repo?.startsWith("/tmp"))
      return problem(
        res,
        400,
        "not_a_repository",
        "The folder is not in a git repository.",
        "Work in place.",
        "repo",
      );
    return json(res, 200, {
      repo,
      default: "main",
      local: ["main", "feat/upload-retry", "release/4.2"],
      remote: ["origin/main", "origin/release/4.2"],
      worktrees: [repo, "/home/you/code/ledger-hotfix"],
      worktrees_in: `/home/you/.local/share/quarterdeck/worktrees/${repo.split("/").at(-1)}`,
    });
  }
  if (path === "/paths") {
    const home = "/home/you";
    const prefix = (url.searchParams.get("prefix") ?? "").replace(/^~\/?/, `${home}/`);
    const all = [
      "/home/you/code/ledger",
      "/home/you/code/harbor-api",
      "/home/you/code/atlas-web",
      "/tmp/scratch",
    ];
    return json(res, 200, { paths: all.filter((p) => p.startsWith(prefix)), home });
  }
  const match = /^\/sessions\/([^/]+)(\/.*)?$/.exec(path);
  const session = match ? sessions.get(decodeURIComponent(match[1])) : undefined;
  if (!match || !session)
    return problem(res, 404, "unknown_session", "No session has that id.", "Look at `qd ls`.");
  const { id } = session;
  switch (`${req.method} ${match[2] ?? ""}`) {
    case "GET ":
      return json(res, 200, session);
    case "PATCH ": {
      const body = await bodyOf(req);
      if (body.title === "bad")
        return problem(
          res,
          400,
          "title_invalid",
          "The text cannot be a title.",
          "Use 1 to 200 characters.",
          "title",
        );
      if (body.tags?.some((tag) => tag.length > 50))
        return problem(
          res,
          400,
          "tag_invalid",
          "A tag cannot be used: it is too long; 50 characters is the most.",
          "Give one word of at most 50 characters.",
          "tags",
        );
      change(id, body, "described");
      return json(res, 200, session);
    }
    case "DELETE ":
      change(id, { pending: "trash" }, "trash-began");
      later(400, () =>
        change(
          id,
          {
            pending: null,
            state: "trashed",
            pane: null,
            kept: "Kept: the branch, 3 changed files, 2 untracked files. Purged on 2026-09-01.",
          },
          "trashed",
        ),
      );
      return json(res, 202, { id: `${id}/trash`, session: id, step: "trash", of: 1, state: "running" });
    case "POST /restore":
    case "POST /pause":
    case "POST /resume":
    case "POST /hibernate":
    case "POST /wake":
    case "POST /restart": {
      const step = match[2].slice(1);
      return begin(id, res, step, ACTIONS[step]);
    }
    case "POST /send": {
      const body = await bodyOf(req);
      say(terminalOf(id), `${body.text ?? ""}${body.enter ? "\r\n" : ""}`);
      return res.writeHead(204).end();
    }
    case "POST /shell":
      return beside(id, await bodyOf(req), shellOf, res);
    case "POST /fork":
      return beside(id, await bodyOf(req), forkOf, res);
    case "POST /purge":
      later(200, () => {
        sessions.delete(id);
        emit(id, "purged");
      });
      return json(res, 202, { id: `${id}/purge`, session: id, step: "purge", of: 1, state: "running" });
    case "GET /loss":
      return json(res, 200, {
        branch: session.branch,
        made_branch: true,
        children: [],
        sharers: [],
        running: session.state === "running",
        commits: {
          count: 1,
          loose: 0,
          newest: [{ id: "4f1c9ab27d0c1b0f2c8a", subject: "Retry the upload" }],
        },
        files: { staged: 0, unstaged: 3, untracked: 2, ignored: 0, at_least: false },
        kept: "Kept: the branch, 3 changed files, 2 untracked files.",
        until: new Date(Date.now() + 30 * 86_400_000).toISOString(),
      });
    case "GET /ship":
      return json(res, 200, shipOf(session, url.searchParams.get("fetch") === "true"));
    case "GET /ship/rebuild":
      return json(res, 200, rebuildOf(session));
    case "GET /ship/merge":
      return json(res, 200, mergeOf(session, url.searchParams.get("way") ?? "merge"));
    case "POST /ship/merge":
    case "POST /ship/commit":
    case "POST /ship/push":
    case "POST /ship/rebuild":
    case "POST /ship/undo":
      return ship(session, res, match[2].slice("/ship/".length));
    case "POST /ship/stop":
      return res.writeHead(204).end();
    case "GET /diff":
      return json(res, 200, diffOf(id));
    case "GET /diff/file":
      return json(res, 200, patchOf(url.searchParams.get("path"), url.searchParams.get("whole") === "true"));
    default:
      return problem(res, 404, "unknown_route", "Nothing is at that address.", "");
  }
}

function stream(req, res) {
  res.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  res.write(`event: head\ndata: ${JSON.stringify({ latest: log.length, version: "mock" })}\n\n`);
  const from = Number(req.headers["last-event-id"] ?? log.length);
  for (const record of log.slice(from))
    res.write(`id: ${record.number}\nevent: log\ndata: ${JSON.stringify(record)}\n\n`);
  streams.add(res);
  const beat = setInterval(() => res.write(": beat\n\n"), 15000);
  req.on("close", () => {
    clearInterval(beat);
    streams.delete(res);
  });
}

async function page(res, path) {
  const name = normalize(path).replace(/^\/+/, "");
  let file = join(dist, name);
  let body;
  try {
    if (!extname(name)) throw new Error("a place of the page");
    body = await readFile(file);
  } catch {
    if (name.startsWith("assets/")) return res.writeHead(404).end();
    file = join(dist, "index.html");
    body = await readFile(file);
  }
  res.writeHead(200, {
    "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
  });
  res.end(body);
}

const server = createServer((req, res) => {
  const url = new URL(req.url, "http://localhost");
  const run = async () => {
    if (url.pathname === "/healthz") return json(res, 200, { status: "ok", version: "mock" });
    if (url.pathname === "/mock" && req.method === "POST") return control(await bodyOf(req), res);
    if (url.pathname.startsWith("/api/v1")) return api(req, res, url);
    return page(res, url.pathname);
  };
  run().catch((error) => {
    console.error(error);
    res.destroy();
  });
});

/** What a test makes happen. */
function control(body, res) {
  if (body.drop) for (const ws of terminals.get(body.drop)?.viewers ?? []) ws.close(body.code ?? 1001);
  if (body.output) say(terminalOf(body.session), body.output);
  if (body.frame) for (const ws of terminalOf(body.session).viewers) ws.send(JSON.stringify(body.frame));
  if (body.change) change(body.session, body.change, body.kind ?? "described");
  if (body.refuse !== undefined) refusing = body.refuse;
  if (body.cut) for (const s of streams) s.destroy();
  json(res, 200, { inputs: body.session ? terminalOf(body.session).inputs : [] });
}

let refusing = false;

function terminalOf(id) {
  let t = terminals.get(id);
  if (!t) {
    t = { seq: 4096, cols: 120, rows: 40, by: "birth", viewers: new Set(), inputs: [], ring: [] };
    terminals.set(id, t);
  }
  return t;
}

function say(t, text) {
  const bytes = Buffer.from(text);
  const frame = Buffer.alloc(8 + bytes.length);
  frame.writeBigUInt64BE(BigInt(t.seq));
  bytes.copy(frame, 8);
  t.ring.push([t.seq, frame]);
  t.seq += bytes.length;
  for (const ws of t.viewers) ws.send(frame);
}

const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "qd.terminal.v1" });

server.on("upgrade", (req, socket, head) => {
  const match = /^\/api\/v1\/sessions\/([^/]+)\/terminal$/.exec(
    new URL(req.url, "http://localhost").pathname,
  );
  if (!match || refusing) return socket.destroy();
  sockets.handleUpgrade(req, socket, head, (ws) => terminal(ws, decodeURIComponent(match[1]), req));
});

function terminal(ws, id, req) {
  const protocols = (req.headers["sec-websocket-protocol"] ?? "").split(/,\s*/);
  if (!protocols.includes(`qd.bearer.${TOKEN}`)) return ws.close(4401);
  const session = sessions.get(id);
  if (!session) return ws.close(4404);
  const t = terminalOf(id);
  const send = (frame) => ws.send(JSON.stringify(frame));
  const size = (cols, rows) => {
    t.cols = cols;
    t.rows = rows;
    for (const v of t.viewers)
      v.send(JSON.stringify({ type: "size", cols, rows, by: v === ws ? "you" : "viewer" }));
    say(t, `\x1b[?25l\x1b[H\x1b[2J${session.paint(cols, rows)}`);
  };
  ws.on("message", (data, binary) => {
    if (binary) return typed(data);
    const frame = JSON.parse(data.toString());
    t.inputs.push(frame.type === "input" ? frame : frame);
    switch (frame.type) {
      case "attach": {
        if (
          frame.from !== null &&
          frame.from !== undefined &&
          frame.from <= t.seq &&
          frame.from >= (t.ring[0]?.[0] ?? t.seq)
        ) {
          send({ type: "resume", seq: frame.from, cols: t.cols, rows: t.rows });
          for (const [seq, bytes] of t.ring) if (seq >= frame.from) ws.send(bytes);
          t.viewers.add(ws);
        } else {
          if (t.viewers.size === 0 && !session.fixed) {
            t.cols = frame.cols;
            t.rows = frame.rows;
            t.by = "you";
          }
          t.viewers.add(ws);
          send({
            type: "snapshot",
            seq: t.seq,
            cols: t.cols,
            rows: t.rows,
            data: Buffer.from(session.paint(t.cols, t.rows)).toString("base64"),
          });
        }
        send({ type: "size", cols: t.cols, rows: t.rows, by: session.fixed ? "viewer" : t.by });
        send({ type: "lease", holder: session.lease ?? null });
        if (session.state === "exited") send({ type: "exit", code: session.exit?.code ?? 0, signal: null });
        return;
      }
      case "paste":
        return say(t, frame.text.replaceAll("\n", "\r\n"));
      case "resize":
        return size(frame.cols, frame.rows);
      case "lease":
        session.lease = frame.take ? "you" : null;
        return send({ type: "lease", holder: frame.take ? "you" : null });
    }
  });
  const typed = (data) => {
    t.inputs.push({ type: "bytes", data: data.toString("binary") });
    say(t, data.toString().replaceAll("\r", "\r\n\x1b[1m>\x1b[0m "));
  };
  ws.on("close", () => t.viewers.delete(ws));
}

server.listen(port, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/login#demo`);
});
