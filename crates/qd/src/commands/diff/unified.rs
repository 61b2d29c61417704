use qd_api::{DiffFile, FilePatch, FileStatus};

use crate::output;

/// Writes one file's patch as git would. For a terminal, whatever in the file it would obey is
/// made harmless; elsewhere all stays exact, so that the text can be applied.
pub fn write(
    text: &mut String,
    file: &DiffFile,
    patch: &FilePatch,
    for_terminal: bool,
    colours: bool,
) {
    let mut add = |line: &str, colour: &str| {
        let line = if for_terminal { output::plain(line) } else { line.to_owned() };
        if colours && !colour.is_empty() {
            text.push_str(&format!("\u{1b}[{colour}m{line}\u{1b}[0m\n"));
        } else {
            text.push_str(&line);
            text.push('\n');
        }
    };
    if !patch.patch.starts_with("diff --git ") {
        for line in head(file, patch) {
            add(&line, "1");
        }
    }
    // Before the first hunk, and in no hunk, a `-` or `+` is part of a header.
    let mut in_hunk = false;
    for line in patch.patch.split_terminator('\n') {
        in_hunk |= line.starts_with("@@");
        let colour = match line.as_bytes().first() {
            _ if !in_hunk => "1",
            Some(b'@') => "36",
            Some(b'+') => "32",
            Some(b'-') => "31",
            _ => "",
        };
        add(line, colour);
    }
    if patch.truncated {
        // Not part of any hunk: `git apply` takes it for text between patches.
        add("# The rest of this file was cut.", "2");
    }
}

fn head(file: &DiffFile, patch: &FilePatch) -> Vec<String> {
    let old_path = file.old_path.as_deref().unwrap_or(&file.path);
    let old = quoted("a/", old_path);
    let new = quoted("b/", &file.path);
    let mut lines = vec![format!("diff --git {old} {new}")];
    let mode = |mode: &Option<String>| mode.clone().unwrap_or_else(|| "100644".to_owned());
    let created = matches!(file.status, FileStatus::Added | FileStatus::Untracked);
    let deleted = file.status == FileStatus::Deleted;
    if created {
        lines.push(format!("new file mode {}", mode(&file.new_mode)));
    } else if deleted {
        lines.push(format!("deleted file mode {}", mode(&file.old_mode)));
    } else if let (Some(before), Some(now)) = (&file.old_mode, &file.new_mode)
        && before != now
    {
        lines.extend([format!("old mode {before}"), format!("new mode {now}")]);
    }
    let word = match file.status {
        FileStatus::Renamed => Some("rename"),
        FileStatus::Copied => Some("copy"),
        _ => None,
    };
    if let Some(word) = word {
        lines.push(format!("{word} from {}", quoted("", old_path)));
        lines.push(format!("{word} to {}", quoted("", &file.path)));
    }
    let old = if created { "/dev/null".to_owned() } else { old };
    let new = if deleted { "/dev/null".to_owned() } else { new };
    if patch.binary || file.binary {
        lines.push(format!("Binary files {old} and {new} differ"));
    } else if patch.patch.starts_with("@@") {
        lines.extend([format!("--- {}", tabbed(old)), format!("+++ {}", tabbed(new))]);
    }
    lines
}

/// A path as git writes it in a header: in C's quotes when it has characters that need them.
fn quoted(side: &str, path: &str) -> String {
    if !path.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
        return format!("{side}{path}");
    }
    let mut text = format!("\"{side}");
    for c in path.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    text.push_str(&format!("\\{byte:03o}"));
                }
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Git ends a name that has a space with a tab, so that programs see where it ends.
fn tabbed(name: String) -> String {
    if name.contains(' ') && !name.starts_with('"') { name + "\t" } else { name }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A file with two lines more and one less.
    pub fn file(path: &str) -> DiffFile {
        DiffFile {
            path: path.to_owned(),
            old_path: None,
            status: FileStatus::Modified,
            old_mode: Some("100644".to_owned()),
            new_mode: Some("100644".to_owned()),
            additions: Some(2),
            deletions: Some(1),
            binary: false,
            size: None,
            large: false,
        }
    }

    fn patch(text: &str) -> FilePatch {
        FilePatch {
            path: String::new(),
            patch: text.to_owned(),
            truncated: false,
            binary: false,
            size: None,
        }
    }

    fn written(file: &DiffFile, hunks: &str) -> String {
        let mut text = String::new();
        write(&mut text, file, &patch(hunks), false, false);
        text
    }

    #[test]
    fn headers_are_those_of_git() {
        let hunk = "@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(
            written(&file("x y"), hunk),
            format!("diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n{hunk}")
        );
        let mut new = file("n");
        (new.status, new.old_mode) = (FileStatus::Untracked, None);
        assert_eq!(
            written(&new, "@@ -0,0 +1 @@\n+a\n"),
            "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n"
        );
        let mut moved = file("to");
        (moved.status, moved.old_path) = (FileStatus::Renamed, Some("from".to_owned()));
        assert_eq!(written(&moved, ""), "diff --git a/from b/to\nrename from from\nrename to to\n");
        let mut mode = file("s");
        mode.new_mode = Some("100755".to_owned());
        assert_eq!(written(&mode, ""), "diff --git a/s b/s\nold mode 100644\nnew mode 100755\n");
        let mut binary = file("b");
        (binary.status, binary.binary) = (FileStatus::Deleted, true);
        assert_eq!(
            written(&binary, ""),
            "diff --git a/b b/b\ndeleted file mode 100644\nBinary files a/b and /dev/null differ\n"
        );
    }

    #[test]
    fn a_patch_that_has_its_headers_gets_no_others() {
        let whole = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(written(&file("x"), whole), whole);
    }

    #[test]
    fn names_that_could_be_misread_are_quoted() {
        assert_eq!(quoted("a/", "x\ny\"\\\u{1b}"), "\"a/x\\ny\\\"\\\\\\033\"");
        assert_eq!(quoted("b/", "é 🚀"), "b/é 🚀");
    }

    #[test]
    fn a_terminal_obeys_nothing_of_a_file_and_sees_colours() {
        let mut text = String::new();
        let hunk = "@@ -1 +1 @@\n---- a\n+\u{1b}]0;x\u{7}b\r\n";
        write(&mut text, &file("x"), &patch(hunk), true, true);
        assert!(text.contains("\u{1b}[31m---- a\u{1b}[0m\n"), "{text:?}");
        assert!(text.contains("\u{1b}[32m+\u{fffd}]0;x\u{fffd}b\u{fffd}\u{1b}[0m\n"), "{text:?}");
    }
}
