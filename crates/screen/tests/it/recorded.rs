//! Streams of real programs, recorded on a terminal: `NAME_COLSxROWS.bin`.

use std::{fs, path::Path};

use qd_screen::{Screen, Size};

use crate::{differential, state::State, tmux::Tmux};

struct Recorded {
    name: String,
    size: Size,
    bytes: Vec<u8>,
}

fn recorded() -> Vec<Recorded> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut all: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let (cols, rows) = name.rsplit_once('_').unwrap().1.split_once('x').unwrap();
            let size = Size::new(cols.parse().unwrap(), rows.parse().unwrap());
            Recorded { bytes: fs::read(&path).unwrap(), size, name }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(all.len() >= 8, "the recordings are missing");
    all
}

#[test]
fn a_snapshot_resumes_anywhere_in_a_recorded_stream() {
    for Recorded { name, size, bytes } in recorded() {
        let mut whole = Screen::new(size, 500);
        let mut copy = Screen::new(size, 500);
        // Not a divisor of anything: cuts fall into all kinds of sequences.
        for (at, piece) in bytes.chunks(331).enumerate() {
            whole.feed(piece);
            copy.feed(piece);
            let difference = State::of(&copy).difference(&State::of(&whole));
            assert!(difference.is_none(), "{name} after piece {at}: {}", difference.unwrap());
            let snapshot = whole.snapshot(usize::MAX);
            copy = Screen::new(size, 500);
            copy.feed(&snapshot);
        }
    }
}

#[test]
fn a_recorded_stream_is_drawn_as_in_tmux() {
    let Some(tmux) = Tmux::start(Size::new(80, 24)) else { return };
    for Recorded { name, size, bytes } in recorded() {
        let (mut pane, mut screen) = tmux.pane(size);
        // tmux wipes its history there, we do not.
        let text = String::from_utf8(bytes).unwrap();
        let bytes = text.replace("\x1b[3J", "").into_bytes();
        for (at, piece) in bytes.chunks(bytes.len() / 4 + 1).enumerate() {
            // The mark that ends a piece would cut a sequence in two: cut before one instead.
            let mark = format!("{name} {at}");
            let cut = piece.iter().rposition(|&byte| byte == 0x1b).unwrap_or(piece.len());
            let shown = tmux.feed(&mut pane, &mut screen, &piece[..cut], &mark);
            if let Some(difference) = differential::difference(&screen, &shown) {
                panic!("{mark}: {difference}");
            }
            tmux.feed(&mut pane, &mut screen, &piece[cut..], &format!("{mark} rest"));
        }
        tmux.close(pane);
    }
}
