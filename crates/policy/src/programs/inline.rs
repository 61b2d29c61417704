use super::{Call, Done, Options};
use crate::effect::{Effect, Kind};
use crate::expand::Arg;
use crate::place::Zone;

pub fn run(call: &mut Call<'_, '_>) -> Done {
    match call.name.as_str() {
        "sed" => sed(call),
        "awk" | "gawk" | "mawk" | "nawk" => awk(call),
        _ => interpreter(call),
    }
}

fn sed(call: &mut Call<'_, '_>) -> Done {
    let takes = "-e -f -l -i --expression --file --line-length --in-place";
    // `-i` has a value only when it is attached.
    let options =
        Options::read(&call.args, &takes.replace(" -i ", " ").replace(" --in-place", ""), false);
    let in_place = call.args.iter().any(|arg| {
        arg.text.starts_with("--in")
            || (arg.text.starts_with('-')
                && !arg.text.starts_with("--")
                && cluster_has_i(&arg.text))
    });
    let mut scripts: Vec<Arg> = options.all("-e --expression").flatten().cloned().collect();
    let mut paths = options.rest.clone();
    if options.has("-f --file") {
        call.does(Kind::RunsCode, "a script file")?;
    } else if scripts.is_empty() && !paths.is_empty() {
        scripts.push(paths.remove(0));
    }
    // An attached suffix of -i is read as options here; only the scripts and paths matter.
    for script in &scripts {
        match script.fixed() {
            None => call.unknown("a script that is only known then")?,
            Some(text) => sed_script(call, text)?,
        }
    }
    for path in &paths {
        call.path(if in_place { Kind::Writes } else { Kind::Reads }, path);
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn cluster_has_i(text: &str) -> bool {
    text[1..].chars().take_while(|c| "nrEsuzi".contains(*c)).any(|c| c == 'i')
}

/// Looks for commands of sed that run programs or touch files.
fn sed_script(call: &mut Call<'_, '_>, script: &str) -> Done {
    for line in script.split(['\n', ';']) {
        let mut rest = line.trim_start();
        // Addresses: numbers, `$`, `/…/`, with `,`, `!`, `~` and `+`.
        loop {
            rest =
                rest.trim_start_matches(|c: char| c.is_ascii_digit() || " \t$,!~+{}".contains(c));
            let Some(pattern) = rest.strip_prefix('/') else { break };
            let Some(end) = unescaped(pattern, '/') else { break };
            rest = pattern[end + 1..].trim_start_matches(['I', 'M']);
        }
        let command = rest.chars().next().unwrap_or(' ');
        let after = rest.get(1..).unwrap_or_default();
        match command {
            'e' => return call.does(Kind::RunsCode, "the script runs a program"),
            'w' | 'W' => call.path(Kind::Writes, &Arg::known(after.trim())),
            'r' | 'R' => call.path(Kind::Reads, &Arg::known(after.trim())),
            's' => {
                let Some(mark) = after.chars().next() else { continue };
                let mut flags = &after[mark.len_utf8()..];
                for _ in 0..2 {
                    match unescaped(flags, mark) {
                        Some(end) => flags = &flags[end + mark.len_utf8()..],
                        // A `;` in it was taken for its end.
                        None => return semicolons(call, script),
                    }
                }
                if flags.contains('e') {
                    return call.does(Kind::RunsCode, "the script runs what it makes");
                }
                if let Some((_, path)) = flags.split_once('w') {
                    call.path(Kind::Writes, &Arg::known(path.trim()));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A script whose parts are not told apart: it must not hold what could run or write.
fn semicolons(call: &mut Call<'_, '_>, script: &str) -> Done {
    let ends = script.trim_end_matches('}').trim_end();
    let flags = ends.chars().rev().take_while(|c| c.is_ascii_alphanumeric());
    if flags.clone().any(|c| c == 'e' || c == 'w')
        || script.contains("w /")
        || script.contains(";e")
    {
        return call.unknown("a script that is not understood");
    }
    call.prints()
}

fn unescaped(text: &str, mark: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == mark {
            return Some(at);
        }
    }
    None
}

fn awk(call: &mut Call<'_, '_>) -> Done {
    let takes =
        "-F -v -f -i -l -e -o -p -d -D --file --include --load --source --assign --field-separator";
    let options = Options::read(&call.args, takes, false);
    if options.has("-f -i -l -E -D --file --include --load --exec --debug") {
        return call.does(Kind::RunsCode, "a script file");
    }
    for path in options.all("-o -p -d --pretty-print --profile --dump-variables").flatten() {
        call.path(Kind::Writes, path);
    }
    let from_option = options.has("-e --source");
    let scripts: Vec<Arg> = match options.value("-e --source") {
        Some(script) => vec![script.clone()],
        None => options.rest.iter().take(1).cloned().collect(),
    };
    for script in &scripts {
        let Some(text) = script.fixed() else {
            return call.unknown("a script that is only known then");
        };
        if text.contains("system")
            || text.contains('|') && !only_or(text)
            || text.contains("getline")
            || text.contains("@load")
        {
            return call.does(Kind::RunsCode, "the script may run programs or read other files");
        }
        if prints_to_file(text) {
            return call.at(Kind::Writes, Zone::Unknown, "a file that the script names");
        }
        if text.contains("ENVIRON") {
            call.does(Kind::Credentials, "the script reads the environment")?;
        }
    }
    for path in options.rest.iter().skip(usize::from(!from_option)) {
        if !path.text.contains('=') {
            call.path(Kind::Reads, path);
        }
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

/// Whether every bar is a part of `||` or stands in a string or pattern of letters.
fn only_or(text: &str) -> bool {
    !text.replace("||", "").contains('|')
}

fn prints_to_file(text: &str) -> bool {
    text.match_indices("print").any(|(at, _)| {
        let statement = text[at..].split([';', '}', '\n']).next().unwrap_or_default();
        statement.contains('>')
    })
}

fn interpreter(call: &mut Call<'_, '_>) -> Done {
    let args = call.args.clone();
    let python = call.name.starts_with("python");
    let mut code: Option<Arg> = None;
    let mut words = args.iter();
    while let Some(arg) = words.next() {
        let text = arg.text.as_str();
        if matches!(text, "--version" | "-V" | "-v" | "--help" | "-h") && args.len() == 1 {
            return call.prints();
        }
        if python && text == "-m" {
            let rest: Vec<Arg> = words.cloned().collect();
            return super::tools::module(call, &rest);
        }
        let runs = match call.name.as_str() {
            "python" | "python2" | "python3" => text.starts_with("-c") || is_cluster(text, 'c'),
            "php" => text == "-r",
            _ => {
                matches!(text, "-e" | "--eval" | "-p" | "--print" | "-E" | "-pe" | "-ne")
                    || is_cluster(text, 'e')
            }
        };
        if runs {
            let attached = python && text.len() > 2 && text.starts_with("-c");
            code = if attached { Some(arg.part(&text[2..])) } else { words.next().cloned() };
            break;
        }
        if !arg.is_option() {
            break;
        }
    }
    let code = code.or_else(|| {
        let text = call.input.text.clone()?;
        args.iter().all(|arg| arg.is_option() || arg.text == "-").then(|| Arg::known(text))
    });
    match code {
        Some(code) => judge(call, &code),
        None => call.does(Kind::RunsCode, "a script file"),
    }
}

fn is_cluster(text: &str, flag: char) -> bool {
    text.len() > 1
        && text.len() < 6
        && text.starts_with('-')
        && !text.starts_with("--")
        && text.ends_with(flag)
        && text[1..].chars().all(|c| c.is_ascii_alphabetic())
}

/// Code of another language is not understood; what visibly destroys or leaks is seen.
fn judge(call: &mut Call<'_, '_>, code: &Arg) -> Done {
    let text = code.text.as_str();
    call.does(Kind::RunsCode, "code on the command line")?;
    let destroys = [
        "remove",
        "unlink",
        "rmtree",
        "rmdir",
        "rmSync",
        "rm_rf",
        "rm_r",
        "rimraf",
        "rmdirSync",
        "unlinkSync",
        "delete",
        "truncate",
    ];
    let sends = ["urlopen", "requests.", "fetch(", "http", "socket", "Net::", "LWP", "curl"];
    let home = [
        "expanduser",
        "Path.home",
        "environ['HOME']",
        "environ[\"HOME\"]",
        "env.HOME",
        "homedir()",
        "Dir.home",
        "ENV['HOME']",
        "$HOME",
        "ENV{HOME}",
    ];
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    for literal in literals(text) {
        // A string may be a path, or a command for a shell.
        if literal.starts_with(['/', '~', '.']) && !literal.contains(' ') {
            let arg = Arg::known(literal.as_str());
            let kind = if has(&destroys) { Kind::DeletesTree } else { Kind::Reads };
            let grave = |effect: &Effect| {
                effect.zone.is_some_and(Zone::is_grave) || effect.kind == Kind::Credentials
            };
            let effects = call.walker.path_effects(kind, &arg);
            call.effects.extend(effects.into_iter().filter(grave));
        } else if literal.contains(' ')
            && has(&["system", "exec", "popen", "run", "spawn", "`", "subprocess"])
        {
            let script = Arg::known(literal.as_str());
            let input = crate::walk::Stream::default();
            // What is no command says nothing; that the code is not understood is said already.
            if crate::shell::parse(&literal, &mut call.walker.budget).is_ok() {
                call.script(&script, &input)?;
            }
        }
    }
    if has(&destroys) && has(&home) && !call.effects.iter().any(|effect| effect.zone.is_some()) {
        call.at(Kind::DeletesTree, Zone::Home, "the home")?;
    }
    let secret = call.effects.iter().any(|effect| effect.kind == Kind::Credentials);
    if secret && has(&sends) {
        call.at(Kind::Sends, Zone::Internet, "what the code reads")?;
    }
    Ok(())
}

fn literals(text: &str) -> Vec<String> {
    let mut found = vec![];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if !matches!(c, '"' | '\'' | '`') {
            continue;
        }
        let mut literal = String::new();
        while let Some(next) = chars.next() {
            if next == c {
                break;
            }
            if next == '\\' {
                literal.extend(chars.next());
            } else {
                literal.push(next);
            }
        }
        if literal.len() > 1 && found.len() < 64 {
            found.push(literal);
        }
    }
    found
}
