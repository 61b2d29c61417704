//! The unit for the service manager. None is started here.

use std::path::PathBuf;

use crate::program::Home;

/// Where the unit goes.
fn unit(home: &Home) -> PathBuf {
    home.path().join(".config/systemd/user/quarterdeck.service")
}

/// `qd` beside no service manager, whatever runs on this machine.
fn qd(home: &Home, args: &[&str]) -> crate::program::Said {
    home.command(args).env("XDG_RUNTIME_DIR", home.path().join("none")).output().unwrap().into()
}

#[cfg(target_os = "linux")]
#[test]
fn a_unit_is_written_once_and_taken_away() {
    let home = Home::new();
    assert_eq!(qd(&home, &["service", "status", "--json"]).well().json()["installed"], false);
    let install = ["service", "install", "--listen", "127.0.0.1:4750", "--json"];
    let said = qd(&home, &install).well().json();
    assert_eq!((&said["changed"], &said["started"]), (&true.into(), &false.into()));
    assert!(said["next"].to_string().contains("systemctl --user enable"), "{said}");
    let text = std::fs::read_to_string(unit(&home)).unwrap();
    assert!(text.contains("\"serve\" \"--replace\" \"--listen=127.0.0.1:4750\""), "{text}");
    assert!(text.contains("KillMode=process\n"), "{text}");
    assert!(text.contains("\"PATH="), "{text}");
    // Again: nothing changes; with other options it does.
    assert_eq!(qd(&home, &install).well().json()["changed"], false);
    let said = qd(&home, &["service", "install", "--json"]).well().json();
    assert_eq!(said["changed"], true);
    let said = qd(&home, &["service", "install"]).well();
    assert!(said.out.contains("systemctl --user daemon-reload"), "{said:?}");
    assert_eq!(qd(&home, &["service", "status", "--json"]).well().json()["installed"], true);
    let said = qd(&home, &["service", "remove", "--json"]).well().json();
    assert_eq!(said["removed"], true);
    assert!(!unit(&home).exists());
    assert_eq!(qd(&home, &["service", "remove", "--json"]).well().json()["removed"], false);
    let left = std::fs::read_dir(unit(&home).parent().unwrap()).unwrap().count();
    assert_eq!(left, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn the_unit_of_somebody_else_stays() {
    let home = Home::new();
    std::fs::create_dir_all(unit(&home).parent().unwrap()).unwrap();
    std::fs::write(unit(&home), "[Service]\nExecStart=/bin/mine\n").unwrap();
    for command in ["install", "remove"] {
        assert_eq!(qd(&home, &["service", command, "--json"]).error(), "path_taken");
    }
    assert!(qd(&home, &["service", "status"]).well().out.contains("somebody else"));
    assert!(std::fs::read_to_string(unit(&home)).unwrap().contains("/bin/mine"));
    // Printing asks nobody.
    let printed = qd(&home, &["service", "install", "--print"]).well().out;
    assert!(printed.contains("[Install]"), "{printed}");
}

/// The words of a line of a unit, read as systemd.syntax(7) and systemd.unit(5) say.
#[cfg(target_os = "linux")]
fn words(line: &str) -> Vec<String> {
    let (mut words, mut chars) = (vec![], line.chars());
    while let Some(c) = chars.next() {
        if c == ' ' {
            continue;
        }
        assert_eq!(c, '"', "every word is quoted: {line}");
        let mut word = String::new();
        while let Some(c) = chars.next().filter(|c| *c != '"') {
            word.push(match c {
                '%' => {
                    assert_eq!(chars.next(), Some('%'), "a specifier: {line}");
                    '%'
                }
                '\\' => match chars.next().unwrap() {
                    'n' => '\n',
                    't' => '\t',
                    'x' => {
                        let digits: String = chars.by_ref().take(2).collect();
                        char::from(u8::from_str_radix(&digits, 16).unwrap())
                    }
                    c => c,
                },
                c => c,
            });
        }
        words.push(word);
    }
    words
}

/// What systemd itself complains of in a unit; none where it cannot be asked.
#[cfg(target_os = "linux")]
fn complaints(home: &Home, text: &str) -> Option<Vec<String>> {
    std::fs::write(home.path().join("odd.service"), text).unwrap();
    let said = home.shell(
        "command -v systemd-analyze >/dev/null || exit 99; mkdir -p -m 700 run; \
         XDG_RUNTIME_DIR=$PWD/run systemd-analyze verify --user --man=no ./odd.service",
    );
    if said.code == 99 || said.err.contains("Failed to initialize manager") {
        eprintln!("systemd-analyze cannot be asked: only our own reading was tried");
        return None;
    }
    Some(said.err.lines().filter(|line| line.contains("odd.service")).map(str::to_owned).collect())
}

#[cfg(target_os = "linux")]
#[test]
fn odd_paths_arrive_as_they_are() {
    let home = Home::new();
    let url = "https://x.example:8443";
    for odd in [
        "a b",
        "100% of %h",
        "\"quoted\"",
        "it's $HOME",
        "back\\slash\\n",
        "tab\tnew\nline",
        "ünï ☃",
        "semi;colon # hash",
    ] {
        let folder = home.path().join(odd);
        let home_arg = folder.to_str().unwrap();
        let printed =
            qd(&home, &["--home", home_arg, "service", "install", "--print", "--public-url", url]);
        let text = printed.well().out;
        let line = text.lines().find_map(|line| line.strip_prefix("ExecStart=:")).unwrap();
        let words = words(line);
        assert_eq!(words[1..3], ["--home", home_arg], "{line}");
        assert_eq!(words[3..], ["serve", "--replace", &format!("--public-url={url}")], "{line}");
        assert!(text.lines().all(|line| !line.ends_with('\\')), "{text}");
        assert_eq!(complaints(&home, &text).unwrap_or_default(), [""; 0], "{odd:?}: {text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_odd_path_of_the_program_is_read_by_systemd_or_refused_by_us() {
    let home = Home::new();
    let program = home.command(&[]).get_program().to_str().unwrap().to_owned();
    for (odd, fine) in
        [("a b;%h$X#☃", true), ("it's", false), ("say \"hi\"", false), ("b\\n", false)]
    {
        let folder = home.path().join(odd);
        std::fs::create_dir(&folder).unwrap();
        // A link would be resolved to where it leads.
        let copy = folder.join("qd");
        if std::fs::hard_link(&program, &copy).is_err() {
            std::fs::copy(&program, &copy).unwrap();
        }
        let quoted = copy.to_str().unwrap().replace('\'', "'\\''");
        let said = home.shell(&format!("'{quoted}' service install --print"));
        assert_eq!(said.code == 0, fine, "{said:?}");
        if !fine {
            assert!(said.err.contains("systemd runs no program"), "{said:?}");
            continue;
        }
        let Some(complaints_of_ours) = complaints(&home, &said.out) else { return };
        assert_eq!(complaints_of_ours, [""; 0], "{}", said.out);
        // It does look: the program is not found when one percent sign is another.
        let planted = said.out.replace("%%h", "%%%%h");
        assert_ne!(complaints(&home, &planted).unwrap(), [""; 0]);
    }
}
