//! Rules: what is looked for, and what is said where it is found.

mod builtin;
mod import;
mod matching;
mod parse;
mod reference;

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};

use crate::effect::Kind;
use crate::place::Zone;

pub use builtin::builtin;
pub use import::{Imported, import};
pub use matching::Subject;
pub use parse::{Fault, parse, to_toml};
pub use reference::reference;

/// What is done with a request. The later, the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It passes without a word.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not pass.
    Deny,
}

impl Decision {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Where a rule comes from. A later one goes before an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// It comes with Quarterdeck.
    BuiltIn,
    /// The person wrote it.
    Person,
    /// It lies in the repository. Until that file is trusted it may only tighten.
    Repository,
}

/// One or several words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Words {
    /// One.
    One(String),
    /// Several: any of them.
    Many(Vec<String>),
}

impl Words {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::One(word) => std::slice::from_ref(word).iter(),
            Self::Many(words) => words.iter(),
        }
        .map(String::as_str)
    }
}

/// A rule as it is written. All that it names has to be there; of several words any does.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name, which is its own.
    pub id: String,
    /// What it says.
    pub verdict: Decision,
    /// Why, in a sentence; the agent is told it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What to do instead.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub alternative: String,
    /// The higher goes first among those of its scope.
    #[serde(default)]
    pub priority: i32,
    /// Built-in rules that it may loosen although they deny.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<String>,
    /// The tool of the agent, such as `Bash` or `Edit`. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Words>,
    /// The program. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Words>,
    /// The first arguments that are no options, such as `push` or `compose up`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subcommand: Option<Words>,
    /// Options, one of which is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<Words>,
    /// Options, none of which is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_flags: Option<Words>,
    /// An argument. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<Words>,
    /// The program with its arguments. A pattern; `*` stands for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Words>,
    /// A file that it is redirected to or from. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<Words>,
    /// A variable that is set before it. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Words>,
    /// A path of an effect: absolute, `~/…`, or of the worktree. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Words>,
    /// A URL of an effect. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Words>,
    /// A server of tools. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<Words>,
    /// A tool of such a server. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<Words>,
    /// The agent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Words>,
    /// A tag of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<Words>,
    /// The repository. A pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<Words>,
    /// What is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Kind>,
    /// Where it is done.
    #[serde(default, rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<Zone>,
}

/// A rule that is ready: its patterns are read.
#[derive(Clone, Debug)]
pub struct Ready {
    /// As it is written.
    pub rule: Rule,
    /// Where it comes from.
    pub scope: Scope,
    /// Whether it may loosen.
    pub trusted: bool,
    patterns: BTreeMap<&'static str, Vec<GlobMatcher>>,
    /// What programs it is about begin with, where it names some: cheap to look at first.
    beginnings: Vec<String>,
}

/// A pattern that does not fit the grammar of patterns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern of `{key}` is not one: {why}")]
pub struct BadPattern {
    /// The key it stands under.
    pub key: &'static str,
    /// What is wrong with it.
    pub why: String,
}

impl Ready {
    /// Reads the patterns of a rule. They are globs, which take no more than linear time.
    ///
    /// # Errors
    /// When one of them is not a pattern.
    pub fn new(rule: Rule, scope: Scope, trusted: bool) -> Result<Self, BadPattern> {
        let mut patterns = BTreeMap::new();
        let paths = ["path", "redirect", "repository"];
        for (key, words) in rule.patterns() {
            let Some(words) = words else { continue };
            let mut matchers = vec![];
            for word in words.iter() {
                let literal = paths.contains(&key);
                if word.len() > 1_000 {
                    return Err(BadPattern { key, why: "it is longer than 1,000 bytes".into() });
                }
                let glob = GlobBuilder::new(word)
                    .literal_separator(literal)
                    .backslash_escape(true)
                    .build()
                    .map_err(|error| BadPattern { key, why: error.kind().to_string() })?;
                matchers.push(glob.compile_matcher());
            }
            patterns.insert(key, matchers);
        }
        let literal =
            |word: &str| word.chars().take_while(|c| !"*?[]{}\\!".contains(*c)).collect::<String>();
        let beginnings = rule.program.iter().flat_map(|words| words.iter().map(literal)).collect();
        Ok(Self { rule, scope, trusted, patterns, beginnings })
    }

    /// Whether it says something of effects, and so decides those only.
    #[must_use]
    pub fn speaks_of_effects(&self) -> bool {
        let rule = &self.rule;
        !rule.effects.is_empty()
            || !rule.zones.is_empty()
            || rule.path.is_some()
            || rule.url.is_some()
            || rule.redirect.is_some()
            || rule.environment.is_some()
    }
}

impl Rule {
    fn patterns(&self) -> [(&'static str, Option<&Words>); 11] {
        [
            ("tool", self.tool.as_ref()),
            ("program", self.program.as_ref()),
            ("argument", self.argument.as_ref()),
            ("command", self.command.as_ref()),
            ("redirect", self.redirect.as_ref()),
            ("environment", self.environment.as_ref()),
            ("path", self.path.as_ref()),
            ("url", self.url.as_ref()),
            ("mcp_server", self.mcp_server.as_ref()),
            ("mcp_tool", self.mcp_tool.as_ref()),
            ("repository", self.repository.as_ref()),
        ]
    }

    /// What it looks for, in words.
    #[must_use]
    pub fn looks_for(&self) -> String {
        let mut parts: Vec<String> = vec![];
        let mut say = |name: &str, words: Option<&Words>| {
            if let Some(words) = words {
                parts.push(format!("{name} {}", words.iter().collect::<Vec<_>>().join(" or ")));
            }
        };
        for (name, words) in self.patterns() {
            say(name, words);
        }
        say("subcommand", self.subcommand.as_ref());
        say("option", self.flags.as_ref());
        say("no option", self.without_flags.as_ref());
        say("agent", self.agent.as_ref());
        say("tag", self.tag.as_ref());
        if !self.effects.is_empty() {
            let names: Vec<&str> = self.effects.iter().map(|kind| kind.name()).collect();
            parts.push(names.join(" or "));
        }
        if !self.zones.is_empty() {
            let names: Vec<String> = self.zones.iter().map(|zone| zone.name()).collect();
            parts.push(format!("where {}", names.join(" or ")));
        }
        if parts.is_empty() { "anything".to_owned() } else { parts.join(", ") }
    }
}
