use super::{Call, Done, Options};
use crate::effect::Kind;
use crate::walk::Stream;

/// A program that reads and prints.
#[derive(Debug)]
pub struct Reader {
    names: &'static str,
    /// Words that are no paths, before the paths.
    skip: usize,
    /// Options with a value that is no path.
    takes: &'static str,
    /// Options with which the first word is a path too.
    instead: &'static str,
    reads: &'static str,
    writes: &'static str,
    /// Options that run code.
    runs: &'static str,
    /// Whether it looks at no file.
    blind: bool,
}

const fn reader(names: &'static str) -> Reader {
    Reader { names, skip: 0, takes: "", instead: "", reads: "", writes: "", runs: "", blind: false }
}

const READERS: &[Reader] = &[
    reader(
        "cat tac nl rev fold fmt expand unexpand od hexdump strings file stat md5sum sha1sum \
        sha224sum sha256sum sha384sum sha512sum shasum cksum b2sum sum cmp comm join paste column readlink realpath \
        cloc tokei scc zcat bzcat xzcat tsort look pr wc zless zmore md5 lsof ldd nm objdump readelf size \
        hexyl glow mdcat",
    ),
    Reader { takes: "-n -c --lines --bytes -s --pid", ..reader("head tail") },
    Reader { takes: "-d --max-depth --block-size -t -B --exclude", ..reader("du df") },
    Reader {
        takes: "-w -I --ignore --hide -T --time-style --sort --color",
        ..reader("ls dir vdir exa eza lsd")
    },
    Reader { takes: "-L -P -I -o", writes: "-o", ..reader("tree") },
    Reader {
        takes: "-b -c -d -f --fields --delimiter --output-delimiter --characters",
        ..reader("cut")
    },
    Reader {
        takes: "-e -m -A -B -C -d -D --include --exclude --exclude-dir --max-count --context --color --after-context --before-context --label",
        reads: "-f --file --exclude-from",
        skip: 1,
        instead: "-e -f --regexp --file",
        ..reader("grep egrep fgrep zgrep ggrep")
    },
    Reader {
        takes: "-e -g -t -T -m -A -B -C -j -M -r -E -d --glob --type --type-not --regexp --iglob --max-count --context --after-context --before-context --replace --sort --sortr --max-depth --color --colors --encoding --max-columns --threads --type-add --engine",
        reads: "-f --file --ignore-file",
        skip: 1,
        instead: "-e -f --regexp --file --files --type-list",
        runs: "--pre --hostname-bin",
        ..reader("rg")
    },
    Reader { takes: "-A -B -C -G -g -m", skip: 1, runs: "--pager", ..reader("ag ack") },
    Reader {
        takes: "--arg --argjson --indent --tab",
        skip: 1,
        reads: "-f --from-file --slurpfile --rawfile -L",
        instead: "-f --from-file",
        ..reader("jq gojq")
    },
    Reader {
        takes: "-k -t -S --key --field-separator --buffer-size --parallel --sort",
        reads: "--files0-from",
        writes: "-o --output -T --temporary-directory",
        runs: "--compress-program",
        ..reader("sort gsort")
    },
    Reader {
        takes: "-U -L --label -I -x -W --color -F --ignore-matching-lines --exclude --width",
        reads: "-X --exclude-from --from-file --to-file",
        ..reader("diff sdiff diff3 colordiff difft delta")
    },
    Reader {
        takes: "-n -p -P -b -j -h -x -y --pattern --prompt",
        writes: "-o -O --log-file --LOG-FILE",
        reads: "-k -T",
        ..reader("less more most")
    },
    Reader {
        takes: "-l -r -H --language --line-range --style --theme --color",
        runs: "--pager",
        ..reader("bat batcat")
    },
    Reader { takes: "-l -s -c -g -o -seek", ..reader("xxd") },
    Reader { takes: "-f -t --from-code --to-code", writes: "-o --output", ..reader("iconv") },
    Reader { takes: "-s --suffix", blind: true, ..reader("basename dirname") },
    Reader {
        blind: true,
        ..reader(
            "tr seq sleep true false : whoami id groups uname uptime which nproc locale cal expr factor \
            tput clear ps pgrep free getconf numfmt yes break continue exit return shift wait jobs times umask ulimit \
            arch tty logname users who w vmstat iostat lscpu lsblk lsusb sw_vers hostnamectl sum dircolors stty \
            pidof whereis whatis apropos errno fg bg disown suspend pstree ss netstat localectl timedatectl",
        )
    },
    Reader { takes: "-d --date", reads: "-r -f --reference --file", ..reader("date") },
    Reader { reads: "", ..reader("bc dc") },
];

