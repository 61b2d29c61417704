use super::{Call, Done, Options};
use crate::effect::Kind;
use crate::expand::{Arg, NAMES, UNKNOWN};
use crate::place::{Zone, is_output};
use crate::walk::Stream;

pub fn run(call: &mut Call<'_, '_>) -> Done {
    match call.name.as_str() {
        "find" => find(call),
        "locate" => call.at(Kind::Reads, Zone::Root, "/"),
        _ => fd(call),
    }
}

fn find(call: &mut Call<'_, '_>) -> Done {
    let args = call.args.clone();
    let starts = |arg: &Arg| {
        arg.text.starts_with(['-', '(', '!']) && arg.text.len() > 1
            || arg.text == "("
            || arg.text == "!"
    };
    let skip =
        args.iter().take_while(|arg| matches!(arg.text.as_str(), "-H" | "-L" | "-P")).count();
    let mut paths: Vec<Arg> = args[skip..].iter().take_while(|arg| !starts(arg)).cloned().collect();
    let rest = &args[skip + paths.len()..];
    if paths.is_empty() {
        paths.push(Arg::known("."));
    }
    for path in &paths {
        call.path(Kind::Reads, path);
    }
    let inside = call.effects.iter().all(|effect| effect.zone.is_some_and(Zone::is_here));
    call.output = Stream { names: inside, ..Stream::default() };
    let output_only = only_output(rest);
    let mut at = 0;
    while let Some(arg) = rest.get(at) {
        at += 1;
        match arg.text.as_str() {
            "-delete" => delete(call, &paths, inside, output_only),
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end =
                    rest[at..].iter().position(|arg| arg.text == ";" || is_plus(arg, rest, at));
                let Some(end) = end else { return call.unknown("-exec that does not end") };
                let words: Vec<Arg> =
                    rest[at..at + end].iter().filter(|arg| arg.text != "+").cloned().collect();
                at += end + 1;
                execute(call, &words, &paths, inside, output_only)?;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                if let Some(path) = rest.get(at) {
                    call.path(Kind::Writes, path);
                }
            }
            "-files0-from" => call.unknown("its folders are in a file")?,
            text if text.contains(UNKNOWN) && arg.splits => {
                call.unknown("an expression that is only known then")?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_plus(arg: &Arg, rest: &[Arg], from: usize) -> bool {
    arg.text == "+"
        && rest[from..]
            .windows(2)
            .any(|pair| pair[0].text.contains("{}") && std::ptr::eq(&pair[1], arg))
}

/// Whether all that is found has a name that a build makes.
fn only_output(rest: &[Arg]) -> bool {
    let mut names =
        rest.windows(2).filter(|pair| matches!(pair[0].text.as_str(), "-name" | "-iname"));
    let alternatives =
        rest.iter().any(|arg| matches!(arg.text.as_str(), "-o" | "-or" | "!" | "-not" | ","));
    !alternatives && names.any(|pair| is_output(&pair[1].text) && !pair[1].text.starts_with("*/"))
}

fn delete(call: &mut Call<'_, '_>, paths: &[Arg], inside: bool, output_only: bool) {
    for path in paths {
        if inside && output_only {
            let _ = call.at(Kind::DeletesTree, Zone::Output, &path.shown());
        } else {
            call.path(Kind::DeletesTree, path);
        }
    }
}

fn execute(
    call: &mut Call<'_, '_>,
    words: &[Arg],
    paths: &[Arg],
    inside: bool,
    output_only: bool,
) -> Done {
    let program = words.first().map(|arg| arg.text.as_str()).unwrap_or_default();
    if matches!(program, "rm" | "unlink" | "shred" | "rmdir") {
        delete(call, paths, inside, output_only);
        // The rest of it counts too, such as an option or a path of its own.
        let others: Vec<Arg> =
            words.iter().filter(|arg| !arg.text.contains("{}")).cloned().collect();
        return if others.iter().skip(1).any(|arg| !arg.is_option()) {
            call.nested(others, Stream::default())
        } else {
            Ok(())
        };
    }
    // A name that is found becomes code where a shell reads it.
    let shell = matches!(program, "sh" | "bash" | "zsh" | "dash");
    let marker = if inside { NAMES } else { UNKNOWN };
    let mut nested = vec![];
    for word in words {
        if word.text.contains("{}") {
            if shell && word.text != "{}" {
                return call.does(Kind::RunsCode, "names of files become a part of a script");
            }
            nested.push(Arg { text: word.text.replace("{}", &marker.to_string()), ..word.clone() });
        } else {
            nested.push(word.clone());
        }
    }
    call.nested(nested, Stream::default())
}

fn fd(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(
        &call.args,
        "-e -t -d -E -S -j -c --extension --type --max-depth --min-depth --exclude --size --threads --color --max-results",
        false,
    );
    if options.has("-x -X --exec --exec-batch") {
        return call.does(Kind::RunsCode, "an option names a program to run");
    }
    let here = Arg::known(".");
    let paths: Vec<Arg> = options.rest.iter().skip(1).cloned().collect();
    for path in if paths.is_empty() { vec![here] } else { paths } {
        call.path(Kind::Reads, &path);
    }
    call.output.names = call.effects.iter().all(|effect| effect.zone.is_some_and(Zone::is_here));
    Ok(())
}
