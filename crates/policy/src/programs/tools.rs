use super::tools_table::{Tool, find, has};
use super::{Call, Done, Options};
use crate::effect::{Effect, Kind};
use crate::expand::Arg;
use crate::place::Zone;
use crate::walk::{Part, Stream};

pub fn run(call: &mut Call<'_, '_>) -> Done {
    let name = call.name.clone();
    let Some(tool) = find(&name) else { return call.unknown("the program is not known") };
    let takes = [
        tool.runs,
        tool.folders,
        tool.writes,
        "-F --filter -w --workspace -p --package --features -j --jobs",
    ]
    .join(" ");
    let mut args = call.args.clone();
    if args.first().is_some_and(|arg| arg.text.starts_with('+')) {
        args.remove(0);
    }
    let options = Options::read(&args, takes.trim(), tool.single);
    let only_asks = !args.is_empty()
        && args.iter().all(|arg| {
            matches!(
                arg.text.as_str(),
                "--version" | "-V" | "-v" | "--help" | "-h" | "version" | "help"
            )
        });
    if only_asks {
        return call.prints();
    }
    let dashes = options.before_dashes;
    let runs = tool.runs.split_whitespace().any(|flag| {
        options
            .flags
            .iter()
            .any(|(name, _)| name == flag || (name.len() > 4 && flag.starts_with(name.as_str())))
    });
    // `cargo test -- -Z` and its like are for the program that is run.
    if runs && !(dashes == 0 && options.flags.is_empty()) && !is_package(&name, &options) {
        call.does(Kind::RunsCode, "an option names code to run")?;
    }
    for path in options.all(tool.writes).flatten().filter(|_| !tool.writes.is_empty()) {
        call.path(Kind::Writes, path);
    }
    if !tool.folders.is_empty() {
        for folder in options.all(tool.folders).flatten() {
            away(call, folder);
        }
    }
    variables(call, &options);
    subcommand(call, tool, &options)
}

/// `-p` of cargo is a package, of pytest a plugin.
fn is_package(name: &str, options: &Options) -> bool {
    name == "cargo" && !options.has("--config -Z")
}

/// What is run must lie in the worktree.
fn away(call: &mut Call<'_, '_>, folder: &Arg) {
    for effect in call.walker.path_effects(Kind::Reads, folder) {
        if !effect.zone.is_some_and(Zone::is_here) && effect.zone != Some(Zone::Settings) {
            let target = effect.target.unwrap_or_default();
            let effect =
                Effect::new(Kind::RunsCode).at(effect.zone.unwrap_or(Zone::Unknown), target);
            call.effects.push(effect.note("code of another place"));
        }
    }
}

/// `make NAME=value`.
fn variables(call: &mut Call<'_, '_>, options: &Options) {
    if !matches!(call.name.as_str(), "make" | "gmake" | "just" | "task" | "rake") {
        return;
    }
    for arg in &options.rest {
        if let Some((name, value)) = arg.text.split_once('=') {
            let mut part = Part::default();
            let name = name.trim_end_matches([':', '?', '+']);
            call.walker.environment(name, Some(value), &mut part);
            call.effects.extend(part.effects);
            if arg.fixed().is_none() || value.contains("$(") {
                let _ = call.unknown("a variable that is only known then");
            }
        }
    }
}

fn subcommand(call: &mut Call<'_, '_>, tool: &Tool, options: &Options) -> Done {
    let verb = options.word(0).to_owned();
    let name = call.name.clone();
    if options.rest.first().is_some_and(|arg| arg.fixed().is_none()) && tool.project != "*" {
        return call.unknown("which subcommand is only known then");
    }
    if has(tool.wraps, &verb) {
        return wrapped(call, tool, &verb, options);
    }
    if has(tool.installs, &verb) {
        let looks = tool.installs == "*"
            && matches!(verb.as_str(), "list" | "show" | "info" | "search" | "which" | "--prefix");
        return if looks {
            call.prints()
        } else {
            call.does(Kind::Installs, &format!("{name} {verb}"))
        };
    }
    let publishes = |word: &str| {
        tool.publishes.split_whitespace().any(|known| known == word || tool.publishes == "*")
    };
    let targets: Vec<&Arg> = if tool.project == "*" {
        options.rest.iter().collect()
    } else {
        options.rest.iter().take(1).collect()
    };
    if tool.publishes == "*"
        || targets.iter().any(|arg| {
            publishes(&arg.text)
                || is_release(&arg.text) && has("make gmake just task rake rails", &name)
        })
    {
        return call.does(Kind::Publishes, &format!("{name} {verb}"));
    }
    if has(tool.reads, &verb) {
        return call.prints();
    }
    if !tool.scripts.is_empty() {
        return packages(call, tool, &verb, options);
    }
    if tool.project == "*" || has(tool.project, &verb) {
        return here(call);
    }
    call.unknown(&format!("a subcommand of {name} that is not known"))
}

/// Names of scripts that reach out.
fn is_release(word: &str) -> bool {
    ["deploy", "publish", "release", "upload", "install", "push"].iter().any(|start| {
        word.starts_with(start)
            || word.ends_with(&format!(":{start}"))
            || word.ends_with(&format!("-{start}"))
    })
}

