use base64::Engine as _;

use super::{Call, Done, Options};
use crate::effect::{Effect, Kind};
use crate::expand::{Arg, NAMES, SOME, UNKNOWN};
use crate::walk::{Part, Stream};

pub fn run(call: &mut Call<'_, '_>) -> Done {
    match call.name.clone().as_str() {
        "cd" | "pushd" | "popd" => folder(call),
        "echo" | "printf" => print(call),
        "base64" => decode(call),
        "eval" => {
            let words: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
            let text = Arg::known(words.join(" "));
            if text.fixed().is_some() {
                call.prints()?
            }
            let input = call.input.clone();
            call.script(&text, &input)
        }
        "source" | "." => {
            if let Some(path) = call.args.first().cloned() {
                call.path(Kind::Reads, &path);
            }
            call.does(Kind::RunsCode, "a file is run in this shell")
        }
        "trap" => trap(call),
        "alias" => alias(call),
        "export" | "declare" | "typeset" | "local" | "readonly" => declare(call),
        "set" | "shopt" => {
            if call.name == "set" && call.args.is_empty() {
                return call.does(Kind::Credentials, "it shows every variable");
            }
            call.prints()
        }
        "test" | "[" | "unset" | "read" | "mapfile" | "readarray" | "let" | "getopts" => {
            index(call)
        }
        "pwd" => {
            if let [only] = call.walker.folders.as_slice() {
                call.output.text = Some(only.clone());
            }
            call.prints()
        }
        "hash" if call.args.iter().any(|arg| arg.text.starts_with("-p")) => {
            call.unknown("a name is given another meaning")
        }
        "type" | "hash" | "caller" | "compgen" => call.prints(),
        "history" | "fc" => call.does(Kind::Credentials, "what was typed before may hold secrets"),
        "printenv" => printenv(call),
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "rbash" => shell(call),
        _ => call.unknown("it changes what commands mean"),
    }
}

fn shell(call: &mut Call<'_, '_>) -> Done {
    let args = call.args.clone();
    let mut words = args.iter().peekable();
    while let Some(arg) = words.peek().copied() {
        let text = arg.text.as_str();
        if !text.starts_with(['-', '+']) || text.len() < 2 {
            break;
        }
        words.next();
        if text.starts_with("--") {
            match text {
                "--rcfile" | "--init-file" => {
                    words.next();
                    call.does(Kind::RunsCode, "a start-up file is named")?;
                }
                "--version" | "--help" => return call.prints(),
                "--" => break,
                _ => {}
            }
            continue;
        }
        if arg.fixed().is_none() {
            return call.does(Kind::RunsUnseen, "options that are only known then");
        }
        if text.contains('o') || text.contains('O') {
            words.next();
        }
        if text.contains('s') {
            return from_input(call);
        }
        if text.contains('c') {
            let Some(script) = words.find(|arg| !arg.text.starts_with(['-', '+'])).cloned() else {
                return call.unknown("a script is missing");
            };
            call.prints()?;
            let input = call.input.clone();
            return call.script(&script, &input);
        }
    }
    match words.next().cloned() {
        Some(file) if file.text.starts_with("/dev/fd/") || file.text == "/dev/stdin" => {
            call.does(Kind::RunsUnseen, "a script that another command prints")
        }
        Some(file) => {
            call.path(Kind::Reads, &file);
            call.does(Kind::RunsCode, "a script file")
        }
        None => from_input(call),
    }
}

fn from_input(call: &mut Call<'_, '_>) -> Done {
    match call.input.text.clone() {
        Some(text) => {
            call.prints()?;
            call.script(&Arg::known(text), &Stream::default())
        }
        None if call.input.network => call.does(Kind::RunsUnseen, "what comes from the network"),
        None if call.input.there => call.does(Kind::RunsUnseen, "what another command prints"),
        None => call.does(Kind::RunsCode, "a shell that reads commands"),
    }
}

fn folder(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(&call.args, "", false);
    call.prints()?;
    let target = match options.rest.first() {
        _ if call.name == "popd" => Arg::unknown(),
        None => Arg::known(call.walker.place.home.clone()),
        Some(arg) if arg.text == "-" => Arg::unknown(),
        Some(arg) => arg.clone(),
    };
    if target.fixed().is_none() {
        call.walker.folders = vec![UNKNOWN.to_string()];
        return Ok(());
    }
    let mut folders = vec![];
    for folder in &call.walker.folders {
        let relative = !target.text.starts_with(['/', '~']);
        if folder.contains(UNKNOWN) && relative {
            folders.push(UNKNOWN.to_string());
        } else {
            folders.push(call.walker.place.resolve(folder, &target.text));
        }
    }
    for folder in &folders {
        // Being in a folder of others is what the commands there are judged by.
        if folder.contains(UNKNOWN) {
            call.effects.push(Effect::new(Kind::Prints).note("a folder that is only known then"));
        }
    }
    call.walker.folders = folders;
    Ok(())
}

