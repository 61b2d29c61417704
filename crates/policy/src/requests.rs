use crate::effect::{Effect, Kind};
use crate::place::{Place, Zone};
use crate::secrets;
use crate::verdict::Request;
use crate::walk::Part;

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
    Part { text: text.clone(), program: program.into(), arguments: vec![text], known: true, effects, ..Part::default() }
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
