use super::{Call, Done, Options};
use crate::effect::Kind;
use crate::expand::{Arg, NAMES, UNKNOWN};
use crate::walk::{Part, Stream};

pub fn run(call: &mut Call<'_, '_>) -> Done {
    let name = call.name.clone();
    match name.as_str() {
        "env" => env(call),
        "xargs" | "parallel" => xargs(call),
        "sudo" | "doas" | "pkexec" | "runuser" | "su" => {
            call.does(Kind::Privilege, "")?;
            rest(
                call,
                "-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir --chroot -c --command",
                0,
            )
        }
        "timeout" | "gtimeout" => rest(call, "-s -k --signal --kill-after", 1),
        "nice" => rest(call, "-n --adjustment", 0),
        "ionice" => rest(call, "-c -n -p --class --classdata", 0),
        "chrt" => rest(call, "-T -P -D", 1),
        "taskset" => rest(call, "", 1),
        "stdbuf" => rest(call, "-i -o -e --input --output --error", 0),
        "time" => rest(call, "-f -o --format --output", 0),
        "caffeinate" => rest(call, "-t -w", 0),
        "nohup" | "setsid" | "unbuffer" | "builtin" => rest(call, "", 0),
        "command" => {
            if call.args.first().is_some_and(|arg| arg.text == "-v" || arg.text == "-V") {
                return call.prints();
            }
            rest(call, "", 0)
        }
        "exec" => rest(call, "-a", 0),
        "busybox" | "toybox" => rest(call, "", 0),
        "strace" | "ltrace" => {
            let options = Options::read(
                &before_program(&call.args, "-o -e -p -s -a -u -E -P"),
                "-o -e -p -s -a -u -E -P",
                false,
            );
            for path in options.all("-o").flatten() {
                if path.text.starts_with(['|', '!']) {
                    call.does(Kind::RunsCode, "an option names a program to run")?;
                }
                call.path(Kind::Writes, path);
            }
            rest(call, "-o -e -p -s -a -u -E -P", 0)
        }
        "watch" => watch(call),
        "flock" => flock(call),
        "script" => call.does(Kind::RunsCode, "a shell in a recorded terminal"),
        _ => {
            call.does(Kind::Machine, "another root or other namespaces")?;
            Ok(())
        }
    }
}

/// The arguments up to the program that is wrapped.
fn before_program(args: &[Arg], takes: &str) -> Vec<Arg> {
    let mut before = vec![];
    let mut args = args.iter().peekable();
    while let Some(arg) = args.peek().copied() {
        if !arg.is_option() {
            break;
        }
        args.next();
        before.push(arg.clone());
        if arg.text == "--" {
            break;
        }
        let exact = takes.split(' ').any(|flag| flag == arg.text);
        let last = takes.split(' ').any(|flag| {
            flag.len() == 2 && !arg.text.starts_with("--") && arg.text.ends_with(&flag[1..])
        });
        if exact
            || (last
                && arg.text.len() > 2
                && arg.text.chars().skip(1).all(|c| c.is_ascii_alphabetic()))
        {
            before.extend(args.next().cloned());
        }
    }
    before
}

/// Runs the program that comes after options and `skip` words.
fn rest(call: &mut Call<'_, '_>, takes: &str, skip: usize) -> Done {
    if call.effects.is_empty() {
        call.prints()?;
    }
    let before = before_program(&call.args, takes);
    if before.iter().any(|arg| arg.fixed().is_none()) {
        call.unknown("an option that is only known then")?;
    }
    let shell = matches!(call.name.as_str(), "su" | "runuser" | "script");
    if let Some(script) =
        Options::read(&before, takes, false).value("-c --command").filter(|_| shell)
    {
        let script = script.clone();
        return call.script(&script, &Stream::default());
    }
    if let Some(path) =
        Options::read(&before, takes, false).value("-o --output").filter(|_| call.name == "time")
    {
        call.path(Kind::Writes, path);
    }
    let mut words: Vec<Arg> = call.args.iter().skip(before.len() + skip).cloned().collect();
    if matches!(call.name.as_str(), "sudo" | "doas") {
        let assigned = words.iter().take_while(|arg| is_assignment(arg)).count();
        let mut part = Part::default();
        for arg in words.drain(..assigned) {
            let (name, value) = arg.text.split_once('=').unwrap_or_default();
            call.walker.environment(name, Some(value), &mut part);
        }
        call.effects.extend(part.effects);
    }
    let input = call.input.clone();
    call.nested(words, input)
}

