import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Daemon, type Session, program } from "./daemon.ts";

/** Puts programs with the names of agents on the PATH; each shows a screen and waits. */
export function fakeAgents(daemon: Daemon) {
  const bin = join(daemon.dir, "bin");
  mkdirSync(bin);
  const [node, script] = program("agent");
  for (const [name, version] of [["claude", "2.4.1"], ["codex", "0.52.0"], ["opencode", "1.3.0"]]) {
    const file = join(bin, name as string);
    writeFileSync(
      file,
      `#!/bin/sh\n[ "$1" = --version ] && { echo ${version}; exit 0; }\nexec '${node}' '${script}' "$SCREEN"\n`,
    );
    chmodSync(file, 0o755);
  }
  daemon.env.PATH = `${bin}:${daemon.env.PATH}`;
}

const CLIENT = `use crate::{Error, Part, Response};

/// Sends the parts of an upload.
pub struct Client {
    http: Http,
    url: Url,
}

impl Client {
    /// Sends one part.
    pub async fn send_part(&self, part: Part) -> Result<Response, Error> {
        let url = self.url.join(&part.name)?;
        let res = self.http.put(url).body(part).send().await?;
        res.ok()
    }
}
`;

/** Sessions as a person has them on a good day. */
export async function showcase(daemon: Daemon): Promise<Session> {
  const repos = ["harbor-api", "ledger", "atlas-web", "fleet-sync"];
  for (const name of repos) {
    const path = daemon.repo(name);
    mkdirSync(join(path, "src/upload"), { recursive: true });
    writeFileSync(join(path, "src/upload/client.rs"), CLIENT);
    daemon.sh("git add -A && git commit -qm 'Send parts'", path);
  }
  const make = (title: string, repo: string, branch: string, agent: string, screen = title) =>
    daemon.qd<Session>(
      "new", "--repo", join(daemon.dir, repo), "--title", title, "--branch", branch, "--agent", agent,
      "--env", `SCREEN=${screen}`, "--wait", "running", "--timeout", "60",
    );
  const grow = (session: Session, lines: number, cut = 0) =>
    daemon.sh(
      `i=0; while [ $i -lt ${lines} ]; do echo "    line $i of the change" >> src/made.rs; i=$((i+1)); done
       [ ${cut} -eq 0 ] || sed -i.bak "1,${cut}d" src/upload/client.rs; rm -f src/upload/client.rs.bak`,
      session.worktree,
    );
  const run = (title: string, repo: string, branch: string, command: string) =>
    daemon.qd<Session>(
      "new", "--repo", join(daemon.dir, repo), "--title", title, "--branch", branch, "--command", command,
      "--wait", "running,exited", "--timeout", "60",
    );
  await run("Backfill the search index", "fleet-sync", "feat/search-backfill", "sh -c 'echo 41,202 rows; exit 0'");
  await run("Measure cold starts", "atlas-web", "perf/cold-start", "sh -c 'echo timed out >&2; exit 1'");
  await run("Check the licences", "ledger", "chore/licences", "sh -c 'echo 214 packages, all known; exit 0'");
  grow(await make("Drop the legacy session table", "ledger", "feat/drop-legacy-sessions", "claude"), 86, 5);
  grow(await make("Upgrade the TLS stack", "harbor-api", "chore/tls-stack", "codex"), 31, 2);
  grow(await make("Paginate the audit log", "ledger", "feat/audit-pages", "claude"), 148, 6);
  await make("Tidy the lint rules", "atlas-web", "chore/lint-rules", "opencode");
  grow(await make("Split the billing module", "ledger", "refactor/billing-split", "codex"), 120, 7);
  grow(await make("Move the map view to WebGL", "atlas-web", "feat/map-webgl", "opencode"), 63);
  grow(await make("Type the event payloads", "atlas-web", "chore/typed-events", "codex"), 28, 3);
  grow(await make("Port the importer to async", "fleet-sync", "feat/async-import", "claude"), 96, 4);
  await run("Dev server", "atlas-web", "dev", "sh -c 'echo ready on http://localhost:5173; exec cat'");
  const main = await make("Retry uploads with backoff", "harbor-api", "feat/upload-retry", "claude", "retry");
  writeFileSync(
    join(main.worktree, "src/upload/client.rs"),
    CLIENT.replace(
      "        let res = self.http.put(url).body(part).send().await?;\n",
      "        let res = retry(self.policy, || async {\n            self.http.put(url.clone()).body(part.clone()).send().await\n        })\n        .await?;\n",
    ).replace("    url: Url,\n", "    url: Url,\n    policy: Policy,\n"),
  );
  writeFileSync(
    join(main.worktree, "src/upload/policy.rs"),
    Array.from({ length: 41 }, (_, i) => `// policy, line ${i}\n`).join(""),
  );
  writeFileSync(join(main.worktree, "tests.md"), "Run `cargo test --test upload_retry`.\n");
  return main;
}
