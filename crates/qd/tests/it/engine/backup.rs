//! A home in one file, and back.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::seen::{GIT, files};
use super::stage::Stage;
use super::terminal::PLAYER;

/// A worktree of all kinds of changes; gives its session, its place, and `git status` of it.
fn busy(stage: &Stage, repo: &Path, title: &str) -> (String, PathBuf, String) {
    let view = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": title}));
    let id = view["id"].as_str().unwrap().to_owned();
    let at = PathBuf::from(view["worktree"].as_str().unwrap());
    let long = "l".repeat(150);
    stage.shell(&format!(
        "cd '{}' && echo committed > c && git add c && {GIT} commit -q -m work && \
         echo staged > s && git add s && echo unstaged >> a && mkdir -p new/deep empty && \
         echo untracked > new/deep/u && echo x > ignored.log && ln -s nowhere/{long} link && \
         echo run > tool && chmod 755 tool && echo odd > \"$(printf 'n\\303\\303\\n x')\" && \
         echo x > new/{long} && mkdir shut && echo kept > shut/in && chmod 500 shut && \
         head -c 3000000 /dev/urandom > ignored.bin && mkfifo pipe",
        at.display()
    ));
    let status = status(stage, &at);
    (id, at, status)
}

fn status(stage: &Stage, at: &Path) -> String {
    stage.shell(&format!("cd '{}' && git status --porcelain=v2 --ignored -z | od -c", at.display()))
}

/// Ends the daemon and moves its home away.
fn lose_home(stage: &mut Stage) {
    stage.qd(&["stop", "--sessions"]).well();
    stage.ended(super::stage::PATIENCE);
    std::fs::rename(stage.root(), stage.dir().join("lost")).unwrap();
}

