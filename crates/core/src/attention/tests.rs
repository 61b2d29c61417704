use super::AttentionSource::{Hook as ByHook, StatusFile, StatusSequence, Title};
use super::AttentionState::{Done, Error, Idle, Permission, Question, Unknown, Working};
use super::HookEvent::{
    Alive, AsksPermission, AsksQuestion, Began, Ended, Failed, Prompted, Stopped, ToolBegins,
    ToolEnds, Waits,
};
use super::{
    Attention, AttentionSource, AttentionState, Evidence, Heard, Hook, HookEvent, Piece, Rule,
    SILENCE, Verdict,
};
use crate::Millis;

const MINUTE: i64 = 60_000;

/// One thing that happens, at a time in milliseconds.
enum Step {
    Hook(i64, HookEvent),
    Says(i64, AttentionSource, AttentionState),
    Hushed(AttentionSource),
    Prints(i64),
}
use Step::{Hook as Hears, Hushed, Prints, Says};

fn begins(id: &str) -> HookEvent {
    ToolBegins { id: Some(id.to_owned()), name: "Bash".to_owned() }
}

fn ends(id: &str) -> HookEvent {
    ToolEnds { id: Some(id.to_owned()), name: "Bash".to_owned() }
}

fn asks() -> HookEvent {
    AsksPermission { tool: Some("Bash".to_owned()), what: "It asks to run: make.".to_owned() }
}

fn hook(at: i64, event: HookEvent) -> Hook {
    Hook { at: Millis(at), conversation: Some("c".to_owned()), event }
}

fn process() -> Attention {
    Attention {
        state: Unknown,
        since: Millis(0),
        source: AttentionSource::None,
        confidence: 0.0,
        why: "Nothing says what it does; its program runs.".to_owned(),
    }
}

fn told(steps: Vec<Step>) -> Evidence {
    let mut evidence = Evidence::of(Some("c".to_owned()));
    for step in steps {
        match step {
            Hears(at, event) => drop(evidence.hear(hook(at, event))),
            Says(at, source, state) => {
                evidence.tell(Piece::new(source, state, Millis(at), 0.8, "It says so."));
            }
            Hushed(source) => evidence.untell(source),
            Prints(at) => evidence.printed(Millis(at)),
        }
    }
    evidence
}

fn judged(steps: Vec<Step>, now: i64) -> Verdict {
    told(steps).judge(process(), true, Millis(now))
}

/// What is expected: state, source, rule, and since when.
type Expected = (AttentionState, AttentionSource, Rule, i64);

