use super::{Ready, Scope, parse};

/// The built-in rules as they are written.
const TEXT: &str = include_str!("builtin.toml");

/// The built-in rules. None of them, and so a question about everything, when they cannot be read,
/// which a test rules out.
#[must_use]
pub fn builtin() -> Vec<Ready> {
    parse(TEXT, Scope::BuiltIn, true).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_can_be_read_and_say_why() {
        let rules = parse(TEXT, Scope::BuiltIn, true).unwrap();
        assert!(rules.len() > 30);
        for ready in &rules {
            assert!(ready.rule.id.starts_with("qd."), "{}", ready.rule.id);
            assert!(ready.rule.reason.ends_with('.'), "{}", ready.rule.id);
        }
    }
}
