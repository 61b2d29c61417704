//! A tmux pane of the person's own as a session: watched, typed into, and let go of.

mod kill;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::socket::Viewer;
use super::stage::{Stage, patiently, until};
use crate::program::{Home, Said};

/// The person's own tmux server, with settings of their own. Dropped, it ends.
struct Theirs {
    home: Home,
    folder: PathBuf,
}

/// Whether a program printed this line. What is typed before the shell is ready for it is shown
/// before its prompt, and what that prints then, after the prompt.
fn is_line(shown: &str, line: &str) -> bool {
    let after = shown.strip_prefix("$ ").or(shown.strip_prefix("# "));
    after.unwrap_or(shown).trim_end() == line
}

impl Theirs {
    fn start() -> Self {
        let home = Home::new();
        let folder = home.path().join("theirs");
        let theirs = Self { home, folder };
        let config = "set -g window-size latest\nset -g status-left odd\nset -g mouse on\n";
        std::fs::write(theirs.home.path().join("conf"), config).unwrap();
        theirs.run(
            "mkdir theirs && cd theirs && git init -q -b main && echo one > a && git add a && \
             git -c user.name=n -c user.email=e commit -q -m first",
        );
        theirs.tmux("-f conf new-session -d -s work -n edit -x 90 -y 20 -c \"$HOME/theirs\" sh");
        theirs
    }

    #[track_caller]
    fn run(&self, script: &str) -> String {
        let said = self.home.shell(script);
        assert_eq!(said.code, 0, "{script}: {said:?}");
        said.out
    }

    fn socket(&self) -> PathBuf {
        self.home.path().join("t")
    }

    #[track_caller]
    fn tmux(&self, words: &str) -> String {
        self.run(&format!("PS1='$ ' LANG=C.UTF-8 exec tmux -u -S \"$HOME/t\" {words}"))
    }

    /// What a format says of the pane that was there first.
    #[track_caller]
    fn say(&self, format: &str) -> String {
        self.tmux(&format!("display-message -p -t %0 '{format}'")).trim_end().to_owned()
    }

    /// All that could have been changed there.
    fn all(&self) -> String {
        [
            "show-options -g",
            "show-options -s",
            "show-options -gw",
            "show-options -t work",
            "show-options -w -t work",
            "show-options -p -t work",
            "show-environment -g",
            "show-environment -t work",
            "show-hooks -g",
            "list-keys",
            "list-buffers",
            "list-clients",
            "list-panes -a -F '#{session_name} #{window_name} #{window_layout} #{pane_id} \
             #{pane_pid} #{pane_pipe} #{session_attached}'",
        ]
        .map(|words| self.tmux(words))
        .concat()
    }

    /// All is as it was, once tmux has seen that its pane was let go of.
    #[track_caller]
    fn until_as(&self, before: &str) {
        until("it is let go of", || (self.say("#{pane_pipe}") == "0").then_some(()));
        assert_eq!(self.all(), before);
    }

    #[track_caller]
    fn shown(&self) -> String {
        self.tmux("capture-pane -p -t %0 -S -100")
    }

    /// Waits until a program printed this line there.
    #[track_caller]
    fn until_printed(&self, line: &str) {
        let mut shown = String::new();
        let printed = patiently(|| {
            shown = self.shown();
            shown.lines().find(|shown| is_line(shown, line)).map(drop)
        });
        assert!(printed.is_some(), "never printed {line:?}: {shown}");
    }

    fn runs(&self) -> bool {
        self.say("#{pane_dead} #{pane_current_command}") == "0 sh"
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // It may be over already.
        drop(self.home.shell("tmux -S t kill-server"));
    }
}

fn qd_adopt(stage: &Stage, theirs: &Theirs, target: &str) -> Said {
    stage.qd(&["adopt", "--json", target, "--socket", theirs.socket().to_str().unwrap()])
}

#[track_caller]
fn adopted(stage: &Stage, theirs: &Theirs, target: &str) -> (String, Value) {
    let view = qd_adopt(stage, theirs, target).well().json();
    assert_eq!(view["state"], "running", "{view}");
    (view["id"].as_str().unwrap().to_owned(), view)
}