fn is_assignment(arg: &Arg) -> bool {
    let name = arg.text.split_once('=').map(|(name, _)| name).unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn env(call: &mut Call<'_, '_>) -> Done {
    let takes = "-u -C -S --unset --chdir --split-string";
    let before = before_program(&call.args, takes);
    let options = Options::read(&before, takes, false);
    if options.has("-S --split-string") {
        return call.unknown("words that are parted once more");
    }
    if let Some(folder) = options.value("-C --chdir") {
        let folder = folder.shown();
        return call.unknown(&format!("it runs in {folder}"));
    }
    let mut words: Vec<Arg> = call.args.iter().skip(before.len()).cloned().collect();
    let assigned = words.iter().take_while(|arg| is_assignment(arg)).count();
    let mut part = Part::default();
    for arg in words.drain(..assigned) {
        let (name, value) = arg.text.split_once('=').unwrap_or_default();
        call.walker.environment(name, Some(value), &mut part);
    }
    call.effects.extend(part.effects);
    if words.is_empty() {
        return call.does(Kind::Credentials, "it shows every variable");
    }
    if call.effects.is_empty() {
        call.prints()?;
    }
    let input = call.input.clone();
    call.nested(words, input)
}

fn xargs(call: &mut Call<'_, '_>) -> Done {
    if call.name == "parallel" {
        return call.unknown("its words are put together to commands");
    }
    let takes = "-I -i -n -L -P -d -E -s -a --replace --max-args --max-lines --max-procs --delimiter --arg-file --eof --max-chars --process-slot-var";
    let before = before_program(&call.args, takes);
    let options = Options::read(&before, takes, false);
    if let Some(file) = options.value("-a --arg-file") {
        call.path(Kind::Reads, file);
    }
    if call.effects.is_empty() {
        call.prints()?;
    }
    let mut words: Vec<Arg> = call.args.iter().skip(before.len()).cloned().collect();
    if words.is_empty() {
        return Ok(());
    }
    let from_file = options.has("-a --arg-file");
    let given: Vec<Arg> = match call.input.text.as_deref().filter(|_| !from_file) {
        Some(text) if !text.contains(['\'', '"', '\\']) => {
            text.split_whitespace().map(Arg::known).collect()
        }
        _ if call.input.names && !from_file => {
            vec![Arg { text: NAMES.to_string(), splits: true, pattern: false }]
        }
        _ => vec![Arg::unknown()],
    };
    let replace =
        options.value("-I --replace").map(|arg| arg.text.clone()).filter(|text| !text.is_empty());
    let replace = replace.or_else(|| options.has("-i --replace").then(|| "{}".to_owned()));
    let program = words[0].text.rsplit('/').next().unwrap_or_default();
    let shell = matches!(program, "sh" | "bash" | "zsh" | "dash" | "eval");
    match replace {
        Some(mark) => {
            let many = if given.len() == 1 { given[0].text.clone() } else { UNKNOWN.to_string() };
            if shell && words.iter().any(|word| word.text != mark && word.text.contains(&mark)) {
                return call.does(Kind::RunsUnseen, "what is read becomes a part of a script");
            }
            for word in &mut words {
                if word.text.contains(&mark) {
                    word.text = word.text.replace(&mark, &many);
                }
            }
        }
        None => words.extend(given),
    }
    call.nested(words, Stream::default())
}

fn watch(call: &mut Call<'_, '_>) -> Done {
    let takes = "-n -q --interval --equexit";
    let before = before_program(&call.args, takes);
    let words: Vec<&str> =
        call.args.iter().skip(before.len()).map(|arg| arg.text.as_str()).collect();
    let text = Arg::known(words.join(" "));
    call.prints()?;
    call.script(&text, &Stream::default())
}

fn flock(call: &mut Call<'_, '_>) -> Done {
    let takes = "-w -E --timeout --wait --conflict-exit-code";
    let before = before_program(&call.args, takes);
    let words: Vec<Arg> = call.args.iter().skip(before.len()).cloned().collect();
    if let Some(file) = words.first().filter(|file| file.text.parse::<u32>().is_err()) {
        call.path(Kind::Writes, file);
    }
    let inner = words.get(1..).unwrap_or_default().to_vec();
    if let Some((flag, script)) = inner.split_first().filter(|(flag, _)| flag.text == "-c") {
        let _ = flag;
        let script = script.first().cloned().unwrap_or_default();
        return call.script(&script, &Stream::default());
    }
    if call.effects.is_empty() {
        call.prints()?;
    }
    call.nested(inner, Stream::default())
}
