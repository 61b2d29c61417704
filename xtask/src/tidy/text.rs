use super::Finding;
use crate::tree::{Tree, code_lines};

/// White space, and pictures where words do.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = vec![];
    for file in tree.files.iter().filter(|file| is_ours(&file.path)) {
        let tabs_are_wrong =
            [".rs", ".ts", ".tsx", ".mjs", ".toml", ".css"].iter().any(|e| file.path.ends_with(e));
        for (at, line) in file.text.lines().enumerate() {
            // A test may hold a patch, in which an empty line of the file is a blank.
            if line.ends_with([' ', '\t', '\r']) && !is_test(&file.path) {
                found.push(Finding::at(&file.path, at + 1, "white space at the end of the line"));
            }
            if tabs_are_wrong && line.contains('\t') {
                found.push(Finding::at(&file.path, at + 1, "a tab"));
            }
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            found.push(Finding::new(&file.path, "no line end at the end of the file"));
        }
        found.extend(pictures(&file.path, &file.text));
    }
    found
}

fn pictures(path: &str, text: &str) -> Vec<Finding> {
    if is_test(path) {
        return vec![];
    }
    let found = |(at, line): (usize, &str)| {
        line.chars().any(is_emoji).then(|| Finding::at(path, at, "an emoji: say it in words"))
    };
    if path.ends_with(".rs") {
        code_lines(text).filter_map(found).collect()
    } else {
        text.lines().enumerate().map(|(at, line)| (at + 1, line)).filter_map(found).collect()
    }
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "test" | "tests" | "e2e" | "fixtures"))
}

/// What is drawn in colour by default, by block; text symbols such as U+2713 are left alone.
fn is_emoji(c: char) -> bool {
    matches!(
        u32::from(c),
        0x1F000..=0x1FAFF | 0xFE0F | 0x26A1 | 0x2705 | 0x2728 | 0x274C | 0x2753..=0x2757 | 0x2B50 | 0x2B55
    )
}

/// Licence texts and what a tool writes are as they are.
fn is_ours(path: &str) -> bool {
    let theirs = path.starts_with("LICENSE") || path.ends_with("package-lock.json");
    let fixture = path.split('/').any(|part| part == "fixtures");
    !theirs && !fixture && path != "web/src/api/schema.d.ts" && path != "Cargo.lock"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|f| f.what).collect()
    }

    #[test]
    fn white_space_at_the_end_is_found() {
        assert_eq!(told("a.md", "a \nb\n"), ["white space at the end of the line"]);
        assert!(told("web/test/a.test.ts", "a \n").is_empty());
        assert_eq!(told("a.md", "a"), ["no line end at the end of the file"]);
        assert!(told("LICENSE-APACHE", "a \n").is_empty());
    }

    #[test]
    fn a_tab_is_found_where_there_are_none() {
        assert_eq!(told("a.rs", "\tfn\n"), ["a tab"]);
        assert!(told("Makefile", "\techo\n").is_empty());
    }

    #[test]
    fn an_emoji_is_found_outside_tests() {
        assert_eq!(told("README.md", "\u{1F680}\n"), ["an emoji: say it in words"]);
        assert!(told("web/test/a.test.ts", "\u{1F680}\n").is_empty());
        assert!(told("a.rs", "#[cfg(test)]\nmod tests { \u{1F680} }\n").is_empty());
        assert!(told("README.md", "\u{2713} \u{2192}\n").is_empty());
    }
}
