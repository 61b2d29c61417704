use super::Walker;
use crate::shell::{Command, Kind, List, Value};

/// Variables with which other programs run code, or find other programs.
const POWERFUL: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "CDPATH",
    "GLOBIGNORE",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "MANPAGER",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PERL5LIB",
    "PERL5OPT",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "RUSTC_WRAPPER",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "CC",
    "CXX",
    "LD",
    "AR",
    "MAKEFLAGS",
    "MAKEFILES",
    "GOFLAGS",
    "GOROOT",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "HOME",
    "XDG_CONFIG_HOME",
    "SHELL",
    "ZDOTDIR",
    "TERMINFO",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GPG_TTY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "DOCKER_HOST",
    "KUBECONFIG",
    "TAR_OPTIONS",
    "RSYNC_RSH",
    "GCONV_PATH",
    "OPENSSL_CONF",
    "CURL_HOME",
    "WGETRC",
    "PSQLRC",
    "PSQL_PAGER",
    "RIPGREP_CONFIG_PATH",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "QD_HOME",
    "TMUX",
    "CLASSPATH",
    "LUA_INIT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "JULIA_LOAD_PATH",
    "R_PROFILE",
    "NPM_CONFIG_USERCONFIG",
];

const POWERFUL_STARTS: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "npm_config_",
    "NPM_CONFIG_",
    "BASH_FUNC_",
    "CARGO_TARGET_",
    "PIP_",
    "UV_",
];

/// Whether setting it may make other programs run code.
pub fn is_powerful(name: &str) -> bool {
    const FINE: &[&str] = &[
        "GIT_PAGER_IN_USE",
        "GIT_TERMINAL_PROMPT",
        "GIT_AUTHOR_DATE",
        "GIT_COMMITTER_DATE",
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "GIT_OPTIONAL_LOCKS",
        "GIT_TRACE",
        "PIP_DISABLE_PIP_VERSION_CHECK",
        "PIP_NO_INPUT",
    ];
    let started = POWERFUL_STARTS.iter().any(|start| name.starts_with(start));
    POWERFUL.contains(&name) || (started && !FINE.contains(&name))
}

/// Whether such a variable is off by its value: `GIT_PAGER=cat` and its like run nothing of others.
pub fn is_harmless_value(name: &str, value: &str) -> bool {
    match name {
        "PAGER" | "GIT_PAGER" | "MANPAGER" | "GH_PAGER" => matches!(value, "" | "cat" | "less"),
        "GIT_EDITOR" | "EDITOR" | "VISUAL" | "GIT_SEQUENCE_EDITOR" => matches!(value, "true" | ":"),
        "RUSTFLAGS" => {
            !value.contains("linker") && !value.contains('\u{f8f0}') && !value.contains("link")
        }
        "CC" | "CXX" => matches!(value, "gcc" | "clang" | "g++" | "clang++" | "cc" | "c++"),
        "PYTHONPATH" => matches!(value, "." | "src" | "./src" | ".:src" | "lib"),
        _ => false,
    }
}

/// Whether a variable of that name holds a secret.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let words: Vec<&str> = name.split('_').collect();
    let named =
        ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "CREDENTIALS", "PAT"];
    words.iter().any(|word| named.contains(word))
        || (words.contains(&"KEY")
            && words.iter().any(|word| ["API", "ACCESS", "PRIVATE"].contains(word)))
        || name == "DATABASE_URL"
}

impl Walker<'_> {
    /// The value of a variable, where it is known.
    pub fn variable(&self, name: &str) -> Option<String> {
        match name {
            "HOME" if !self.settings.contains_key(name) => Some(self.place.home.clone()),
            "PWD" if !self.settings.contains_key(name) && self.folders.len() == 1 => {
                self.folders.first().cloned()
            }
            "?" | "#" | "$" | "!" | "RANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID" => {
                Some(crate::expand::SOME.to_string())
            }
            _ => self.variables.get(name).cloned().flatten(),
        }
    }

    /// Sets a variable to what is known of its value.
    pub fn set(&mut self, name: &str, value: Option<String>) {
        let once = self.settings.get(name).copied().unwrap_or_default() <= 1;
        let value = value.filter(|_| once && !self.conditional);
        self.variables.insert(name.to_owned(), value);
    }

    /// Sets the variable of a loop for one round of it.
    pub fn set_for_round(&mut self, name: &str, value: Option<String>) {
        let once = self.settings.get(name).copied().unwrap_or_default() <= 1;
        self.variables.insert(name.to_owned(), value.filter(|_| once));
    }

    /// Counts how often each variable is set in a list: a value is only known when that is once.
    pub fn count(&mut self, list: &List) {
        for command in commands(list) {
            self.count_in(command);
        }
    }

    fn count_in(&mut self, command: &Command) {
        match &command.kind {
            Kind::Simple { assignments, words } => {
                for assignment in assignments {
                    let whole = matches!(assignment.value, Value::Scalar(_))
                        && assignment.index.is_none()
                        && !assignment.appends;
                    self.more(&assignment.name, if whole { 1 } else { 2 });
                }
                let setter = words.first().and_then(|word| word.bare()).unwrap_or_default();
                let sets = [
                    "read",
                    "export",
                    "declare",
                    "typeset",
                    "local",
                    "readonly",
                    "printf",
                    "unset",
                    "mapfile",
                    "readarray",
                    "getopts",
                    "let",
                    "eval",
                    "source",
                    ".",
                ];
                if sets.contains(&setter) {
                    for word in words.iter().skip(1) {
                        let text = word.pieces.first().map(|piece| match piece {
                            crate::shell::Piece::Bare(text) | crate::shell::Piece::Quoted(text) => {
                                text.as_str()
                            }
                            _ => "",
                        });
                        let text = text.unwrap_or_default();
                        let name = text.split(['=', '+', '[']).next().unwrap_or_default();
                        let plain = matches!(setter, "export" | "declare" | "local" | "readonly");
                        self.more(name, if plain && text.contains('=') { 1 } else { 2 });
                    }
                }
            }
            Kind::Group(list) | Kind::Subshell(list) | Kind::ForArithmetic(_, list) => {
                self.count(list)
            }
            Kind::If(lists) => lists.iter().for_each(|list| self.count(list)),
            Kind::While(condition, body) => {
                self.count(condition);
                self.count(body);
            }
            Kind::For(name, _, body) => {
                self.more(name, 1);
                self.count(body);
            }
            Kind::Case(_, arms) => arms.iter().for_each(|(_, list)| self.count(list)),
            Kind::Function(_, body) | Kind::Coprocess(body) => self.count_in(body),
            Kind::Condition(_) | Kind::Arithmetic(_) => {}
        }
    }

    fn more(&mut self, name: &str, count: u32) {
        *self.settings.entry(name.to_owned()).or_default() += count;
    }
}

fn commands(list: &List) -> impl Iterator<Item = &Command> {
    list.iter().flat_map(|item| item.pipelines.iter()).flat_map(|(_, commands)| commands)
}
