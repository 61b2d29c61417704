// The invented sessions, screens and diffs.
const ago = (s) => new Date(Date.now() - s * 1000).toISOString();
const D = "\x1b[90m";
const G = "\x1b[32m";
const R = "\x1b[31m";
const B = "\x1b[34m";
const C = "\x1b[36m";
const Y = "\x1b[33m";
const W = "\x1b[1m";
const O = "\x1b[0m";

const agentScreen = (cols, rows) => {
  const rule = D + "─".repeat(Math.max(0, cols)) + O;
  const lines = [
    `${D}claude 2.4.1, harbor-api, feat/upload-retry${O}`,
    "",
    `${W}>${O} Add retry with backoff to the upload client. Keep the public API as it is.`,
    "",
    `${B}•${O} I will read the client and its tests first.`,
    "",
    `${G}•${O} ${W}Read${O} src/upload/client.rs                                           ${D}214 lines${O}`,
    `${G}•${O} ${W}Read${O} tests/upload_retry.rs                                          ${D}88 lines${O}`,
    "",
    `${B}•${O} The client gives up on the first 503. Three call sites depend on that`,
    `  error, so I keep the error type and retry inside ${C}send_part${O} only.`,
    "",
    `${G}•${O} ${W}Edit${O} src/upload/client.rs                                           ${D}+41 −6${O}`,
    `    ${D}118${O} ${R}-    let res = self.http.put(url).body(part).send().await?;${O}`,
    `    ${D}118${O} ${G}+    let res = retry(self.policy, || async {${O}`,
    `    ${D}119${O} ${G}+        self.http.put(url).body(part.clone()).send().await${O}`,
    `    ${D}120${O} ${G}+    })${O}`,
    "",
    `${G}•${O} ${W}Bash${O} cargo test --test upload_retry`,
    "    running 12 tests",
    `    test backs_off_on_503 ... ${G}ok${O}`,
    `    test gives_up_after_five ... ${G}ok${O}`,
    `    test honours_retry_after ... ${R}FAILED${O}`,
    `    ${D}  left:  Some(0s)${O}`,
    `    ${D}  right: Some(12s)${O}`,
    "",
    `${Y}*${O} ${Y}Writing the date parser${O} ${D}2m 14s, 18.4k tokens, esc to interrupt${O}`,
  ];
  const shown = lines.slice(0, Math.max(1, rows - 5));
  return `${shown.join("\r\n")}\x1b[${rows - 3};1H${rule}\r\n${W}>${O} \x1b7\r\n${rule}\r\n${D}  edits allowed in this worktree${O}\x1b8\x1b[?25h`;
};
const shellScreen = () => `${G}you@harbor${O}:${B}~/code/ledger${O}$ `;

let n = 0;
function make(title, agent, repo, branch, fields = {}) {
  n += 1;
  const { attention, since = 60, stat, paint = agentScreen, ...rest } = fields;
  const session = {
    id: `s${String(n).padStart(3, "0")}`,
    version: 3,
    title,
    agent,
    command: agent === "shell" ? ["bash"] : [agent],
    repo: `/home/you/code/${repo}`,
    worktree: `/home/you/.local/share/quarterdeck/worktrees/${repo}/${branch.replaceAll("/", "-")}`,
    branch,
    base: "main",
    base_commit: "4f1c9ab27d0c1b0f2c8a",
    kind: "worktree",
    state: "running",
    pending: null,
    attention: {
      state: "unknown",
      since: ago(since),
      source: "none",
      confidence: 0,
      why: "Its program runs. Nothing says yet what it does.",
      evidence: [],
      ...attention,
    },
    tags: [],
    pinned: false,
    notes: "",
    created_at: ago(since + 3600),
    changed_at: ago(since),
    pane: { id: `%${n}`, cols: 94, rows: 41 },
    exit: null,
    problem: null,
    messages: [],
    kept: null,
    parent: null,
    purge_at: null,
    wake_at: null,
    shipping: null,
    diff_stat: stat ? { files: 7, additions: stat[0], deletions: stat[1] } : null,
    terminal_title: null,
    ...rest,
  };
  Object.defineProperty(session, "paint", { value: paint, enumerable: false, writable: true });
  return session;
}

const sure = (state, why, extra = {}) => ({
  state,
  source: "hook",
  confidence: 0.97,
  why,
  evidence: [
    { source: "hook", says: why, at: ago(3) },
    { source: "transcript", says: "assistant turn open", at: ago(3) },
    { source: "screen", says: "progress line seen", at: ago(1) },
  ],
  ...extra,
});

