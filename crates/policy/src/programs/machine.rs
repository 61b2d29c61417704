use super::{Call, Done, Options};
use crate::effect::Kind;
use crate::place::Zone;

/// Programs that change the machine.
const MACHINE: &str = "systemctl service crontab at batch launchctl mount umount swapon swapoff fdisk parted lvm \
    cryptsetup iptables ip6tables nft ufw firewall-cmd ip ifconfig route useradd userdel usermod groupadd passwd chpasswd \
    chsh visudo reboot shutdown halt poweroff init telinit sysctl modprobe insmod rmmod update-alternatives dpkg-reconfigure \
    ldconfig setfacl setcap chattr losetup hdparm defaults networksetup scutil dscl diskutil csrutil spctl apachectl nginx \
    supervisorctl loginctl journalctl dmesg";

const ENDS: &str = "kill killall pkill xkill skill";
const SECRETS: &str = "security pass op vault bw gpg gpg2 keyring secret-tool ssh-add ssh-keygen age sops lpass gopass";
const SELF: &str = "qd quarterdeck tmux screen";
const CODE: &str =
    "vi vim nvim view ex emacs nano ed gdb lldb expect ipython irb pry sqlplus jupyter";

pub fn is_machine(name: &str) -> bool {
    [MACHINE, ENDS, SECRETS, SELF, CODE].iter().any(|names| has(names, name))
        || name.starts_with("mkfs")
}

fn has(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}

pub fn run(call: &mut Call<'_, '_>) -> Done {
    let name = call.name.clone();
    if has(ENDS, &name) {
        if call.args.iter().any(|arg| arg.text == "-l" || arg.text == "-0") {
            return call.prints();
        }
        return call.does(Kind::Processes, "");
    }
    if has(SELF, &name) {
        return itself(call);
    }
    if has(SECRETS, &name) {
        return keys(call);
    }
    if has(CODE, &name) {
        return call.does(Kind::RunsCode, "a program that runs what it is told");
    }
    if name.starts_with("mkfs") {
        for arg in call.args.clone().iter().filter(|arg| arg.text.contains('/')) {
            call.path(Kind::Writes, arg);
        }
        return call.does(Kind::Machine, "a file system is made anew");
    }
    let word = call.word(0).to_owned();
    let second = call.word(1).to_owned();
    let looks = match name.as_str() {
        "systemctl" => matches!(
            word.as_str(),
            "status"
                | "list-units"
                | "is-active"
                | "is-enabled"
                | "cat"
                | "show"
                | "list-unit-files"
        ),
        "service" => second == "status",
        "crontab" => word == "-l",
        "ip" | "ifconfig" | "mount" | "sysctl" | "route" => {
            call.args.is_empty()
                || matches!(word.as_str(), "a" | "addr" | "address" | "link" | "-a" | "route")
                    && matches!(second.as_str(), "" | "show" | "list")
        }
        "journalctl" | "dmesg" => !call.args.iter().any(|arg| {
            arg.text.starts_with("--vacuum")
                || arg.text.starts_with("--rotate")
                || matches!(arg.text.as_str(), "-c" | "-C" | "--clear")
        }),
        "nginx" => matches!(word.as_str(), "-t" | "-v" | "-V"),
        _ => false,
    };
    if looks { call.prints() } else { call.does(Kind::Machine, "") }
}

/// Quarterdeck's own command, and what could press keys in its terminals.
fn itself(call: &mut Call<'_, '_>) -> Done {
    let words = Options::read(&call.args, "--home -L -S -f", false);
    let word = words.word(0).to_owned();
    if call.name == "screen" || call.name == "tmux" {
        let looks = matches!(
            word.as_str(),
            "ls" | "list-sessions"
                | "list-windows"
                | "list-panes"
                | "display-message"
                | "-V"
                | "has-session"
        );
        if looks {
            return call.prints();
        }
        return if call.name == "tmux"
            && matches!(
                word.as_str(),
                "send-keys"
                    | "send"
                    | "paste-buffer"
                    | "run-shell"
                    | "source-file"
                    | "pipe-pane"
                    | "respawn-pane"
            ) {
            call.does(Kind::ApprovesItself, "it may press keys in terminals of others")
        } else {
            call.does(Kind::Machine, "it changes terminals of others")
        };
    }
    match word.as_str() {
        "ls" | "show" | "version" | "doctor" | "wait" | "diff" | "logs" => {
            call.at(Kind::Reads, Zone::Worktree, "qd")
        }
        "rules" if matches!(words.word(1), "test" | "ls" | "list" | "show") => {
            call.at(Kind::Reads, Zone::Worktree, "qd rules")
        }
        _ => call.does(Kind::ApprovesItself, "Quarterdeck is the person's to command"),
    }
}

fn keys(call: &mut Call<'_, '_>) -> Done {
    let word = call.word(0).to_owned();
    let looks =
        matches!(word.as_str(), "--version" | "--list-keys" | "-k" | "--verify" | "-l" | "--help");
    if looks { call.prints() } else { call.does(Kind::Credentials, "a program that keeps secrets") }
}
