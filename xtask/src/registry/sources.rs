use super::features::Registry;
use crate::tree::Tree;

/// Every code path and every test that a row names is in the tree.
pub fn check(tree: &Tree, registry: &Registry) -> Vec<String> {
    let mut found = vec![];
    for feature in &registry.features {
        for path in feature.code.iter().filter(|path| !tree.has(path)) {
            found.push(format!("{}: the code {path} is not there", feature.id));
        }
        for test in
            feature.tests.iter().chain(&feature.agent_tests).filter(|test| !is_there(tree, test))
        {
            found.push(format!("{}: the test `{test}` is not there", feature.id));
        }
    }
    found
}

fn is_there(tree: &Tree, test: &str) -> bool {
    if let Some(title) = test.strip_prefix("e2e: ") {
        has_title(tree, "e2e/", title)
    } else if let Some(title) = test.strip_prefix("page: ") {
        has_title(tree, "web/", title)
    } else if let Some(name) = test.strip_prefix("script: ") {
        tree.text(&format!("scripts/{name}.sh")).is_some()
    } else {
        in_rust(tree, test)
    }
}

/// Whether a file of tests below the folder has a test with that title.
fn has_title(tree: &Tree, folder: &str, title: &str) -> bool {
    let quoted = ['"', '\'', '`'].map(|quote| format!("({quote}{title}{quote}"));
    let mut files = tree.ending(&[".test.ts", ".test.tsx", ".spec.ts"]);
    files.any(|file| {
        let titles = file.text.split("test(`").skip(1).filter_map(|rest| rest.split('`').next());
        file.path.starts_with(folder)
            && (quoted.iter().any(|title| file.text.contains(title))
                || titles.into_iter().any(|template| fits(template, title)))
    })
}

/// Whether a template such as `in ${width}` can give that title.
fn fits(template: &str, title: &str) -> bool {
    let mut parts = template.split("${");
    let Some(mut rest) = title.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for part in parts {
        let Some((_, fixed)) = part.split_once('}') else { return false };
        let Some(at) = rest.find(fixed) else { return false };
        rest = &rest[at + fixed.len()..];
        last = Some(fixed);
    }
    last.is_some_and(|fixed| fixed.is_empty() || title.ends_with(fixed))
}

/// Whether `crate::path::test` is a test: a function with a test attribute, in the file that the
/// path leads to.
fn in_rust(tree: &Tree, test: &str) -> bool {
    let parts: Vec<&str> = test.split("::").collect();
    let [package, path @ .., name] = parts.as_slice() else { return false };
    let Some(folder) = folder_of(tree, package) else { return false };
    let mut roots = vec![(format!("{folder}/src"), path, vec!["lib.rs", "main.rs"])];
    if let [target, inner @ ..] = path {
        roots.push((format!("{folder}/tests/{target}"), inner, vec!["main.rs"]));
    }
    roots.iter().any(|(root, path, firsts)| {
        (0..=path.len()).any(|depth| {
            let (outer, inline) = path.split_at(depth);
            let files: Vec<String> = if depth == 0 {
                let beside = format!("{root}.rs");
                firsts.iter().map(|first| format!("{root}/{first}")).chain([beside]).collect()
            } else {
                vec![format!("{root}/{}.rs", outer.join("/"))]
            };
            let texts = files.iter().filter_map(|file| tree.text(file));
            texts.into_iter().any(|text| has_test(text, inline, name))
        })
    })
}

/// The folder of the crate of that name.
fn folder_of(tree: &Tree, package: &str) -> Option<String> {
    let line = format!("name = \"{package}\"");
    let manifest = tree.ending(&["/Cargo.toml"]).find(|file| {
        file.text.lines().take_while(|l| l.trim() != "[lints]").any(|l| l.trim() == line)
    })?;
    Some(manifest.path.trim_end_matches("/Cargo.toml").to_owned())
}

/// Whether a file has that test in those inline modules. Formatted code: a module ends with a brace
/// as far in as it began.
fn has_test(text: &str, modules: &[&str], name: &str) -> bool {
    let defines = format!("fn {name}(");
    let mut inside: Vec<(usize, &str)> = vec![];
    let mut is_test = false;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if line == "}" {
            inside.retain(|(began, _)| *began != indent);
        } else if let Some(module) = opened_module(line) {
            inside.push((indent, module));
        } else if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("test(");
        } else if line.contains("fn ") {
            let here = inside.iter().map(|(_, module)| module);
            if is_test && line.contains(&defines) && here.eq(modules) {
                return true;
            }
            is_test = false;
        }
    }
    false
}

fn opened_module(line: &str) -> Option<&str> {
    line.strip_prefix("mod ")?.strip_suffix(" {")
}

#[cfg(test)]
mod tests {
    use super::super::features::planted;
    use super::*;

    fn tree() -> Tree {
        Tree::of(&[
            ("crates/a/Cargo.toml", "[package]\nname = \"qd-a\"\n"),
            (
                "crates/a/src/b/c.rs",
                "fn plain() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {}\n}\n",
            ),
            ("crates/a/tests/it/main.rs", "mod d;\n"),
            ("crates/a/tests/it/d.rs", "#[tokio::test(start_paused = true)]\nasync fn runs() {}\n"),
            ("crates/a/tests/single.rs", "#[test]\nfn alone() {}\n"),
            (
                "e2e/tests/a.spec.ts",
                "test(\"a session is made\", async () => {});\n\
                 test(`back after ${signal === \"x\" ? \"a\" : \"b\"} and on`, async () => {});\n\
                 test(`at ${width}`, async () => {});\n",
            ),
            ("e2e/lib/words.ts", "say(\"a text of no test\");\n"),
            ("scripts/schemathesis.sh", ""),
        ])
    }

    #[test]
    fn tests_are_found_where_they_are() {
        for test in [
            "qd-a::b::c::tests::works",
            "qd-a::it::d::runs",
            "qd-a::single::alone",
            "e2e: a session is made",
            "e2e: back after a and on",
            "e2e: at 390",
            "script: schemathesis",
        ] {
            assert!(is_there(&tree(), test), "{test}");
        }
    }

    #[test]
    fn tests_are_not_found_where_they_are_not() {
        for test in [
            "qd-a::b::c::works",
            "qd-a::b::c::plain",
            "qd-a::b::c::tests::work",
            "qd-b::it::d::runs",
            "qd-a::d::runs",
            "e2e: a session",
            "e2e: back after a and no more",
            "e2e: then at 390",
            "e2e: a text of no test",
            "page: a session is made",
            "script: other",
        ] {
            assert!(!is_there(&tree(), test), "{test}");
        }
    }

    #[test]
    fn code_that_is_not_there_is_found() {
        let registry = planted(
            "[[feature]]\nid = \"a\"\ntitle = \"A\"\nstage = 1\nstatus = \"done\"\n\
             code = [\"crates/a/src/b\", \"crates/z\"]\ntests = [\"qd-a::no\"]\n",
        );
        assert_eq!(
            check(&tree(), &registry),
            ["a: the code crates/z is not there", "a: the test `qd-a::no` is not there"]
        );
    }
}
