use super::{Call, Done, Options};
use crate::effect::Kind;
use crate::expand::Arg;
use crate::place::Zone;
use crate::walk::Stream;

pub fn run(call: &mut Call<'_, '_>) -> Done {
    match call.name.clone().as_str() {
        "rm" | "rmdir" | "unlink" | "shred" | "trash" => remove(call),
        "mv" => transfer(call, Kind::Deletes, "-t -S --target-directory --suffix"),
        "cp" => transfer(call, Kind::Reads, "-t -S --target-directory --suffix"),
        "ln" => transfer(call, Kind::Reads, "-t -S --target-directory --suffix"),
        "install" => install(call),
        "mkdir" | "touch" | "mkfifo" | "truncate" => {
            each(call, "-m --mode -d -t -r --date --reference -s --size", Kind::Writes, 0)
        }
        "tee" => {
            call.output = call.input.clone();
            each(call, "--output-error", Kind::Writes, 0)
        }
        "chmod" | "chown" | "chgrp" => permissions(call),
        "dd" => dd(call),
        "mkswap" | "wipefs" | "mknod" => each(call, "", Kind::Writes, 0),
        "split" | "csplit" => split(call),
        "patch" => patch(call),
        "mktemp" => {
            call.output = Stream::default();
            call.at(Kind::Writes, Zone::Temporary, "a new file")
        }
        "tar" => tar(call),
        _ => archive(call),
    }
}

