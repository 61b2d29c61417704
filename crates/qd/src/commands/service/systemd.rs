//! The unit for systemd. See systemd.service(5), systemd.kill(5), and systemd.syntax(7).

use std::fmt::Write as _;

use qd_core::Code;

use super::{MARK, Unit};
use crate::failure::Failure;

/// The unit's name.
pub const NAME: &str = "quarterdeck.service";

/// The text of the unit.
///
/// `KillMode=process`: tmux and all panes are in the unit's control group, since the daemon has
/// started them. Any other mode would end them with the daemon, at each stop and each restart.
/// `OOMPolicy=continue`: an agent that the kernel ends for its memory must not end the daemon.
/// `StandardOutput=null`: the line that says where it serves has a login link in it, which is not
/// for the journal.
///
/// # Errors
/// When the program is at a path that systemd refuses to run, whatever the quoting.
pub fn text(unit: &Unit) -> Result<String, Failure> {
    let refused = |c: char| c.is_control() || matches!(c, '"' | '\'' | '\\');
    if let Some(program) = unit.argv.first().filter(|program| program.contains(refused)) {
        return Err(Failure::new(
            Code::FieldInvalid,
            format!("systemd runs no program whose path has quotes or backslashes: {program}."),
            "Copy `qd` to another place and install the service from there.",
        ));
    }
    let mut text = format!(
        "# {MARK}, which also writes it anew; `qd service remove` takes it away.\n\
         [Unit]\n\
         Description=Quarterdeck, mission control for terminal coding agents\n\
         StartLimitIntervalSec=60\n\
         StartLimitBurst=5\n\
         \n\
         [Service]\n\
         Type=exec\n"
    );
    // The colon keeps systemd from replacing variables in the arguments.
    let _ = write!(text, "ExecStart=:");
    let words: Vec<_> = unit.argv.iter().map(|word| quoted(word)).collect();
    let _ = writeln!(text, "{}", words.join(" "));
    for (name, value) in &unit.env {
        let _ = writeln!(text, "Environment={}", quoted(&format!("{name}={value}")));
    }
    text.push_str(
        "# Or tmux and all panes would end with the daemon.\n\
         KillMode=process\n\
         OOMPolicy=continue\n\
         Restart=on-failure\n\
         RestartSec=1\n\
         # Not when it was refused: the port or the home is somebody else's.\n\
         RestartPreventExitStatus=2 4\n\
         TimeoutStopSec=60\n\
         StandardOutput=null\n\
         UMask=0077\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n",
    );
    Ok(text)
}

/// A word in double quotes, so that systemd reads exactly it: C escapes, and `%` twice since it
/// begins a specifier.
fn quoted(word: &str) -> String {
    let mut text = String::from("\"");
    for c in word.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '%' => text.push_str("%%"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_ascii_control() => {
                let _ = write!(text, "\\x{:02x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_words_are_quoted() {
        assert_eq!(quoted("/a b/100%/\"q\"\\n'$HOME'"), r#""/a b/100%%/\"q\"\\n'$HOME'""#);
        assert_eq!(quoted("tab\tline\nbell\x07é"), "\"tab\\tline\\nbell\\x07é\"");
        assert_eq!(quoted(""), "\"\"");
    }

    #[test]
    fn panes_outlive_the_daemon() {
        let unit = Unit {
            argv: vec!["/opt/qd".into(), "serve".into()],
            env: vec![("PATH".into(), "/bin:/my bin".into())],
            home: "/h".into(),
        };
        let text = super::text(&unit).unwrap();
        for line in [
            "KillMode=process",
            "OOMPolicy=continue",
            "Restart=on-failure",
            "StandardOutput=null",
            "ExecStart=:\"/opt/qd\" \"serve\"",
            "Environment=\"PATH=/bin:/my bin\"",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        for odd in ["/a\"b/qd", "/a'b/qd", "/a\\b/qd", "/a\nb/qd"] {
            assert!(
                super::text(&Unit { argv: vec![odd.into()], ..unit.clone() }).is_err(),
                "{odd}"
            );
        }
    }
}
