//! A real tmux as the judge: the same stream, cell by cell.
//!
//! tmux draws what is written to the terminal of one of its panes. It is asked for the cells, the
//! history, the cursor and the modes in one command list.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    process::Command,
    time::{Duration, Instant},
};

use qd_screen::{Screen, Size};
use tempfile::TempDir;

/// The version whose behaviour is followed. With another one the comparison says nothing.
const VERSION: &str = "tmux 3.3a";
const DEADLINE: Duration = Duration::from_secs(60);
/// What is asked in one go; the title comes last since it may contain anything.
const FORMAT: &str = "#{cursor_x},#{cursor_y},#{alternate_on},#{insert_flag},#{wrap_flag},\
    #{origin_flag},#{keypad_flag},#{keypad_cursor_flag},#{mouse_standard_flag},\
    #{mouse_button_flag},#{mouse_all_flag},#{mouse_sgr_flag},#{cursor_flag},\
    #{scroll_region_upper},#{scroll_region_lower},#{history_size},#{pane_title}";

/// A server of our own.
pub struct Tmux {
    dir: TempDir,
}

/// A pane that only shows what is written to it.
pub struct Pane {
    id: String,
    terminal: File,
}

/// What tmux shows.
#[derive(Debug)]
pub struct Shown {
    /// Column of the cursor; it may be past the last one.
    pub x: u16,
    /// The rest of `FORMAT`, without the title.
    pub facts: String,
    /// Rows of the history and the screen with SGR, up to the last cell written.
    pub rows: Vec<String>,
    pub history: usize,
}

impl Tmux {
    /// Starts a server whose windows have this size; `None` if it is not the version followed.
    pub fn start(size: Size) -> Option<Self> {
        let dir = TempDir::with_prefix_in("qds", "/tmp").unwrap();
        let tmux = Self { dir };
        let version = tmux.run(&["-V"]);
        if version.trim() != VERSION {
            eprintln!("not compared: this is {version}");
            return None;
        }
        let (cols, rows) = (size.cols().to_string(), size.rows().to_string());
        tmux.run(&[
            "-u",
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &cols,
            "-y",
            &rows,
            "sleep 3600",
            ";",
            "set",
            "-g",
            "status",
            "off",
            ";",
            "set",
            "-g",
            "history-limit",
            "2000",
            ";",
            "set",
            "-g",
            "default-size",
            &format!("{cols}x{rows}"),
            ";",
            "set",
            "-g",
            "allow-rename",
            "off",
        ]);
        Some(tmux)
    }

    /// A new pane and our screen beside it, both with the same start.
    pub fn pane(&self, size: Size) -> (Pane, Screen) {
        let made = self.run(&[
            "new-window",
            "-d",
            "-P",
            "-F",
            "#{pane_id} #{pane_tty}",
            "stty raw -echo; printf '\\033]2;ready\\007'; exec sleep 3600",
        ]);
        let (id, path) = made.trim().split_once(' ').unwrap();
        let terminal = OpenOptions::new().write(true).open(path).unwrap();
        let pane = Pane { id: id.to_owned(), terminal };
        self.resize(&pane, size);
        self.wait(&pane, "ready");
        let mut screen = Screen::new(size, 2000);
        screen.feed(b"\x1b]2;ready\x07");
        (pane, screen)
    }

    pub fn resize(&self, pane: &Pane, size: Size) {
        let (cols, rows) = (size.cols().to_string(), size.rows().to_string());
        self.run(&["resize-window", "-t", &pane.id, "-x", &cols, "-y", &rows]);
    }

    /// Writes to both, and waits until tmux has drawn it.
    pub fn feed(&self, pane: &mut Pane, screen: &mut Screen, bytes: &[u8], mark: &str) -> Shown {
        let end = format!("\x18\x1b\\\x1b]2;{mark}\x07");
        let bytes = [bytes, end.as_bytes()].concat();
        pane.terminal.write_all(&bytes).unwrap();
        screen.feed(&bytes);
        self.wait(pane, mark)
    }

    pub fn close(&self, pane: Pane) {
        self.run(&["kill-pane", "-t", &pane.id]);
    }

    fn wait(&self, pane: &Pane, mark: &str) -> Shown {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let out = self.run(&[
                "display-message",
                "-p",
                "-t",
                &pane.id,
                FORMAT,
                ";",
                "capture-pane",
                "-p",
                "-e",
                "-N",
                "-S",
                "-",
                "-E",
                "-",
                "-t",
                &pane.id,
            ]);
            let (first, rest) = out.split_once('\n').unwrap();
            let parts: Vec<&str> = first.splitn(17, ',').collect();
            if parts[16] == mark {
                return Shown {
                    x: parts[0].parse().unwrap(),
                    facts: parts[1..16].join(","),
                    rows: rest.lines().map(str::to_owned).collect(),
                    history: parts[15].parse().unwrap(),
                };
            }
            assert!(Instant::now() < deadline, "tmux has not drawn up to {mark}: {first}");
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the one home of processes in these tests")]
    fn run(&self, arguments: &[&str]) -> String {
        let out = Command::new("tmux")
            .arg("-S")
            .arg(self.dir.path().join("s"))
            .args(arguments)
            .env_clear()
            .envs(std::env::var("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.dir.path())
            .env("LC_ALL", "C.UTF-8")
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm-256color")
            .output()
            .unwrap();
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "ends our own server, also after a panic")]
        let _ = Command::new("tmux")
            .arg("-S")
            .arg(self.dir.path().join("s"))
            .arg("kill-server")
            .output();
    }
}