/// The reader of that name.
pub fn find(name: &str) -> Option<&'static Reader> {
    if matches!(name, "uniq" | "man" | "yq" | "hostname" | "top" | "htop") {
        static ODD: Reader = reader("");
        return Some(&ODD);
    }
    READERS.iter().find(|reader| reader.names.split_whitespace().any(|known| known == name))
}

pub fn run(call: &mut Call<'_, '_>, reader: &Reader) -> Done {
    match call.name.as_str() {
        "uniq" => return uniq(call),
        "man" => return manual(call),
        "yq" => return yq(call),
        "hostname" if !call.args.iter().all(|arg| arg.is_option()) => {
            return call.does(Kind::Machine, "it names the machine");
        }
        "hostname" | "top" | "htop" => return call.prints(),
        "date" if sets_clock(call) => return call.does(Kind::Machine, "it sets the clock"),
        "hostnamectl" | "localectl" | "timedatectl" if call.word(0).starts_with("set") => {
            return call.does(Kind::Machine, "");
        }
        _ => {}
    }
    let takes = [reader.takes, reader.reads, reader.writes, reader.runs].join(" ");
    let options = Options::read(&call.args, takes.trim(), false);
    if !reader.runs.is_empty() && options.has(reader.runs) {
        call.does(Kind::RunsCode, "an option names a program to run")?;
    }
    for (flags, kind) in [(reader.reads, Kind::Reads), (reader.writes, Kind::Writes)] {
        if !flags.is_empty() {
            for value in options.all(flags).flatten() {
                call.path(kind, value);
            }
        }
    }
    if call.name == "less" && options.rest.iter().any(|arg| arg.text.starts_with('+')) {
        return call.unknown("a command for the pager");
    }
    let skip =
        if !reader.instead.is_empty() && options.has(reader.instead) { 0 } else { reader.skip };
    if !reader.blind && call.name != "date" {
        let paths: Vec<_> = options.rest.iter().skip(skip).cloned().collect();
        let recursive = call.name == "rg" || options.has("-r -R --recursive");
        if paths.is_empty() && recursive {
            call.path(Kind::Reads, &crate::expand::Arg::known("."));
        }
        for path in paths.iter().filter(|path| path.text != "-") {
            call.path(Kind::Reads, path);
        }
    }
    if call.effects.is_empty() {
        call.prints()?;
    }
    let plain_cat = call.name == "cat" && call.args.is_empty();
    call.output = if plain_cat {
        call.input.clone()
    } else {
        let names = matches!(call.name.as_str(), "rg" | "grep")
            && options.has("-l --files --files-with-matches");
        let kept = matches!(call.name.as_str(), "sort" | "head" | "tail" | "grep" | "cat")
            && call.input.names;
        let inside = call.effects.iter().all(|effect| {
            effect.kind != Kind::Reads || effect.zone.is_some_and(crate::place::Zone::is_here)
        });
        Stream { names: (names && inside) || kept, ..Stream::default() }
    };
    if call.name == "basename" && call.args.len() == 1 {
        call.output.text =
            call.args[0].fixed().map(|text| text.rsplit('/').next().unwrap_or("").to_owned());
    }
    Ok(())
}

fn sets_clock(call: &Call<'_, '_>) -> bool {
    let options = Options::read(&call.args, "-d --date -r -f -s --set", false);
    options.has("-s --set") || options.rest.iter().any(|arg| !arg.text.starts_with('+'))
}

fn uniq(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(&call.args, "-f -s -w", false);
    for (at, path) in options.rest.clone().iter().enumerate().filter(|(_, path)| path.text != "-") {
        call.path(if at == 0 { Kind::Reads } else { Kind::Writes }, path);
    }
    call.output.names = call.input.names;
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn manual(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(&call.args, "-P --pager -H -C -M -l", false);
    if options.has("-P --pager -H --html -C -M -l --local-file -T --troff-device") {
        return call.does(Kind::RunsCode, "an option names a program to run");
    }
    call.prints()
}

fn yq(call: &mut Call<'_, '_>) -> Done {
    let options =
        Options::read(&call.args, "-o -p --output-format --input-format -I --indent", false);
    let kind = if options.has("-i --inplace --in-place -y") { Kind::Writes } else { Kind::Reads };
    let expression =
        usize::from(!options.word(0).ends_with(".yml") && !options.word(0).ends_with(".yaml"));
    if options.word(0).contains("load") || options.word(0).contains("env") {
        return call.unknown("an expression that reads other things");
    }
    for path in options.rest.clone().iter().skip(expression) {
        call.path(kind, path);
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}