#[test]
fn the_right_state_for_each_story() {
    let silence = i64::try_from(SILENCE).unwrap();
    let stories: Vec<(&str, Vec<Step>, i64, Expected)> = vec![
        ("nothing was said", vec![], 9, (Unknown, AttentionSource::None, Rule::NoEvidence, 0)),
        (
            "a menu of the start, before any hook, is not idle",
            vec![Prints(5)],
            9,
            (Unknown, AttentionSource::None, Rule::NoEvidence, 0),
        ),
        (
            "a conversation begins",
            vec![Hears(1, Began { instead: false })],
            9,
            (Idle, ByHook, Rule::Best, 1),
        ),
        (
            "it got a task",
            vec![Hears(1, Began { instead: false }), Hears(2, Prompted)],
            9,
            (Working, ByHook, Rule::Best, 2),
        ),
        (
            "it thinks without a child process, and draws meanwhile",
            vec![Hears(2, Prompted), Prints(20 * MINUTE)],
            20 * MINUTE + 1,
            (Working, ByHook, Rule::Best, 2),
        ),
        (
            "one tool runs for an hour without a word",
            vec![Hears(2, Prompted), Hears(3, begins("t"))],
            60 * MINUTE,
            (Working, ByHook, Rule::Best, 2),
        ),
        (
            "work that falls silent is unknown and not idle",
            vec![Hears(2, Prompted)],
            2 + silence,
            (Unknown, ByHook, Rule::Silence, 2 + silence),
        ),
        (
            "it asks",
            vec![Hears(2, Prompted), Hears(3, begins("t")), Hears(4, asks())],
            9,
            (Permission, ByHook, Rule::Best, 4),
        ),
        (
            "a question waits for however long, wherever the person scrolls",
            vec![Hears(3, begins("t")), Hears(4, asks()), Hushed(Title)],
            100 * MINUTE,
            (Permission, ByHook, Rule::Best, 4),
        ),
        (
            "another tool that begins and ends answers no question",
            vec![
                Hears(3, begins("t")),
                Hears(4, asks()),
                Hears(5, ToolBegins { id: Some("r".into()), name: "Read".into() }),
                Hears(6, ToolEnds { id: Some("r".into()), name: "Read".into() }),
                Hears(7, Alive),
            ],
            9,
            (Permission, ByHook, Rule::Best, 4),
        ),
        (
            "the tool that was asked about ran",
            vec![Hears(3, begins("t")), Hears(4, asks()), Hears(8, ends("t"))],
            9,
            (Working, ByHook, Rule::Best, 8),
        ),
        (
            "it was allowed, which only the status file tells while the tool runs",
            vec![
                Hears(3, begins("t")),
                Hears(4, asks()),
                Says(5, StatusFile, Permission),
                Says(7, StatusFile, Working),
            ],
            9,
            (Working, StatusFile, Rule::NewerFile, 7),
        ),
        (
            "it was interrupted, which no hook tells",
            vec![Hears(2, Prompted), Says(3, StatusFile, Working), Says(7, StatusFile, Idle)],
            9,
            (Idle, StatusFile, Rule::NewerFile, 7),
        ),
        (
            "the hook of the question is missing and the status file is not",
            vec![Hears(2, Prompted), Says(7, StatusFile, Permission)],
            9,
            (Permission, StatusFile, Rule::NewerFile, 7),
        ),
        (
            "a status file from before the hook is old",
            vec![Says(3, StatusFile, Idle), Hears(4, Prompted)],
            9,
            (Working, ByHook, Rule::Best, 4),
        ),
        (
            "only the notice of a question comes",
            vec![Hears(2, Prompted), Hears(4, AsksPermission { tool: None, what: "?".into() })],
            9,
            (Permission, ByHook, Rule::Best, 4),
        ),
        (
            "the notice after the question is the same question",
            vec![
                Hears(2, Prompted),
                Hears(4, AsksQuestion { tool: Some("Ask".into()), what: "Which?".into() }),
                Hears(6, AsksPermission { tool: None, what: "?".into() }),
            ],
            9,
            (Question, ByHook, Rule::Best, 4),
        ),
        (
            "it has finished, whatever its last words sound like",
            vec![Hears(2, Prompted), Hears(5, Stopped { background: 0 })],
            100 * MINUTE,
            (Done, ByHook, Rule::Best, 5),
        ),
        (
            "finished stays finished when the file and the agent say idle",
            vec![
                Hears(2, Prompted),
                Hears(5, Stopped { background: 0 }),
                Says(6, StatusFile, Idle),
                Hears(60_000, Waits),
            ],
            MINUTE,
            (Done, ByHook, Rule::Best, 5),
        ),
        (
            "tasks go on in the background",
            vec![Hears(2, Prompted), Hears(5, Stopped { background: 1 })],
            9,
            (Working, ByHook, Rule::Best, 2),
        ),
        (
            "a turn that failed",
            vec![
                Hears(2, Prompted),
                Hears(5, Failed { why: "529".into() }),
                Says(6, StatusFile, Idle),
            ],
            9,
            (Error, ByHook, Rule::Best, 5),
        ),
        (
            "it waits although no end was told",
            vec![Hears(2, Prompted), Hears(60_000, Waits)],
            MINUTE,
            (Idle, ByHook, Rule::Best, MINUTE),
        ),
        (
            "its conversation is over",
            vec![Hears(5, Stopped { background: 0 }), Hears(6, Ended)],
            9,
            (Unknown, ByHook, Rule::Best, 6),
        ),
        (
            "what a program prints never outranks a hook",
            vec![Hears(3, begins("t")), Hears(4, asks()), Says(8, StatusSequence, Idle)],
            9,
            (Permission, ByHook, Rule::Best, 4),
        ),
        (
            "what a program prints counts where no hook speaks",
            vec![
                Says(3, StatusSequence, Working),
                Says(8, StatusSequence, Permission),
                Says(8, Title, Working),
            ],
            9,
            (Permission, StatusSequence, Rule::Best, 8),
        ),
        (
            "a title counts where nothing better is, and no longer than it is there",
            vec![Says(3, Title, Working), Says(5, Title, Working), Prints(6)],
            9,
            (Working, Title, Rule::Best, 3),
        ),
        (
            "a title that is gone says nothing",
            vec![Says(3, Title, Working), Hushed(Title)],
            9,
            (Unknown, AttentionSource::None, Rule::NoEvidence, 0),
        ),
    ];
    for (story, steps, now, (state, source, rule, since)) in stories {
        let verdict = judged(steps, now);
        let Attention { state: is, source: by, since: from, .. } = verdict.attention;
        assert_eq!((is, by, verdict.rule, from), (state, source, rule, Millis(since)), "{story}");
        assert!(!verdict.attention.why.is_empty(), "{story}");
    }
}