#[test]
fn a_pane_becomes_a_session_and_is_let_go_of_untouched() {
    let stage = Stage::start();
    let theirs = Theirs::start();
    theirs.tmux("send-keys -t work 'seq 1 60' Enter");
    theirs.until_printed("60");
    let before = theirs.all();
    let (id, view) = adopted(&stage, &theirs, "work");
    assert_eq!((&view["kind"], &view["title"]), (&json!("adopted"), &json!("edit (work:0.0)")));
    assert_eq!(view["worktree"], theirs.folder.to_str().unwrap());
    assert_eq!(view["branch"], "main");
    assert_eq!(view["pane"], json!({"id": "%0", "cols": 90, "rows": 20}));
    assert_eq!(view["adopted"]["name"], "work:0.0");
    let listed = stage.get("/api/v1/sessions").well().json();
    assert_eq!(listed[0]["id"], json!(id));
    let history = stage.qd(&["screen", &id, "--history"]).well().out;
    assert!(history.contains("\n2\n3\n4\n"), "{history}");
    stage.qd(&["send", &id, "echo see$((6 * 7))", "--enter"]).well();
    stage.until_line(&id, |shown| is_line(shown, "see42"));
    assert!(theirs.shown().lines().any(|shown| is_line(shown, "see42")));
    // What they type is seen, too.
    theirs.tmux("send-keys -t work 'echo th''ey' Enter");
    stage.until_line(&id, |shown| is_line(shown, "they"));
    std::fs::write(theirs.folder.join("new"), "x").unwrap();
    let diff = stage.get(&format!("/api/v1/sessions/{id}/diff")).well().json();
    assert_eq!(diff["files"][0]["path"], "new", "{diff}");

    let loss = stage.get(&format!("/api/v1/sessions/{id}/loss")).well().json();
    assert_eq!(loss["running"], false);
    assert!(loss["kept"].as_str().unwrap().contains("goes on there"), "{loss}");
    let said = stage.qd(&["rm", &id]).well().out;
    assert!(said.contains("goes on there") && said.contains("left as it is"), "{said}");
    theirs.until_as(&before);
    assert!(theirs.runs() && theirs.folder.join("new").exists());
    assert_eq!(stage.show(&id)["state"], "trashed");
    // Its way back takes it up again.
    theirs.tmux("send-keys -t work 'echo mean''while' Enter");
    theirs.until_printed("meanwhile");
    stage.qd(&["restore", &id]).well();
    stage.until_state(&id, "running");
    stage.until_line(&id, |shown| is_line(shown, "meanwhile"));
    stage.qd(&["send", &id, "echo a$((1 + 1))", "--enter"]).well();
    stage.until_line(&id, |shown| is_line(shown, "a2"));
    stage.qd(&["rm", &id]).well();
    stage.qd(&["purge", &id, "--yes"]).well();
    theirs.until_as(&before);
    assert!(theirs.runs());
}

#[test]
fn it_has_the_size_that_it_has_there() {
    let stage = Stage::start();
    let theirs = Theirs::start();
    let (id, _) = adopted(&stage, &theirs, "%0");
    let mut viewer = Viewer::attach(&stage, &stage.token(), &id, json!({"cols": 50, "rows": 10}));
    viewer.input(b"echo v$((2 * 2))\r");
    viewer.until_shown("v4");
    stage.until_line(&id, |shown| is_line(shown, "v4"));
    assert_eq!(theirs.say("#{window_width} #{window_height} #{window-size}"), "90 20 latest");
    let refused = stage.qd(&["resize", &id, "70x12"]);
    assert_eq!((refused.code, refused.err.contains("your tmux")), (4, true), "{refused:?}");
    theirs.tmux("split-window -d -h -t %0 sh");
    let cols = theirs.say("#{pane_width}").parse::<u64>().unwrap();
    assert!(cols < 90);
    until("it follows", || (stage.show(&id)["pane"]["cols"] == cols).then_some(()));
    stage.qd(&["send", &id, "stty size", "--enter"]).well();
    stage.until_line(&id, |line| line == format!("20 {cols}"));
}

#[test]
fn what_would_end_or_start_its_program_is_refused() {
    let stage = Stage::start();
    let theirs = Theirs::start();
    let (id, _) = adopted(&stage, &theirs, "work:edit");
    for word in ["pause", "hibernate", "restart", "fork"] {
        let said = stage.qd(&[word, "--json", &id]);
        let error = said.json()["error"].clone();
        assert_eq!((said.code, &error["code"]), (4, &json!("state_conflict")), "{word}: {said:?}");
        assert!(error["message"].as_str().unwrap().contains("of your own"), "{error}");
        assert!(!error["hint"].as_str().unwrap().is_empty());
    }
    assert_eq!(stage.show(&id)["pending"], Value::Null);
    assert!(theirs.runs());
    stage.qd(&["rename", &id, "Mine"]).well();
    stage.qd(&["send", &id, "echo still$((1))", "--enter"]).well();
    stage.until_line(&id, |shown| is_line(shown, "still1"));
}