fn each(call: &mut Call<'_, '_>, takes: &str, kind: Kind, skip: usize) -> Done {
    let options = Options::read(&call.args, takes, false);
    for path in options.rest.iter().skip(skip).filter(|path| path.text != "-") {
        call.path(kind, path);
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn remove(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(&call.args, "-n --iterations -s --size", false);
    let tree = options.has("-r -R --recursive");
    for path in &options.rest {
        // `rm *` takes whatever is there.
        let last = path.text.rsplit('/').next().unwrap_or_default();
        let all = path.pattern && matches!(last, "*" | ".*" | "**" | "?*");
        let kind = if tree || all { Kind::DeletesTree } else { Kind::Deletes };
        // What a link leads to is emptied when its name ends in a slash.
        call.path(kind, path);
        if tree && path.text.ends_with('/') && path.text.len() > 1 {
            let target = path.shown();
            let effect = crate::effect::Effect::new(Kind::DeletesTree);
            call.effects.push(effect.at(Zone::Unknown, target).note("a link would be followed"));
        }
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

/// Copies, moves and links: sources, then a target.
fn transfer(call: &mut Call<'_, '_>, of_sources: Kind, takes: &str) -> Done {
    let options = Options::read(&call.args, takes, false);
    let mut sources = options.rest.clone();
    let target = match options.value("-t --target-directory") {
        Some(target) => Some(target.clone()),
        None => sources.pop(),
    };
    let Some(target) = target else { return call.prints() };
    for source in &sources {
        // A link reads nothing yet, and leads from the link's folder.
        if call.name == "ln" && !source.text.starts_with(['/', '~']) {
            let folder = target.text.rsplit_once('/').map_or("", |(folder, _)| folder);
            let seen = source.part(&format!(
                "{}{}{}",
                folder,
                if folder.is_empty() { "" } else { "/" },
                source.text
            ));
            call.path(Kind::Reads, &seen);
            continue;
        }
        let before = call.effects.len();
        call.path(of_sources, source);
        if of_sources == Kind::Deletes {
            let all = source.pattern && source.text.rsplit('/').next() == Some("*");
            for effect in call.effects.iter_mut().skip(before) {
                // A folder moves with all that is in it; within the worktree it is still there.
                if all || effect.zone.is_some_and(|zone| !zone.is_here()) {
                    effect.kind = Kind::DeletesTree;
                }
            }
        }
    }
    let before = call.effects.len();
    call.path(Kind::Writes, &target);
    let lost = call.effects[before..].iter().any(|effect| effect.zone == Some(Zone::Null));
    if lost && call.name == "mv" {
        call.does(Kind::DeletesTree, "what is moved there is gone")?;
    }
    // A copy into a folder has the name of its source.
    for source in &sources {
        let name = source.text.rsplit('/').next().unwrap_or_default();
        if !name.is_empty()
            && !source.pattern
            && source.fixed().is_some()
            && target.fixed().is_some()
        {
            let inner = target.part(&format!("{}/{name}", target.text));
            let effects = call.walker.path_effects(Kind::Writes, &inner);
            let odd = |zone: Zone| {
                matches!(zone, Zone::Hooks | Zone::Ci | Zone::Settings | Zone::StartUp | Zone::Keys)
            };
            call.effects.extend(effects.into_iter().filter(|effect| effect.zone.is_some_and(odd)));
        }
    }
    Ok(())
}

fn install(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(
        &call.args,
        "-m -o -g -t -S --mode --owner --group --target-directory",
        false,
    );
    if options.has("--strip-program") {
        return call.does(Kind::RunsCode, "an option names a program to run");
    }
    if options.has("-d --directory") {
        return each(call, "-m -o -g --mode --owner --group", Kind::Writes, 0);
    }
    transfer(call, Kind::Reads, "-m -o -g -t -S --mode --owner --group --target-directory")
}

fn permissions(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(&call.args, "--reference --from", false);
    let skip = usize::from(!options.has("--reference"));
    let tree = options.has("-R --recursive");
    if call.name != "chmod" {
        call.does(Kind::Machine, "it changes who owns files")?;
    }
    // `-x` and its like are modes.
    for path in options.rest.iter().skip(skip) {
        call.path(Kind::Writes, path);
        if tree {
            let effects = call.walker.path_effects(Kind::DeletesTree, path);
            if effects.iter().any(|effect| effect.zone.is_some_and(Zone::is_grave)) {
                call.does(Kind::Machine, "permissions of everything below")?;
            }
        }
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn dd(call: &mut Call<'_, '_>) -> Done {
    for arg in call.args.clone() {
        if let Some(path) = arg.text.strip_prefix("if=") {
            call.path(Kind::Reads, &arg.part(path));
        } else if let Some(path) = arg.text.strip_prefix("of=") {
            call.path(Kind::Writes, &arg.part(path));
        } else if arg.fixed().is_none() {
            call.unknown("an operand that is only known then")?;
        }
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn split(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(
        &call.args,
        "-l -b -n -a -C -t -f --filter --lines --bytes --number --suffix-length --additional-suffix --prefix",
        false,
    );
    if options.has("--filter") {
        return call.does(Kind::RunsCode, "an option names a program to run");
    }
    if let Some(path) = options.rest.first().filter(|path| path.text != "-") {
        call.path(Kind::Reads, path);
    }
    let prefix = options.rest.get(1).cloned().unwrap_or_else(|| Arg::known("xaa"));
    if call.name == "split" {
        call.path(Kind::Writes, &prefix);
    } else {
        let prefix = options.value("-f --prefix").cloned().unwrap_or_else(|| Arg::known("xx00"));
        call.path(Kind::Writes, &prefix);
    }
    Ok(())
}

fn patch(call: &mut Call<'_, '_>) -> Done {
    let takes = "-p -i -d -o -r -F -B -D --strip --input --directory --output --reject-file";
    let options = Options::read(&call.args, takes, false);
    for value in options.all("-i --input").flatten() {
        call.path(Kind::Reads, value);
    }
    for value in options.all("-d -o -r --directory --output --reject-file").flatten() {
        call.path(Kind::Writes, value);
    }
    // GNU patch itself refuses names that lead out of the folder.
    call.path(Kind::Writes, &Arg::known("patched"));
    for path in options.rest.iter().take(1) {
        call.path(Kind::Writes, path);
    }
    Ok(())
}

fn tar(call: &mut Call<'_, '_>) -> Done {
    let takes = "-f -C -T -X -b -H -V -I -F --file --directory --files-from --exclude --exclude-from \
        --transform --strip-components --use-compress-program --to-command --checkpoint-action \
        --rsh-command --info-script --new-volume-script --owner --group --mode --mtime";
    let mut args = call.args.clone();
    // The first word may be options without a dash.
    if let Some(first) = args.first_mut().filter(|arg| !arg.is_option())
        && first.text.chars().all(|c| c.is_ascii_alphabetic())
    {
        first.text.insert(0, '-');
    }
    let options =
        Options::read(&args, &takes.split_whitespace().collect::<Vec<_>>().join(" "), false);
    let runs = "-I -F --use-compress-program --to-command --checkpoint-action --rsh-command --info-script --new-volume-script";
    if options.has(runs) {
        return call.does(Kind::RunsCode, "an option names a program to run");
    }
    let creates = options.has("-c --create -r -u --append --update");
    let lists = options.has("-t --list");
    for file in options.all("-f --file").flatten().filter(|file| file.text != "-") {
        if file.text.contains(':') && !file.text.starts_with('/') {
            call.at(Kind::Sends, Zone::Internet, &file.shown())?;
        }
        call.path(if creates { Kind::Writes } else { Kind::Reads }, file);
    }
    let here = Arg::known(".");
    let folder = options.value("-C --directory").unwrap_or(&here);
    if creates {
        for path in &options.rest {
            call.path(Kind::Reads, path);
        }
        if folder.text != "." {
            call.path(Kind::Reads, folder);
        }
        if options.has("--remove-files") {
            for path in &options.rest {
                call.path(Kind::DeletesTree, path);
            }
        }
    } else if !lists {
        call.path(Kind::Writes, &folder.part(&format!("{}/x", folder.text)));
        if options.has("-P --absolute-names") {
            call.at(Kind::Writes, Zone::Unknown, "wherever the archive says")?;
        }
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn archive(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(&call.args, "-d -o -x -S", false);
    if call.name == "unzip" {
        for path in options.rest.iter().take(1) {
            call.path(Kind::Reads, path);
        }
        if !options.has("-l -t -p -v -Z") {
            let here = Arg::known(".");
            let folder = options.value("-d").unwrap_or(&here);
            call.path(Kind::Writes, &folder.part(&format!("{}/x", folder.text)));
        }
        return Ok(());
    }
    if call.name == "zip" && options.has("-T --test -TT --unzip-command") {
        return call.does(Kind::RunsCode, "an option may name a program to run");
    }
    if call.name == "cpio" {
        return call.unknown("an archive that is read from its input");
    }
    let keeps = call.name == "zip" || options.has("-c -k -l -t --stdout --keep --list --test");
    for (at, path) in options.rest.iter().enumerate().filter(|(_, path)| path.text != "-") {
        call.path(Kind::Reads, path);
        if (call.name == "zip" && at == 0) || !keeps {
            call.path(Kind::Writes, path);
        }
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}