#[test]
fn sessions_history_and_worktrees_come_back() {
    let mut stage = Stage::start();
    let repo = stage.repo("repo");
    let (trashed, trash_at, trash_status) = busy(&stage, &repo, "Trashed");
    let (paused, paused_at, paused_status) = busy(&stage, &repo, "Paused");
    let player = stage.run(PLAYER);
    stage.until_line(&player, |line| line == "ready");
    stage.qd(&["send", &player, "seq 1 3000; printf '\\033[33mhalf a li'", "--enter"]).well();
    stage.until_line(&player, |line| line.contains("half a li"));
    let before = (files(&trash_at), files(&paused_at));
    stage.qd(&["rm", &trashed]).well();
    stage.until_state(&trashed, "trashed");
    stage.post(&format!("/api/v1/sessions/{paused}/pause"), &json!({}));
    stage.until_state(&paused, "paused");
    let device = stage.device_token("phone");
    let (token, events) = (stage.token(), stage.qd(&["events", "--since", "0", "--json"]));
    drop(events);

    let file = stage.dir().join("b.tar");
    let said = stage.qd(&["backup", "b.tar", "--json"]).well().json();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(said["bytes"], file.metadata().unwrap().len());
    let parts: Vec<_> =
        said["parts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    for part in
        ["database", "token", "screens", &format!("trash/{trashed}"), &format!("trash/{paused}")]
    {
        assert!(parts.contains(&part), "{part}: {parts:?}");
    }
    assert!(said["notes"].to_string().contains("pipe"), "{said}");
    // Nothing is left beside it, and what is there is not written over.
    let beside = std::fs::read_dir(stage.dir()).unwrap();
    assert!(beside.flatten().all(|e| !e.file_name().to_string_lossy().starts_with(".qd-")));
    assert_eq!(stage.qd(&["backup", "b.tar", "--json"]).error(), "path_taken");
    stage.qd(&["backup", "b.tar", "--force"]).well();

    // Not over a home that is there, with a daemon or without.
    assert_eq!(stage.qd(&["restore-backup", "b.tar", "--json"]).error(), "home_in_use");
    stage.qd(&["stop", "--sessions"]).well();
    stage.ended(super::stage::PATIENCE);
    assert_eq!(stage.qd(&["restore-backup", "b.tar", "--json"]).error(), "path_taken");
    std::fs::rename(stage.root(), stage.dir().join("lost")).unwrap();
    let said = stage.qd(&["restore-backup", "b.tar", "--json"]).well().json();
    assert_eq!((&said["sessions"], &said["trashed"]), (&json!(3), &json!(1)), "{said}");
    assert_eq!((&said["paused"], &said["running"]), (&json!(1), &json!(1)), "{said}");
    assert_eq!(said["missing"], json!([]), "{said}");
    assert_eq!(stage.root().metadata().unwrap().permissions().mode() & 0o777, 0o700);

    stage.serve();
    assert_eq!(stage.token(), token);
    let headers = [("Authorization", format!("Bearer {device}"))];
    let headers: Vec<_> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let asked = super::http::request(
        "GET",
        "/api/v1/sessions",
        &[&[("Host", stage.address().as_str())], headers.as_slice()].concat(),
        b"",
    );
    assert_eq!(super::http::over_tcp(&stage.address(), &asked).status, 200, "the device");
    // Its program is gone, its screen and history are not.
    stage.until_state(&player, "exited");
    let screen = stage.get(&format!("/api/v1/sessions/{player}/screen?history=true")).well().json();
    let lines: Vec<_> =
        screen["lines"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let numbers: Vec<u32> = lines.iter().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers, (1..=3000).collect::<Vec<u32>>());
    assert!(lines.iter().any(|line| line.contains("half a li")));
    let (_, log) = stage.logs(&player);
    assert!(String::from_utf8_lossy(&log).contains("half a li"));

    stage.qd(&["restore", &trashed]).well();
    stage.until_state(&trashed, "exited");
    assert_eq!(files(&trash_at), before.0);
    assert_eq!(status(&stage, &trash_at), trash_status);
    stage.post(&format!("/api/v1/sessions/{paused}/resume"), &json!({}));
    stage.until_state(&paused, "running");
    assert_eq!(files(&paused_at), before.1);
    assert_eq!(status(&stage, &paused_at), paused_status);
}

#[test]
fn elsewhere_it_says_what_cannot_be_brought_back() {
    let mut stage = Stage::start();
    let repo = stage.repo("repo");
    let (id, _, _) = busy(&stage, &repo, "Work");
    let alive = stage.new_session(json!({"repo": repo, "command": ["cat"], "title": "Alive"}));
    stage.qd(&["rm", &id]).well();
    stage.until_state(&id, "trashed");
    // Without a daemon, and without worktrees.
    lose_home(&mut stage);
    let lost = stage.dir().join("lost");
    let lost = lost.to_str().unwrap();
    stage.qd(&["--home", lost, "backup", "whole.tar"]).well();
    stage.qd(&["--home", lost, "backup", "small.tar", "--no-worktrees"]).well();
    stage.qd(&["--home", lost, "backup", "all.tar", "--worktrees"]).well();
    let size = |name: &str| stage.dir().join(name).metadata().unwrap().len();
    assert!(size("small.tar") < 2_000_000 && size("whole.tar") > 3_000_000);
    assert!(size("all.tar") > size("whole.tar"));

    let look = stage.dir().join("look");
    let said = stage
        .qd(&["--home", look.to_str().unwrap(), "restore-backup", "whole.tar", "--json"])
        .well()
        .json();
    let missing = said["missing"].to_string();
    let kept = look.join("trash").join(&id).join("worktree");
    assert!(missing.contains(kept.to_str().unwrap()) && kept.join("s").is_file(), "{said}");
    assert!(missing.contains(alive["worktree"].as_str().unwrap()), "{said}");

    let said = stage.qd(&["restore-backup", "small.tar", "--json"]).well().json();
    assert!(said["missing"].to_string().contains("not in the backup"), "{said}");
    std::fs::remove_dir_all(stage.root()).unwrap();
    let said = stage.qd(&["restore-backup", "all.tar"]).well();
    assert!(!said.out.contains("is not there"), "{said:?}");
    assert!(Path::new(alive["worktree"].as_str().unwrap()).join("a").is_file());
    // And where the repository is gone.
    std::fs::remove_dir_all(stage.root()).unwrap();
    std::fs::rename(&repo, stage.dir().join("moved")).unwrap();
    let said = stage.qd(&["restore-backup", "whole.tar", "--json"]).well().json();
    assert!(said["missing"].to_string().contains("its repository is not there"), "{said}");
}

/// The entries of a tar with their contents.
fn entries(path: &Path) -> Vec<(tar::Header, Vec<u8>, Vec<u8>)> {
    let mut archive = tar::Archive::new(std::fs::File::open(path).unwrap());
    let read = |entry: std::io::Result<tar::Entry<'_, std::fs::File>>| {
        let mut entry = entry.unwrap();
        let mut bytes = vec![];
        entry.read_to_end(&mut bytes).unwrap();
        (entry.header().clone(), entry.path_bytes().into_owned(), bytes)
    };
    archive.entries().unwrap().map(read).collect()
}

