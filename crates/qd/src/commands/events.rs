use clap::Args;
use qd_api::EventRecord;
use qd_client::StreamItem;

use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// Print the numbered event log
#[derive(Debug, Args)]
#[command(after_help = "Example: qd events --since 120 --follow --json")]
pub struct Arguments {
    /// Only events after this number
    #[arg(long, value_name = "N", default_value_t = 0)]
    since: u64,
    /// Go on with what happens
    #[arg(long)]
    follow: bool,
}

/// Runs the command.
pub async fn run(arguments: Arguments, context: &Context) -> Result<(), Failure> {
    let mut stream = context.client().events(Some(arguments.since)).await?;
    let mut printed = arguments.since;
    let mut latest = None;
    loop {
        if !arguments.follow && latest.is_some_and(|latest| printed >= latest) {
            return Ok(());
        }
        match stream.next().await? {
            StreamItem::Head(head) => latest = latest.or(Some(head.latest)),
            StreamItem::Log(record) => {
                printed = record.number;
                if !arguments.follow && latest.is_some_and(|latest| printed > latest) {
                    return Ok(());
                }
                tell(&record, context.json)?;
            }
            _ => {}
        }
    }
}

fn tell(record: &EventRecord, json: bool) -> Result<(), Failure> {
    if json {
        return output::json(record);
    }
    let EventRecord { number, at, session, kind, .. } = record;
    output::line(&output::plain(&format!("{number:>6}  {at}  {session}  {kind}")))
}
