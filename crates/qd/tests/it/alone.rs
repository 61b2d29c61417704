//! What works without a daemon, and what is said where it does not.

use crate::program::Home;

#[test]
fn help_names_the_commands_and_the_exit_codes() {
    let home = Home::new();
    let said = home.qd(&["--help"]).well();
    for word in ["serve", "attach", "6 no daemon", "title:TEXT"] {
        assert!(said.out.contains(word), "{word}: {said:?}");
    }
    for args in [["help", "new"], ["new", "--help"]] {
        assert!(home.qd(&args).well().out.contains("--on-loss"), "{args:?}");
    }
}

#[test]
fn the_version_is_told_to_people_and_programs() {
    let home = Home::new();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(home.qd(&["version"]).well().out, format!("qd {version}\n"));
    for args in [["--json", "version"], ["version", "--json"]] {
        assert_eq!(home.qd(&args).well().json()["version"], version);
    }
    // Needs no home at all.
    let bare =
        home.command(&["version"]).env_remove("HOME").env_remove("QD_HOME").output().unwrap();
    assert!(bare.status.success());
}

#[test]
fn completions_and_manual_pages_are_made() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(home.qd(&["completions", shell]).well().out.contains("restore"), "{shell}");
    }
    assert!(home.qd(&["man"]).well().out.contains(".TH qd 1"));
    let written = home.qd(&["man", "pages", "--json"]).well().json();
    assert!(written.as_array().unwrap().len() > 20, "{written}");
    let page = std::fs::read_to_string(home.path().join("pages/qd-new.1")).unwrap();
    assert!(page.contains("on\\-loss"));
}

#[test]
fn a_usage_error_is_a_sentence_a_hint_and_exit_code_2() {
    let home = Home::new();
    let said = home.qd(&["lss"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.starts_with("qd: ") && said.err.contains("\n  "), "{said:?}");
    assert_eq!(said.err.lines().count(), 2, "{said:?}");
}

#[test]
fn a_usage_error_is_json_wherever_json_was_asked() {
    let home = Home::new();
    let wrong: &[&[&str]] = &[
        &["--json", "lss"],
        &["lss", "--json"],
        &["send", "--json"],
        &["new", "--size", "big", "--json"],
        &["new", "--json", "--command", "a 'b"],
        &["wait", "k", "--for", "ready", "--json"],
        &["ls", "--filter", "stat:x", "--json"],
        &["resize", "k", "0x0", "--json"],
        &["show", "", "--json"],
        &["serve", "--listen", "here", "--json"],
        &["serve", "--public-url", "javascript:alert(1)", "--json"],
        &["serve", "--replace", "--detach", "--public-url", "https://x/path", "--json"],
        &["service", "install", "--print", "--public-url", "x", "--json"],
    ];
    for args in wrong {
        let said = home.qd(args);
        assert_eq!(said.code, 2, "{args:?}: {said:?}");
        assert_eq!(said.error(), "bad_request", "{args:?}");
        assert_eq!(said.err, "", "{args:?}");
    }
}

#[test]
fn without_a_daemon_the_exit_code_is_6() {
    let home = Home::new();
    let commands: &[&[&str]] = &[
        &["ls"],
        &["show", "k"],
        &["screen", "k"],
        &["send", "k", "x"],
        &["keys", "k", "Enter"],
        &["wait", "k", "--for", "done", "--timeout", "5"],
        &["logs", "k"],
        &["resize", "k", "80x24"],
        &["rm", "k"],
        &["rm", "k", "l"],
        &["pause", "k"],
        &["resume", "k"],
        &["hibernate", "k"],
        &["wake", "k"],
        &["restart", "k"],
        &["rename", "k", "t"],
        &["edit", "k", "+t"],
        &["pair"],
        &["config"],
        &["trash"],
        &["restore", "k"],
        &["purge", "k", "--yes"],
        &["diff", "k"],
        &["events"],
        &["devices"],
        &["devices", "revoke", "x"],
        &["stop"],
    ];
    for args in commands {
        let said = home.qd(args);
        assert_eq!((said.code, said.out.as_str()), (6, ""), "{args:?}: {said:?}");
        assert!(said.err.contains("qd serve --detach"), "{said:?}");
        let said = home.qd(&[&["--json"], *args].concat());
        assert_eq!((said.code, said.error().as_str()), (6, "no_daemon"), "{args:?}");
    }
}

#[test]
fn a_purge_without_terminal_and_without_yes_is_refused() {
    let home = Home::new();
    let said = home.qd(&["purge", "k", "--json"]);
    assert_eq!((said.code, said.error().as_str()), (4, "not_allowed"));
}

#[test]
fn a_session_is_refused_what_no_daemon_is_asked_for() {
    let home = Home::new();
    let commands: &[&[&str]] = &[
        &["service", "install"],
        &["service", "remove"],
        &["backup", "b.tar"],
        &["restore-backup", "b.tar"],
        &["serve", "--listen", "127.0.0.1:0"],
    ];
    for args in commands {
        let asked = home.command(&[&["--json"], *args].concat()).env("QD_SESSION", "k").output();
        let out = String::from_utf8(asked.unwrap().stdout).unwrap();
        assert!(out.contains("\"not_allowed\""), "{args:?}: {out}");
    }
}

#[test]
fn attaching_outside_a_terminal_is_refused() {
    let home = Home::new();
    let said = home.qd(&["attach", "k", "--json"]);
    assert_eq!((said.code, said.error().as_str()), (4, "not_allowed"));
}

#[test]
fn the_doctor_looks_at_what_a_daemon_would_need() {
    let home = Home::new();
    let report = home.qd(&["doctor", "--json"]).json();
    let names: Vec<&str> =
        report["checks"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["git", "tmux", "home", "daemon"]);
    // A home that cannot be is wrong, and says so by its exit code.
    std::fs::write(home.path().join("file"), "").unwrap();
    let said = home.qd(&["doctor", "--json", "--home", "file/home"]);
    assert_eq!((said.code, &said.json()["ok"]), (1, &false.into()), "{said:?}");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let home = Home::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let out = home.command(&["completions", "bash"]).stdout(writer).output().unwrap();
    assert_eq!((out.status.code(), out.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn the_reference_is_markdown_of_every_command() {
    let said = Home::new().qd(&["internal", "cli-reference"]).well();
    assert!(said.out.starts_with("# The command line\n"));
    assert!(said.out.contains("\n## qd purge\n"));
    assert_eq!(Home::new().qd(&["internal", "no-such-thing"]).code, 2);
}
