mod told;

use clap::Args;
use qd_api::{
    MergeView, NewCommit, NewMerge, NewPush, NewRebuild, Operation, RebuildView, ShipView,
    ShippingView,
};
use qd_client::Client;
use qd_core::Code;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{cli, operation, output};

/// Show what a session would deliver and whose each commit is; commit it, keep foreign commits out,
/// push it, and merge it into its base
#[derive(Debug, Args)]
#[command(
    after_help = "Without an option it only shows. What is asked for is done in this order: \
    commit, keep out, push, merge.\nHooks run, and commits are signed as you have it set up. A push \
    never goes over commits that were not here. A merge is pushed if the base is on a remote, and \
    leaves no file half-way.\n\n\
    Example: qd ship kabc --commit -m 'Fix the login' --push\n\
    Example: qd ship kabc --merge=squash"
)]
#[expect(clippy::struct_excessive_bools, reason = "options of a command line")]
pub struct Arguments {
    /// The session
    #[arg(value_name = "ID", value_parser = cli::id)]
    id: String,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Commit what is not committed
    #[arg(long, requires = "message")]
    commit: bool,
    /// The message of the commit
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, requires = "commit")]
    message: Option<String>,
    /// Commit only this file, as it is now; may be given several times
    #[arg(long = "file", value_name = "PATH", requires = "commit", conflicts_with = "staged")]
    files: Vec<String>,
    /// Commit only what is staged
    #[arg(long, requires = "commit")]
    staged: bool,
    /// Make the branch anew of only the session's own commits, on the base as it is now
    #[arg(long)]
    keep_out: bool,
    /// Push the branch
    #[arg(long)]
    push: bool,
    /// Bring the work into the base: by a merge commit, by one new commit, or by its own commits
    /// made anew on the base
    #[arg(long, value_name = "WAY", num_args = 0..=1, require_equals = true,
        default_missing_value = "merge", value_parser = ["merge", "squash", "rebase"])]
    merge: Option<String>,
    /// The message of that commit
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, requires = "merge")]
    merge_message: Option<String>,
    /// Let commits that are not the session's go along
    #[arg(long, conflicts_with = "keep_out")]
    with_foreign: bool,
    /// Take the last `--keep-out` back
    #[arg(long, conflicts_with_all = ["commit", "keep_out", "push", "merge"])]
    undo: bool,
    /// Stop what is being shipped
    #[arg(long, conflicts_with_all = ["commit", "keep_out", "push", "merge", "undo", "dry_run"])]
    stop: bool,
    /// Take the base as it was last seen, without asking the remote
    #[arg(long)]
    no_fetch: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let client = context.client();
    // So that what a title names cannot change on the way.
    let id = client.session(&arguments.id).await?.id;
    if arguments.stop {
        client.ship_stop(&id).await?;
        return if context.json {
            output::json(&json!({"stopped": true}))
        } else {
            output::line("Told to end.")
        };
    }
    let mut ship = client.ship(&id, !arguments.no_fetch).await?;
    let rebuild = if arguments.keep_out { Some(client.rebuild_preview(&id).await?) } else { None };
    let merge = match &arguments.merge {
        Some(way) => Some(client.merge_preview(&id, way).await?),
        None => None,
    };
    let mut steps: Vec<ShippingView> = vec![];
    if !arguments.dry_run {
        let doing = Doing { client: &client, id: &id, json: context.json };
        steps = doing.all(&arguments, ship, rebuild.as_ref(), merge.as_ref()).await?;
        ship = client.ship(&id, false).await?;
    }
    if context.json {
        return output::json(
            &json!({"ship": ship, "rebuild": rebuild, "merge": merge, "steps": steps}),
        );
    }
    if steps.is_empty() {
        let colours = output::colours();
        return output::raw(
            told::text(&ship, rebuild.as_ref(), merge.as_ref(), &id, colours).as_bytes(),
        );
    }
    Ok(())
}

struct Doing<'a> {
    client: &'a Client,
    id: &'a str,
    json: bool,
}