/// npm and its like: subcommands, scripts of the project, or for some its programs.
fn packages(call: &mut Call<'_, '_>, tool: &Tool, verb: &str, options: &Options) -> Done {
    let name = call.name.clone();
    if has(tool.scripts, verb) {
        let script = options.rest.get(1).map(Arg::shown).unwrap_or_default();
        if is_release(&script) || script.contains('…') {
            return call.does(Kind::Publishes, &format!("the script {script}"));
        }
        if name == "bun" && script.contains('/') {
            return call.does(Kind::RunsCode, "a script file");
        }
        return here(call);
    }
    if has(tool.project, verb) {
        return here(call);
    }
    if verb == "npm" && options.word(1) == "publish" {
        return call.does(Kind::Publishes, "yarn npm publish");
    }
    if verb.is_empty() && name == "yarn" {
        return call.does(Kind::Installs, "yarn");
    }
    // `yarn tool` and `pnpm tool` run programs and scripts of the project.
    let known = find(verb).is_some()
        || ["format", "typecheck", "dev", "check", "fmt", "watch", "e2e", "clean"].contains(&verb);
    let by_start =
        verb.starts_with("test:") || verb.starts_with("lint:") || verb.starts_with("build:");
    if name != "npm" && (known || by_start) {
        return here(call);
    }
    call.unknown(&format!("a subcommand of {name} that is not known"))
}

fn wrapped(call: &mut Call<'_, '_>, tool: &Tool, verb: &str, options: &Options) -> Done {
    let skip = usize::from(tool.wraps != "*");
    let name = call.name.clone();
    // The program is what comes first without a dash; its own options follow it.
    let mut at = 0;
    let mut words = 0;
    for (place, arg) in call.args.iter().enumerate() {
        if !arg.is_option() {
            words += 1;
            if words > skip {
                at = place;
                break;
            }
        }
    }
    if words <= skip {
        return call.unknown("a program is missing");
    }
    let inner: Vec<Arg> = call.args[at..].to_vec();
    let program = inner[0].text.clone();
    let fetches = has("npx bunx pnpx uvx pipx", &name) || verb == "dlx" || verb == "x";
    let asked = options.has("-y --yes -p --package -c --call") || program.contains('@');
    if fetches
        && (asked || find(&program).is_none() || name == "uvx" || name == "pipx" || verb == "dlx")
    {
        return call.does(Kind::Installs, "a package is fetched and run");
    }
    if name == "pipx" {
        return call.does(Kind::Installs, "pipx");
    }
    if call.effects.is_empty() {
        call.prints()?;
    }
    let input = call.input.clone();
    call.nested(inner, input)
}

/// A known tool of the project that runs here.
fn here(call: &mut Call<'_, '_>) -> Done {
    let zones = call.walker.path_effects(Kind::Reads, &Arg::known("."));
    for effect in zones {
        if !effect.zone.is_some_and(Zone::is_here) {
            let effect = Effect::new(Kind::RunsCode)
                .at(effect.zone.unwrap_or(Zone::Unknown), effect.target.unwrap_or_default());
            call.effects.push(effect.note("code of another place"));
        }
    }
    // Tools write what they are told to format or make.
    for arg in call.args.clone() {
        let outside = arg.text.starts_with(['/', '~']) || arg.text.starts_with("../");
        if outside && !arg.is_option() {
            let effects = call.walker.path_effects(Kind::Writes, &arg);
            call.effects.extend(
                effects.into_iter().filter(|effect| !effect.zone.is_some_and(Zone::is_here)),
            );
        }
    }
    call.does(Kind::RunsProject, "")
}

/// A program that is named by its path.
pub fn by_path(call: &mut Call<'_, '_>, path: &str) -> Done {
    let name = call.name.clone();
    let effects = call.walker.path_effects(Kind::Reads, &Arg::known(path));
    let inside = effects.iter().all(|effect| effect.zone.is_some_and(Zone::is_here));
    let tool_folder = path.contains("node_modules/.bin/")
        || path.contains("venv/bin/")
        || path.contains("vendor/bin/");
    let wrapper = matches!(path, "./gradlew" | "./mvnw" | "../gradlew" | "./gradlew.bat");
    let interpreter =
        path.contains("venv/bin/") && matches!(name.as_str(), "python" | "python3" | "pip");
    if inside && (wrapper || (tool_folder && (find(&name).is_some() || interpreter))) {
        return super::dispatch(call);
    }
    call.effects
        .extend(effects.into_iter().filter(|effect| !effect.zone.is_some_and(Zone::is_here)));
    call.does(Kind::RunsCode, "a program that is named by its path")
}

/// `python -m NAME …`
pub fn module(call: &mut Call<'_, '_>, rest: &[Arg]) -> Done {
    let name = rest.first().and_then(|arg| arg.fixed()).unwrap_or_default().to_owned();
    match name.as_str() {
        "unittest" | "compileall" | "doctest" | "py_compile" | "timeit" | "build" => here(call),
        "json.tool" => {
            for path in rest.iter().skip(1).take(1) {
                call.path(Kind::Reads, path);
            }
            for path in rest.iter().skip(2) {
                call.path(Kind::Writes, path);
            }
            call.prints()
        }
        "venv" => {
            for path in rest.iter().skip(1).filter(|path| !path.is_option()) {
                call.path(Kind::Writes, path);
            }
            call.prints()
        }
        _ if find(&name).is_some() => {
            call.prints()?;
            call.nested(rest.to_vec(), Stream::default())
        }
        _ => call.does(Kind::RunsCode, "a module"),
    }
}
