//! What a daemon is started with, told setting by setting with where each came from.

use std::path::Path;

use qd_api::ConfigValue;
use qd_daemon::Settings;

use crate::commands::serve::Listening;
use crate::{home, start};

/// Every setting as it is in force in a daemon that starts now. No secret is among them.
pub fn values(listening: &Listening, at: &Path) -> Vec<ConfigValue> {
    let flag = |name: &str, about: &str, value: Option<String>, usual: Option<&str>, example| {
        let given = value.is_some();
        ConfigValue {
            group: "Reaching it".to_owned(),
            name: format!("--{name}"),
            about: about.to_owned(),
            value: value.or_else(|| usual.map(str::to_owned)),
            source: if given { "flag" } else { "default" }.to_owned(),
            change: format!("qd serve --replace --detach --{name} {example}").trim().to_owned(),
        }
    };
    let listen = listening.listen.map(|listen| listen.to_string());
    let usual = start::LISTEN.to_string();
    let path = |path: &Option<std::path::PathBuf>| path.as_ref().map(|p| p.display().to_string());
    let tls = listening.tls_source(at).is_some().then(|| "on".to_owned());
    let mut values = vec![
        home_value(at),
        environment("QD_LOG", "What the log says", Some("warn"), "QD_LOG=info qd serve --replace"),
        flag("listen", "Where the page is served", listen, Some(&usual), "ADDR:PORT"),
        flag(
            "public-url",
            "A proxy or tunnel that leads here",
            listening.public_url.clone(),
            None,
            "https://qd.example.com",
        ),
        flag("tls", "Whether it speaks HTTPS itself", tls, Some("off"), ""),
        flag(
            "tls-cert",
            "A certificate of your own",
            path(&listening.tls_cert),
            None,
            "FILE --tls-key FILE",
        ),
        flag("tls-key", "Where its key is", path(&listening.tls_key), None, "FILE --tls-cert FILE"),
    ];
    // What cannot be read stops the daemon before anybody asks.
    let Settings { hibernate } = Settings::read(at).unwrap_or_default();
    let file = Settings::file(at);
    let in_file =
        |name: &str, about: &str, value: Option<String>, usual: &str, example: &str| ConfigValue {
            group: "Hibernating".to_owned(),
            name: format!("hibernate.{name}"),
            about: about.to_owned(),
            source: if value.is_some() { "file" } else { "default" }.to_owned(),
            value: Some(value.unwrap_or_else(|| usual.to_owned())),
            change: format!(
                "In {}, under [hibernate], write {name} = {example}; then qd serve --replace \
                 --detach",
                file.display()
            ),
        };
    values.push(in_file(
        "after",
        "Hibernate what has been idle for so long",
        hibernate.after.map(|after| format!("{} s", after.as_secs())),
        "never",
        "\"4h\"",
    ));
    values.push(in_file(
        "on_pressure",
        "Hibernate the longest idle when memory is short",
        hibernate.on_pressure.then(|| "true".to_owned()),
        "false",
        "true",
    ));
    values
}

fn home_value(at: &Path) -> ConfigValue {
    // Whoever starts a daemon in the background names the home: what it would be without tells
    // where it came from.
    let usual = home::usual();
    let source = match &usual {
        Some((usual, by_name)) if usual == at => {
            if *by_name {
                "environment"
            } else {
                "default"
            }
        }
        _ => "flag",
    };
    ConfigValue {
        group: "The daemon".to_owned(),
        name: "--home".to_owned(),
        about: "Where sessions, worktrees and the database are".to_owned(),
        value: Some(at.display().to_string()),
        source: source.to_owned(),
        change: "qd --home DIR, or QD_HOME=DIR: another home is another daemon".to_owned(),
    }
}

fn environment(name: &str, about: &str, usual: Option<&str>, change: &str) -> ConfigValue {
    let set = std::env::var(name).ok().filter(|value| !value.is_empty());
    ConfigValue {
        group: "The daemon".to_owned(),
        name: name.to_owned(),
        about: about.to_owned(),
        source: if set.is_some() { "environment" } else { "default" }.to_owned(),
        value: set.or_else(|| usual.map(str::to_owned)),
        change: change.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_tells_where_it_came_from() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(Settings::file(home.path()), "[hibernate]\nafter = '2h'").unwrap();
        let listening = Listening { public_url: Some("https://x".into()), ..Listening::default() };
        let values = values(&listening, home.path());
        let told = |name: &str| {
            let value = values.iter().find(|value| value.name == name).unwrap();
            (value.value.clone().unwrap_or_default(), value.source.clone())
        };
        let own = |value: &str, source: &str| (value.to_owned(), source.to_owned());
        assert_eq!(told("--home"), own(&home.path().display().to_string(), "flag"));
        assert_eq!(told("--listen"), own("127.0.0.1:4747", "default"));
        assert_eq!(told("--public-url"), own("https://x", "flag"));
        assert_eq!(told("--tls"), own("off", "default"));
        assert_eq!(told("hibernate.after"), own("7200 s", "file"));
        assert_eq!(told("hibernate.on_pressure"), own("false", "default"));
    }
}
