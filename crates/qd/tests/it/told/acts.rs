//! What is done to sessions, and how it is told.

use serde_json::{Value, json};

use super::{ID, ends, event, head, problem, record, session};
use crate::fake::{Answer, Fake};
use crate::program::Home;

#[test]
fn rm_waits_says_what_it_kept_and_how_to_undo() {
    let home = Home::new();
    let operation = |state: &str| json!({"id": "k-trash", "session": ID, "step": "trash", "of": 1, "state": state});
    let fake = Fake::start(home.path(), move |seen, _| {
        if ends(seen, "/events") {
            let moved = session("trashed", "unknown");
            Answer::Open(head() + &event("session", &moved))
        } else if seen.line.starts_with("DELETE") {
            Answer::Json(202, operation("running"))
        } else if seen.line.contains("/operations/") {
            Answer::Json(200, operation("done"))
        } else {
            Answer::Json(200, session("trashed", "unknown"))
        }
    });
    let said = home.qd(&["rm", "k"]).well();
    assert!(said.out.contains("The branch is kept."), "{said:?}");
    assert!(said.out.contains(&format!("qd restore {ID}")), "{said:?}");
    assert!(fake.seen().iter().any(|seen| seen.line.contains("/operations/k-trash")));
}

#[test]
fn of_several_each_is_tried_and_the_worst_decides_the_exit_code() {
    let home = Home::new();
    let fake = Fake::start(home.path(), move |seen, _| {
        let operation = |state: &str| json!({"id": "k-pause", "session": ID, "step": "pause", "of": 1, "state": state});
        match () {
            () if ends(seen, "/events") => {
                Answer::Open(head() + &event("session", &session("paused", "idle")))
            }
            () if seen.line.contains("/nobody") => problem(404, "unknown_session"),
            () if seen.line.contains("/refused") => problem(409, "state_conflict"),
            () if seen.line.starts_with("POST") => Answer::Json(202, operation("running")),
            () if seen.line.contains("/operations/") => Answer::Json(200, operation("done")),
            () => Answer::Json(200, session("paused", "idle")),
        }
    });
    let said = home.qd(&["pause", "nobody", "k", "refused"]);
    assert_eq!(said.code, 4, "{said:?}");
    let told = format!("is paused. The branch is kept. Undo with `qd resume {ID}`.");
    assert!(said.out.contains(&told) && said.out.lines().count() == 1, "{said:?}");
    assert!(said.err.contains("qd: nobody: It is so.\n  Do otherwise.\n"), "{said:?}");
    assert!(said.err.contains("qd: refused: "), "{said:?}");
    let list = home.qd(&["pause", "k", "nobody", "--json"]);
    assert_eq!(list.code, 3, "{list:?}");
    assert_eq!(list.json()[0], session("paused", "idle"));
    assert_eq!(list.json()[1]["error"]["code"], "unknown_session");
    assert_eq!(list.json()[1]["id"], "nobody");
    // One that was named alone is no list, nor is its error.
    assert_eq!(home.qd(&["pause", "k", "--json"]).well().json(), session("paused", "idle"));
    assert_eq!(home.qd(&["pause", "nobody", "--json"]).error(), "unknown_session");
    let asked = fake.seen().iter().filter(|seen| seen.line.ends_with("/pause")).count();
    assert_eq!(asked, 3);
}

#[test]
fn a_rename_says_how_to_undo_it() {
    let home = Home::new();
    let fake = Fake::start(home.path(), |seen, _| {
        let mut view = session("running", "idle");
        if seen.line.starts_with("PATCH") {
            view["title"] = "it's new".into();
        }
        Answer::Json(200, view)
    });
    let said = home.qd(&["rename", "k", "-x"]).well();
    assert!(said.out.contains(&format!("Undo with `qd rename {ID} 'Fix login'`.")), "{said:?}");
    let body: Value = serde_json::from_str(&fake.seen()[1].body).unwrap();
    assert_eq!(body["title"], "-x");
    assert_eq!(body["tags"], Value::Null);
}

#[test]
fn hibernated_is_a_state_to_wait_for_and_ended_is_another() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, before| {
        if ends(seen, "/events") {
            let logs =
                event("log", &record(3, "hibernate-began")) + &event("log", &record(4, "exited"));
            return Answer::Open(head() + &logs);
        }
        // It was woken before anybody looked.
        Answer::Json(200, session("running", if before < 2 { "working" } else { "idle" }))
    });
    home.qd(&["wait", "k", "--for", "hibernated", "--timeout", "60"]).well();
    let said = home.qd(&["wait", "k", "--for", "exited,paused", "--timeout", "0.3"]);
    assert_eq!(said.code, 5, "{said:?}");
}

#[test]
fn an_operation_that_failed_is_told_with_the_reason() {
    let home = Home::new();
    let _fake = Fake::start(home.path(), |seen, _| {
        if ends(seen, "/events") {
            return Answer::Open(head());
        }
        if seen.line.starts_with("POST") {
            let failed =
                json!({"id": "o", "session": ID, "step": "restore", "of": 1, "state": "failed"});
            return Answer::Json(202, failed);
        }
        let mut stays = session("trashed", "unknown");
        stays["problem"] = json!({"type": "about:blank", "title": "It is taken.", "status": 0,
                                  "code": "path_taken", "hint": "Move it."});
        Answer::Json(200, stays)
    });
    let said = home.qd(&["restore", "k", "--json"]);
    assert_eq!((said.error().as_str(), said.code), ("path_taken", 4));
}
