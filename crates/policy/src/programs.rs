//! What known programs do. What is not known is not guessed.

mod cloud;
mod files;
mod find;
mod git;
mod inline;
mod machine;
mod network;
mod options;
mod readers;
mod shells;
mod tools;
mod tools_table;
mod wrappers;

use crate::effect::{Effect, Kind};
use crate::expand::{Arg, UNKNOWN};
use crate::place::Zone;
use crate::shell::NotUnderstood;
use crate::walk::{Part, Stream, Walker};

pub use network::url_zone;
pub use options::Options;

/// A program that is called.
#[derive(Debug)]
pub struct Call<'w, 'a> {
    pub walker: &'w mut Walker<'a>,
    pub name: String,
    pub args: Vec<Arg>,
    pub input: Stream,
    pub effects: Vec<Effect>,
    pub output: Stream,
}

type Done = Result<(), NotUnderstood>;

/// Finds what a program does. `program` is the word that names it.
pub fn run(call: &mut Call<'_, '_>, program: &Arg) -> Done {
    let Some(text) = program.fixed() else {
        return call.unknown("which program runs is only known then");
    };
    if !text.is_ascii() {
        call.effects.push(
            Effect::new(Kind::HiddenText).note("the name of the program has letters beyond ASCII"),
        );
        return Ok(());
    }
    if program.pattern && text != "[" {
        return call.unknown("a pattern names the program");
    }
    if text.contains('/') && !is_system_folder(text) {
        return tools::by_path(call, text);
    }
    if call.walker.is_function(text) {
        return call.prints();
    }
    if call.args.iter().any(|arg| arg.splits && arg.text.starts_with(UNKNOWN)) && !tolerates(text) {
        call.unknown("it may get arguments that are only known then")?;
    }
    dispatch(call)
}

/// Whether a program is known, so that a function of its name would hide it.
pub fn is_known(name: &str) -> bool {
    readers::find(name).is_some()
        || tools_table::find(name).is_some()
        || KNOWN.split_whitespace().any(|known| known == name)
}

const KNOWN: &str = "git rm mv cp ls cat echo printf cd test [ sudo env xargs sh bash curl wget";

/// Programs that do no harm with whatever words they get.
fn tolerates(name: &str) -> bool {
    matches!(
        name,
        "echo" | "printf" | "test" | "[" | "true" | "false" | ":" | "export" | "exit" | "return"
    )
}

fn is_system_folder(path: &str) -> bool {
    let folder = path.rsplit_once('/').map(|(folder, _)| folder).unwrap_or_default();
    matches!(
        folder,
        "/bin" | "/usr/bin" | "/usr/local/bin" | "/sbin" | "/usr/sbin" | "/opt/homebrew/bin"
    )
}