function many() {
  const work = [
    ["Retry uploads with backoff", "claude", "harbor-api", "feat/upload-retry", 134, [412, 88]],
    ["Split the billing module", "claude", "ledger", "refactor/billing-split", 360, [1204, 980]],
    ["Move the map view to WebGL", "opencode", "atlas-web", "feat/map-webgl", 560, [633, 71]],
    ["Type the event payloads", "codex", "atlas-web", "chore/typed-events", 860, [287, 190]],
    ["Port the importer to async", "aider", "fleet-sync", "feat/async-import", 1090, [96, 61]],
    ["Document the webhook API", "gemini", "harbor-api", "docs/webhooks", 1290, [340, 12]],
    ["Drop Node 18 from CI", "claude", "atlas-web", "chore/node-18", 1590, [19, 44]],
    ["Batch the ledger writes", "codex", "ledger", "perf/batch-writes", 1990, [158, 97]],
    ["Backfill the search index", "claude", "fleet-sync", "feat/search-backfill", 3990, [205, 13]],
  ].map(([t, a, r, b, since, stat]) =>
    make(t, a, r, b, { since, stat, attention: sure("working", "tool started: Edit") }),
  );
  return [
    make("Drop the legacy session table", "claude", "ledger", "feat/drop-legacy-sessions", {
      since: 38,
      stat: [86, 412],
      attention: sure("permission", "psql … -c 'DROP TABLE sessions_v1 CASCADE'"),
    }),
    make("Upgrade the TLS stack", "codex", "harbor-api", "chore/rustls-0.23", {
      since: 245,
      stat: [31, 29],
      attention: sure("permission", "cargo update -p rustls --precise 0.23.31"),
    }),
    make("Paginate the audit log", "claude", "ledger", "feat/audit-pages", {
      since: 670,
      stat: [148, 22],
      attention: sure("question", "Cursor or offset pages? The export job reads by offset."),
    }),
    make("Fix the flaky upload test", "gemini", "harbor-api", "fix/flaky-upload", {
      since: 1390,
      stat: [12, 4],
      attention: sure("error", "Rate limit: no requests left until 14:00"),
    }),
    ...work,
    make("Look around", "shell", "ledger", "main", { since: 700, paint: shellScreen, kind: "in-place" }),
    make("Sandbox the importer", "gemini", "fleet-sync", "feat/sandbox", {
      since: 3700,
      stat: [8, 2],
      attention: { source: "screen", confidence: 0.4, why: "The screen shows nothing that is known." },
    }),
    make("Cache tile lookups", "claude", "atlas-web", "perf/tile-cache", {
      since: 300,
      stat: [74, 18],
      attention: sure("done", "It has finished."),
    }),
    make("Add idempotency keys", "codex", "ledger", "feat/idempotency", {
      since: 1860,
      stat: [266, 40],
      attention: sure("done", "It has finished."),
    }),
    make("Dark mode for reports", "aider", "atlas-web", "feat/dark-reports", {
      since: 2520,
      stat: [118, 36],
      attention: {
        state: "idle",
        source: "screen",
        confidence: 0.5,
        why: "Empty prompt.",
        evidence: [{ source: "screen", says: "empty prompt", at: ago(1) }],
      },
    }),
    make("Trim the Docker image", "claude", "fleet-sync", "chore/slim-image", {
      since: 5600,
      attention: sure("idle", "It waits for the next task."),
    }),
    make("Use the new\u200bparser", "codex", "ledger", "feat/parser", {
      state: "failed",
      since: 900,
      worktree: null,
      pane: null,
      problem: {
        title: "The base is not in the repository: release/4.3",
        code: "base_missing",
        hint: "Choose a branch that is there, or fetch it first.",
        status: 0,
      },
    }),
    make("Tidy lint rules", "claude", "atlas-web", "chore/lint", {
      state: "exited",
      since: 7300,
      stat: [44, 51],
      exit: { code: 0, signal: null },
      pane: null,
    }),
    make("Try the fuzzer", "command", "fleet-sync", "main", {
      state: "exited",
      since: 9300,
      command: ["cargo", "fuzz", "run", "parse"],
      exit: { code: 101, signal: null },
      pane: null,
    }),
    make("Old spike", "claude", "ledger", "spike/ledger", {
      state: "trashed",
      since: 90000,
      worktree: null,
      pane: null,
      kept: "Kept: the branch, 3 changed files, 2 untracked files. Purged on 2026-09-01.",
    }),
  ];
}

/** Most of fifty rest. */
function resting(count) {
  const words = ["Trim", "Sort", "Cache", "Split", "Rename", "Test", "Document", "Port", "Log"];
  const things = [
    "the importer",
    "the report page",
    "the webhook client",
    "the audit log",
    "the tile server",
  ];
  const states = ["idle", "idle", "hibernated", "hibernated", "paused", "exited"];
  return Array.from({ length: count }, (_, i) => {
    const state = states[i % states.length];
    const repo = ["ledger", "atlas-web", "fleet-sync", "harbor-api"][i % 4];
    const fields = state === "idle" ? { attention: sure("idle", "It waits for the next task.") } : { state };
    const title = `${words[i % words.length]} ${things[i % things.length]}`;
    return make(title, ["claude", "codex"][i % 2], repo, `chore/rest-${i}`, {
      since: 3000 + 1700 * i,
      stat: i % 3 ? [7 * i + 4, 3 * i] : undefined,
      ...fields,
      ...(state === "idle" ? {} : { pane: null }),
      ...(state === "exited" ? { exit: { code: 0, signal: null } } : {}),
      ...(state === "paused" ? { kept: "Kept: the branch, 2 changed files." } : {}),
    });
  });
}

