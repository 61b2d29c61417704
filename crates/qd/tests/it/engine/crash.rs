//! The daemon is killed while programs print and viewers look: they go on by number, and what
//! they got is what was printed.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use super::cut::Cut;
use super::socket::Viewer;
use super::stage::{Stage, until};
use super::terminal::{Dice, PLAYER};

/// Prints lines with their numbers, now and then many at once, and writes the same into a file;
/// from when one file is there until another is.
fn printing(stage: &Stage) -> String {
    let dir = stage.dir().display();
    format!(
        "stty -opost -echo; exec 3>{dir}/all; n=0
         say() {{ printf \"$@\"; printf \"$@\" >&3; }}
         until [ -e {dir}/start ]; do sleep 0.01; done
         until [ -e {dir}/enough ]; do
             n=$((n+1)); say 'line %07d \\033[3%dmcolour\\033[m\\r\\n' $n $((n % 8))
             [ $((n % 400)) -lt 300 ] || sleep 0.002
         done
         say 'the-end\\n'; sleep 1000"
    )
}

fn all(stage: &Stage) -> Vec<u8> {
    std::fs::read(stage.dir().join("all")).unwrap()
}

fn tape(stage: &Stage, id: &str) -> PathBuf {
    stage.root().join("sessions").join(id).join("tape")
}

/// Two viewers that have the session to themselves and have seen nothing yet.
fn two_viewers(stage: &Stage, id: &str) -> [Viewer; 2] {
    let mut first = Viewer::open(stage, id);
    first.until("its size", |viewer| viewer.resyncs == ["resized"] && viewer.snapshots == 2);
    let mut second = Viewer::open(stage, id);
    second.until("a screen", |viewer| viewer.snapshots == 1);
    [first, second]
}

/// Comes back with the number of the next byte.
fn come_back(stage: &Stage, id: &str, next: u64) -> Viewer {
    let how = json!({"from": next, "cols": 80, "rows": 24});
    let mut viewer = Viewer::attach(stage, &stage.token(), id, how);
    viewer.until("an answer", |viewer| viewer.resumes + viewer.snapshots > 0);
    viewer
}

/// Reads what is on its way to a viewer whose daemon was killed.
fn rest(viewer: &mut Viewer) {
    while viewer.closed.is_none() {
        viewer.look();
    }
}

/// Whether a daemon could not tell if the last output before a kill had been taken in. That is so
/// for the time of one system call; it happens, and is no fault.
fn was_unsure(stage: &Stage) -> bool {
    stage.log().contains("may not be all there")
}

/// Kills the daemon again and again; none when it could not tell once.
fn kills(times: u32, seed: u64) -> Option<()> {
    let mut stage = Stage::start();
    let id = stage.run(&printing(&stage));
    let mut viewers = two_viewers(&stage, &id);
    let mut got = [vec![], vec![]];
    let mut dice = Dice(seed);
    stage.shell("touch start");
    for round in 0..times {
        let until = Instant::now() + Duration::from_millis(5 + dice.roll(150));
        while Instant::now() < until {
            viewers.iter_mut().for_each(|viewer| _ = viewer.look());
        }
        stage.kill();
        viewers.iter_mut().for_each(rest);
        stage.serve();
        for (viewer, got) in viewers.iter_mut().zip(&mut got) {
            got.append(&mut viewer.bytes);
            *viewer = come_back(&stage, &id, viewer.next);
            if was_unsure(&stage) {
                println!("round {round} is not sure");
                return None;
            }
            assert_eq!((viewer.resumes, viewer.snapshots), (1, 0), "round {round}");
        }
    }
    stage.shell("touch enough");
    for (viewer, mut got) in viewers.iter_mut().zip(got) {
        viewer.until("the end", |viewer| viewer.bytes.ends_with(b"the-end\n"));
        if was_unsure(&stage) {
            return None;
        }
        assert!(viewer.resyncs.is_empty() && viewer.snapshots == 0, "{:?}", viewer.resyncs);
        got.append(&mut viewer.bytes);
        let all = all(&stage);
        assert!(got == all, "{} bytes, and {} were printed", got.len(), all.len());
    }
    // The screen and its history are made of the same bytes.
    let mut fresh = Viewer::open(&stage, &id);
    fresh.agrees(&stage, &id);
    let path = format!("/api/v1/sessions/{id}/screen?history=true");
    let screen = stage.get(&path).well().json();
    let lines: Vec<_> = screen["lines"].as_array().unwrap().iter().collect();
    let text = String::from_utf8(all(&stage)).unwrap().replace("\r\n", "\n");
    let printed: Vec<_> = text.lines().map(|line| line.replace("\x1b[m", "")).collect();
    let printed: Vec<_> =
        printed.iter().map(|line| line.split("\x1b[3").next().unwrap().to_owned()).collect();
    let lines: Vec<_> = lines
        .iter()
        .filter_map(|line| line.as_str())
        .map(|line| line.replace("colour", ""))
        .map(|line| line.trim_end().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    let shown = lines.len().min(printed.len());
    assert!(shown >= printed.len().min(9_000), "{shown} of {}", printed.len());
    let tail: Vec<_> =
        printed[printed.len() - shown..].iter().map(|line| line.trim_end()).collect();
    assert_eq!(lines[lines.len() - shown..], tail);
    Some(())
}

#[test]
fn killed_twenty_times_no_viewer_misses_a_byte() {
    let seeds = [7, 77, 777];
    assert!(seeds.into_iter().any(|seed| kills(20, seed).is_some()), "never sure");
}

#[test]
fn killed_in_a_flood_no_viewer_misses_a_byte() {
    let mut stage = Stage::start();
    let dir = stage.dir().display().to_string();
    let id = stage.run(&format!(
        "stty -opost -echo; n=0; while :; do until [ -e {dir}/go$n ]; do sleep 0.01; done
         n=$((n+1)); head -c 500000 /dev/urandom | base64 -w 99 | tee {dir}/all
         printf 'the-end\\n' | tee -a {dir}/all; done"
    ));
    let [mut viewer, other] = two_viewers(&stage, &id);
    other.leave();
    let mut dice = Dice(11);
    let mut sure = 0;
    for round in 0..8 {
        viewer.screen = None;
        viewer.bytes.clear();
        stage.shell(&format!("touch go{round}"));
        let until = Instant::now() + Duration::from_millis(dice.roll(120));
        while Instant::now() < until {
            viewer.look();
        }
        stage.kill();
        rest(&mut viewer);
        let mut got = std::mem::take(&mut viewer.bytes);
        let unsure = stage.log().matches("may not be all there").count();
        stage.serve();
        viewer = come_back(&stage, &id, viewer.next);
        viewer.screen = None;
        viewer.until("the end", |viewer| {
            viewer.snapshots > 0 || [&got[..], &viewer.bytes].concat().ends_with(b"the-end\n")
        });
        if stage.log().matches("may not be all there").count() > unsure {
            println!("round {round} is not sure");
            stage.until_line(&id, |line| line.contains("the-end"));
            viewer = Viewer::open(&stage, &id);
            viewer.until("a screen", |viewer| viewer.snapshots > 0);
            continue;
        }
        let answers = (viewer.resumes, viewer.snapshots);
        assert_eq!(answers, (1, 0), "round {round} {:?} {}", viewer.resyncs, stage.log());
        got.append(&mut viewer.bytes);
        sure += 1;
        let all = all(&stage);
        assert!(got == all, "round {round}: {} of {} bytes", got.len(), all.len());
    }
    assert!(sure > 3, "{sure}");
    Viewer::open(&stage, &id).agrees(&stage, &id);
}

/// Prints 450 kB of numbered lines, and writes the same into a file, each time that it is told to.
fn bursts(stage: &Stage) -> String {
    let dir = stage.dir().display();
    format!(
        "stty -opost -echo; for n in 0 1 2 3; do until [ -e {dir}/go$n ]; do sleep 0.01; done
         seq -f 'line %06g of many' $((n * 25000 + 1)) $((n * 25000 + 25000)) | tee -a {dir}/all
         touch {dir}/done$n; done; sleep 1000"
    )
}

/// Has it print, and its viewer read that.
fn burst(stage: &Stage, viewer: &mut Viewer, n: usize) {
    stage.shell(&format!("touch go{n}"));
    let last = format!("line {:06} of many\n", (n + 1) * 25_000);
    let ends = |viewer: &Viewer| viewer.bytes.ends_with(last.as_bytes());
    viewer.until("all of it", |viewer| viewer.snapshots > 0 || ends(viewer));
}

/// Kills the daemon at one step of taking in what a program prints; gives what its viewer got, what
/// was printed, and how many fresh screens there were.
fn killed_at(step: &str, while_away: bool) -> (Vec<u8>, Vec<u8>, usize) {
    let mut cut = Cut::new();
    let id = cut.stage.run(&bursts(&cut.stage));
    let [mut viewer, other] = two_viewers(&cut.stage, &id);
    other.leave();
    (viewer.screen, viewer.snapshots) = (None, 0);
    burst(&cut.stage, &mut viewer, 0);
    burst(&cut.stage, &mut viewer, 1);
    if while_away {
        // It prints while nobody is there; the next daemon is killed while it takes that in, and
        // has begun a new tape on the way.
        cut.stage.kill();
        rest(&mut viewer);
        cut.stage.shell("touch go2; until [ -e done2 ]; do sleep 0.01; done");
        cut.hold(step);
        cut.stage.serve();
    } else {
        cut.hold(step);
        cut.stage.shell("touch go2");
    }
    cut.kill_at(step);
    rest(&mut viewer);
    let mut got = std::mem::take(&mut viewer.bytes);
    cut.stage.serve();
    viewer = come_back(&cut.stage, &id, viewer.next);
    burst(&cut.stage, &mut viewer, 3);
    got.append(&mut viewer.bytes);
    let fresh = viewer.snapshots;
    cut.stage.until_line(&id, |line| line.ends_with("line 100000 of many"));
    Viewer::open(&cut.stage, &id).agrees(&cut.stage, &id);
    (got, all(&cut.stage), fresh)
}

#[test]
fn killed_at_any_step_of_taking_output_in_it_is_exact_or_drawn_anew() {
    // Taken out of the stream, and that was not written down: what follows tells.
    let (got, all, fresh) = killed_at("tape-unsettled", false);
    assert!(got == all && fresh == 0, "{} of {} bytes, {fresh} fresh", got.len(), all.len());
    // On the tape and in the stream: it might be new as well. Nobody gets it twice.
    let (_, _, fresh) = killed_at("tape-written", false);
    assert_eq!(fresh, 1);
    for step in ["spool-part", "spool-printed", "spool-taken"] {
        let (got, all, fresh) = killed_at(step, true);
        assert!(got == all && fresh == 0, "{step}: {} of {} bytes", got.len(), all.len());
    }
}

#[test]
fn a_tape_that_was_damaged_gives_a_fresh_screen_and_no_wrong_byte() {
    let mut stage = Stage::start();
    let id = stage.run(PLAYER);
    let [mut viewer, other] = two_viewers(&stage, &id);
    other.leave();
    type Harm = fn(Vec<u8>) -> Option<Vec<u8>>;
    let harm: [(&str, Harm); 6] = [
        ("cut in half", |bytes| Some(bytes[..bytes.len() / 2].to_vec())),
        ("short of a byte", |bytes| Some(bytes[..bytes.len() - 1].to_vec())),
        ("one bit", |mut bytes| {
            let at = bytes.len() - 30;
            bytes[at] ^= 4;
            Some(bytes)
        }),
        ("zeros in it", |mut bytes| {
            let at = bytes.len() / 2;
            bytes[at..at + 40].fill(0);
            Some(bytes)
        }),
        ("nothing in it", |_| Some(vec![])),
        ("gone", |_| None),
    ];
    for (round, (what, harm)) in harm.into_iter().enumerate() {
        viewer.input(format!("seq 1 200; echo round-{round}\n").as_bytes());
        viewer.until_shown(&format!("round-{round}"));
        stage.kill();
        rest(&mut viewer);
        let path = tape(&stage, &id);
        match harm(std::fs::read(&path).unwrap()) {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        stage.serve();
        viewer = come_back(&stage, &id, viewer.next);
        viewer.until("a screen", |viewer| viewer.snapshots > 0);
        assert_eq!(viewer.resumes, 0, "{what}");
        viewer.until_shown(&format!("round-{round}"));
        viewer.agrees(&stage, &id);
        let theirs = stage.tmux(&["capture-pane", "-p", "-t", &format!("qd-{id}")]).well().out;
        let trim = |lines: Vec<String>| lines.join("\n").trim_end().to_owned();
        assert_eq!(trim(viewer.lines()), theirs.trim_end(), "{what}");
    }
    // And with a whole one it goes on by number again.
    stage.kill();
    rest(&mut viewer);
    stage.serve();
    viewer = come_back(&stage, &id, viewer.next);
    viewer.input(b"echo still here\n");
    viewer.until("an echo", |viewer| viewer.bytes.ends_with(b"still here\r\n"));
    assert_eq!((viewer.resumes, viewer.snapshots), (1, 0));
}

#[test]
fn a_tape_is_of_one_run_and_goes_with_it() {
    let mut stage = Stage::start();
    let dir = stage.dir().display().to_string();
    let id = stage.run(&format!("echo run $QD_RUN; until [ -e {dir}/over ]; do sleep 0.05; done"));
    stage.until_line(&id, |line| line == "run 1");
    let path = tape(&stage, &id);
    let first = std::fs::read(&path).unwrap();
    stage.qd(&["restart", &id]).well();
    stage.until_line(&id, |line| line == "run 2");
    let mut viewer = Viewer::open(&stage, &id);
    viewer.until_shown("run 2");
    viewer.agrees(&stage, &id);
    stage.kill();
    rest(&mut viewer);
    // One of the run before, as if the new one had never been begun.
    let second = std::fs::read(&path).unwrap();
    std::fs::write(&path, &first).unwrap();
    stage.serve();
    viewer = come_back(&stage, &id, viewer.next);
    viewer.until_shown("run 2");
    assert_eq!(viewer.resumes, 0);
    viewer.agrees(&stage, &id);
    assert!(first != second && std::fs::read(&path).unwrap() != first);
    stage.kill();
    rest(&mut viewer);
    stage.serve();
    viewer = come_back(&stage, &id, viewer.next);
    assert_eq!((viewer.resumes, viewer.snapshots), (1, 0));
    stage.shell("touch over");
    viewer.until_told("exit", |_| true);
    stage.until_state(&id, "exited");
    until("the end of the tape", || (!path.exists()).then_some(()));
    stage.kill();
    stage.serve();
    assert!(stage.qd(&["screen", &id]).well().out.contains("run 2"), "the last screen is kept");
}