#[test]
fn it_is_taken_up_again_after_the_daemon_was_away() {
    let mut stage = Stage::start();
    let theirs = Theirs::start();
    let before = theirs.all();
    let (id, _) = adopted(&stage, &theirs, "work");
    for (round, kill) in [(1, false), (2, true)] {
        if kill {
            stage.kill();
        } else {
            stage.stop();
        }
        until("it is let go of", || (theirs.say("#{pane_pipe}") == "0").then_some(()));
        theirs.tmux(&format!("send-keys -t work 'echo away$(({round}))' Enter"));
        theirs.until_printed(&format!("away{round}"));
        stage.serve();
        stage.until_state(&id, "running");
        stage.until_line(&id, |shown| is_line(shown, &format!("away{round}")));
        stage.qd(&["send", &id, &format!("echo back$(({round}))"), "--enter"]).well();
        stage.until_line(&id, |shown| is_line(shown, &format!("back{round}")));
        assert!(stage.log().contains("an adopted pane is held again"), "{}", stage.log());
    }
    stage.qd(&["stop", "--sessions"]).well();
    stage.ended(super::stage::PATIENCE);
    assert!(theirs.runs());
    theirs.until_as(&before);
    stage.serve();
    stage.until_state(&id, "running");
    // It ends while nobody looks.
    stage.kill();
    theirs.tmux("new-window -d -t work sh");
    theirs.tmux("kill-pane -t %0");
    stage.serve();
    let view = stage.until_state(&id, "exited");
    assert_eq!(view["exit"], Value::Null);
    assert!(view["attention"]["why"].as_str().unwrap().contains("pane is gone"), "{view}");
    let refused = stage.qd(&["restart", &id]);
    assert_eq!(refused.code, 4, "{refused:?}");
    stage.qd(&["rm", &id]).well();
    stage.qd(&["restore", &id]).well();
    assert_eq!(stage.until_state(&id, "exited")["problem"], Value::Null);
}

#[test]
fn its_end_is_noticed_and_how_it_ended_where_tmux_says_so() {
    let stage = Stage::start();
    let theirs = Theirs::start();
    theirs.tmux("new-window -d -t work sh");
    let (id, _) = adopted(&stage, &theirs, "%0");
    stage.qd(&["send", &id, "echo la''st; exit 3", "--enter"]).well();
    let view = stage.until_state(&id, "exited");
    assert_eq!(view["exit"], Value::Null);
    stage.until_line(&id, |shown| is_line(shown, "last"));
    theirs.tmux("set -w -t %1 remain-on-exit on");
    let (id, _) = adopted(&stage, &theirs, "%1");
    stage.qd(&["send", &id, "exit 3", "--enter"]).well();
    let view = stage.until_state(&id, "exited");
    // When the terminal's end is seen before the program's, tmux never says how that ended.
    let told = theirs.tmux("display-message -p -t %1 '#{pane_dead_status}'");
    match told.trim() {
        "" => assert_eq!(view["exit"], Value::Null, "{view}"),
        told => assert_eq!((told, &view["exit"]["code"]), ("3", &json!(3)), "{view}"),
    }
    until("its tap is closed", || {
        let stands = theirs.tmux("display-message -p -t %1 '#{pane_dead} #{pane_pipe}'");
        (stands.trim() == "1 0").then_some(())
    });
    // What went while it was in the trash is not there any more.
    theirs.tmux("respawn-pane -t %1 sh");
    let (id, _) = adopted(&stage, &theirs, "%1");
    stage.qd(&["rm", &id]).well();
    theirs.tmux("kill-server");
    stage.qd(&["restore", &id]).well();
    let view = stage.until_state(&id, "exited");
    assert_eq!(view["problem"]["code"], "pane_missing", "{view}");
}