fn dispatch(call: &mut Call<'_, '_>) -> Done {
    let name = call.name.clone();
    match name.as_str() {
        "git" => git::run(call),
        "rm" | "rmdir" | "unlink" | "shred" | "mv" | "cp" | "ln" | "install" | "mkdir"
        | "touch" | "chmod" | "chown" | "chgrp" | "dd" | "tee" | "truncate" | "split"
        | "csplit" | "patch" | "mktemp" | "tar" | "zip" | "unzip" | "gzip" | "gunzip" | "bzip2"
        | "xz" | "zstd" | "cpio" | "mkfifo" | "mknod" | "wipefs" | "mkswap" | "trash" => {
            files::run(call)
        }
        "sed" | "awk" | "gawk" | "mawk" | "nawk" | "perl" | "python" | "python3" | "python2"
        | "node" | "nodejs" | "ruby" | "php" | "lua" | "deno" | "osascript" | "tclsh"
        | "Rscript" => inline::run(call),
        "find" | "fd" | "fdfind" | "locate" => find::run(call),
        "curl" | "wget" | "ssh" | "scp" | "sftp" | "rsync" | "nc" | "ncat" | "netcat" | "socat"
        | "telnet" | "ftp" | "http" | "https" | "dig" | "host" | "nslookup" | "ping" | "gh"
        | "glab" | "openssl" | "aria2c" | "rclone" | "traceroute" | "nmap" | "whois" => {
            network::run(call)
        }
        "psql" | "mysql" | "mariadb" | "redis-cli" | "mongosh" | "mongo" | "sqlite3" | "dropdb"
        | "createdb" | "pg_dump" | "pg_restore" | "mysqldump" | "mysqladmin" | "aws" | "gcloud"
        | "gsutil" | "az" | "kubectl" | "oc" | "helm" | "terraform" | "tofu" | "pulumi"
        | "docker" | "podman" | "docker-compose" | "doctl" | "heroku" | "vercel" | "fly"
        | "flyctl" | "netlify" | "wrangler" | "firebase" | "ansible" | "ansible-playbook" => {
            cloud::run(call)
        }
        "sudo" | "doas" | "su" | "env" | "xargs" | "timeout" | "nice" | "nohup" | "time"
        | "stdbuf" | "command" | "builtin" | "exec" | "ionice" | "chrt" | "setsid" | "watch"
        | "parallel" | "busybox" | "toybox" | "unbuffer" | "flock" | "strace" | "ltrace"
        | "chroot" | "nsenter" | "unshare" | "caffeinate" | "taskset" | "script" | "runuser"
        | "pkexec" | "gtimeout" => wrappers::run(call),
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "rbash" | "eval" | "source"
        | "." | "trap" | "alias" | "cd" | "pushd" | "popd" | "export" | "declare" | "typeset"
        | "local" | "readonly" | "set" | "unset" | "shopt" | "read" | "mapfile" | "readarray"
        | "let" | "test" | "[" | "printf" | "echo" | "hash" | "enable" | "type" | "history"
        | "printenv" | "getopts" | "pwd" | "fc" | "bind" | "complete" | "compgen" | "caller"
        | "base64" => shells::run(call),
        name if machine::is_machine(name) => machine::run(call),
        name if tools_table::find(name).is_some() => tools::run(call),
        name => match readers::find(name) {
            Some(reader) => readers::run(call, reader),
            None => call.unknown("the program is not known"),
        },
    }
}

impl<'w, 'a> Call<'w, 'a> {
    pub fn new(walker: &'w mut Walker<'a>, name: String, args: Vec<Arg>, input: Stream) -> Self {
        Self { walker, name, args, input, effects: vec![], output: Stream::default() }
    }

    /// Adds an effect without a place.
    pub fn does(&mut self, kind: Kind, note: &str) -> Done {
        let effect = Effect::new(kind);
        self.effects.push(if note.is_empty() { effect } else { effect.note(note) });
        Ok(())
    }

    /// Adds an effect at a place.
    pub fn at(&mut self, kind: Kind, zone: Zone, target: &str) -> Done {
        self.effects.push(Effect::new(kind).at(zone, target));
        Ok(())
    }

    pub fn prints(&mut self) -> Done {
        self.does(Kind::Prints, "")
    }

    pub fn unknown(&mut self, why: &str) -> Done {
        self.does(Kind::NotUnderstood, why)
    }

    /// Adds what it is to read, write or delete what an argument names.
    pub fn path(&mut self, kind: Kind, arg: &Arg) {
        let effects = self.walker.path_effects(kind, arg);
        self.effects.extend(effects);
    }

    /// Runs another program with these words, reading this input.
    pub fn nested(&mut self, args: Vec<Arg>, input: Stream) -> Done {
        if args.is_empty() {
            return Ok(());
        }
        let output = self.walker.run(args, input, Part { known: true, ..Part::default() })?;
        self.output.add(output);
        Ok(())
    }

    /// Runs a text as a script.
    pub fn script(&mut self, arg: &Arg, input: &Stream) -> Done {
        let Some(text) = arg.fixed().map(str::to_owned) else {
            return self.does(Kind::RunsUnseen, "a script that is only known then");
        };
        let input = input.clone();
        let output = self.walker.apart(|walker| walker.script(&text, &input))?;
        self.output.add(output);
        Ok(())
    }

    /// The first argument that is no option, when it is known.
    pub fn word(&self, at: usize) -> &str {
        self.args.get(at).and_then(|arg| arg.fixed()).unwrap_or_default()
    }
}
