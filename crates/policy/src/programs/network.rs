use super::{Call, Done, Options};
use crate::effect::{Effect, Kind};
use crate::expand::Arg;
use crate::place::Zone;

pub fn run(call: &mut Call<'_, '_>) -> Done {
    match call.name.clone().as_str() {
        "curl" => curl(call),
        "wget" | "aria2c" => wget(call),
        "ssh" => ssh(call),
        "scp" | "rsync" | "sftp" | "rclone" => copy(call),
        "gh" | "glab" => forge(call),
        "openssl" => openssl(call),
        "nc" | "ncat" | "netcat" | "socat" => {
            if call.args.iter().any(|arg| {
                arg.text.starts_with("EXEC")
                    || arg.text.starts_with("SYSTEM")
                    || matches!(arg.text.as_str(), "-e" | "-c")
            }) {
                call.does(Kind::RunsUnseen, "the network reads and writes a program")?;
            }
            call.at(Kind::Sends, Zone::Internet, "")
        }
        "http" | "https" => call.at(
            Kind::Sends,
            Zone::Internet,
            &call.args.last().map(Arg::shown).unwrap_or_default(),
        ),
        "dig" | "host" | "nslookup" | "ping" | "traceroute" | "whois" => {
            let target =
                call.args.iter().find(|arg| !arg.is_option()).map(Arg::shown).unwrap_or_default();
            let fetches = call.args.iter().all(|arg| arg.fixed().is_some());
            call.at(if fetches { Kind::Fetches } else { Kind::Sends }, Zone::Internet, &target)
        }
        _ => call.at(Kind::Sends, Zone::Internet, ""),
    }
}

/// Where a URL leads. Userinfo and odd names are not local.
pub fn url_zone(url: &str) -> Zone {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let bare = if host.starts_with('[') {
        host.split(']').next().unwrap_or_default().trim_start_matches('[')
    } else {
        host.split(':').next().unwrap_or_default()
    };
    match bare {
        "localhost" | "127.0.0.1" | "::1" | "0.0.0.0" if !host.contains('@') && url.is_ascii() => {
            Zone::Local
        }
        _ => Zone::Internet,
    }
}

const CURL_TAKES: &str = "-X -H -A -b -c -d -e -F -K -m -o -r -t -T -u -U -w -x -Y -y -z -C -D -E --request --header \
    --user-agent --cookie --cookie-jar --data --data-raw --data-binary --data-urlencode --data-ascii --referer --form \
    --form-string --config --max-time --output --range --upload-file --user --write-out --proxy --connect-timeout \
    --retry --retry-delay --cacert --cert --key --json --url --url-query --dump-header --output-dir --resolve \
    --connect-to --interface --limit-rate --unix-socket --netrc-file --trace --trace-ascii --stderr --etag-save \
    --etag-compare --hsts --alt-svc --proto --tlsv --max-redirs --request-target --doh-url --quote -Q";