#[test]
fn what_cannot_be_adopted_says_why() {
    let stage = Stage::start();
    let theirs = Theirs::start();
    theirs.tmux("new-session -d -s world sh");
    let error = |said: &Said| said.json()["error"].clone();
    let (id, _) = adopted(&stage, &theirs, "work");
    let twice = qd_adopt(&stage, &theirs, "%0");
    assert_eq!((twice.code, &error(&twice)["code"]), (4, &json!("pane_in_use")), "{twice:?}");
    assert!(error(&twice)["message"].as_str().unwrap().contains(&id), "{twice:?}");
    for (target, code, exit) in
        [("nope", "pane_missing", 3), ("%99", "pane_missing", 3), ("wor", "ambiguous_id", 4)]
    {
        let said = qd_adopt(&stage, &theirs, target);
        assert_eq!((said.code, &error(&said)["code"]), (exit, &json!(code)), "{said:?}");
    }
    let nowhere = stage.qd(&["adopt", "--json", "work", "--socket", "/nowhere/tmux"]);
    assert_eq!(
        (nowhere.code, &error(&nowhere)["code"]),
        (3, &json!("pane_missing")),
        "{nowhere:?}"
    );
    theirs.tmux("pipe-pane -t world 'cat >/dev/null'");
    let piped = qd_adopt(&stage, &theirs, "world");
    assert_eq!((piped.code, &error(&piped)["code"]), (4, &json!("pane_in_use")), "{piped:?}");
    assert!(error(&piped)["hint"].as_str().unwrap().contains("pipe-pane"), "{piped:?}");
    assert_eq!(theirs.tmux("display-message -p -t world '#{pane_pipe}'").trim(), "1");
    // A session of ours is one already.
    stage.run("sleep 1000");
    let ours = std::fs::read_to_string(stage.root().join("tmux.path")).unwrap();
    let own = stage.qd(&["adopt", "--json", "%1", "--socket", ours.trim()]);
    assert_eq!((own.code, &error(&own)["code"]), (4, &json!("pane_in_use")), "{own:?}");
    assert!(error(&own)["message"].as_str().unwrap().contains("own"), "{own:?}");
    // Nothing came of any of them.
    assert_eq!(stage.get("/api/v1/sessions").well().json().as_array().unwrap().len(), 2);
    // Two at the same moment: one has it.
    theirs.tmux("pipe-pane -t world");
    let body = json!({"target": "world", "socket": theirs.socket()}).to_string();
    let ask = || stage.ask("POST", "/api/v1/adopt", &[], body.as_bytes());
    let answers: Vec<_> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().unwrap().status).collect()
    });
    assert_eq!(answers.iter().filter(|status| **status == 201).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|status| matches!(status, 201 | 409)), "{answers:?}");
}

#[test]
fn a_person_adopts_the_pane_that_they_are_in() {
    let stage = Stage::start();
    let theirs = Theirs::start();
    let qd = format!("{} --home '{}'", env!("CARGO_BIN_EXE_qd"), stage.root().display());
    let script = format!("{qd} adopt \"$TMUX_PANE\" >/dev/null && echo done");
    std::fs::write(theirs.folder.join("adopt"), script).unwrap();
    theirs.tmux("send-keys -t work '. ./adopt' Enter");
    until("it is adopted", || {
        let shown = theirs.tmux("capture-pane -p -t %0");
        assert!(!shown.contains("qd:"), "{shown} {}", stage.log());
        shown.contains("\ndone\n").then_some(())
    });
    let listed = stage.get("/api/v1/sessions").well().json();
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(listed[0]["adopted"]["pane"], "%0", "{listed}");
    stage.until_line(&id, |shown| is_line(shown, "done"));
    // And from there lets go of it again: a shell there is the person's, not the session's.
    std::fs::write(theirs.folder.join("leave"), format!("{qd} rm {id}")).unwrap();
    theirs.tmux("send-keys -t work '. ./leave' Enter");
    stage.until_state(&id, "trashed");
    until("it goes on", || (theirs.say("#{pane_pipe}") == "0").then_some(()));
    assert!(theirs.runs());
}

#[test]
fn when_they_take_its_stream_it_waits_and_comes_back() {
    let stage = Stage::start();
    let theirs = Theirs::start();
    let (id, _) = adopted(&stage, &theirs, "work");
    theirs.tmux("pipe-pane -t work 'cat >/dev/null'");
    theirs.tmux("send-keys -t work 'echo un''seen' Enter");
    theirs.until_printed("unseen");
    assert_eq!(theirs.say("#{pane_pipe}"), "1");
    assert_eq!(stage.show(&id)["state"], "running");
    theirs.tmux("pipe-pane -t work");
    stage.until_line(&id, |shown| is_line(shown, "unseen"));
    stage.qd(&["send", &id, "echo a''gain", "--enter"]).well();
    stage.until_line(&id, |shown| is_line(shown, "again"));
}
