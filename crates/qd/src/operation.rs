use std::time::Duration;

use qd_api::Operation;
use qd_client::{Client, EventStream, StreamItem};
use qd_core::{Code, Problem};

use crate::failure::Failure;
use crate::progress::Progress;

/// How long to go on without news before asking all the same.
const UNASKED: Duration = Duration::from_secs(1);

/// Waits until operations are done, and gives the end of each in their order. `events` must have
/// been opened before they began.
pub async fn finish_all(
    client: &Client,
    events: &mut EventStream,
    mut operations: Vec<Operation>,
    progress: &mut Progress,
) -> Vec<Result<(), Failure>> {
    let running = |operation: &&mut Operation| operation.state == "running";
    loop {
        let left = operations.iter().filter(|operation| operation.state == "running").count();
        if left == 0 {
            break;
        }
        progress.tell(operations.len() - left, operations.len());
        let asked = match news(events, &operations).await {
            Ok(concerned) => {
                let wanted = |operation: &&mut Operation| {
                    concerned.as_ref().is_none_or(|session| *session == operation.session)
                };
                ask(client, operations.iter_mut().filter(running).filter(wanted)).await
            }
            Err(problem) => Err(problem),
        };
        if let Err(problem) = asked {
            // Nothing more will be heard: what had ended is told all the same.
            return ends(client, operations, Some(problem)).await;
        }
    }
    ends(client, operations, None).await
}

async fn ask(
    client: &Client,
    operations: impl Iterator<Item = &mut Operation>,
) -> Result<(), Problem> {
    for operation in operations {
        match client.operation(&operation.id).await {
            Ok(now) => *operation = now,
            // With its session for good.
            Err(problem)
                if matches!(problem.code, Code::UnknownOperation | Code::UnknownSession) =>
            {
                "done".clone_into(&mut operation.state);
            }
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}

async fn ends(
    client: &Client,
    operations: Vec<Operation>,
    unheard: Option<Problem>,
) -> Vec<Result<(), Failure>> {
    let mut ends = vec![];
    for operation in operations {
        ends.push(match (operation.state.as_str(), &unheard) {
            ("running", Some(problem)) => Err(problem.clone().into()),
            ("failed", _) => Err(why(client, &operation).await),
            _ => Ok(()),
        });
    }
    ends
}

/// Waits for something that may concern one of the sessions: its id, or none when it may be any.
async fn news(
    events: &mut EventStream,
    operations: &[Operation],
) -> Result<Option<String>, Problem> {
    let concerns = async {
        loop {
            let id = match events.next().await? {
                StreamItem::Head(_) | StreamItem::Resync => return Ok(None),
                StreamItem::Log(record) => record.session,
                StreamItem::Session(view) => view.id,
                StreamItem::Gone(id) => id,
            };
            if operations.iter().any(|operation| operation.session == id) {
                return Ok(Some(id));
            }
        }
    };
    tokio::time::timeout(UNASKED, concerns).await.unwrap_or(Ok(None))
}

async fn why(client: &Client, operation: &Operation) -> Failure {
    let session = match client.session(&operation.session).await {
        Ok(session) => session,
        Err(problem) => return problem.into(),
    };
    // A step of shipping has its own end beside the session's state.
    let shipping = session.shipping.filter(|last| last.what == operation.step);
    if let Some(problem) = shipping.and_then(|last| last.problem) {
        return problem.into_problem().into();
    }
    match (session.pending, session.problem) {
        (None, Some(problem)) => problem.into_problem().into(),
        (Some(other), _) => Failure::new(
            Code::Cancelled,
            format!("It was overtaken by something else that was asked for: {other}."),
            format!("Look at it with `qd show {}`.", operation.session),
        ),
        (None, None) => Failure::new(
            Code::Internal,
            format!("It failed at the step {}.", operation.step),
            format!("Look at it with `qd show {}`.", operation.session),
        ),
    }
}