fn curl(call: &mut Call<'_, '_>) -> Done {
    let takes = CURL_TAKES.split_whitespace().collect::<Vec<_>>().join(" ");
    let options = Options::read(&call.args, &takes, false);
    for value in options.all("-o -c -D --output --cookie-jar --dump-header --output-dir --trace --trace-ascii --stderr --etag-save --hsts --alt-svc").flatten() {
        if value.text != "-" {
            call.path(Kind::Writes, value);
        }
    }
    if options.has("-O -J --remote-name --remote-header-name --remote-name-all") {
        call.path(Kind::Writes, &Arg::known("downloaded"));
    }
    if options.has("-K --config") {
        call.unknown("its options are in a file")?;
    }
    let mut sends = false;
    for value in options.all("-d -F -T --data --data-raw --data-binary --data-urlencode --data-ascii --form --json --upload-file --form-string --url-query").flatten() {
        sends = true;
        payload(call, value);
    }
    for value in options.all("-T --upload-file").flatten().filter(|value| value.text != "-") {
        call.path(Kind::Reads, value);
    }
    if options.has("-n --netrc --netrc-file --cert -E --key") {
        call.does(Kind::Prints, "it uses stored credentials")?;
    }
    if let Some(method) = options.value("-X --request") {
        sends |= !matches!(method.text.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS");
    }
    sends |= options.has("-Q --quote");
    let elsewhere = options
        .has("-x --proxy --connect-to --resolve --doh-url --unix-socket --preproxy --socks5");
    let mut urls = options.rest.clone();
    urls.extend(options.all("--url").flatten().cloned());
    if urls.is_empty() && !options.flags.is_empty() && options.has("-V -h --version --help") {
        return call.prints();
    }
    for url in urls {
        reach(call, &url, sends, elsewhere)?;
    }
    if call.effects.is_empty() { call.unknown("no URL is given") } else { Ok(()) }
}

/// A value that may name a file to send.
fn payload(call: &mut Call<'_, '_>, value: &Arg) {
    let text = value.text.as_str();
    let file = text.strip_prefix('@').or_else(|| {
        let (_, file) = text.split_once(['=', '@'])?;
        text.split_once("=@")
            .or_else(|| text.split_once("=<"))
            .map(|(_, file)| file)
            .or((!text.contains('=')).then_some(file))
    });
    if let Some(file) = file
        .map(|file| file.split(';').next().unwrap_or(file))
        .filter(|file| *file != "-" && !file.is_empty())
    {
        call.path(Kind::Reads, &value.part(file));
    }
}

fn reach(call: &mut Call<'_, '_>, url: &Arg, sends: bool, elsewhere: bool) -> Done {
    let known = url.fixed().is_some();
    if let Some(path) = url.text.strip_prefix("file://") {
        call.path(Kind::Reads, &url.part(path));
        return Ok(());
    }
    let zone = if elsewhere { Zone::Internet } else { url_zone(&url.text) };
    // What is only known then may carry anything out.
    let kind = if sends || !known { Kind::Sends } else { Kind::Fetches };
    call.at(kind, zone, &url.shown())
}

fn wget(call: &mut Call<'_, '_>) -> Done {
    let takes = "-O -o -a -P -t -T -U -e -i -Q -A -R -D -I -X -l --output-document --output-file --append-output \
        --directory-prefix --tries --timeout --user-agent --execute --input-file --post-data --post-file --body-data \
        --body-file --method --header --user --password --use-askpass --config --load-cookies --save-cookies --dir --out";
    let options =
        Options::read(&call.args, &takes.split_whitespace().collect::<Vec<_>>().join(" "), false);
    if options.has("-e --execute --use-askpass --config") {
        call.does(Kind::RunsCode, "an option may name a program to run")?;
    }
    for value in options.all("--post-file --body-file -i --input-file --load-cookies").flatten() {
        call.path(Kind::Reads, value);
    }
    let mut written = false;
    for value in options.all("-O -o -a -P --output-document --output-file --append-output --directory-prefix --save-cookies --dir").flatten() {
        written |= value.text == "-";
        if value.text != "-" {
            call.path(Kind::Writes, value);
            written = true;
        }
    }
    if !written && !options.rest.is_empty() && !options.has("--spider") {
        call.path(Kind::Writes, &Arg::known("downloaded"));
    }
    let sends = options.has("--post-data --post-file --body-data --body-file --method");
    for url in options.rest.clone() {
        reach(call, &url, sends, false)?;
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn ssh(call: &mut Call<'_, '_>) -> Done {
    let takes = "-o -i -p -l -F -L -R -D -W -J -b -c -e -m -O -Q -S -w -E -I -B";
    let options = Options::read(&call.args, takes, false);
    let runs = |value: &Arg| {
        let text = value.text.to_ascii_lowercase();
        ["proxycommand", "localcommand", "knownhostscommand"].iter().any(|word| text.contains(word))
    };
    if options.all("-o").flatten().any(runs) {
        call.does(Kind::RunsCode, "an option names a program to run")?;
    }
    let host = options.word(0).to_owned();
    call.at(Kind::Sends, Zone::Internet, &host)?;
    if options.rest.len() > 1 {
        call.does(Kind::Remote, "a command on another machine")?;
    }
    Ok(())
}

fn copy(call: &mut Call<'_, '_>) -> Done {
    let takes = "-e -f -i -P -p -o -l -c -F -S -J -T --rsh --exclude --include --filter --rsync-path --exclude-from \
        --include-from --files-from --bwlimit --port --log-file --temp-dir --backup-dir --partial-dir --chmod --password-file";
    let mut takes: Vec<&str> = takes.split_whitespace().collect();
    if call.name == "rsync" {
        takes.retain(|flag| {
            !matches!(*flag, "-i" | "-P" | "-p" | "-o" | "-l" | "-c" | "-F" | "-S" | "-J")
        });
    }
    let options = Options::read(&call.args, &takes.join(" "), false);
    let runs = if call.name == "rsync" { "-e --rsh --rsync-path" } else { "-S -D" };
    let proxied = options
        .all("-o")
        .flatten()
        .any(|value| value.text.to_ascii_lowercase().contains("command"));
    if options.has(runs) || proxied {
        call.does(Kind::RunsCode, "an option names a program to run")?;
    }
    let mut paths = options.rest.clone();
    let target = paths.pop();
    let remote = |arg: &Arg| {
        let before = arg.text.split(':').next().unwrap_or_default();
        arg.text.contains(':') && !before.contains('/') || arg.text.contains("://")
    };
    let mut far = call.name == "sftp" || call.name == "rclone";
    for path in &paths {
        if remote(path) {
            call.at(Kind::Fetches, Zone::Internet, &path.shown())?;
        } else {
            call.path(Kind::Reads, path);
        }
    }
    if let Some(target) = &target {
        if remote(target) {
            far = true;
        } else {
            call.path(Kind::Writes, target);
            if options.all("--delete --delete-after --delete-before --delete-during --delete-excluded --remove-source-files").next().is_some() {
                call.path(Kind::DeletesTree, target);
            }
        }
    }
    if far {
        call.at(Kind::Sends, Zone::Internet, &target.map(|arg| arg.shown()).unwrap_or_default())?;
    }
    for value in options.all("--log-file --temp-dir --backup-dir --partial-dir").flatten() {
        call.path(Kind::Writes, value);
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

fn openssl(call: &mut Call<'_, '_>) -> Done {
    let words = Options::read(
        &call.args,
        "-in -out -inkey -key -keyout -connect -days -subj -newkey",
        true,
    );
    if matches!(call.word(0), "s_client" | "s_server" | "s_time") {
        return call.at(Kind::Sends, Zone::Internet, "");
    }
    for value in words.all("-in -inkey -key").flatten() {
        call.path(Kind::Reads, value);
    }
    for value in words.all("-out -keyout").flatten() {
        call.path(Kind::Writes, value);
    }
    if words.has("-engine -provider -provider-path -config") {
        call.does(Kind::RunsCode, "an option names code to load")?;
    }
    for path in words.rest.iter().skip(1) {
        call.path(Kind::Reads, path);
    }
    if call.effects.is_empty() { call.prints() } else { Ok(()) }
}

/// The command lines of forges.
fn forge(call: &mut Call<'_, '_>) -> Done {
    let options = Options::read(
        &call.args,
        "-R -b -t -B -H -q -X -f -F -l -a -r -m -n -L -s -e -u --repo --body --title --base --head --jq --json --method --field --raw-field \
         --label --assignee --reviewer --milestone --notes --limit --state --body-file --notes-file --input --header --template --search --author",
        false,
    );
    for value in options.all("--body-file --notes-file --input -F --field").flatten() {
        let text = value.text.split_once("=@").map_or(value.text.as_str(), |(_, file)| file);
        if text != "-" && !text.contains('=') {
            call.path(Kind::Reads, &value.part(text));
        }
    }
    let (noun, verb) = (options.word(0).to_owned(), options.word(1).to_owned());
    let target = format!("{noun} {verb}");
    if options.rest.is_empty() || options.has("--help --version") {
        return call.prints();
    }
    if options.rest.iter().take(2).any(|arg| arg.fixed().is_none()) {
        return call.unknown("which action is only known then");
    }
    if options.has("--web -w") {
        return call.does(Kind::Fetches, "it opens a browser");
    }
    match (noun.as_str(), verb.as_str()) {
        ("auth", "token") => call.does(Kind::Credentials, "it prints a token"),
        ("auth", "status") => {
            if options.has("-t --show-token") {
                call.does(Kind::Credentials, "it prints a token")
            } else {
                call.prints()
            }
        }
        ("api", _) => {
            let method = options.value("-X --method").map(|arg| arg.text.to_ascii_uppercase());
            let graph = verb == "graphql";
            let writes = match method.as_deref() {
                Some("GET" | "HEAD") => false,
                Some(_) => true,
                None => options.has("-f -F --field --raw-field --input") || graph,
            };
            let at_forge =
                !verb.contains("://") && options.rest.iter().all(|arg| arg.fixed().is_some());
            if method.as_deref() == Some("DELETE") {
                return call.does(Kind::DestroysData, &target);
            }
            if writes {
                call.does(Kind::Publishes, &target)
            } else {
                call.at(Kind::Fetches, if at_forge { Zone::Forge } else { Zone::Internet }, &target)
            }
        }
        ("repo" | "release" | "gist" | "project", "delete" | "delete-asset") => {
            call.does(Kind::DestroysData, &target)
        }
        ("gist", "create" | "edit") | ("release", "upload") => {
            for path in options.rest.iter().skip(2) {
                call.path(Kind::Reads, path);
            }
            call.does(Kind::Publishes, &target)
        }
        ("pr", "checkout") => call.does(Kind::SharesGit, &target),
        ("repo" | "gist", "clone") => {
            call.path(Kind::Writes, &Arg::known("clone"));
            call.at(Kind::Fetches, Zone::Internet, &target)
        }
        ("run" | "release", "download") => {
            call.path(Kind::Writes, &Arg::known("downloaded"));
            call.at(Kind::Fetches, Zone::Forge, &target)
        }
        ("search", _) | (_, "view" | "list" | "status" | "checks" | "diff" | "watch" | "ls") => {
            call.effects.push(Effect::new(Kind::Fetches).at(Zone::Forge, target));
            Ok(())
        }
        ("extension" | "alias" | "config" | "auth" | "ssh-key" | "gpg-key", _) => {
            call.does(Kind::Machine, "it changes what the command may do")
        }
        _ => call.does(Kind::Publishes, &target),
    }
}
