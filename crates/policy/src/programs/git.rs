mod push;
mod refs;

use super::{Call, Done, Options};
use crate::effect::{Effect, Kind};
use crate::expand::Arg;
use crate::place::{Zone, is_secret_name};
use crate::walk::Stream;

/// A subcommand of git and where it acts.
pub struct Git<'c, 'w, 'a> {
    pub call: &'c mut Call<'w, 'a>,
    pub verb: String,
    pub args: Vec<Arg>,
    /// Where its repository is.
    pub zone: Zone,
}

/// Settings that change how things look or who commits, and run nothing.
const HARMLESS_SETTINGS: &[&str] = &[
    "user.name=",
    "user.email=",
    "color.",
    "core.quotepath=",
    "core.pager=cat",
    "core.pager=",
    "advice.",
    "log.",
    "commit.gpgsign=false",
    "tag.gpgsign=false",
    "init.defaultbranch=",
    "diff.context=",
    "core.fsmonitor=false",
    "core.autocrlf=",
    "core.editor=true",
    "core.editor=:",
    "rerere.enabled=",
    "diff.renames=",
    "diff.algorithm=",
    "column.",
    "pager.",
    "safe.directory=",
    "gc.auto=0",
];

pub fn run(call: &mut Call<'_, '_>) -> Done {
    let args = call.args.clone();
    let mut words = args.iter().peekable();
    let mut places: Vec<Arg> = vec![];
    while let Some(arg) = words.peek().copied().filter(|arg| arg.is_option()) {
        words.next();
        let (name, attached) = match arg.text.split_once('=') {
            Some((name, value)) => (name, Some(arg.part(value))),
            None => (arg.text.as_str(), None),
        };
        match name {
            "-C" | "--git-dir" | "--work-tree" => {
                places.extend(attached.or_else(|| words.next().cloned()));
            }
            "-c" => {
                let setting =
                    words.next().map(|arg| arg.text.to_ascii_lowercase()).unwrap_or_default();
                let pager = setting.starts_with("core.pager=")
                    && !matches!(
                        setting.as_str(),
                        "core.pager=" | "core.pager=cat" | "core.pager=less"
                    );
                let pager = pager
                    || setting.starts_with("pager.")
                        && !setting.ends_with("=false")
                        && !setting.ends_with("=cat");
                if pager || !HARMLESS_SETTINGS.iter().any(|fine| setting.starts_with(fine)) {
                    call.does(Kind::RunsCode, "a setting may make git run a program")?;
                }
            }
            "--config-env" | "--exec-path" if attached.is_some() || name == "--config-env" => {
                call.does(Kind::RunsCode, "an option names code to run")?;
            }
            "--no-pager"
            | "-P"
            | "-p"
            | "--paginate"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--no-replace-objects"
            | "--bare"
            | "--glob-pathspecs"
            | "--icase-pathspecs" => {}
            "--version" | "--help" | "--exec-path" | "--html-path" | "--man-path" => {
                return call.prints();
            }
            _ => call.unknown("an option of git that is not known")?,
        }
    }
    let zone = zone(call, &places);
    let Some(verb) = words.next() else { return call.prints() };
    let Some(verb) = verb.fixed().map(str::to_owned) else {
        return call.unknown("which subcommand is only known then");
    };
    let args: Vec<Arg> = words.cloned().collect();
    Git { call, verb, args, zone }.run()
}

/// The strictest of the places that git may act on.
fn zone(call: &Call<'_, '_>, places: &[Arg]) -> Zone {
    let here = Arg::known(".");
    let mut zones: Vec<Zone> = vec![];
    for place in if places.is_empty() { std::slice::from_ref(&here) } else { places } {
        let text = place.text.trim_end_matches("/.git");
        for effect in call
            .walker
            .path_effects(Kind::Reads, &place.part(if text.is_empty() { "/" } else { text }))
        {
            zones.extend(effect.zone);
        }
    }
    let mut strictest = Zone::Worktree;
    for zone in zones {
        let names_it = zone == Zone::Root || zone == Zone::Home;
        if !zone.is_here() && (!strictest.is_grave() || names_it) {
            strictest = zone;
        }
    }
    strictest
}

