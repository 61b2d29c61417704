use super::Finding;
use crate::tree::Tree;

/// Names that say nothing of what is inside.
const EMPTY: &[&str] = &["util", "utils", "common", "manager", "helper", "helpers", "misc"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = vec![];
    for file in tree.ending(&[".rs", ".ts", ".tsx"]) {
        let mut parts: Vec<&str> = file.path.split('/').collect();
        let name = parts.pop().unwrap_or_default();
        if name == "mod.rs" {
            found.push(Finding::new(&file.path, "name the file after its module: no mod.rs"));
        }
        let stem = name.split('.').next().unwrap_or_default();
        for part in parts.into_iter().chain([stem]) {
            let part = part.to_lowercase();
            if part.split(['_', '-']).any(|word| EMPTY.contains(&word)) {
                found.push(Finding::new(
                    &file.path,
                    format!("`{part}` does not say what is inside"),
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
    fn empty_names_are_found() {
        let tree = Tree::of(&[
            ("crates/a/src/utils.rs", ""),
            ("crates/a/src/window_manager/x.rs", ""),
            ("crates/a/src/b/mod.rs", ""),
            ("web/src/helpers.tsx", ""),
            ("crates/a/src/community.rs", ""),
        ]);
        assert_eq!(check(&tree).len(), 4);
    }
}
