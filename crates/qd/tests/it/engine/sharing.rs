//! Several viewers of one terminal: whose size it is, and who may type.

use serde_json::json;

use super::socket::Viewer;
use super::stage::{Stage, until};
use super::terminal::PLAYER;

/// The size that the program sees, as `stty size` tells it: rows, then columns.
pub fn real_size(stage: &Stage, id: &str) -> String {
    let target = format!("qd-{id}");
    let tty = stage.tmux(&["display-message", "-p", "-t", &target, "#{pane_tty}"]).well().out;
    stage.shell(&format!("stty size < {}", tty.trim())).trim().to_owned()
}

#[track_caller]
pub fn until_size(stage: &Stage, id: &str, wanted: &str) {
    let mut last = String::new();
    let deadline = std::time::Instant::now() + super::stage::PATIENCE;
    while last != wanted {
        assert!(std::time::Instant::now() < deadline, "{last}, not {wanted}");
        last = real_size(stage, id);
    }
}

#[test]
fn the_size_is_that_of_the_one_who_types() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    assert_eq!(real_size(&stage, &id), "40 120", "at birth");
    let token = stage.token();
    let mut desk = Viewer::attach(&stage, &token, &id, json!({"cols": 100, "rows": 30}));
    until_size(&stage, &id, "30 100");
    desk.until_told("size", |frame| frame["cols"] == 100 && frame["by"] == "you");
    let mut phone = Viewer::attach(&stage, &token, &id, json!({"cols": 51, "rows": 20}));
    phone.until("a snapshot", |viewer| viewer.snapshots == 1);
    phone.until("its size", |viewer| viewer.screen.as_ref().unwrap().size().cols() == 100);
    assert_eq!(real_size(&stage, &id), "30 100", "looking alone changes nothing");
    phone.input(b"echo typed\n");
    until_size(&stage, &id, "20 51");
    desk.until_told("size", |frame| frame["cols"] == 51 && frame["by"] == "viewer");
    desk.until_shown("typed");
    phone.until_shown("typed");
    desk.agrees(&stage, &id);
    phone.agrees(&stage, &id);
    phone.send(&json!({"type": "resize", "cols": 60, "rows": 22}));
    until_size(&stage, &id, "22 60");
    phone.leave();
    until_size(&stage, &id, "30 100");
    desk.until_told("size", |frame| frame["cols"] == 100);
    desk.agrees(&stage, &id);
    desk.leave();
    stage.qd(&["resize", &id, "90x25"]).well();
    until_size(&stage, &id, "25 90");
    assert_eq!(stage.show(&id)["pane"]["cols"], 90);
}

#[test]
fn the_lease_shuts_others_out_until_its_holder_leaves() {
    let stage = Stage::start();
    let id = stage.run("stty -echo; echo ready; while read -r line; do echo \"got-$line\"; done");
    let (desk, phone) = (stage.device_token("desk"), stage.device_token("phone"));
    let mut one = Viewer::attach(&stage, &desk, &id, json!({"cols": 100, "rows": 30}));
    let mut two = Viewer::attach(&stage, &phone, &id, json!({"cols": 60, "rows": 20}));
    one.until_shown("ready");
    two.until_shown("ready");
    two.until_told("lease", |frame| frame["holder"].is_null());
    one.send(&json!({"type": "lease", "take": true}));
    one.until_told("lease", |frame| frame["holder"] == "you");
    two.until_told("lease", |frame| frame["holder"] == "desk");
    two.input(b"intruder\n");
    let error = two.until_told("error", |_| true);
    assert_eq!(error["code"], "lease_held");
    one.input(b"holder\n");
    one.until_shown("got-holder");
    assert!(!one.lines().join("").contains("intruder"));
    assert_eq!(real_size(&stage, &id), "30 100");
    // It binds those who type at terminals; a command of the owner is written all the same.
    stage.qd(&["send", &id, "by-command", "--enter"]).well();
    one.until_shown("got-by-command");

    // Taken over with one press, and back.
    two.send(&json!({"type": "lease", "take": true}));
    two.until_told("lease", |frame| frame["holder"] == "you");
    one.until_told("lease", |frame| frame["holder"] == "phone");
    until_size(&stage, &id, "20 60");
    one.input(b"outsider\n");
    assert_eq!(one.until_told("error", |_| true)["code"], "lease_held");
    two.leave();
    one.until_told("lease", |frame| frame["holder"].is_null());
    one.input(b"again\n");
    one.until_shown("got-again");
    until_size(&stage, &id, "30 100");
    assert!(!one.lines().join("").contains("outsider"));

    // A lease that ended with its device is not there when the device comes back.
    let mut two = Viewer::attach(&stage, &phone, &id, json!({"cols": 60, "rows": 20}));
    two.until_told("lease", |frame| frame["holder"].is_null());
    two.until_shown("got-again");
    one.input(b"mine\n");
    two.until_shown("got-mine");
    assert_eq!(real_size(&stage, &id), "30 100", "looking alone changes nothing");
}

#[test]
fn who_only_looks_cannot_type_and_sets_no_size() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let how = json!({"cols": 60, "rows": 20, "read_only": true});
    let mut looker = Viewer::attach(&stage, &stage.token(), &id, how);
    looker.until_shown("ready");
    looker.input(b"echo never\n");
    assert_eq!(looker.until_told("error", |_| true)["code"], "not_allowed");
    looker.send(&json!({"type": "paste", "text": "echo never"}));
    assert_eq!(looker.until_told("error", |_| true)["code"], "not_allowed");
    looker.send(&json!({"type": "resize", "cols": 61, "rows": 21}));
    let mut typist = Viewer::open(&stage, &id);
    typist.until_shown("ready");
    typist.input(b"echo seen\n");
    looker.until_shown("seen");
    assert!(!looker.lines().join("").contains("never"));
    assert_eq!(real_size(&stage, &id), "24 80");
    looker.agrees(&stage, &id);
}

#[test]
fn a_revoked_device_is_let_go() {
    let stage = Stage::start();
    let id = stage.run(PLAYER);
    let token = stage.device_token("lost phone");
    let mut viewer = Viewer::attach(&stage, &token, &id, json!({"cols": 60, "rows": 20}));
    viewer.until_shown("ready");
    let devices = stage.get("/api/v1/devices").well().json();
    let device =
        devices["devices"].as_array().unwrap().iter().find(|d| d["name"] == "lost phone").unwrap();
    let path = format!("/api/v1/devices/{}", device["id"].as_str().unwrap());
    stage.ask("DELETE", &path, &[], b"").well();
    viewer.until("a close", |viewer| viewer.closed.is_some());
    assert_eq!(viewer.closed, Some(4401));
    let mut again = Viewer::connect(&stage, &id, Some(&token), &[]).unwrap();
    until("a close", || {
        again.look();
        again.closed
    });
    assert_eq!(again.closed, Some(4401));
}