impl Doing<'_> {
    async fn all(
        &self,
        arguments: &Arguments,
        mut ship: ShipView,
        rebuild: Option<&RebuildView>,
        merge: Option<&MergeView>,
    ) -> Result<Vec<ShippingView>, Failure> {
        let mut steps = vec![];
        if let Some(merge) = merge.filter(|_| rebuild.is_none()) {
            fits(merge)?;
        }
        if arguments.undo {
            steps.push(self.step(Step::Undo).await?);
        }
        if let Some(message) = arguments.message.clone().filter(|_| arguments.commit) {
            let files = (!arguments.files.is_empty()).then(|| arguments.files.clone());
            let commit = NewCommit { message, files, staged: arguments.staged };
            steps.push(self.step(Step::Commit(commit)).await?);
            ship = self.client.ship(self.id, false).await?;
        }
        if let Some(rebuild) = rebuild {
            refuse(rebuild)?;
            steps.push(self.step(Step::Rebuild(NewRebuild { tip: ship.tip.clone() })).await?);
            ship = self.client.ship(self.id, false).await?;
        }
        if arguments.push {
            let push = NewPush { tip: ship.tip, with_foreign: arguments.with_foreign };
            steps.push(self.step(Step::Push(push)).await?);
        }
        if let Some(way) = &arguments.merge {
            // What was committed or kept out meanwhile counts.
            let now = self.client.merge_preview(self.id, way).await?;
            fits(&now)?;
            let merge = NewMerge {
                tip: now.tip,
                onto_commit: now.onto_commit,
                way: way.clone(),
                message: arguments.merge_message.clone(),
                with_foreign: arguments.with_foreign,
            };
            steps.push(self.step(Step::Merge(merge)).await?);
        }
        Ok(steps)
    }

    /// Does one step, waits for its end, and tells of it.
    async fn step(&self, step: Step) -> Result<ShippingView, Failure> {
        let word = step.under_way();
        // Opened first: what ends between the two is in the stream.
        let mut events = self.client.events(None).await?;
        let begun = step.begin(self.client, self.id).await?;
        let mut progress = Progress::new(word, self.json);
        let ends =
            operation::finish_all(self.client, &mut events, vec![begun], &mut progress).await;
        drop(progress);
        ends.into_iter().collect::<Result<(), Failure>>()?;
        let shipping = self.client.session(self.id).await?.shipping;
        let done = shipping.ok_or_else(|| {
            Failure::new(
                Code::Unavailable,
                "The daemon was started anew meanwhile, and what became of it is not known.",
                format!("Look with `qd ship {}`.", self.id),
            )
        })?;
        if !self.json {
            output::line(&output::plain(done.said.as_deref().unwrap_or("Done.")))?;
        }
        Ok(done)
    }
}

enum Step {
    Commit(NewCommit),
    Push(NewPush),
    Rebuild(NewRebuild),
    Undo,
    Merge(NewMerge),
}

impl Step {
    fn under_way(&self) -> &'static str {
        match self {
            Self::Commit(_) => "Committing",
            Self::Push(_) => "Pushing",
            Self::Rebuild(_) => "Rebuilding",
            Self::Undo => "Undoing",
            Self::Merge(_) => "Merging",
        }
    }

    async fn begin(&self, client: &Client, id: &str) -> Result<Operation, Failure> {
        Ok(match self {
            Self::Commit(commit) => client.ship_commit(id, commit).await?,
            Self::Push(push) => client.ship_push(id, push).await?,
            Self::Rebuild(rebuild) => client.ship_rebuild(id, rebuild).await?,
            Self::Undo => client.ship_undo(id).await?,
            Self::Merge(merge) => client.ship_merge(id, merge).await?,
        })
    }
}

/// Refuses a rebuild that would be refused, before the commit that comes first is made.
fn refuse(rebuild: &RebuildView) -> Result<(), Failure> {
    let conflict = rebuild.own.iter().find(|commit| commit.outcome == "conflict");
    match conflict {
        Some(commit) => Err(Failure::new(
            Code::Conflicts,
            format!(
                "\u{201c}{}\u{201d} does not fit onto {}: {} would conflict.",
                output::one_line(&commit.subject),
                output::one_line(&rebuild.onto),
                output::one_line(&commit.paths.join(", "))
            ),
            "The branch was not changed. Have the agent rebase and solve the conflict.",
        )),
        None => Ok(()),
    }
}

/// Refuses a merge that would be refused, before anything else is done.
fn fits(merge: &MergeView) -> Result<(), Failure> {
    if merge.conflicts.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        Code::Conflicts,
        format!(
            "{} does not fit onto {}: {} would conflict.",
            output::one_line(&merge.branch),
            output::one_line(&merge.onto),
            output::one_line(&merge.conflicts.join(", "))
        ),
        "Nothing was changed. Have the agent merge the base into its branch and solve it there.",
    ))
}
