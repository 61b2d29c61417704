//! What a person sets for a daemon, in `config.toml` in its home. Read when it starts.

use std::path::{Path, PathBuf};
use std::time::Duration;

use qd_core::{Code, Problem};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

/// The shortest and the longest time that may be set.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// All settings. What is not set is off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// When sessions are hibernated without being asked to.
    pub hibernate: Hibernate,
}

/// When sessions are hibernated without being asked to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hibernate {
    /// After being idle for so long; never when it is not set.
    #[serde(deserialize_with = "span")]
    pub after: Option<Duration>,
    /// When the machine is short of memory.
    pub on_pressure: bool,
}

impl Settings {
    /// The file of a home.
    #[must_use]
    pub fn file(home: &Path) -> PathBuf {
        home.join("config.toml")
    }

    /// Reads the settings of a home; without a file, nothing is set.
    ///
    /// # Errors
    /// [`Code::FieldInvalid`], with the line and what may stand there.
    pub fn read(home: &Path) -> Result<Self, Problem> {
        let file = Self::file(home);
        match std::fs::read_to_string(&file) {
            Ok(text) => parse(&text).map_err(|(line, column, why)| {
                Problem::new(
                    Code::FieldInvalid,
                    format!("{}, line {line}, column {column}: {why}.", file.display()),
                    "Mend the line or take it out: `[hibernate]` has `after`, a time such as \
                     \"4h\", and `on_pressure`, true or false.",
                )
                .on("config.toml")
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Problem::new(
                Code::FieldInvalid,
                format!("{} cannot be read: {error}.", file.display()),
                "Mend the file, or move it away: without it nothing is set.",
            )
            .on("config.toml")),
        }
    }

    /// One line for people.
    pub(crate) fn words(&self) -> String {
        let Hibernate { after, on_pressure } = self.hibernate;
        match (after, on_pressure) {
            (None, false) => "sessions are hibernated only by hand".to_owned(),
            (None, true) => "sessions are hibernated when memory is short".to_owned(),
            (Some(after), pressure) => format!(
                "sessions are hibernated after {} without activity{}",
                shown(after),
                if pressure { ", and when memory is short" } else { "" }
            ),
        }
    }
}

/// The line and the character in it, both from 1, and what is wrong there.
fn parse(text: &str) -> Result<Settings, (usize, usize, String)> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = text.get(..at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |start| start.chars().count()) + 1;
        (line, column, error.message().trim().replace('\n', "; "))
    })
}

fn span<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(value)?;
    let seconds = |text: &str| {
        let (unit, digits) = (text.chars().next_back()?, text.get(..text.len() - 1)?);
        let each = match unit {
            's' => 1,
            'm' => 60,
            'h' => 60 * 60,
            'd' => 24 * 60 * 60,
            _ => return None,
        };
        let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse::<u64>().ok().filter(|_| all_digits)?.checked_mul(each)
    };
    seconds(&text)
        .map(Duration::from_secs)
        .filter(|time| (SHORTEST..=LONGEST).contains(time))
        .map(Some)
        .ok_or_else(|| {
            D::Error::custom(format!(
                "\"{text}\" is no time: a whole number and s, m, h or d, such as \"30m\" or \
                 \"4h\", from \"1s\" to \"365d\""
            ))
        })
}

fn shown(time: Duration) -> String {
    let seconds = time.as_secs();
    let units = [(24 * 60 * 60, "d"), (60 * 60, "h"), (60, "m"), (1, "s")];
    let (each, unit) =
        units.into_iter().find(|(each, _)| seconds.is_multiple_of(*each)).unwrap_or((1, "s"));
    format!("{} {unit}", seconds / each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_read() {
        let hibernate = |text: &str| parse(text).unwrap().hibernate;
        assert_eq!(parse(""), Ok(Settings::default()));
        assert_eq!(
            hibernate("[hibernate]\nafter = \"4h\"").after,
            Some(Duration::from_secs(14400))
        );
        assert_eq!(hibernate("hibernate.after = '90s'").after, Some(Duration::from_secs(90)));
        assert!(hibernate("[hibernate]\non_pressure = true").on_pressure);
        let both = parse("[hibernate]\nafter = '30m'\non_pressure = true").unwrap();
        assert_eq!(
            both.words(),
            "sessions are hibernated after 30 m without activity, and when memory is short"
        );
    }

    #[test]
    fn what_is_wrong_is_told_by_its_line() {
        for (text, line, words) in [
            ("[hibernate]\nafter = \"soon\"", 2, "such as"),
            ("[hibernate]\n\nafter = \"0s\"", 3, "from \"1s\""),
            ("[hibernate]\nafter = \"400d\"", 2, "365d"),
            ("[hibernate]\nafter = \"-1h\"", 2, "no time"),
            ("[hibernate]\nafter = \"99999999999999999d\"", 2, "no time"),
            ("[hibernate]\nafter = \"4é\"", 2, "no time"),
            ("[hibernate]\nafter = 4", 2, "string"),
            ("[hibernate]\non_pressure = \"yes\"", 2, "boolean"),
            ("[hibernate]\nafer = \"4h\"", 2, "`after`"),
            ("[hibernat]\nafter = \"4h\"", 1, "`hibernate`"),
            ("# x\n[hibernate\n", 2, ""),
        ] {
            let (told, _, why) = parse(text).unwrap_err();
            assert_eq!(told, line, "{text}: {why}");
            assert!(why.contains(words), "{text}: {why}");
        }
        let (line, column, _) = parse("[hibernate]\nafter = \"soon\"").unwrap_err();
        assert_eq!((line, column), (2, 9));
        let (line, column, _) = parse("# é\n  é = 1").unwrap_err();
        assert_eq!((line, column), (2, 3));
    }

    #[test]
    fn a_home_without_a_file_has_nothing_set() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(Settings::read(home.path()), Ok(Settings::default()));
        std::fs::write(Settings::file(home.path()), "x").unwrap();
        let problem = Settings::read(home.path()).unwrap_err();
        assert_eq!(problem.code, Code::FieldInvalid);
        assert!(problem.message.contains("config.toml, line 1, column "), "{problem}");
    }
}
