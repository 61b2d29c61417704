use super::Finding;
use crate::tree::Tree;

/// Folders of one machine. They are put together here so that this file does not hold them.
const PLACES: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Where packages come from is the business of each machine.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("registry.npmjs", ".org"),
    concat!("registry.yarnpkg", ".com"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
];

/// What is left to do belongs into an issue.
const NOTES: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = vec![];
    // Cargo writes the name of its registry into the lock file whatever it is fetched through.
    for file in tree.files.iter().filter(|file| file.path != "Cargo.lock") {
        for (at, line) in file.text.lines().enumerate() {
            for place in PLACES {
                if starts_a_path(line, place) {
                    found.push(Finding::at(
                        &file.path,
                        at + 1,
                        format!("a path of one machine: {place}"),
                    ));
                }
            }
            for host in HOSTS.iter().filter(|host| line.contains(**host)) {
                found.push(Finding::at(
                    &file.path,
                    at + 1,
                    format!("the host of a registry: {host}"),
                ));
            }
            for note in NOTES.iter().filter(|note| has_word(line, note)) {
                found.push(Finding::at(
                    &file.path,
                    at + 1,
                    format!("{note}: do it, or open an issue"),
                ));
            }
        }
    }
    found
}

fn starts_a_path(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || "._-}/)".contains(c)))
    })
}

fn has_word(line: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        check(&Tree::of(&[("a.rs", text)])).into_iter().map(|f| f.what).collect()
    }

    #[test]
    fn places_of_one_machine_are_found() {
        assert_eq!(told(&format!("open(\"{}x\")", PLACES[0])).len(), 1);
        assert_eq!(told(&format!("{}x", PLACES[1])).len(), 1);
        assert!(told(&format!("docs{}x", PLACES[0])).is_empty());
    }

    #[test]
    fn hosts_of_registries_are_found() {
        assert_eq!(told(&format!("https://{}/x", HOSTS[1])).len(), 1);
        let lock = Tree::of(&[("Cargo.lock", HOSTS[0])]);
        assert!(check(&lock).is_empty());
    }

    #[test]
    fn notes_to_oneself_are_found() {
        assert_eq!(told(&format!("// {}: more", NOTES[0])).len(), 1);
        assert_eq!(told(&format!("// {}", NOTES[2])).len(), 1);
        assert!(told(&format!("mktemp a.{0}{0}", NOTES[2])).is_empty());
    }
}
