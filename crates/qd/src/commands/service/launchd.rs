//! The property list for launchd. See launchd.plist(5).

use std::fmt::Write as _;

use qd_core::Code;

use super::{MARK, Unit};
use crate::failure::Failure;

/// The agent's label, and its file's name before `.plist`.
pub const LABEL: &str = "dev.quarterdeck.daemon";

/// The text of the property list.
///
/// `AbandonProcessGroup`: tmux and all panes go on when the daemon ends.
///
/// # Errors
/// When a word has a character that XML does not have.
pub fn text(unit: &Unit) -> Result<String, Failure> {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- {MARK}, which also writes it anew; `qd service remove` takes it away. -->\n\
         <plist version=\"1.0\">\n<dict>\n\
         \t<key>Label</key>\n\t<string>{LABEL}</string>\n\
         \t<key>ProgramArguments</key>\n\t<array>\n"
    );
    for word in &unit.argv {
        let _ = writeln!(text, "\t\t<string>{}</string>", escaped(word)?);
    }
    text.push_str("\t</array>\n\t<key>EnvironmentVariables</key>\n\t<dict>\n");
    for (name, value) in &unit.env {
        let _ = writeln!(text, "\t\t<key>{name}</key>\n\t\t<string>{}</string>", escaped(value)?);
    }
    let log = escaped(&format!("{}/daemon.log", unit.home.trim_end_matches('/')))?;
    let _ = write!(
        text,
        "\t</dict>\n\
         \t<key>RunAtLoad</key>\n\t<true/>\n\
         \t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>\n\
         \t<key>AbandonProcessGroup</key>\n\t<true/>\n\
         \t<key>ProcessType</key>\n\t<string>Interactive</string>\n\
         \t<key>Umask</key>\n\t<integer>63</integer>\n\
         \t<key>StandardOutPath</key>\n\t<string>/dev/null</string>\n\
         \t<key>StandardErrorPath</key>\n\t<string>{log}</string>\n\
         </dict>\n</plist>\n"
    );
    Ok(text)
}

fn escaped(word: &str) -> Result<String, Failure> {
    if word.chars().any(|c| c.is_control() && c != '\t' && c != '\n') {
        return Err(Failure::new(
            Code::FieldInvalid,
            format!("{word:?} has a control character, which a property list cannot have."),
            "Move it to another place.",
        ));
    }
    Ok(word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_escaped_and_panes_outlive_the_daemon() {
        let unit = Unit {
            argv: vec!["/a & b/<qd>".into(), "serve".into()],
            env: vec![("PATH".into(), "/bin".into())],
            home: "/h".into(),
        };
        let text = text(&unit).unwrap();
        assert!(text.contains("<string>/a &amp; b/&lt;qd&gt;</string>"), "{text}");
        assert!(text.contains("<key>AbandonProcessGroup</key>\n\t<true/>"), "{text}");
        assert!(text.contains("<string>/h/daemon.log</string>"), "{text}");
        assert!(escaped("a\u{1b}b").is_err());
    }
}
