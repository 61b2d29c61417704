use super::{Part, Stream, Walker};
use crate::effect::{Effect, Kind, Origin};
use crate::expand::{self, Arg, NAMES, SOME, UNKNOWN};
use crate::place::Zone;
use crate::shell::{Direction, NotUnderstood, Redirect, Target};

impl Walker<'_> {
    /// Adds what redirections do to a part, and sets what it reads.
    pub fn redirects(
        &mut self,
        redirects: &[Redirect],
        part: &mut Part,
        input: &mut Stream,
    ) -> Result<(), NotUnderstood> {
        for redirect in redirects {
            let stdin = redirect.descriptor.is_none_or(|number| number == 0);
            match &redirect.target {
                Target::String(word) => {
                    let text = expand::expand_text(word, self)?;
                    if stdin {
                        *input = self.literal(text + "\n");
                    }
                }
                Target::Document(body) => {
                    let text = match body.get() {
                        Some(word) => expand::expand_text(word, self)?,
                        None => {
                            return Err(NotUnderstood::Syntax("a here-document without a body"));
                        }
                    };
                    if stdin {
                        *input = self.literal(text);
                    }
                }
                Target::Word(word) => {
                    let arg = expand::expand_one(word, self)?;
                    self.file(redirect, &arg, part, input, stdin);
                }
            }
        }
        Ok(())
    }

    fn literal(&self, text: String) -> Stream {
        let known = !text.contains([UNKNOWN, NAMES, SOME]);
        let text = known.then_some(text);
        Stream { there: true, text, secret: self.secret, ..Stream::default() }
    }

    fn file(
        &mut self,
        redirect: &Redirect,
        arg: &Arg,
        part: &mut Part,
        input: &mut Stream,
        stdin: bool,
    ) {
        let numbered = arg.text == "-" || arg.text.trim_end_matches('-').parse::<u32>().is_ok();
        if redirect.direction == Direction::Duplicate && numbered {
            return;
        }
        part.redirects.push(arg.shown());
        let mut effects = vec![];
        match redirect.direction {
            Direction::Read => effects.extend(self.path_effects(Kind::Reads, arg)),
            Direction::Write | Direction::Append | Direction::Duplicate => {
                effects.extend(self.path_effects(Kind::Writes, arg));
            }
            Direction::Both => {
                effects.extend(self.path_effects(Kind::Reads, arg));
                effects.extend(self.path_effects(Kind::Writes, arg));
            }
        }
        if matches!(redirect.direction, Direction::Read | Direction::Both) && stdin {
            let has = |kind: Kind| effects.iter().any(|effect| effect.kind == kind);
            *input = Stream {
                there: true,
                secret: self.secret || has(Kind::Credentials),
                network: has(Kind::Sends),
                ..Stream::default()
            };
            self.secret |= has(Kind::Credentials);
        }
        part.effects.extend(effects.into_iter().map(|effect| effect.from(Origin::Redirect)));
    }

    /// What it is to read, write or delete what an argument names.
    pub fn path_effects(&self, kind: Kind, arg: &Arg) -> Vec<Effect> {
        if arg.is_names() && !arg.text.starts_with('/') {
            return vec![Effect::new(kind).at(Zone::Worktree, arg.shown())];
        }
        let mut effects: Vec<Effect> = vec![];
        let unknown = arg.text.contains([UNKNOWN, NAMES, SOME]);
        let mut add = |effect: Effect| {
            if !effects.contains(&effect) {
                effects.push(effect);
            }
        };
        if unknown {
            add(Effect::new(kind).at(Zone::Unknown, arg.shown()));
        }
        for folder in &self.folders {
            if folder.contains(UNKNOWN) && !arg.text.starts_with('/') {
                add(Effect::new(kind).at(Zone::Unknown, arg.shown()));
                continue;
            }
            // Where a variable is not set, what is left of the path counts.
            let text: String = arg.text.chars().filter(|c| *c != UNKNOWN).collect();
            let known = text.replace([NAMES, SOME], "x");
            let path = self.place.resolve(folder, &escape(&known, arg.pattern));
            let zone = self.place.zone(&path);
            if unknown && !(zone.is_grave() && text.starts_with('/')) {
                continue;
            }
            add(placed(kind, zone, path));
        }
        effects
    }
}

/// A pattern in quotes is no pattern.
fn escape(text: &str, pattern: bool) -> String {
    if pattern { text.to_owned() } else { text.replace(['*', '?', '['], "x") }
}

fn placed(kind: Kind, zone: Zone, path: String) -> Effect {
    let kind = match (kind, zone) {
        (Kind::Reads, Zone::Secrets | Zone::Keys) => Kind::Credentials,
        (Kind::Reads | Kind::Writes | Kind::Deletes | Kind::DeletesTree, Zone::Quarterdeck) => {
            Kind::ApprovesItself
        }
        (Kind::Reads | Kind::Writes, Zone::Internet) => Kind::Sends,
        (kind, _) => kind,
    };
    Effect::new(kind).at(zone, path)
}
