use super::Finding;
use crate::tree::Tree;

/// A lock file that names where a package was fetched from works on that machine alone.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = vec![];
    for file in tree.ending(&["package-lock.json"]) {
        for (at, line) in file.text.lines().enumerate() {
            if line.trim_start().starts_with("\"resolved\": \"http") {
                found.push(Finding::at(
                    &file.path,
                    at + 1,
                    "an address: write the lock with omit-lockfile-registry-resolved=true",
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_in_a_lock_file_is_found() {
        let lock =
            "{\n  \"resolved\": \"https://example.test/a.tgz\",\n  \"integrity\": \"x\"\n}\n";
        assert_eq!(check(&Tree::of(&[("web/package-lock.json", lock)])).len(), 1);
        let lock = "{\n  \"integrity\": \"x\"\n}\n";
        assert!(check(&Tree::of(&[("web/package-lock.json", lock)])).is_empty());
    }
}
