use super::Git;
use crate::effect::{Effect, Kind};
use crate::place::Zone;
use crate::programs::Done;

const FORCES: &str = "-f --force --force-with-lease --mirror --prune -d --delete";

pub fn run(git: &mut Git<'_, '_, '_>) -> Done {
    let options = git.options("-o --push-option --repo --receive-pack --exec");
    if options.has("-n --dry-run") {
        return git.call.at(Kind::Fetches, Zone::Forge, "git push --dry-run");
    }
    if options.has("--no-verify") {
        git.call.does(Kind::SkipsHooks, "")?;
    }
    let remote = options.word(0).to_owned();
    if remote.contains([':', '/']) {
        git.call.at(Kind::Sends, Zone::Internet, &remote)?;
    }
    if options.rest.iter().any(|arg| arg.fixed().is_none()) {
        git.call.unknown("which branch is only known then")?;
    }
    // An unknown target of a forced push may be any branch; it is asked about.
    let force = options.has(FORCES);
    let all = options.has("--mirror --prune");
    let mut targets: Vec<(bool, Zone, String)> = vec![];
    let own = git.call.walker.place.branch.clone();
    for arg in options.rest.iter().skip(1) {
        let text = arg.text.as_str();
        let plus = text.starts_with('+');
        let text = text.trim_start_matches('+');
        let (source, target) = match text.split_once(':') {
            Some((source, target)) => (source, target),
            None => (text, text),
        };
        let target =
            if target == "HEAD" { own.clone().unwrap_or_default() } else { target.to_owned() };
        let target = target.trim_start_matches("refs/heads/").to_owned();
        let pattern = target.contains('*');
        let shared = pattern || git.call.walker.place.is_shared(&target);
        let zone = if shared { Zone::SharedBranch } else { Zone::OwnBranch };
        targets.push((force || plus || source.is_empty(), zone, target));
    }
    if targets.is_empty() {
        let shared =
            all || own.as_deref().is_some_and(|branch| git.call.walker.place.is_shared(branch));
        let zone = if shared { Zone::SharedBranch } else { Zone::OwnBranch };
        targets.push((force, zone, own.unwrap_or_default()));
    }
    for (forced, zone, target) in targets {
        let kind = if forced { Kind::ForcePushes } else { Kind::Pushes };
        git.call.effects.push(Effect::new(kind).at(zone, target));
    }
    if git.zone != Zone::Worktree {
        git.does(Kind::SharesGit, "another place is pushed from")?;
    }
    Ok(())
}
