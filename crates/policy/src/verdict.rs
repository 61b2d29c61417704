//! From a request to a verdict that says why.

use serde::Serialize;

use crate::effect::{Effect, Kind, Origin};
use crate::hidden::{Hidden, hidden};
use crate::place::Place;
use crate::rules::{Decision, Ready, Scope, Subject};
use crate::secrets;
use crate::shell::Limits;
use crate::walk::{Part, read};

/// What an agent wants to do.
#[derive(Clone, Debug)]
pub enum Request {
    /// Run a shell command.
    Command(String),
    /// Write a file.
    Write {
        /// Which.
        path: String,
        /// What is put into it.
        content: String,
    },
    /// Read a file.
    Read(String),
    /// Fetch a URL.
    Fetch(String),
    /// Anything else; its input as text.
    Other(String),
}

/// What a rule did with an effect.
#[derive(Clone, Debug, Serialize)]
pub struct Look {
    /// The part, from 0.
    pub part: usize,
    /// The rule.
    pub rule: String,
    /// Where it comes from.
    pub scope: Scope,
    /// What it looks for.
    pub looks_for: String,
    /// The effect that it found.
    pub found: String,
    /// What it says.
    pub says: Decision,
    /// Whether it decided this effect.
    pub decides: bool,
    /// Why it did not, though it found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<&'static str>,
}

/// A part with what it alone would be.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The part.
    #[serde(flatten)]
    pub part: Part,
    /// What it alone would be.
    pub verdict: Decision,
    /// The rule that decided it.
    pub rule: String,
    /// 1 reads, 2 changes with undo, 3 reaches out, 4 destroys.
    pub risk: u8,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// What is done with the request.
    pub verdict: Decision,
    /// The rule that decided.
    pub rule: String,
    /// Why, in a sentence.
    pub reason: String,
    /// What to do instead.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub alternative: String,
    /// 1 reads, 2 changes with undo, 3 reaches out, 4 destroys.
    pub risk: u8,
    /// Its parts.
    pub parts: Vec<Judged>,
    /// All effects, each once.
    pub effects: Vec<Effect>,
    /// Which rules found something, in order.
    pub trace: Vec<Look>,
    /// Characters that are not seen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<Hidden>,
    /// Steps that reading it took.
    pub steps: u32,
}

/// A set of rules, in the order in which they go.
#[derive(Clone, Debug)]
pub struct Rules {
    ordered: Vec<Ready>,
}

impl Rules {
    /// Puts rules in order: by scope, then priority, then the stricter, then the id.
    #[must_use]
    pub fn new(mut rules: Vec<Ready>) -> Self {
        rules.sort_by(|a, b| {
            (b.scope, b.rule.priority, b.rule.verdict)
                .cmp(&(a.scope, a.rule.priority, a.rule.verdict))
                .then_with(|| a.rule.id.cmp(&b.rule.id))
        });
        Self { ordered: rules }
    }

    /// The rules, in order.
    #[must_use]
    pub fn all(&self) -> &[Ready] {
        &self.ordered
    }

    /// Decides about a request. What no rule is about is asked.
    #[must_use]
    pub fn decide(&self, request: &Request, subject: &Subject, place: &Place) -> Verdict {
        let (parts, found, steps) = look(request, place);
        let mut trace = vec![];
        let mut judged = vec![];
        let mut worst: Option<(Decision, Option<&Ready>)> = None;
        for (at, part) in parts.into_iter().enumerate() {
            let mut mine: Option<(Decision, Option<&Ready>)> = None;
            let about: Vec<&Ready> = self
                .ordered
                .iter()
                .filter(|ready| ready.may_be_about(&part) && ready.is_about(&part, subject))
                .collect();
            for effect in &part.effects {
                let one = decide(at, &about, effect, place, &mut trace);
                if mine.as_ref().is_none_or(|(decision, _)| one.0 > *decision) {
                    mine = Some(one);
                }
            }
            let (verdict, rule) = mine.unwrap_or((Decision::Ask, None));
            if worst.as_ref().is_none_or(|(decision, _)| verdict > *decision) {
                worst = Some((verdict, rule));
            }
            let risk = part.effects.iter().map(Effect::risk).max().unwrap_or(3);
            judged.push(Judged { part, verdict, rule: name(rule), risk });
        }
        let (verdict, rule) = worst.unwrap_or((Decision::Ask, None));
        let mut effects: Vec<Effect> = vec![];
        for effect in judged.iter().flat_map(|judged| &judged.part.effects) {
            if !effects.contains(effect) {
                effects.push(effect.clone());
            }
        }
        let reason = rule.map_or("No rule is about it.", |ready| ready.rule.reason.as_str());
        Verdict {
            verdict,
            rule: name(rule),
            reason: reason.to_owned(),
            alternative: rule.map(|ready| ready.rule.alternative.clone()).unwrap_or_default(),
            risk: judged.iter().map(|judged| judged.risk).max().unwrap_or(3),
            parts: judged,
            effects,
            trace,
            hidden: found,
            steps,
        }
    }
}

