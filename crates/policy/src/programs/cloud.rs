use super::{Call, Done, Options};
use crate::effect::Kind;
use crate::expand::Arg;
use crate::place::Zone;

/// Words that destroy in a database.
const SQL: &[&str] = &[
    "drop ",
    "truncate",
    "delete from",
    "dropdatabase",
    "flushall",
    "flushdb",
    ".drop(",
    "deletemany",
    "remove(",
    "alter ",
];
/// Words that destroy in a cloud or a cluster.
const DESTROYS: &[&str] = &[
    "delete",
    "destroy",
    "rb",
    "rm",
    "remove",
    "terminate",
    "terminate-instances",
    "purge",
    "prune",
    "uninstall",
    "drain",
    "down",
    "drop",
    "rollback",
    "deregister",
    "apps:destroy",
    "pg:reset",
];

pub fn run(call: &mut Call<'_, '_>) -> Done {
    match call.name.clone().as_str() {
        "psql" | "mysql" | "mariadb" | "redis-cli" | "mongosh" | "mongo" | "sqlite3" | "dropdb"
        | "createdb" | "pg_dump" | "pg_restore" | "mysqldump" | "mysqladmin" => database(call),
        "docker" | "podman" | "docker-compose" => docker(call),
        "terraform" | "tofu" => terraform(call),
        "kubectl" | "oc" => cluster(call),
        _ => cloud(call),
    }
}

fn database(call: &mut Call<'_, '_>) -> Done {
    let mut text: String =
        call.args.iter().map(|arg| arg.text.to_ascii_lowercase()).collect::<Vec<_>>().join(" ");
    if let Some(input) = &call.input.text {
        text.push(' ');
        text.push_str(&input.to_ascii_lowercase());
    }
    let name = call.name.clone();
    if name == "dropdb" || SQL.iter().any(|word| text.contains(word)) {
        call.does(Kind::DestroysData, "it drops, empties or changes data")?;
    }
    if text.contains("\\!")
        || text.contains(".shell")
        || text.contains(".system")
        || text.contains("copy ") && text.contains("program")
    {
        call.does(Kind::RunsCode, "the client runs a program")?;
    }
    for arg in call
        .args
        .clone()
        .iter()
        .filter(|arg| arg.text.starts_with(['/', '~', '.']) && !arg.text.contains(' '))
    {
        call.path(
            if name == "pg_dump" || name == "mysqldump" { Kind::Writes } else { Kind::Reads },
            arg,
        );
    }
    call.does(Kind::Remote, "a database")
}

fn docker(call: &mut Call<'_, '_>) -> Done {
    let mut words = Options::read(
        &call.args,
        "-H -c --host --context -f --file -p --project-name --profile --env-file --project-directory",
        false,
    );
    if call.name == "docker-compose" {
        words.rest.insert(0, Arg::known("compose"));
    }
    let first = words.word(0).to_owned();
    let grouped = matches!(
        first.as_str(),
        "container"
            | "image"
            | "volume"
            | "network"
            | "system"
            | "compose"
            | "builder"
            | "context"
            | "buildx"
    );
    let verb = if grouped { words.word(1).to_owned() } else { first.clone() };
    let target = if grouped { format!("{first} {verb}") } else { first.clone() };
    if words.has("-H --host --context") {
        call.does(Kind::Remote, "another machine's containers")?;
    }
    match verb.as_str() {
        "ps" | "images" | "ls" | "logs" | "inspect" | "version" | "info" | "top" | "stats"
        | "port" | "diff" | "history" | "config" | "list" | "events" => {
            if verb == "inspect" || verb == "config" {
                call.does(Kind::Remote, &target)
            } else {
                call.does(Kind::Prints, &target)
            }
        }
        "run" | "exec" | "create" => {
            mounts(call)?;
            call.does(Kind::RunsCode, &target)
        }
        "push" | "login" => call.does(Kind::Publishes, &target),
        "pull" | "build" | "bake" => call.does(Kind::Installs, &target),
        "prune" | "rm" | "rmi" | "kill" | "down" => call.does(Kind::DestroysData, &target),
        "cp" => {
            for path in words.rest.iter().skip(1).filter(|path| !path.text.contains(':')) {
                call.path(Kind::Writes, path);
            }
            call.does(Kind::Remote, &target)
        }
        _ => call.does(Kind::Machine, &target),
    }
}