/// A tar with these entries; a name is written as it is, whatever is in it.
fn rebuilt(path: &Path, entries: &[(tar::Header, Vec<u8>, Vec<u8>)]) {
    let mut builder = tar::Builder::new(std::fs::File::create(path).unwrap());
    for (header, name, bytes) in entries {
        let mut header = header.clone();
        let field = &mut header.as_old_mut().name;
        field.fill(0);
        field[..name.len()].copy_from_slice(name);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        builder.append(&header, bytes.as_slice()).unwrap();
    }
    builder.finish().unwrap();
}

#[test]
fn what_is_damaged_newer_or_leads_out_is_refused_and_leaves_nothing() {
    let mut stage = Stage::start();
    let id = stage.run("echo hello; sleep 1000");
    stage.until_line(&id, |line| line == "hello");
    stage.qd(&["backup", "good.tar"]).well();
    lose_home(&mut stage);
    let dir = stage.dir().to_path_buf();
    let (good, bad) = (dir.join("good.tar"), dir.join("bad.tar"));
    let bytes = std::fs::read(&good).unwrap();
    let outside = dir.join("outside");
    let refused = |what: &str| {
        let said = stage.qd(&["restore-backup", "bad.tar", "--json"]);
        let code = said.error();
        assert!(!stage.root().exists(), "{what}: {said:?}");
        assert!(!outside.exists(), "{what}");
        let left = std::fs::read_dir(&dir).unwrap().flatten();
        let left: Vec<_> =
            left.filter(|e| e.file_name().to_string_lossy().starts_with(".qd-")).collect();
        assert!(left.is_empty(), "{what}: {left:?}");
        code
    };
    // Any byte that counts, and any length.
    for at in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut other = bytes.clone();
        other[at] ^= 1;
        std::fs::write(&bad, &other).unwrap();
        let said = stage.qd(&["restore-backup", "bad.tar", "--json"]);
        if said.code == 0 {
            // A byte that pads, which no reader looks at: all is as it was.
            assert_eq!(entries(&bad).len(), entries(&good).len());
            for (one, other) in entries(&bad).iter().zip(entries(&good)) {
                assert_eq!((&one.1, &one.2), (&other.1, &other.2), "byte {at}");
            }
            std::fs::remove_dir_all(stage.root()).unwrap();
        } else {
            let code = said.error();
            assert!(["backup_damaged", "store_newer"].contains(&code.as_str()), "{said:?}");
            assert!(!stage.root().exists());
        }
    }
    for length in [0, 1, 511, 512, bytes.len() / 2, bytes.len() - 4096] {
        std::fs::write(&bad, &bytes[..length]).unwrap();
        assert_eq!(refused(&format!("{length} bytes")), "backup_damaged");
    }
    std::fs::write(&bad, "Dear diary, ".repeat(1000)).unwrap();
    assert_eq!(refused("a diary"), "backup_damaged");

    // Newer ones, by form and by schema.
    let sound = entries(&good);
    for field in ["format", "schema"] {
        let mut newer = sound.clone();
        let mut head: Value = serde_json::from_slice(&newer[0].2).unwrap();
        head[field] = (head[field].as_u64().unwrap() + 1).into();
        newer[0].2 = serde_json::to_vec(&head).unwrap();
        rebuilt(&bad, &newer);
        assert_eq!(refused(field), "store_newer");
    }

    // Somebody who wants to write elsewhere can make the sums fit; the names are refused first.
    let plain = |kind: tar::EntryType| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(0o644);
        header.set_mtime(0);
        header
    };
    let to = |kind, target: &str| {
        let mut header = plain(kind);
        header.set_link_name_literal(target).unwrap();
        header
    };
    use tar::EntryType as Type;
    let out = outside.to_str().unwrap();
    let folder = |name: &str| (plain(Type::Directory), name.as_bytes().to_vec(), vec![]);
    let file = |name: &str| (plain(Type::Regular), name.as_bytes().to_vec(), b"x".to_vec());
    let named = |header: tar::Header, name: &str| (header, name.as_bytes().to_vec(), vec![]);
    let cases: Vec<(&str, Vec<_>)> = vec![
        ("dots", vec![file("home/trash/../../../outside")]),
        ("dots in the middle", vec![folder("home/trash/k"), file("home/trash/k/../../../outside")]),
        ("an absolute path", vec![file(out)]),
        ("an absolute path in the home", vec![file(&format!("home/{out}"))]),
        ("a place that no home has", vec![file("home/lock")]),
        ("another file", vec![file("home/bin")]),
        ("no folder", vec![file("home/trash/k/worktree/a")]),
        ("twice", vec![file("home/token")]),
        (
            "a hard link",
            vec![folder("home/trash/k"), named(to(Type::Link, "/etc/passwd"), "home/trash/k/x")],
        ),
        ("a link outside of worktrees", vec![named(to(Type::Symlink, out), "home/trash/k")]),
        (
            "a worktree that is a link",
            vec![folder("home/trash/k"), named(to(Type::Symlink, "/"), "home/trash/k/worktree")],
        ),
        (
            "through a link",
            vec![
                folder("home/trash/k"),
                folder("home/trash/k/worktree"),
                named(to(Type::Symlink, dir.to_str().unwrap()), "home/trash/k/worktree/l"),
                file("home/trash/k/worktree/l/outside"),
            ],
        ),
        ("a device", vec![folder("home/trash/k"), named(plain(Type::Char), "home/trash/k/tty")]),
        ("a pipe", vec![folder("home/trash/k"), named(plain(Type::Fifo), "home/trash/k/pipe")]),
    ];
    for (what, more) in cases {
        let mut other = sound.clone();
        let end = other.len() - 2;
        other.splice(end..end, more);
        rebuilt(&bad, &other);
        assert_eq!(refused(what), "backup_damaged", "{what}");
    }
    // Sums that fit a changed list of contents are of no use without fitting contents.
    let mut other = sound.clone();
    let end = other.len();
    let mut manifest: Value = serde_json::from_slice(&other[end - 2].2).unwrap();
    manifest["parts"].as_array_mut().unwrap().pop();
    let text = serde_json::to_vec(&manifest).unwrap();
    let sum: String = Sha256::digest(&text).iter().map(|b| format!("{b:02x}")).collect();
    (other[end - 2].2, other[end - 1].2) = (text, sum.into_bytes());
    rebuilt(&bad, &other);
    assert_eq!(refused("a part less"), "backup_damaged");
    // The builder itself changes nothing.
    rebuilt(&bad, &sound);
    stage.qd(&["restore-backup", "bad.tar"]).well();
    stage.serve();
    stage.until_state(&id, "exited");
    assert!(stage.qd(&["screen", &id]).well().out.contains("hello"));
}

#[test]
fn what_cannot_be_backed_up_says_so() {
    let stage = Stage::start();
    let nowhere = stage.dir().join("nowhere");
    let said = stage.qd(&["--home", nowhere.to_str().unwrap(), "backup", "x.tar", "--json"]);
    assert_eq!(said.error(), "path_missing");
    assert!(!nowhere.exists(), "asking for a backup makes no home");
    assert_eq!(stage.qd(&["backup", "no/such/folder/x.tar", "--json"]).error(), "path_missing");
    assert_eq!(stage.qd(&["restore-backup", "none.tar", "--json"]).error(), "path_missing");
}
