//! The tables of docs/lifecycle.md are what the machine does. `QD_WRITE=1` writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use qd_core::{
    Action, Command, Description, Effect, Event, Exit, Kind, Lifecycle, Millis, OnLoss, Pending,
    Program, Session, SessionId, Step, Title, decide, evolve, next,
};

use crate::model::samples::{launch, parked, place, problem};

const BEGIN: &str = "<!-- tables: begin -->\n";
const END: &str = "<!-- tables: end -->";

/// What the tables tell apart.
type Row = (String, Option<String>);

#[test]
fn the_tables_are_what_the_machine_does() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/lifecycle.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once(BEGIN).unwrap();
    let (written, tail) = rest.split_once(END).unwrap();
    let tables = tables();
    if std::env::var_os("QD_WRITE").is_some() {
        std::fs::write(&path, format!("{head}{BEGIN}{tables}{END}{tail}")).unwrap();
        return;
    }
    assert_eq!(
        written, tables,
        "docs/lifecycle.md is not what the machine does; write its tables anew with\n  \
         QD_WRITE=1 cargo test -p qd-core --test it lifecycle"
    );
}

fn tables() -> String {
    let rows = rows();
    [asked(&rows), done(&rows), reported(&rows)].concat()
}

/// What a person asks.
fn asked(rows: &BTreeMap<Row, Vec<Session>>) -> String {
    let mut text = "\n### What a person asks\n\n".to_owned();
    let words: Vec<_> = Action::ALL.iter().map(|action| action.as_str()).collect();
    head(&mut text, "state", &words);
    for (row, states) in rows {
        let cells: Vec<_> = Action::ALL
            .iter()
            .map(|action| {
                either(states, |state| match decide(Some(state), action.command()) {
                    Ok(events) if events.is_empty() => "so already".to_owned(),
                    Ok(events) => kinds(&events),
                    Err(_) => "–".to_owned(),
                })
            })
            .collect();
        line(&mut text, row, &cells);
    }
    text
}

/// What the owner does.
fn done(rows: &BTreeMap<Row, Vec<Session>>) -> String {
    let mut text = "\n### What is done next\n\n".to_owned();
    let programs = [
        ("no program runs", Program::Nothing),
        ("it is being started", Program::Starting),
        ("it runs", Program::Here { ending: false }),
    ];
    head(&mut text, "state", &programs.map(|(words, _)| words));
    for (row, states) in rows.iter().filter(|(row, _)| row.1.is_some()) {
        let cells = programs.map(|(_, program)| {
            either(states, |state| match next(state, program, None) {
                None => "–".to_owned(),
                Some(effect) => word(effect).to_owned(),
            })
        });
        line(&mut text, row, &cells);
    }
    text
}

/// What work and the world report.
fn reported(rows: &BTreeMap<Row, Vec<Session>>) -> String {
    let mut text = "\n### What is reported\n\n".to_owned();
    let reports = reports();
    head(&mut text, "state", &["report → state after it"]);
    for (row, states) in rows {
        let cells: Vec<_> = reports
            .iter()
            .filter_map(|(word, report)| {
                let after = either(states, |state| {
                    let events = decide(Some(state), report.clone()).unwrap();
                    if events.is_empty() {
                        return String::new();
                    }
                    let after = fold(Some(state.clone()), &events);
                    after.map_or("purged".to_owned(), |after| name(&row_of(&after)))
                });
                (!after.is_empty()).then(|| format!("{word} → {after}"))
            })
            .collect();
        let cell = if cells.is_empty() { "–".to_owned() } else { cells.join("; ") };
        line(&mut text, row, &[cell]);
    }
    text.push('\n');
    text
}