fn print(call: &mut Call<'_, '_>) -> Done {
    if call.name == "printf" && call.word(0) == "-v" {
        return index(call);
    }
    call.prints()?;
    let options: Vec<&Arg> =
        call.args.iter().filter(|arg| call.name == "echo" && arg.is_option()).collect();
    let words: Vec<&Arg> = call.args.iter().skip(options.len()).collect();
    if words.iter().any(|arg| arg.fixed().is_none()) {
        return Ok(());
    }
    let texts: Vec<&str> = words.iter().map(|arg| arg.text.as_str()).collect();
    let escapes = call.name == "printf" || options.iter().any(|arg| arg.text.contains('e'));
    let text = if call.name == "echo" {
        texts.join(" ") + "\n"
    } else {
        match texts.as_slice() {
            [only] if !only.contains('%') => (*only).to_owned(),
            ["%s" | "%s\\n" | "%b" | "%s\n", only] => (*only).to_owned(),
            _ => return Ok(()),
        }
    };
    if escapes && text.contains('\\') {
        let plain = text.replace("\\n", "\n").replace("\\t", "\t");
        if !plain.contains('\\') {
            call.output.text = Some(plain);
        }
        return Ok(());
    }
    call.output.text = Some(text);
    Ok(())
}

fn decode(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(&call.args, "-w --wrap -i -o", false);
    for path in options.rest.iter().filter(|path| path.text != "-") {
        call.path(Kind::Reads, path);
    }
    if options.has("-d -D --decode") && options.rest.is_empty() {
        let text = call.input.text.as_deref().unwrap_or_default();
        let packed: String = text.split_whitespace().collect();
        let bytes = base64::engine::general_purpose::STANDARD.decode(packed).ok();
        call.output.text =
            bytes.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| !text.is_empty());
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn trap(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(&call.args, "", false);
    call.prints()?;
    match options.rest.first() {
        Some(script) if options.rest.len() > 1 && script.text != "-" => {
            let script = script.clone();
            call.script(&script, &Stream::default())
        }
        _ => Ok(()),
    }
}

fn alias(call: &mut Call<'_, '_>) -> Done {
    if call.args.is_empty() {
        return call.prints();
    }
    call.unknown("a name is given another meaning")?;
    for arg in call.args.clone() {
        if let Some((_, value)) = arg.text.split_once('=') {
            call.script(&arg.part(value), &Stream::default())?;
        }
    }
    Ok(())
}

fn declare(call: &mut Call<'_, '_>) -> Done {
    let exports_nothing = call.args.iter().all(|arg| arg.is_option());
    if exports_nothing && call.args.iter().any(|arg| arg.text.starts_with("-p"))
        || call.args.is_empty()
    {
        return call.does(Kind::Credentials, "it shows every variable");
    }
    let mut part = Part::default();
    for arg in call.args.clone() {
        if arg.is_option() {
            if arg.text.contains(['n', 'i']) {
                call.unknown("a variable that is read as a name or as code")?;
            }
            continue;
        }
        let (name, value) = match arg.text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (arg.text.clone(), None),
        };
        if name.contains(['[', UNKNOWN, NAMES, SOME]) {
            call.unknown("an index, or a name that is only known then")?;
        }
        if value.is_some() {
            call.walker.environment(&name, value.as_deref(), &mut part);
            call.walker.set(&name, value.filter(|value| !value.contains(UNKNOWN)));
        }
    }
    call.effects.extend(part.effects);
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

/// What evaluates the index of an array, given as a word.
fn index(call: &mut Call<'_, '_>) -> Done {
    let name = call.name.clone();
    let name = name.as_str();
    let words = call.args.clone();
    let evaluates = |at: usize, arg: &Arg| match name {
        "test" | "[" => {
            words.get(at.wrapping_sub(1)).is_some_and(|before| {
                matches!(
                    before.text.as_str(),
                    "-v" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-R"
                )
            }) || words.get(at + 1).is_some_and(|next| next.text.starts_with("-eq"))
                && arg.text.contains('$')
        }
        _ => true,
    };
    let odd = words
        .iter()
        .enumerate()
        .any(|(at, arg)| evaluates(at, arg) && arg.text.contains('[') && arg.text != "[");
    if odd {
        call.unknown("an index is read as code")?;
    }
    if name == "[" && words.last().is_none_or(|arg| arg.text != "]") {
        call.unknown("a bracket is not closed")?;
    }
    if matches!(name, "mapfile" | "readarray") && words.iter().any(|arg| arg.text.starts_with("-C"))
    {
        call.does(Kind::RunsCode, "an option names a command to run")?;
    }
    if name == "let" && words.iter().any(|arg| arg.fixed().is_none()) {
        call.unknown("an expression that is only known then")?;
    }
    if matches!(name, "read" | "mapfile" | "readarray" | "printf") {
        for arg in words.iter().filter(|arg| !arg.is_option()) {
            let variable = arg.text.clone();
            call.walker.set(&variable, None);
        }
    }
    call.prints()
}

fn printenv(call: &mut Call<'_, '_>) -> Done {
    if call.args.is_empty() {
        return call.does(Kind::Credentials, "it shows every variable");
    }
    for arg in call.args.clone() {
        match arg.fixed() {
            Some(name) => call.walker.uses(name),
            None => call.does(Kind::Credentials, "a variable that is only known then")?,
        }
    }
    let found = call.walker.take_found();
    call.effects.extend(found);
    call.prints()
}
