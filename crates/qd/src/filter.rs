use qd_api::SessionView;

use crate::states;

/// Which sessions are wanted: all terms must fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    negated: bool,
    field: Field,
    /// One of them must fit; in lower case.
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    State,
    Agent,
    Tag,
    Repo,
    Branch,
    Kind,
    Title,
    Id,
    /// Title, branch, repository or tag, as a part.
    Text,
}

const FIELDS: [(&str, Field); 9] = [
    ("state", Field::State),
    ("agent", Field::Agent),
    ("tag", Field::Tag),
    ("repo", Field::Repo),
    ("branch", Field::Branch),
    ("kind", Field::Kind),
    ("title", Field::Title),
    ("id", Field::Id),
    ("text", Field::Text),
];

/// Reads terms such as `state:running,exited agent:claude !tag:later login`: words as a shell
/// splits them, `FIELD:VALUE` with alternatives after commas, `!` before what must not fit, and
/// any other word a part of the title, branch, repository or a tag.
///
/// # Errors
/// One sentence, when a field or a state is not known.
pub fn parse(text: &str) -> Result<Filter, String> {
    if text.trim().is_empty() {
        return Ok(Filter { terms: vec![] });
    }
    let words = crate::words::split(text)?.0;
    Ok(Filter { terms: words.iter().map(|word| term(word)).collect::<Result<_, _>>()? })
}

fn term(word: &str) -> Result<Term, String> {
    let (negated, word) = word.strip_prefix('!').map_or((false, word), |rest| (true, rest));
    let (field, value) = match word.split_once(':') {
        Some((name, value)) if name.bytes().all(|b| b.is_ascii_lowercase()) && !name.is_empty() => {
            let found = FIELDS.iter().find(|(known, _)| *known == name);
            let (_, field) = found.ok_or_else(|| {
                let known: Vec<&str> = FIELDS.iter().map(|(known, _)| *known).collect();
                format!("there is no field {name}; those there are: {}", known.join(", "))
            })?;
            (*field, value)
        }
        _ => (Field::Text, word),
    };
    let values: Vec<String> = match field {
        // Free text may have commas in it.
        Field::Text | Field::Title => vec![value.to_lowercase()],
        _ => value.split(',').map(str::to_lowercase).collect(),
    };
    if values.iter().any(String::is_empty) {
        return Err(format!("a value is missing in {word:?}"));
    }
    if field == Field::State {
        for value in &values {
            states::parse(value)?;
        }
    }
    Ok(Term { negated, field, values })
}

impl Filter {
    /// Whether a session is wanted.
    pub fn fits(&self, session: &SessionView) -> bool {
        self.terms.iter().all(|term| {
            term.values.iter().any(|value| term.field.fits(session, value)) != term.negated
        })
    }
}

impl Field {
    fn fits(self, session: &SessionView, value: &str) -> bool {
        let part = |text: &str| text.to_lowercase().contains(value);
        let branch = session.branch.as_deref().unwrap_or_default();
        match self {
            Self::State => states::is_in(session, value),
            Self::Agent => session.agent.to_lowercase() == value,
            Self::Tag => session.tags.iter().any(|tag| tag.to_lowercase() == value),
            Self::Kind => session.kind == value,
            Self::Id => session.id.starts_with(value),
            Self::Repo => part(&session.repo),
            Self::Branch => part(branch),
            Self::Title => part(&session.title),
            Self::Text => {
                part(&session.title)
                    || part(branch)
                    || part(&session.repo)
                    || session.tags.iter().any(|tag| part(tag))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::session;

    #[test]
    fn all_terms_must_fit() {
        let mut wanted = session("kabc2345wxyz", "Fix Login, now");
        wanted.tags = vec!["sprint-12".into()];
        wanted.branch = Some("qd/fix-login".into());
        for (text, fits) in [
            ("", true),
            ("state:running", true),
            ("state:exited,running", true),
            ("state:unknown", true),
            ("state:exited", false),
            ("!state:exited", true),
            ("agent:claude", true),
            ("agent:claud", false),
            ("tag:sprint-12", true),
            ("tag:sprint", false),
            ("login", true),
            ("LOGIN", true),
            ("logout", false),
            ("!login", false),
            ("sprint", true),
            ("title:'Fix Login, now'", true),
            ("'login, now'", true),
            ("branch:fix-", true),
            ("repo:/r", true),
            ("id:kabc", true),
            ("kind:worktree", true),
            ("state:running agent:claude tag:sprint-12 login", true),
            ("state:running agent:codex", false),
            ("text:a:b", false),
        ] {
            assert_eq!(parse(text).unwrap().fits(&wanted), fits, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for text in ["stat:running", "state:runing", "agent:", "tag:a,", "'open", "!"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
