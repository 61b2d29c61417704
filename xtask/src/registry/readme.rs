use anyhow::{Result, bail};

use super::features::{Registry, Status};
use crate::tree::Tree;

pub const PATH: &str = "README.md";
const BEGIN: &str = "Features: ";

/// The line of README.md that tells how far it is.
pub fn line(registry: &Registry) -> String {
    format!(
        "{BEGIN}{} done, {} in part; `features.toml` names the code and the tests of each.",
        registry.count(Status::Done),
        registry.count(Status::Partial),
    )
}

pub fn check(tree: &Tree, registry: &Registry) -> Vec<String> {
    let wanted = line(registry);
    let text = tree.text(PATH).unwrap_or_default();
    if text.lines().any(|line| line == wanted) {
        return vec![];
    }
    vec![format!("README.md does not say `{wanted}`: run `cargo xtask registry --write`")]
}

/// The text with the line put in the place of the old one.
pub fn with_line(text: &str, registry: &Registry) -> Result<String> {
    if !text.lines().any(|line| line.starts_with(BEGIN)) {
        bail!("README.md has no line that begins with `{BEGIN}`");
    }
    let new = line(registry);
    let lines = text.lines().map(|old| if old.starts_with(BEGIN) { &new } else { old });
    Ok(lines.flat_map(|line| [line, "\n"]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::features::planted;
    use super::*;

    #[test]
    fn counts_that_differ_are_found_and_mended() {
        let registry = planted(
            "[[feature]]\nid = \"a\"\ntitle = \"A\"\nstage = 1\ncode = [\"a\"]\nstatus = \"done\"\n",
        );
        let text = "# A\nFeatures: 7 done, 0 in part; old.\nMore.\n";
        assert_eq!(check(&Tree::of(&[(PATH, text)]), &registry).len(), 1);
        let text = with_line(text, &registry).unwrap();
        assert!(text.starts_with("# A\nFeatures: 1 done, 0 in part;") && text.ends_with("More.\n"));
        assert!(check(&Tree::of(&[(PATH, &text)]), &registry).is_empty());
    }
}
