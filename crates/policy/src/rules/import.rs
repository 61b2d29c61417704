use serde_json::Value;

use super::{Decision, Ready, Rule, Scope, Words};

/// What came of the lists of another program.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The rules.
    pub rules: Vec<Ready>,
    /// Entries that are not understood, with why. None of them allows anything.
    pub left: Vec<(String, &'static str)>,
}

/// Reads the `permissions` of Claude Code's settings: `allow`, `ask` and `deny`.
///
/// Entries are a tool, or a tool with a pattern in parentheses: `Bash(npm run test:*)` is a command
/// that begins so, `Bash(git status)` the very command, `Read(src/**)` a path, `mcp__server__tool` a
/// tool of a server, `WebFetch(domain:example.com)` a host.
///
/// # Errors
/// When the text is no JSON.
pub fn import(settings: &str, source: &str) -> Result<Imported, serde_json::Error> {
    let settings: Value = serde_json::from_str(settings)?;
    let mut imported = Imported::default();
    let lists = [("allow", Decision::Allow), ("ask", Decision::Ask), ("deny", Decision::Deny)];
    for (list, verdict) in lists {
        let entries = settings["permissions"][list].as_array();
        for (at, entry) in entries.into_iter().flatten().enumerate() {
            let text = entry.as_str().unwrap_or_default();
            let id = format!("{source}.{list}.{}", at + 1);
            match rule(text, &id, verdict).and_then(|rule| {
                Ready::new(rule, Scope::Person, true).map_err(|_| "its pattern is not understood")
            }) {
                Ok(ready) => imported.rules.push(ready),
                Err(why) => imported.left.push((entry.to_string(), why)),
            }
        }
    }
    Ok(imported)
}

fn rule(text: &str, id: &str, verdict: Decision) -> Result<Rule, &'static str> {
    let (tool, inner) = match text.split_once('(') {
        Some((tool, rest)) => {
            (tool, Some(rest.strip_suffix(')').ok_or("its parenthesis is not closed")?))
        }
        None => (text, None),
    };
    if tool.is_empty() || !tool.chars().all(|c| c.is_ascii_alphanumeric() || "_-*".contains(c)) {
        return Err("it names no tool");
    }
    let mut rule = Rule {
        id: id.to_owned(),
        verdict,
        reason: format!("The list of Claude Code has {text}."),
        alternative: String::new(),
        priority: 0,
        overrides: vec![],
        tool: Some(Words::One(tool.to_owned())),
        program: None,
        subcommand: None,
        flags: None,
        without_flags: None,
        argument: None,
        command: None,
        redirect: None,
        environment: None,
        path: None,
        url: None,
        mcp_server: None,
        mcp_tool: None,
        agent: None,
        tag: None,
        repository: None,
        effects: vec![],
        zones: vec![],
    };
    if let Some(rest) = tool.strip_prefix("mcp__") {
        let (server, tool) = rest.split_once("__").unwrap_or((rest, "*"));
        rule.tool = None;
        rule.mcp_server = Some(Words::One(server.to_owned()));
        rule.mcp_tool = Some(Words::One(tool.to_owned()));
        return Ok(rule);
    }
    match (tool, inner) {
        (_, None | Some("" | "*" | ":*")) => {}
        ("Bash", Some(pattern)) => rule.command = Some(command(pattern)),
        (
            "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep",
            Some(path),
        ) => {
            rule.path = Some(Words::One(path.trim_start_matches("./").replacen("//", "/", 1)));
        }
        ("WebFetch", Some(pattern)) => {
            let host = pattern.strip_prefix("domain:").ok_or("only domains are understood")?;
            let host = escape(host);
            rule.url =
                Some(Words::Many(vec![format!("https://{host}"), format!("https://{host}/*")]));
        }
        _ => return Err("what is in its parentheses is not understood"),
    }
    Ok(rule)
}

/// `words:*` is a command that begins with the words; `*` elsewhere stands for anything.
fn command(pattern: &str) -> Words {
    match pattern.strip_suffix(":*") {
        Some(start) => {
            let start = escape(start);
            Words::Many(vec![start.clone(), format!("{start} *")])
        }
        None => Words::One(escape(pattern)),
    }
}

/// All but `*` stands for itself.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "?[]{}!\\".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
