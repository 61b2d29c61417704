use bytes::Bytes;
use hyper::Method;
use qd_api::{
    AgentInfo, Change, ConfigView, Device, DeviceList, DiffReply, DoctorReport, FilePatch, Health,
    Input, Keys, LoginCode, LossView, MergeView, NewAdoption, NewCommit, NewFork, NewMerge,
    NewPush, NewRebuild, NewSession, NewShell, Operation, Pairing, RebuildView, RepoInfo,
    ResizeRequest, ScreenReply, ScrollbackReply, SessionView, ShipView, StopRequest,
};
use qd_core::{Action, Code, Problem};
use serde_json::json;

use crate::Client;
use crate::call::{Call, PATIENT, USUAL, read};
use crate::path::encode;

/// A part of the raw output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPart {
    /// The number of its first byte.
    pub seq: u64,
    /// The bytes.
    pub bytes: Bytes,
}

/// What the daemon can be asked. Where an id is taken, it is a session's id, a unique prefix of
/// one, or `title:TEXT`. All fail with the daemon's own [`Problem`], `no_daemon` or `timeout`.
#[expect(clippy::missing_errors_doc, reason = "said once for all of them")]
impl Client {
    /// Whether it is well, and its version.
    pub async fn health(&self) -> Result<Health, Problem> {
        self.get("/healthz".to_owned()).await
    }

    /// Makes a login code, good for ten minutes, once.
    pub async fn login_code(&self) -> Result<LoginCode, Problem> {
        self.post("/login-codes".to_owned(), &json!({})).await
    }

    /// Makes login links for another device.
    pub async fn pair(&self) -> Result<Pairing, Problem> {
        self.post("/pairings".to_owned(), &json!({})).await
    }

    /// What is in force.
    pub async fn config(&self) -> Result<ConfigView, Problem> {
        self.get("/config".to_owned()).await
    }

    /// The devices that may come in.
    pub async fn devices(&self) -> Result<Vec<Device>, Problem> {
        let list: DeviceList = self.get("/devices".to_owned()).await?;
        Ok(list.devices)
    }

    /// Takes a device's right to come in away.
    pub async fn revoke(&self, device: &str) -> Result<(), Problem> {
        let path = format!("/devices/{}", encode(device));
        self.call(Call { method: Method::DELETE, path, body: None, limit: USUAL, seen: None })
            .await
            .map(drop)
    }

    /// The sessions outside the trash.
    pub async fn sessions(&self) -> Result<Vec<SessionView>, Problem> {
        self.get("/sessions".to_owned()).await
    }

    /// The sessions in the trash.
    pub async fn trash(&self) -> Result<Vec<SessionView>, Problem> {
        self.get("/trash".to_owned()).await
    }

    /// Makes a session; the work goes on after the answer.
    pub async fn create(&self, request: &NewSession) -> Result<SessionView, Problem> {
        self.post("/sessions".to_owned(), request).await
    }

    /// Makes a session of a tmux pane of the person's own; the work goes on after the answer.
    pub async fn adopt(&self, request: &NewAdoption) -> Result<SessionView, Problem> {
        self.post("/adopt".to_owned(), request).await
    }

    /// One session.
    pub async fn session(&self, id: &str) -> Result<SessionView, Problem> {
        self.get(of(id, "")).await
    }

    /// Changes what the person calls it; `version_conflict` when it is not at the version that
    /// was `seen`, where one is given.
    pub async fn change(
        &self,
        id: &str,
        change: &Change,
        seen: Option<u64>,
    ) -> Result<SessionView, Problem> {
        let body = serde_json::to_vec(change).map(Bytes::from).ok();
        let call = Call { method: Method::PATCH, path: of(id, ""), body, limit: USUAL, seen };
        read(&self.call(call).await?)
    }

    /// Puts it in the trash.
    pub async fn remove(&self, id: &str) -> Result<Operation, Problem> {
        let call =
            Call { method: Method::DELETE, path: of(id, ""), body: None, limit: USUAL, seen: None };
        read(&self.call(call).await?)
    }

    /// Has something done to it.
    pub async fn act(&self, id: &str, action: Action) -> Result<Operation, Problem> {
        if action == Action::Trash {
            return self.remove(id).await;
        }
        self.post(of(id, &format!("/{}", action.as_str())), &json!({})).await
    }

    /// What would be lost with it.
    pub async fn loss(&self, id: &str) -> Result<LossView, Problem> {
        self.get_patiently(of(id, "/loss")).await
    }

    /// Opens a second terminal in its worktree; the work goes on after the answer.
    pub async fn shell(&self, id: &str, request: &NewShell) -> Result<SessionView, Problem> {
        self.post(of(id, "/shell"), request).await
    }

    /// Makes a session like it that begins where it is now; the work goes on after the answer.
    pub async fn fork(&self, id: &str, request: &NewFork) -> Result<SessionView, Problem> {
        self.post(of(id, "/fork"), request).await
    }

    /// Types text or bytes.
    pub async fn send(&self, id: &str, input: &Input) -> Result<(), Problem> {
        self.post_plain(of(id, "/send"), input).await.map(|_| ())
    }

    /// Presses keys by name.
    pub async fn keys(&self, id: &str, keys: &Keys) -> Result<(), Problem> {
        self.post_plain(of(id, "/keys"), keys).await.map(|_| ())
    }

    /// Sets the size of the terminal.
    pub async fn resize(&self, id: &str, size: &ResizeRequest) -> Result<(), Problem> {
        self.post_plain(of(id, "/resize"), size).await.map(|_| ())
    }

    /// What is on the screen.
    pub async fn screen(
        &self,
        id: &str,
        ansi: bool,
        history: bool,
    ) -> Result<ScreenReply, Problem> {
        self.get_patiently(of(id, &format!("/screen?ansi={ansi}&history={history}"))).await
    }

