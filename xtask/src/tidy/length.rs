use super::Finding;
use crate::tree::Tree;

/// The most lines that a source file may have.
const MOST: usize = 400;

/// Files that may be longer, and why.
const MAY_BE_LONGER: &[(&str, &str)] =
    &[("web/src/api/schema.d.ts", "generated from openapi.json")];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = vec![];
    for file in tree.ending(&[".rs", ".ts", ".tsx"]) {
        let lines = file.text.lines().count();
        let listed = MAY_BE_LONGER.iter().any(|(path, _)| *path == file.path);
        if lines > MOST && !listed {
            found.push(Finding::new(
                &file.path,
                format!("{lines} lines; a file has {MOST} at most, so that it is about one thing"),
            ));
        }
    }
    for (path, _) in MAY_BE_LONGER {
        if tree.text(path).is_some_and(|text| text.lines().count() <= MOST) {
            found.push(Finding::new(*path, "it is short now: take it off the list"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        let long = "\n".repeat(MOST + 1);
        let enough = "\n".repeat(MOST);
        let tree = Tree::of(&[("a.rs", &long), ("b.ts", &enough), ("c.md", &long)]);
        let found = check(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "a.rs");
    }

    #[test]
    fn the_list_holds_only_what_needs_it() {
        let path = MAY_BE_LONGER[0].0;
        assert_eq!(check(&Tree::of(&[(path, "short\n")])).len(), 1);
        assert!(check(&Tree::of(&[(path, &"\n".repeat(MOST + 1))])).is_empty());
    }
}
