use super::Zone;

/// Folders that a build or a tool makes again.
const OUTPUT: &[&str] = &[
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "coverage",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nyc_output",
    ".next",
    ".nuxt",
    ".turbo",
    ".cache",
    ".parcel-cache",
    ".gradle",
    ".eggs",
    "htmlcov",
    ".svelte-kit",
    ".vite",
    "tmp",
    "_build",
    "CMakeFiles",
    ".dart_tool",
    "DerivedData",
    ".hypothesis",
    ".nox",
];

/// Ends of names of files that a tool makes again.
const OUTPUT_ENDS: &[&str] =
    &[".pyc", ".pyo", ".o", ".obj", ".log", ".tmp", ".bak", ".orig", ".rej", ".swp", ".DS_Store"];

/// Whether a relative path is made again by a build.
pub fn is_output(path: &str) -> bool {
    path.split('/').any(|part| OUTPUT.contains(&part))
        || OUTPUT_ENDS.iter().any(|end| path.ends_with(end))
}

/// Whether a file of that name holds secrets.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let example = ["example", "sample", "template", "dist"].iter().any(|end| name.ends_with(end));
    if name == ".env" || name.starts_with(".env.") || name.starts_with(".env*") || name == ".en*" {
        return !example;
    }
    let whole = [
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".pgpass",
        ".my.cnf",
        ".htpasswd",
        "credentials",
        "credentials.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.json",
        "secrets.toml",
        "service-account.json",
        "shadow",
        "gshadow",
        "authorized_keys",
        ".vault-token",
        "kubeconfig",
        "master.key",
    ];
    let ends = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".asc", ".ppk"];
    whole.contains(&name.as_str())
        || (name.starts_with("id_") && !name.ends_with(".pub") && is_key_name(&name))
        || ends.iter().any(|end| name.ends_with(end))
        || name.ends_with(".env")
}

fn is_key_name(name: &str) -> bool {
    ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_*"].iter().any(|key| name.starts_with(key))
}

pub fn in_worktree(rest: &str) -> Zone {
    let parts: Vec<&str> = rest.split('/').collect();
    let name = parts.last().copied().unwrap_or_default();
    match parts.as_slice() {
        [".git", "hooks", ..] | [".husky" | ".githooks", ..] => return Zone::Hooks,
        [".git", ..] => return Zone::GitData,
        [".github", "workflows" | "actions", ..]
        | [".circleci" | ".buildkite" | ".woodpecker", ..] => {
            return Zone::Ci;
        }
        [
            ".claude" | ".codex" | ".gemini" | ".opencode" | ".cursor" | ".vscode" | ".idea"
            | ".zed" | ".devcontainer" | ".quarterdeck" | ".cargo",
            ..,
        ] => return Zone::Settings,
        _ => {}
    }
    match name {
        ".pre-commit-config.yaml" | "lefthook.yml" | ".lefthook.yml" | ".overcommit.yml" => {
            Zone::Hooks
        }
        ".gitlab-ci.yml"
        | "Jenkinsfile"
        | "azure-pipelines.yml"
        | ".travis.yml"
        | ".drone.yml"
        | "bitbucket-pipelines.yml" => Zone::Ci,
        ".envrc" | ".mcp.json" | "opencode.json" | ".aider.conf.yml" | ".tool-versions"
        | ".mise.toml" | ".gitmodules" => Zone::Settings,
        _ if parts.iter().any(|part| is_secret_name(part)) => Zone::Secrets,
        _ if is_output(rest) => Zone::Output,
        _ => Zone::Worktree,
    }
}

pub fn in_home(rest: &str) -> Zone {
    let parts: Vec<&str> = rest.split('/').collect();
    let name = parts.last().copied().unwrap_or_default();
    match parts.as_slice() {
        [".ssh" | ".gnupg" | ".aws" | ".azure" | ".kube" | ".password-store" | ".docker", ..]
        | [".config", "gcloud" | "gh" | "op" | "rclone" | "hub", ..]
        | ["Library", "Keychains", ..]
        | [".local", "share", "keyrings", ..]
        | [".mozilla" | ".thunderbird", ..] => return Zone::Keys,
        [
            ".config",
            "fish" | "autostart" | "systemd" | "environment.d" | "git" | "nvim" | "zsh",
            ..,
        ]
        | ["Library", "LaunchAgents", ..]
        | [".oh-my-zsh" | ".zsh" | ".bashrc.d" | ".profile.d" | ".vim", ..] => {
            return Zone::StartUp;
        }
        [".claude" | ".codex" | ".gemini", ..] | [".config", "opencode", ..] => {
            return Zone::Settings;
        }
        _ => {}
    }
    if parts.iter().any(|part| is_secret_name(part)) {
        return Zone::Keys;
    }
    match name {
        ".bashrc" | ".bash_profile" | ".bash_login" | ".bash_logout" | ".bash_aliases"
        | ".profile" | ".zshrc" | ".zshenv" | ".zprofile" | ".zlogin" | ".zlogout" | ".kshrc"
        | ".cshrc" | ".tcshrc" | ".inputrc" | ".xprofile" | ".xinitrc" | ".xsessionrc"
        | ".pam_environment" | ".gitconfig" | ".tmux.conf" | ".vimrc" | ".exrc" | ".emacs" => {
            Zone::StartUp
        }
        ".bash_history" | ".zsh_history" | ".python_history" | ".psql_history" => Zone::Keys,
        _ => Zone::InHome,
    }
}

pub fn elsewhere(path: &str) -> Zone {
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let name = parts.last().copied().unwrap_or_default();
    match parts.as_slice() {
        ["tmp", ..] | ["var", "tmp", ..] => Zone::Temporary,
        ["proc", _, "environ" | "mem" | "cmdline", ..] => Zone::Keys,
        ["root", ..] => Zone::Home,
        ["home" | "Users", _] => Zone::Home,
        ["home" | "Users", _, ".ssh" | ".gnupg" | ".aws", ..] => Zone::Keys,
        ["etc", "ssl", "private", ..] | ["run", "secrets", ..] => Zone::Keys,
        _ if is_secret_name(name) => Zone::Keys,
        ["etc", "profile" | "bash.bashrc" | "zsh" | "profile.d" | "environment", ..] => {
            Zone::StartUp
        }
        [
            "etc" | "usr" | "bin" | "sbin" | "lib" | "lib32" | "lib64" | "var" | "opt" | "boot"
            | "sys" | "proc" | "srv" | "run" | "System" | "Library" | "Applications" | "nix"
            | "snap" | "private",
            ..,
        ] => Zone::System,
        _ => Zone::Outside,
    }
}