    /// Lines from before the screen: at most `lines`, from line `from` of those kept.
    pub async fn scrollback(
        &self,
        id: &str,
        from: usize,
        lines: usize,
        ansi: bool,
    ) -> Result<ScrollbackReply, Problem> {
        self.get_patiently(of(id, &format!("/scrollback?from={from}&lines={lines}&ansi={ansi}")))
            .await
    }

    /// What it changed.
    pub async fn diff(&self, id: &str) -> Result<DiffReply, Problem> {
        self.get_patiently(of(id, "/diff")).await
    }

    /// What it would deliver; with `fetch` the remote is asked first.
    pub async fn ship(&self, id: &str, fetch: bool) -> Result<ShipView, Problem> {
        self.get_patiently(of(id, &format!("/ship?fetch={fetch}"))).await
    }

    /// What a rebuild of its branch would do.
    pub async fn rebuild_preview(&self, id: &str) -> Result<RebuildView, Problem> {
        self.get_patiently(of(id, "/ship/rebuild")).await
    }

    /// What a merge into its base would do: by `merge`, `squash` or `rebase`.
    pub async fn merge_preview(&self, id: &str, way: &str) -> Result<MergeView, Problem> {
        self.get_patiently(of(id, &format!("/ship/merge?way={way}"))).await
    }

    /// Begins to bring its work into its base.
    pub async fn ship_merge(&self, id: &str, request: &NewMerge) -> Result<Operation, Problem> {
        self.post(of(id, "/ship/merge"), request).await
    }

    /// Begins a commit of its work.
    pub async fn ship_commit(&self, id: &str, request: &NewCommit) -> Result<Operation, Problem> {
        self.post(of(id, "/ship/commit"), request).await
    }

    /// Begins a push of its branch.
    pub async fn ship_push(&self, id: &str, request: &NewPush) -> Result<Operation, Problem> {
        self.post(of(id, "/ship/push"), request).await
    }

    /// Begins a rebuild of its branch.
    pub async fn ship_rebuild(&self, id: &str, request: &NewRebuild) -> Result<Operation, Problem> {
        self.post(of(id, "/ship/rebuild"), request).await
    }

    /// Begins to take the last rebuild back.
    pub async fn ship_undo(&self, id: &str) -> Result<Operation, Problem> {
        self.post(of(id, "/ship/undo"), &json!({})).await
    }

    /// Ends what is being shipped.
    pub async fn ship_stop(&self, id: &str) -> Result<(), Problem> {
        self.post_plain(of(id, "/ship/stop"), &json!({})).await.map(|_| ())
    }

    /// The patch of one file; `old_path` is where the diff says that it was before; `whole` asks
    /// for all of one that would be cut.
    pub async fn file_patch(
        &self,
        id: &str,
        path: &str,
        old_path: Option<&str>,
        whole: bool,
    ) -> Result<FilePatch, Problem> {
        let old = old_path.map(|old| format!("&old_path={}", encode(old))).unwrap_or_default();
        let query = format!("/diff/file?path={}{old}&whole={whole}", encode(path));
        self.get_patiently(of(id, &query)).await
    }

    /// All changes as one patch that `git apply` takes, and how many files are too large for it.
    pub async fn patch(&self, id: &str) -> Result<(Bytes, u64), Problem> {
        let call = Call {
            method: Method::GET,
            path: of(id, "/patch"),
            body: None,
            limit: PATIENT,
            seen: None,
        };
        let answer = self.call(call).await?;
        let left_out = answer.headers.get("qd-left-out");
        let left_out = left_out.and_then(|count| count.to_str().ok()?.parse().ok());
        Ok((answer.body, left_out.unwrap_or(0)))
    }

    /// The raw output from byte `from` on, or from where the ring begins.
    pub async fn logs(&self, id: &str, from: Option<u64>) -> Result<LogPart, Problem> {
        let query = from.map(|from| format!("?from={from}")).unwrap_or_default();
        let path = of(id, &format!("/logs{query}"));
        let call = Call { method: Method::GET, path, body: None, limit: PATIENT, seen: None };
        let answer = self.call(call).await?;
        let first = answer.headers.get("qd-seq").and_then(|seq| seq.to_str().ok()?.parse().ok());
        let seq = first.ok_or_else(|| {
            Problem::new(
                Code::Internal,
                "The daemon did not say where the output begins.",
                "It may be of another version: restart it with `qd stop`, then `qd`.",
            )
        })?;
        Ok(LogPart { seq, bytes: answer.body })
    }

    /// An operation that is under way or was last.
    pub async fn operation(&self, id: &str) -> Result<Operation, Problem> {
        self.get(format!("/operations/{}", encode(id))).await
    }

    /// Agents that can be started.
    pub async fn agents(&self) -> Result<Vec<AgentInfo>, Problem> {
        self.get_patiently("/agents".to_owned()).await
    }

    /// Repositories that sessions worked in.
    pub async fn repos(&self) -> Result<Vec<RepoInfo>, Problem> {
        self.get("/repos".to_owned()).await
    }

    /// What is missing or wrong.
    pub async fn doctor(&self) -> Result<DoctorReport, Problem> {
        self.get_patiently("/doctor".to_owned()).await
    }

    /// Ends the daemon, and the sessions with it when that is asked.
    pub async fn stop(&self, sessions: bool) -> Result<(), Problem> {
        self.post_plain("/stop".to_owned(), &StopRequest { sessions }).await.map(|_| ())
    }
}

/// The address of a session and what belongs to it.
fn of(id: &str, rest: &str) -> String {
    format!("/sessions/{}{rest}", encode(id))
}