export function scene(name) {
  n = 0;
  if (name === "empty") return [];
  if (name === "one") return many().slice(4, 5);
  const all = many();
  const open = all.filter((s) => s.state !== "trashed");
  if (name === "fifty") all.push(...resting(50 - open.length));
  const count = Number(name);
  if (count > 0) return open.slice(0, count).concat(resting(Math.max(0, count - open.length)));
  if (name === "huge")
    for (let i = 0; i < 400; i += 1)
      all.push(
        make(`Generated session ${i}`, "claude", "ledger", `gen/${i}`, {
          since: 60 * i,
          attention: { state: i % 3 ? "idle" : "working" },
        }),
      );
  return all;
}

const file = (path, fields = {}) => ({
  path,
  old_path: null,
  status: "modified",
  old_mode: "100644",
  new_mode: "100644",
  additions: 0,
  deletions: 0,
  binary: false,
  size: null,
  large: false,
  ...fields,
});

export function diffOf(id) {
  const files =
    id === "s002"
      ? []
      : [
          file("CHANGELOG.md", { additions: 4 }),
          file("Cargo.lock", { additions: 12000, deletions: 9000, large: true, size: 900000 }),
          file("Cargo.toml", { additions: 2, deletions: 1 }),
          file("docs/upload.md", {
            additions: 18,
            deletions: 3,
            old_path: "docs/uploads.md",
            status: "renamed",
          }),
          file("notes.txt", { additions: 8, status: "untracked", old_mode: null }),
          file("scripts/run.sh", { new_mode: "100755" }),
          file("src/upload/client.rs", { additions: 8, deletions: 2 }),
          file("src/upload/policy.rs", { additions: 96, deletions: 12 }),
          file("src/upload/retry_after.rs", { additions: 58, status: "added", old_mode: null }),
          file("tests/data/part-64mb.bin", {
            binary: true,
            additions: null,
            deletions: null,
            size: 64000000,
            status: "added",
          }),
        ];
  if (id === "s006")
    for (let i = 0; i < 5000; i += 1)
      files.push(file(`gen/${i % 50}/file_${i}.rs`, { additions: i % 90, deletions: i % 7 }));
  const totals = files.reduce(
    (t, f) => ({
      files: t.files + 1,
      additions: t.additions + (f.additions ?? 0),
      deletions: t.deletions + (f.deletions ?? 0),
    }),
    { files: 0, additions: 0, deletions: 0 },
  );
  return {
    base: { name: "main", merge_base: "4f1c9ab" },
    files,
    totals,
    read_at: new Date().toISOString(),
    truncated: false,
  };
}

const CLIENT = `--- a/src/upload/client.rs
+++ b/src/upload/client.rs
@@ -109,6 +109,12 @@ impl UploadClient
     async fn send_part(&self, part: Part) -> Result<Receipt, UploadError> {
         let url = self.part_url(&part);
-        let res = self.http.put(url).body(part).send().await?;
+        let res = retry(self.policy, || async {
+            self.http.put(&url).body(part.clone()).send().await
+        })
+        .await?;
         if res.status() == StatusCode::SERVICE_UNAVAILABLE {
+            let name = "retry-after\u200b";
+            let wait = res.headers().get(name).and_then(retry_after).unwrap_or(Duration::ZERO);
+            sleep(wait).await;
             return Err(UploadError::Unavailable);
         }
@@ -182,3 +188,3 @@ impl Default for RetryPolicy
         RetryPolicy {
-            tries: 1,
+            tries: 5,
         }
\\ No newline at end of file
`;

export function patchOf(path, full) {
  if (path === "scripts/run.sh") return { path, patch: "", truncated: false, binary: false, size: 0 };
  if (path === "src/upload/client.rs")
    return { path, patch: CLIENT, truncated: false, binary: false, size: CLIENT.length };
  const count = path === "Cargo.lock" ? (full ? 20000 : 500) : 60;
  let patch = `@@ -1,${count} +1,${count * 2} @@\n`;
  for (let i = 0; i < count; i += 1)
    patch += `-line ${i} of the old text\n+line ${i} of the new text\n+\tand one more { "key": ${i} }\n`;
  patch = patch.replace(`+1,${count * 2}`, `+1,${count * 2}`);
  return { path, patch, truncated: path === "Cargo.lock" && !full, binary: false, size: patch.length };
}
