//! Secrets in text: by pattern, and by how little order there is in a word.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

/// A secret that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Secret {
    /// What kind it is.
    pub kind: &'static str,
    /// Where it stands, in bytes.
    #[serde(skip)]
    pub at: Range<usize>,
    /// Whether its form is that of a secret only; otherwise it only looks like one.
    pub sure: bool,
}

/// What stands where a secret was.
const REDACTED: &str = "[redacted]";
/// Text that is looked at, in bytes.
const MOST: usize = 1 << 20;

/// Kind, pattern (the first group is the secret, where there is one), and whether it is sure.
const PATTERNS: &[(&str, &str, bool)] = &[
    (
        "a private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?",
        true,
    ),
    ("a GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,})", true),
    ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}", true),
    ("an AWS key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", true),
    ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}", true),
    ("a Slack hook", r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}", true),
    ("an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,}", true),
    ("an OpenAI key", r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}", true),
    ("a Google key", r"\bAIza[A-Za-z0-9_-]{35}", true),
    ("a Stripe key", r"\b[rs]k_live_[A-Za-z0-9]{20,}", true),
    ("an npm token", r"\bnpm_[A-Za-z0-9]{36}", true),
    (
        "a JSON web token",
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        true,
    ),
    ("a password in a URL", r"[a-z][a-z0-9+.-]*://[^\s:/@]+:([^\s/@$]{3,})@", true),
    (
        "a bearer token",
        r"(?i)\bauthorization:\s*(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{12,})",
        true,
    ),
    (
        "a value that is named a secret",
        r#"(?i)\b[a-z0-9_-]*(?:password|passwd|secret|api[_-]?key|access[_-]?key|token)["']?\s*[=:]\s*["']?([A-Za-z0-9._~+/=-]{12,})"#,
        false,
    ),
];

static READY: LazyLock<Vec<(&'static str, Regex, bool)>> = LazyLock::new(|| {
    let ready = PATTERNS.iter().filter_map(|(kind, pattern, sure)| {
        Regex::new(pattern).ok().map(|regex| (*kind, regex, *sure))
    });
    ready.collect()
});

/// Finds secrets, in order and not overlapping. Of longer texts the first MiB is looked at.
#[must_use]
pub fn find(text: &str) -> Vec<Secret> {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let mut found: Vec<Secret> = vec![];
    for (kind, regex, sure) in READY.iter() {
        for captures in regex.captures_iter(text) {
            let Some(whole) = captures.get(1).or_else(|| captures.get(0)) else { continue };
            // A named value is a secret when it is no word or name.
            if *sure || entropy(whole.as_str()) > 3.5 {
                found.push(Secret { kind, at: whole.range(), sure: *sure });
            }
        }
    }
    found.sort_by_key(|secret| (secret.at.start, std::cmp::Reverse(secret.at.end)));
    let mut last = 0;
    found.retain(|secret| {
        let kept = secret.at.start >= last;
        if kept {
            last = secret.at.end;
        }
        kept
    });
    found
}

/// The text with `[redacted]` where secrets are.
#[must_use]
pub fn redact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for secret in find(text) {
        out.push_str(&text[from..secret.at.start]);
        out.push_str(REDACTED);
        from = secret.at.end;
    }
    out.push_str(&text[from..]);
    out
}

/// Bits for each byte, if each were drawn as often as it is there.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = text.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_are_patterns() {
        assert_eq!(READY.len(), PATTERNS.len());
    }

    #[test]
    fn secrets_are_found_and_words_are_not() {
        let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
        for (text, kind) in [
            (format!("curl -H 'x: {token}'"), "a GitHub token"),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), "an AWS key"),
            ("psql postgres://me:hunter22@db/x".to_owned(), "a password in a URL"),
            ("DB_PASSWORD=x9f!".to_owned() + "Qz7Lm2Rt8Vw4", ""),
            ("API_KEY=Zx81kQ0vLm3nB7pR".to_owned(), "a value that is named a secret"),
        ] {
            let found = find(&text).first().map_or("", |secret| secret.kind);
            assert_eq!(found, kind, "{text}");
        }
        for text in [
            "token = next_token(stream)",
            "password: your-password",
            "git log",
            "https://x.example/a:b@c",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_redacted_is_gone_and_the_rest_stays() {
        let token = format!("ghp_{}", "a1B2c3D4".repeat(5));
        assert_eq!(
            redact(&format!("x {token} y AKIAIOSFODNN7EXAMPLE")),
            "x [redacted] y [redacted]"
        );
        assert_eq!(redact("nothing"), "nothing");
    }
}
