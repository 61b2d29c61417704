use qd_policy::{Ready, Verdict};
use serde_json::{Value, json};

use crate::output::one_line;

/// A rule for programs.
pub fn rule(ready: &Ready) -> Value {
    let mut value = json!(ready.rule);
    value["scope"] = json!(ready.scope);
    value["looks_for"] = json!(ready.rule.looks_for());
    value
}

/// A line for each rule.
pub fn table(rules: &[Ready]) -> String {
    let width = rules.iter().map(|ready| ready.rule.id.chars().count()).max().unwrap_or(2).min(32);
    let mut text = format!("{:<width$}  SAYS   WHY\n", "ID");
    for ready in rules {
        let id = one_line(&ready.rule.id);
        let (says, why) = (ready.rule.verdict.name(), one_line(&ready.rule.reason));
        text.push_str(format!("{id:<width$}  {says:<5}  {why}").trim_end());
        text.push('\n');
    }
    text
}

/// One rule in full.
pub fn shown(ready: &Ready) -> String {
    let rule = &ready.rule;
    let mut text = format!("{}: {}\n", one_line(&rule.id), rule.verdict.name());
    let scope = json!(ready.scope).as_str().unwrap_or_default().to_owned();
    let priority = rule.priority.to_string();
    for (name, value) in [
        ("looks for", rule.looks_for()),
        ("why", rule.reason.clone()),
        ("instead", rule.alternative.clone()),
        ("comes from", scope),
        ("priority", priority),
    ] {
        if !value.is_empty() {
            text.push_str(&format!("  {name:<10}  {}\n", one_line(&value)));
        }
    }
    text
}

/// A verdict in one line.
pub fn line(verdict: &Verdict, command: &str) -> String {
    let rule = if verdict.rule.is_empty() { "no rule" } else { &verdict.rule };
    format!("{:<5}  {}  {:<22}  {}", verdict.verdict.name(), verdict.risk, rule, one_line(command))
}

/// A verdict in full: the parts, and which rules found what.
pub fn verdict(verdict: &Verdict) -> String {
    const RISKS: [&str; 4] = ["reads", "changes with undo", "reaches out", "destroys"];
    let risk = RISKS.get(usize::from(verdict.risk.saturating_sub(1))).copied().unwrap_or_default();
    let mut text = format!("{}: {}\n", verdict.verdict.name(), verdict.reason);
    if !verdict.alternative.is_empty() {
        text.push_str(&format!("  instead  {}\n", one_line(&verdict.alternative)));
    }
    text.push_str(&format!("  risk     {}, {risk}\n\nparts\n", verdict.risk));
    for part in &verdict.parts {
        text.push_str(&format!("  {:<5}  {}\n", part.verdict.name(), one_line(&part.part.text)));
        for effect in &part.part.effects {
            let mut what = effect.kind.name().to_owned();
            if let Some(zone) = effect.zone {
                what.push_str(&format!(" in {}", zone.name()));
            }
            for more in [&effect.target, &effect.note].into_iter().flatten() {
                what.push_str(&format!(", {more}"));
            }
            text.push_str(&format!("           {}\n", one_line(&what)));
        }
    }
    for hidden in &verdict.hidden {
        text.push_str(&format!("  U+{:04X} at byte {}: {}\n", hidden.code, hidden.at, hidden.what));
    }
    text.push_str("\nrules\n");
    for look in &verdict.trace {
        let mark = if look.decides { ">" } else { " " };
        let found = one_line(&look.found);
        text.push_str(&format!("{mark} {:<5}  {:<22}  {found}", look.says.name(), look.rule));
        if let Some(why) = look.why_not {
            text.push_str(&format!(" ({why})"));
        }
        text.push('\n');
    }
    text
}
