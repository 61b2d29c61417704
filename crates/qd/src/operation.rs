use std::time::Duration;

use qd_api::Operation;
use qd_client::{Client, EventStream, StreamItem};
use qd_core::{Code, Problem};

use crate::failure::Failure;

/// How long to go on without news before asking all the same.
const UNASKED: Duration = Duration::from_secs(2);

/// Waits until an operation is done. `events` must have been opened before it began.
pub async fn finish(
    client: &Client,
    events: &mut EventStream,
    mut operation: Operation,
) -> Result<(), Failure> {
    loop {
        match operation.state.as_str() {
            "running" => {}
            "failed" => return Err(why(client, &operation).await),
            _ => return Ok(()),
        }
        news(events, &operation.session).await?;
        operation = match client.operation(&operation.id).await {
            Ok(operation) => operation,
            // With its session for good.
            Err(problem)
                if matches!(problem.code, Code::UnknownOperation | Code::UnknownSession) =>
            {
                return Ok(());
            }
            Err(problem) => return Err(problem.into()),
        };
    }
}

/// Waits for something that may concern a session.
async fn news(events: &mut EventStream, session: &str) -> Result<(), Problem> {
    let concerns = async {
        loop {
            let of_it = match events.next().await? {
                StreamItem::Head(_) | StreamItem::Resync => true,
                StreamItem::Log(record) => record.session == session,
                StreamItem::Session(view) => view.id == session,
                StreamItem::Gone(id) => id == session,
            };
            if of_it {
                return Ok(());
            }
        }
    };
    tokio::time::timeout(UNASKED, concerns).await.unwrap_or(Ok(()))
}

async fn why(client: &Client, operation: &Operation) -> Failure {
    let session = client.session(&operation.session).await;
    match session.map(|session| session.problem) {
        Ok(Some(problem)) => problem.into_problem().into(),
        Ok(None) => Failure::new(
            Code::Internal,
            format!("It failed at the step {}.", operation.step),
            format!("Look at it with `qd show {}`.", operation.session),
        ),
        Err(problem) => problem.into(),
    }
}