fn reports() -> Vec<(&'static str, Command)> {
    let exit = Some(Exit { code: Some(0), signal: None });
    vec![
        ("step", Command::BeginStep(Step::Start)),
        ("place-ready", Command::PlaceReady(place(true))),
        ("started", Command::Started),
        ("creation-failed", Command::CreationFailed(problem())),
        ("creation-kept", Command::CreationKept(problem())),
        ("start-failed", Command::StartFailed(problem())),
        ("exited", Command::Exited(exit)),
        ("lost", Command::Lost { soon: false }),
        ("lost soon after its start", Command::Lost { soon: true }),
        ("parked", Command::Parked(parked(Some("/t")))),
        ("park-failed", Command::ParkFailed(problem())),
        ("files-back", Command::FilesBack(None)),
        ("files-back-failed", Command::FilesBackFailed(problem())),
        ("purge-done", Command::PurgeDone),
        ("purge-failed", Command::PurgeFailed(problem())),
        ("end-asked", Command::EndAsked),
    ]
}

/// Every state that any order of commands and reports leads to, by what the tables tell apart.
fn rows() -> BTreeMap<Row, Vec<Session>> {
    let mut commands: Vec<_> = Action::ALL.iter().map(|action| action.command()).collect();
    commands.extend(reports().into_iter().map(|(_, report)| report));
    let title = Some(Title::parse("t").unwrap());
    commands.push(Command::Describe(Box::new(Description { title, ..Description::default() })));
    let mut open: Vec<Session> = [OnLoss::Resume, OnLoss::Stop]
        .into_iter()
        .filter_map(|on_loss| {
            let launch = Box::new(launch(on_loss, Kind::Worktree));
            fold(None, &decide(None, Command::Create(launch)).unwrap())
        })
        .collect();
    let mut met: Vec<Session> = vec![];
    while let Some(mut state) = open.pop() {
        (state.version, state.run, state.exit, state.problem) = (0, 0, None, None);
        if met.contains(&state) {
            continue;
        }
        for command in &commands {
            if let Ok(events) = decide(Some(&state), command.clone()) {
                open.extend(fold(Some(state.clone()), &events));
            }
        }
        met.push(state);
    }
    let mut rows: BTreeMap<Row, Vec<Session>> = BTreeMap::new();
    for state in met {
        rows.entry(row_of(&state)).or_default().push(state);
    }
    rows
}

fn fold(state: Option<Session>, events: &[Event]) -> Option<Session> {
    let id = SessionId::from_random([7; SessionId::LEN]);
    events.iter().fold(state, |state, event| evolve(state, &id, event, Millis(0)))
}

fn row_of(session: &Session) -> Row {
    let lifecycle = match session.lifecycle {
        Lifecycle::Creating => "creating",
        Lifecycle::Running => "running",
        Lifecycle::Paused => "paused",
        Lifecycle::Hibernated => "hibernated",
        Lifecycle::Exited => "exited",
        Lifecycle::Failed => "failed",
        Lifecycle::Trashed => "trashed",
    };
    let pending = session.pending.map(|pending| match pending {
        // Its steps are alike.
        Pending::Create(_) => "create".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    });
    (lifecycle.to_owned(), pending)
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::CallOff => "call the start off",
        Effect::End => "end it",
        Effect::Park => "put its files away",
        Effect::Unpark => "bring its files back",
        Effect::Start => "start it",
        Effect::Purge => "end its files",
    }
}

fn name((lifecycle, pending): &Row) -> String {
    match pending {
        Some(pending) => format!("{lifecycle} + {pending}"),
        None => lifecycle.clone(),
    }
}

fn kinds(events: &[Event]) -> String {
    events.iter().map(Event::kind).collect::<Vec<_>>().join(", ")
}

/// The answer; several where something that the table does not show decides.
fn either(states: &[Session], answer: impl Fn(&Session) -> String) -> String {
    let answers: BTreeSet<_> = states.iter().map(answer).filter(|a| !a.is_empty()).collect();
    answers.into_iter().collect::<Vec<_>>().join(" or ")
}

fn head(text: &mut String, first: &str, columns: &[&str]) {
    text.push_str(&format!("| {first} | {} |\n|---|", columns.join(" | ")));
    text.push_str(&"---|".repeat(columns.len()));
    text.push('\n');
}

fn line(text: &mut String, row: &Row, cells: &[String]) {
    text.push_str(&format!("| {} | {} |\n", name(row), cells.join(" | ")));
}