#[test]
fn an_order_that_is_not_theirs_changes_nothing() {
    let mut evidence = told(vec![Hears(2, Prompted), Hears(3, begins("t"))]);
    assert_eq!(evidence.hear(hook(9, ends("t"))), Heard::Noted);
    // Told again, and told too late.
    assert_eq!(evidence.hear(hook(9, ends("t"))), Heard::Twice);
    assert_eq!(evidence.hear(hook(4, asks())), Heard::Late);
    assert_eq!(evidence.hear(hook(10, begins("t"))), Heard::Noted);
    assert_eq!(evidence.judge(process(), true, Millis(11)).attention.state, Working);
    // The beginning that came after the end did not open it again: silence is heard.
    let later = Millis(11 + i64::try_from(SILENCE).unwrap());
    assert_eq!(evidence.judge(process(), true, later).rule, Rule::Silence);
    assert_eq!(evidence.hear(hook(12, Stopped { background: 0 })), Heard::Noted);
    assert_eq!(evidence.hear(hook(11, asks())), Heard::Late);
    assert_eq!(evidence.judge(process(), true, Millis(13)).attention.state, Done);
}

#[test]
fn events_of_another_conversation_are_counted_and_dropped() {
    let mut evidence = told(vec![Hears(2, Prompted)]);
    let child = |event| Hook { conversation: Some("child".to_owned()), ..hook(5, event) };
    assert_eq!(evidence.hear(child(Began { instead: false })), Heard::Stranger);
    assert_eq!(evidence.hear(child(Stopped { background: 0 })), Heard::Stranger);
    assert_eq!(evidence.strangers(), 2);
    assert_eq!(evidence.judge(process(), true, Millis(9)).attention.state, Working);
    // The agent itself says that it has another one now.
    assert_eq!(evidence.hear(child(Began { instead: true })), Heard::Noted);
    assert_eq!(evidence.judge(process(), true, Millis(9)).attention.state, Idle);
    assert_eq!(evidence.hear(hook(7, Prompted)), Heard::Stranger);
}

#[test]
fn how_the_program_stands_outranks_all() {
    let evidence = told(vec![Hears(4, asks())]);
    let ended = Attention { state: Done, source: AttentionSource::Process, ..process() };
    let verdict = evidence.judge(ended.clone(), false, Millis(9));
    assert_eq!((verdict.attention, verdict.rule), (ended, Rule::Process));
}

#[test]
fn a_lower_source_that_speaks_against_it_later_leaves_it_less_sure() {
    let sure = judged(vec![Says(3, Title, Idle), Hears(4, Prompted)], 9);
    let doubted = judged(vec![Hears(4, Prompted), Says(5, Title, Idle)], 9);
    assert_eq!((sure.attention.state, doubted.attention.state), (Working, Working));
    assert!(doubted.attention.confidence < sure.attention.confidence);
    assert!(doubted.attention.why.contains("title says otherwise"), "{}", doubted.attention.why);
}

#[test]
fn words_are_one_printable_line_and_the_trail_is_bounded() {
    let piece = |says: &str| Piece::new(Title, Idle, Millis(1), 1.0, says).says;
    assert_eq!(piece("a\n\x1b[31m b\u{202e}c"), "a [31m b c");
    assert_eq!(piece(&"x".repeat(999)).chars().count(), 200);
    assert_eq!(piece(&"word ".repeat(99)).chars().count(), 200);
    let mut evidence = Evidence::of(None);
    for n in 0..100_i64 {
        evidence.tell(Piece::new(Title, Idle, Millis(n), 1.0, &n.to_string()));
        evidence.tell(Piece::new(Title, Idle, Millis(n), 1.0, &n.to_string()));
    }
    let trail: Vec<_> = evidence.trail().map(|piece| piece.says.as_str()).collect();
    assert_eq!((trail.len(), trail.last()), (24, Some(&"99")));
}
