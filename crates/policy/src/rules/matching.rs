use super::{Ready, Words};
use crate::effect::{Effect, Origin};
use crate::place::{Place, Zone};
use crate::walk::Part;

/// Who asks for what.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The tool of the agent.
    pub tool: String,
    /// The agent.
    pub agent: String,
    /// Tags of the session.
    pub tags: Vec<String>,
    /// The repository's folder.
    pub repository: String,
    /// Server and tool, where it is a tool of a server.
    pub mcp: Option<(String, String)>,
}

impl Ready {
    /// Whether its programs begin as that of a part: a quick no for most rules.
    #[must_use]
    pub fn may_be_about(&self, part: &Part) -> bool {
        self.beginnings.is_empty()
            || self.beginnings.iter().any(|beginning| part.program.starts_with(beginning.as_str()))
    }

    /// Whether it is about a part of a request at all.
    #[must_use]
    pub fn is_about(&self, part: &Part, subject: &Subject) -> bool {
        let (server, tool) = match &subject.mcp {
            Some((server, tool)) => (server.as_str(), tool.as_str()),
            None => ("", ""),
        };
        self.fits("tool", || vec![subject.tool.as_str()])
            && self.fits("program", || vec![part.program.as_str()])
            && self.fits("mcp_server", || vec![server])
            && self.fits("mcp_tool", || vec![tool])
            && self.fits("repository", || vec![subject.repository.as_str()])
            && one_of(self.rule.agent.as_ref(), std::slice::from_ref(&subject.agent))
            && one_of(self.rule.tag.as_ref(), &subject.tags)
            && self.has_words(part)
    }

    fn has_words(&self, part: &Part) -> bool {
        let rule = &self.rule;
        let words: Vec<&str> = part
            .arguments
            .iter()
            .map(String::as_str)
            .filter(|word| !word.starts_with('-'))
            .collect();
        let begins = |wanted: &str| {
            let mut words = words.iter();
            wanted.split_whitespace().all(|word| words.next() == Some(&word))
        };
        rule.subcommand.as_ref().is_none_or(|wanted| wanted.iter().any(begins))
            && rule.flags.as_ref().is_none_or(|flags| flags.iter().any(|flag| has_flag(part, flag)))
            && !rule
                .without_flags
                .as_ref()
                .is_some_and(|flags| flags.iter().any(|flag| has_flag(part, flag)))
            && self.fits("argument", || part.arguments.iter().map(String::as_str).collect())
            && self.fits_command(part)
            && self.fits("redirect", || part.redirects.iter().map(String::as_str).collect())
            && self.fits("environment", || part.environment.iter().map(String::as_str).collect())
    }

    /// A pattern of a whole command is about what is known only: what is not may be anything.
    fn fits_command(&self, part: &Part) -> bool {
        if self.rule.command.is_none() {
            return true;
        }
        let loosens = self.rule.verdict == super::Decision::Allow;
        let mut text = part.program.clone();
        for argument in &part.arguments {
            text.push(' ');
            text.push_str(argument);
        }
        (part.known || !loosens) && self.fits("command", || vec![text.as_str()])
    }

    /// Whether it is about one effect of a part that it is about.
    #[must_use]
    pub fn is_about_effect(&self, effect: &Effect, place: &Place) -> bool {
        let rule = &self.rule;
        if !self.speaks_of_effects() {
            // What the words do not show is not decided by the words.
            return effect.origin == Origin::Program || rule.verdict != super::Decision::Allow;
        }
        if rule.redirect.is_some() && effect.origin != Origin::Redirect {
            return false;
        }
        if rule.environment.is_some() && effect.origin != Origin::Environment {
            return false;
        }
        (rule.effects.is_empty() || rule.effects.contains(&effect.kind))
            && (rule.zones.is_empty() || effect.zone.is_some_and(|zone| rule.zones.contains(&zone)))
            && self.fits("url", || {
                effect.target.as_deref().filter(|_| is_network(effect)).into_iter().collect()
            })
            && self.fits_path(effect, place)
    }

    fn fits_path(&self, effect: &Effect, place: &Place) -> bool {
        let Some(matchers) = self.patterns.get("path") else { return true };
        let Some(target) = effect.target.as_deref().filter(|target| target.starts_with('/')) else {
            return false;
        };
        let inside = target.strip_prefix(&place.worktree).and_then(|rest| rest.strip_prefix('/'));
        let at_home = target.strip_prefix(&place.home).map(|rest| format!("~{rest}"));
        matchers.iter().any(|matcher| {
            matcher.is_match(target)
                || inside.is_some_and(|path| matcher.is_match(path))
                || at_home.as_deref().is_some_and(|path| matcher.is_match(path))
        })
    }

    fn fits<'t>(&self, key: &'static str, texts: impl FnOnce() -> Vec<&'t str>) -> bool {
        let Some(matchers) = self.patterns.get(key) else { return true };
        let texts = texts();
        matchers.iter().any(|matcher| texts.iter().any(|text| matcher.is_match(text)))
    }
}

fn is_network(effect: &Effect) -> bool {
    matches!(effect.zone, Some(Zone::Internet | Zone::Local | Zone::Forge))
}

fn one_of(wanted: Option<&Words>, there: &[String]) -> bool {
    wanted.is_none_or(|wanted| wanted.iter().any(|word| there.iter().any(|have| have == word)))
}

fn has_flag(part: &Part, flag: &str) -> bool {
    part.arguments.iter().any(|argument| {
        let name = argument.split('=').next().unwrap_or_default();
        let short = flag.len() == 2 && argument.starts_with('-') && !argument.starts_with("--");
        name == flag || short && argument.contains(&flag[1..])
    })
}
