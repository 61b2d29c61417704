use serde_json::Value;

use crate::effect::{Effect, Kind};
use crate::place::{Place, Zone};
use crate::secrets;
use crate::verdict::Request;
use crate::walk::Part;

impl Request {
    /// The request of an agent's tool with its input. A tool or an input that is not known is
    /// [`Request::Other`], which is asked about.
    #[must_use]
    pub fn of(tool: &str, input: &Value) -> Self {
        let text = |key: &str| input[key].as_str().map(str::to_owned);
        let first = |keys: &[&str]| keys.iter().find_map(|key| text(key));
        let known = match tool {
            "Bash" | "bash" | "shell" | "run_shell_command" | "exec" => {
                text("command").map(Self::Command)
            }
            "Write" | "Edit" | "write" | "edit" | "write_file" | "replace" => {
                let content = first(&["content", "new_string", "newString"]).unwrap_or_default();
                first(&["file_path", "filePath", "path"]).map(|path| Self::Write { path, content })
            }
            "Read" | "read" | "read_file" | "LS" | "NotebookRead" => {
                first(&["file_path", "filePath", "path", "absolute_path"]).map(Self::Read)
            }
            "WebFetch" | "webfetch" | "web_fetch" => text("url").map(Self::Fetch),
            _ => None,
        };
        known.unwrap_or_else(|| Self::Other(input.to_string()))
    }
}

/// A request that is no command, as a part.
pub fn part(request: &Request, place: &Place) -> Part {
    let (program, text, effects) = match request {
        Request::Write { path, content } => ("write", path.clone(), write(path, content, place)),
        Request::Read(path) => ("read", path.clone(), vec![read(path, place)]),
        Request::Fetch(url) => {
            let zone = crate::programs::url_zone(url);
            ("fetch", url.clone(), vec![Effect::new(Kind::Fetches).at(zone, url.clone())])
        }
        Request::Command(text) | Request::Other(text) => {
            let effect = Effect::new(Kind::NotUnderstood).note("the tool is not known");
            ("other", text.chars().take(200).collect(), vec![effect])
        }
    };
    Part {
        text: text.clone(),
        program: program.into(),
        arguments: vec![text],
        known: true,
        effects,
        ..Part::default()
    }
}

fn write(path: &str, content: &str, place: &Place) -> Vec<Effect> {
    let whole = place.resolve(&place.cwd, path);
    let zone = place.zone(&whole);
    let kind = if zone == Zone::Quarterdeck { Kind::ApprovesItself } else { Kind::Writes };
    let mut effects = vec![Effect::new(kind).at(zone, whole)];
    if secrets::find(content).iter().any(|secret| secret.sure) {
        effects.push(Effect::new(Kind::Credentials).note("a secret is written into a file"));
    }
    if let Some(first) = crate::hidden(content).first() {
        effects.push(Effect::new(Kind::HiddenText).note(first.what));
    }
    effects
}

fn read(path: &str, place: &Place) -> Effect {
    let whole = place.resolve(&place.cwd, path);
    let zone = place.zone(&whole);
    let kind = match zone {
        Zone::Secrets | Zone::Keys => Kind::Credentials,
        Zone::Quarterdeck => Kind::ApprovesItself,
        _ => Kind::Reads,
    };
    Effect::new(kind).at(zone, whole)
}
