//! Names of branches.

/// The longest slug that we make, in bytes.
const LONGEST: usize = 48;

/// A branch name made of a session's title: `qd/` and a slug of lower-case ASCII letters, digits
/// and single hyphens. `taken` says whether a name is in use; a number is added until it is not.
///
/// The name is a proposal: the branch is made by a command that fails if it exists.
pub fn branch_name_from(title: &str, taken: impl Fn(&str) -> bool) -> String {
    let base = format!("qd/{}", slug(title));
    if !taken(&base) {
        return base;
    }
    let mut number: u32 = 2;
    loop {
        let name = format!("{base}-{number}");
        if number == u32::MAX || !taken(&name) {
            return name;
        }
        number += 1;
    }
}

fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars() {
        let mut folded = String::new();
        fold(c, &mut folded);
        if folded.is_empty() {
            if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        } else {
            slug.push_str(&folded);
        }
        if slug.len() >= LONGEST {
            break;
        }
    }
    slug.truncate(LONGEST);
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "session".into() } else { slug.into() }
}

/// The ASCII letters and digits for one character; none for anything else.
fn fold(c: char, into: &mut String) {
    match c {
        'a'..='z' | '0'..='9' => into.push(c),
        'A'..='Z' => into.push(c.to_ascii_lowercase()),
        'ä' | 'Ä' => into.push_str("ae"),
        'ö' | 'Ö' => into.push_str("oe"),
        'ü' | 'Ü' => into.push_str("ue"),
        'ß' => into.push_str("ss"),
        'æ' | 'Æ' => into.push_str("ae"),
        'à'..='å' | 'À'..='Å' => into.push('a'),
        'ç' | 'Ç' => into.push('c'),
        'è'..='ë' | 'È'..='Ë' => into.push('e'),
        'ì'..='ï' | 'Ì'..='Ï' => into.push('i'),
        'ñ' | 'Ñ' => into.push('n'),
        'ò'..='ø' | 'Ò'..='Ø' => into.push('o'),
        'ù'..='û' | 'Ù'..='Û' => into.push('u'),
        _ => {}
    }
}

/// Whether git takes `name` for a branch (`git check-ref-format --branch`, without its `@{-1}`).
pub fn is_valid_branch_name(name: &str) -> bool {
    let bad_char = |b: u8| b <= b' ' || b == 0x7f || b"~^:?*[\\".contains(&b);
    !name.is_empty()
        && name.len() <= 200
        && name != "HEAD"
        && name != "@"
        && !name.starts_with('-')
        && !name.ends_with('.')
        && !name.contains("..")
        && !name.contains("@{")
        && !name.bytes().any(bad_char)
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_names() {
        for (title, name) in [
            ("Fix the login page", "qd/fix-the-login-page"),
            ("  --force; rm -rf /  ", "qd/force-rm-rf"),
            ("Aufträge für Straße", "qd/auftraege-fuer-strasse"),
            ("🚀🚀", "qd/session"),
            ("مرحبا", "qd/session"),
            ("", "qd/session"),
            ("a.lock", "qd/a-lock"),
            ("v1.2..3/@{x}", "qd/v1-2-3-x"),
            ("🚀 ship 日本 it", "qd/ship-it"),
        ] {
            assert_eq!(branch_name_from(title, |_| false), name);
            assert!(is_valid_branch_name(name));
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let taken = ["qd/a", "qd/a-2"];
        assert_eq!(branch_name_from("a", |name| taken.contains(&name)), "qd/a-3");
    }

    #[test]
    fn long_titles_are_cut() {
        let name = branch_name_from(&"word ".repeat(60), |_| false);
        assert!(name.len() <= 3 + LONGEST && !name.ends_with('-'), "{name}");
    }
}