/// Decides about one effect of a part, by the rules that are about the part.
fn decide<'r>(
    at: usize,
    about: &[&'r Ready],
    effect: &Effect,
    place: &Place,
    trace: &mut Vec<Look>,
) -> (Decision, Option<&'r Ready>) {
    let mut decided: Option<&'r Ready> = None;
    let mut looks = vec![];
    for ready in about.iter().copied().filter(|ready| ready.is_about_effect(effect, place)) {
        let mut why_not = None;
        if ready.rule.verdict == Decision::Allow && !ready.trusted {
            why_not = Some("the file of the repository is not trusted: it may only tighten");
        } else if let Some(before) = decided {
            // A deny of a lower scope stands unless it is named.
            let stands = ready.rule.verdict == Decision::Deny
                && before.rule.verdict != Decision::Deny
                && before.scope != ready.scope
                && !before.rule.overrides.contains(&ready.rule.id);
            // What is not trusted loosens nothing, not even with a question.
            let untrusted = !before.trusted && ready.rule.verdict > before.rule.verdict;
            if stands || untrusted {
                decided = Some(ready);
            } else {
                why_not = Some("a rule before it decided");
            }
        } else {
            decided = Some(ready);
        }
        looks.push((ready, why_not));
    }
    for (ready, why_not) in looks {
        let decides = decided.is_some_and(|decided| std::ptr::eq(decided, ready));
        trace.push(Look {
            part: at,
            rule: ready.rule.id.clone(),
            scope: ready.scope,
            looks_for: ready.rule.looks_for(),
            found: shown(effect),
            says: ready.rule.verdict,
            decides,
            why_not: if decides { None } else { why_not.or(Some("a deny stands against it")) },
        });
    }
    (decided.map_or(Decision::Ask, |ready| ready.rule.verdict), decided)
}

fn name(rule: Option<&Ready>) -> String {
    rule.map(|ready| ready.rule.id.clone()).unwrap_or_default()
}

fn shown(effect: &Effect) -> String {
    let mut text = effect.kind.name().to_owned();
    if let Some(zone) = effect.zone {
        text.push_str(&format!(" in {}", zone.name()));
    }
    if let Some(target) = effect.target.as_deref().filter(|target| !target.is_empty()) {
        text.push_str(&format!(": {target}"));
    }
    text
}

fn look(request: &Request, place: &Place) -> (Vec<Part>, Vec<Hidden>, u32) {
    let text = match request {
        Request::Command(text)
        | Request::Read(text)
        | Request::Fetch(text)
        | Request::Other(text) => text,
        Request::Write { path, .. } => path,
    };
    let found = hidden(text);
    let (mut parts, steps) = match request {
        Request::Command(text) => command(text, place, found.is_empty()),
        _ => (vec![crate::requests::part(request, place)], 0),
    };
    let mut effects = vec![];
    if let Some(first) = found.first() {
        effects.push(Effect::new(Kind::HiddenText).note(first.what).from(Origin::Shell));
    }
    if secrets::find(text).iter().any(|secret| secret.sure) {
        effects.push(
            Effect::new(Kind::Credentials).note("a secret is written out").from(Origin::Shell),
        );
        let reaches = |effect: &Effect| matches!(effect.kind, Kind::Sends | Kind::Publishes);
        if parts.iter().flat_map(|part| &part.effects).any(reaches) {
            effects.push(Effect::new(Kind::Leaks).from(Origin::Shell));
        }
    }
    if !effects.is_empty() {
        parts.push(Part { text: text.chars().take(200).collect(), effects, ..Part::default() });
    }
    (parts, found, steps)
}

fn command(text: &str, place: &Place, clean: bool) -> (Vec<Part>, u32) {
    let limits = Limits::default();
    let whole = |effect: Effect| Part {
        text: text.chars().take(200).collect(),
        effects: vec![effect.from(Origin::Shell)],
        ..Part::default()
    };
    // Marks of ours stand among the characters that are hidden.
    if !clean && text.chars().any(|c| matches!(c, '\u{e000}'..='\u{f8ff}' | '\0')) {
        return (vec![], 0);
    }
    let reading = read(text, place, limits);
    let mut parts = reading.parts;
    if let Some(error) = reading.error {
        parts.push(whole(Effect::new(Kind::NotUnderstood).note(error.to_string())));
    } else if parts.is_empty() {
        parts.push(whole(Effect::new(Kind::NotUnderstood).note("there is no command in it")));
    }
    for part in &mut parts {
        if part.effects.is_empty() {
            part.effects.push(Effect::new(Kind::Prints));
        }
    }
    (parts, reading.steps)
}