impl Git<'_, '_, '_> {
    fn run(&mut self) -> Done {
        let runs = "--ext-diff --textconv --open-files-in-pager --upload-pack --receive-pack --exec --extcmd --template --separate-git-dir --signature-file";
        let options = self.options("");
        let odd = runs.split(' ').any(|flag| {
            options.flags.iter().any(|(name, _)| name.len() > 5 && flag.starts_with(name.as_str()))
        });
        if odd || (self.verb == "grep" && options.has("-O")) {
            self.call.does(Kind::RunsCode, "an option may make git run a program")?;
        }
        self.secrets_named();
        match self.verb.clone().as_str() {
            "push" => return push::run(self),
            "branch" | "tag" | "config" | "remote" | "stash" | "worktree" | "reflog" | "notes"
            | "submodule" | "symbolic-ref" | "update-ref" | "bisect" | "fetch" | "pull"
            | "clone" | "ls-remote" | "checkout" | "switch" | "reset" | "rebase" => {
                return refs::run(self);
            }
            "status" | "log" | "diff" | "show" | "blame" | "annotate" | "rev-parse"
            | "rev-list" | "ls-files" | "ls-tree" | "grep" | "describe" | "merge-base"
            | "cat-file" | "shortlog" | "name-rev" | "for-each-ref" | "show-ref"
            | "whatchanged" | "count-objects" | "check-ignore" | "check-attr" | "diff-tree"
            | "diff-index" | "diff-files" | "cherry" | "range-diff" | "version" | "help"
            | "show-branch" | "verify-commit" | "verify-tag" | "fsck" | "check-ref-format"
            | "merge-tree" | "patch-id" | "var" | "stripspace" | "interpret-trailers" => {
                self.reads()?
            }
            "add" | "stage" => self.add()?,
            "commit" => self.commit()?,
            "merge" | "cherry-pick" | "revert" | "am" => {
                if self.options("-s -X -m -S -F").has("-s --strategy") {
                    self.call.unknown("a strategy is a program of its own")?;
                }
                self.does(Kind::Commits, "")?;
            }
            "mv" => self.moves(Kind::Commits)?,
            "rm" => self.removes()?,
            "restore" => self.restore()?,
            "clean" => self.clean()?,
            "apply" => self.apply()?,
            "init" => self.does(Kind::SharesGit, "a new repository")?,
            "archive" | "bundle" | "format-patch" => self.writes()?,
            "gc" | "prune" | "repack" | "filter-branch" | "filter-repo" | "replace"
            | "fast-import" | "pack-refs" | "prune-packed" => self.does(Kind::Rewrites, "")?,
            "difftool" | "mergetool" | "hook" | "gui" | "web--browse" | "instaweb" => {
                self.call.does(Kind::RunsCode, "it runs other programs")?;
            }
            "credential" | "credential-store" | "credential-cache" => {
                self.call.does(Kind::Credentials, "")?
            }
            "send-email" | "imap-send" | "http-push" => {
                self.call.at(Kind::Sends, Zone::Internet, "")?
            }
            "maintenance" | "sparse-checkout" | "update-index" | "rerere" | "lfs" => {
                self.does(Kind::SharesGit, "")?
            }
            _ => self.call.unknown("a subcommand of git that is not known, or an alias")?,
        }
        Ok(())
    }

    pub fn options(&self, takes: &str) -> Options {
        Options::read(&self.args, takes, false)
    }

    /// Adds an effect where the repository is.
    pub fn does(&mut self, kind: Kind, note: &str) -> Done {
        let effect = Effect::new(kind).at(self.zone, format!("git {}", self.verb));
        self.call.effects.push(if note.is_empty() { effect } else { effect.note(note) });
        Ok(())
    }

    /// Files of secrets that are named, alone or after a revision.
    fn secrets_named(&mut self) {
        let message = matches!(
            self.verb.as_str(),
            "commit"
                | "tag"
                | "notes"
                | "grep"
                | "log"
                | "stash"
                | "merge"
                | "check-ignore"
                | "rm"
                | "status"
        );
        if message {
            return;
        }
        let shows = !matches!(
            self.verb.as_str(),
            "mv" | "restore" | "checkout" | "reset" | "ls-files" | "config"
        );
        for arg in self.args.clone() {
            let path = arg.text.rsplit(':').next().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap_or_default();
            if shows && !arg.is_option() && is_secret_name(name) {
                let _ = self.call.does(Kind::Credentials, &format!("{name} may hold secrets"));
            }
        }
    }

    fn reads(&mut self) -> Done {
        let options = self.options("-n -S -G -L -A -B -C -e -m -O");
        for path in options.all("--output").flatten() {
            self.call.path(Kind::Writes, path);
        }
        if options.has("--no-index") {
            for path in &options.rest {
                self.call.path(Kind::Reads, path);
            }
        }
        if matches!(self.verb.as_str(), "blame" | "annotate") && options.has("--contents") {
            self.call.unknown("an option that reads another file")?;
        }
        let names = matches!(self.verb.as_str(), "ls-files" | "ls-tree")
            || options.has("--name-only -l --files-with-matches");
        self.call.output = Stream { names: names && self.zone.is_here(), ..Stream::default() };
        if self.verb == "rev-parse" && options.has("--show-toplevel") && self.zone == Zone::Worktree
        {
            self.call.output.text = Some(self.call.walker.place.worktree.clone());
        }
        self.does(Kind::Reads, "")
    }

    fn add(&mut self) -> Done {
        let options = self.options("--chmod --pathspec-from-file");
        for path in
            options.rest.iter().filter(|path| path.fixed().is_some() && !path.text.starts_with(':'))
        {
            let effects = self.call.walker.path_effects(Kind::Writes, path);
            let foreign = |effect: &Effect| {
                effect.zone.is_some_and(|zone| {
                    !zone.is_here() && !matches!(zone, Zone::Hooks | Zone::Ci | Zone::Settings)
                })
            };
            self.call.effects.extend(effects.into_iter().filter(foreign));
        }
        self.does(Kind::Commits, "")
    }

    fn commit(&mut self) -> Done {
        let options = self.options("-m -F -C -c -t -u -S --message --file --author --date --template --cleanup --fixup --squash --trailer --reuse-message --reedit-message --pathspec-from-file");
        if options.has("-n --no-verify") {
            self.call.does(Kind::SkipsHooks, "")?;
        }
        for file in options.all("-F -t --file --template").flatten().filter(|file| file.text != "-")
        {
            self.call.path(Kind::Reads, file);
        }
        self.does(Kind::Commits, "")
    }

    fn moves(&mut self, kind: Kind) -> Done {
        let options = self.options("");
        for path in &options.rest {
            let effects = self.call.walker.path_effects(Kind::Writes, path);
            self.call
                .effects
                .extend(effects.into_iter().filter(|effect| effect.zone != Some(Zone::Worktree)));
        }
        self.does(kind, "")
    }

    fn removes(&mut self) -> Done {
        let options = self.options("--pathspec-from-file");
        let discards = options.has("-f --force") && !options.has("--cached");
        self.moves(if discards { Kind::Discards } else { Kind::Commits })
    }

    fn restore(&mut self) -> Done {
        let options = self.options("-s --source --conflict --pathspec-from-file");
        let staged_only = options.has("-S --staged") && !options.has("-W --worktree");
        self.does(if staged_only { Kind::Commits } else { Kind::Discards }, "")
    }

    fn clean(&mut self) -> Done {
        let options = self.options("-e --exclude");
        if options.has("-n --dry-run") {
            return self.does(Kind::Reads, "");
        }
        self.does(Kind::Discards, "files that git does not know are gone")
    }

    fn apply(&mut self) -> Done {
        let options = self
            .options("-p -C --directory --whitespace --exclude --include --build-fake-ancestor");
        for path in &options.rest {
            self.call.path(Kind::Reads, path);
        }
        if options.has("--unsafe-paths") {
            self.call.at(Kind::Writes, Zone::Unknown, "wherever the patch says")?;
        }
        let looks = options.has("--check --stat --numstat --summary");
        self.does(if looks { Kind::Reads } else { Kind::Commits }, "")
    }

    fn writes(&mut self) -> Done {
        let options = self.options("-o --output --output-directory --format --prefix --remote");
        for path in options.all("-o --output --output-directory").flatten() {
            self.call.path(Kind::Writes, path);
        }
        if options.has("--remote") {
            self.call.at(Kind::Fetches, Zone::Internet, "")?;
        }
        if self.verb == "bundle" {
            for path in options.rest.iter().skip(1).take(1) {
                self.call.path(Kind::Writes, path);
            }
        }
        self.does(Kind::Reads, "")
    }
}