/// What a container sees of this machine.
fn mounts(call: &mut Call<'_, '_>) -> Done {
    let args = call.args.clone();
    let offline =
        args.windows(2).any(|pair| {
            matches!(pair[0].text.as_str(), "--network" | "--net") && pair[1].text == "none"
        }) || args.iter().any(|arg| matches!(arg.text.as_str(), "--network=none" | "--net=none"));
    let mut sources = vec![];
    for (at, arg) in args.iter().enumerate() {
        let value = match arg.text.as_str() {
            "-v" | "--volume" | "--mount" | "--env-file" => args.get(at + 1).cloned(),
            text => text
                .strip_prefix("--volume=")
                .or_else(|| text.strip_prefix("--mount="))
                .or_else(|| text.strip_prefix("--env-file="))
                .or_else(|| text.strip_prefix("-v"))
                .map(|text| arg.part(text)),
        };
        let Some(value) = value else { continue };
        let source = value
            .text
            .split(',')
            .find_map(|field| field.strip_prefix("source=").or_else(|| field.strip_prefix("src=")));
        let source = source.unwrap_or_else(|| value.text.split(':').next().unwrap_or_default());
        if source.starts_with(['/', '.', '~']) || source.contains(crate::expand::UNKNOWN) {
            sources.push(value.part(source));
        }
    }
    for source in &sources {
        call.path(Kind::Reads, source);
        call.path(Kind::Writes, source);
    }
    if !offline && call.effects.iter().any(|effect| effect.kind == Kind::Credentials) {
        call.at(Kind::Sends, Zone::Internet, "a container with a network")?;
    }
    if args.iter().any(|arg| {
        arg.text.starts_with("--privileged")
            || arg.text.contains("docker.sock")
            || arg.text == "--pid=host"
    }) {
        call.does(Kind::Privilege, "a container that may do all")?;
    }
    Ok(())
}

fn terraform(call: &mut Call<'_, '_>) -> Done {
    let words = Options::read(&call.args, "", true);
    match words.word(0) {
        "fmt" | "validate" | "version" | "providers" | "graph" => {
            if words.word(0) == "fmt" {
                call.path(Kind::Writes, &Arg::known("main.tf"))
            }
            call.prints()
        }
        "destroy" => call.does(Kind::DestroysData, "infrastructure"),
        "apply" => call.does(Kind::DestroysData, "it changes infrastructure"),
        "init" => call.does(Kind::Installs, ""),
        "state" | "taint" | "import" | "workspace" => {
            call.does(Kind::DestroysData, "the state of infrastructure")
        }
        _ => call.does(Kind::Remote, "infrastructure"),
    }
}

fn cluster(call: &mut Call<'_, '_>) -> Done {
    let words = Options::read(
        &call.args,
        "-n --namespace --context --kubeconfig -f -o -l --cluster --as -c --user",
        false,
    );
    for path in words.all("-f --kubeconfig").flatten() {
        call.path(Kind::Reads, path);
    }
    let verb = words.word(0).to_owned();
    let secret = words.rest.iter().any(|arg| arg.text.starts_with("secret"));
    if secret && matches!(verb.as_str(), "get" | "describe" | "edit") {
        return call.does(Kind::Credentials, "secrets of a cluster");
    }
    if DESTROYS.contains(&verb.as_str()) {
        return call.does(Kind::DestroysData, &verb);
    }
    call.does(Kind::Remote, &verb)
}

fn cloud(call: &mut Call<'_, '_>) -> Done {
    let words: Vec<String> = call.args.iter().map(Arg::shown).collect();
    let destroys = |word: &String| {
        DESTROYS.contains(&word.as_str())
            || word.starts_with("delete-")
            || word.starts_with("terminate-")
            || word == "--delete"
    };
    if words.iter().any(|word| {
        matches!(
            word.as_str(),
            "secretsmanager"
                | "get-secret-value"
                | "secrets"
                | "get-login-password"
                | "print-access-token"
                | "print-identity-token"
        )
    }) {
        return call.does(Kind::Credentials, "secrets of a cloud");
    }
    if words.iter().any(destroys) {
        return call.does(
            Kind::DestroysData,
            &words.iter().take(3).cloned().collect::<Vec<_>>().join(" "),
        );
    }
    let copies = words
        .iter()
        .any(|word| matches!(word.as_str(), "cp" | "sync" | "mv" | "put-object" | "rsync"));
    if copies {
        for arg in call
            .args
            .clone()
            .iter()
            .filter(|arg| !arg.is_option() && !arg.text.contains("://"))
            .skip(2)
        {
            call.path(Kind::Reads, arg);
        }
        return call.at(Kind::Sends, Zone::Internet, &call.name.clone());
    }
    let publishes =
        ["deploy", "publish", "upgrade", "install", "up", "apply", "release", "push", "playbook"];
    if words.iter().any(|word| publishes.contains(&word.as_str()))
        || matches!(call.name.as_str(), "vercel" | "ansible" | "ansible-playbook")
    {
        return call.does(Kind::Publishes, &call.name.clone());
    }
    if words.iter().all(|word| matches!(word.as_str(), "--version" | "version" | "help" | "--help"))
        && !words.is_empty()
    {
        return call.prints();
    }
    call.does(Kind::Remote, "a cloud")
}
