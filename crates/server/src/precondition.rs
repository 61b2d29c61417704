use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use qd_core::{Code, Problem};

/// The header that makes a POST safe to send again.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Characters in the longest idempotency key.
const KEY_MOST: usize = 255;

/// The version that the sender saw; none when it does not say, or says that any will do.
///
/// # Errors
/// `bad_request` when the header is not `"VERSION"`, `VERSION` or `*`.
pub(crate) fn if_match(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(text) = single(headers, &header::IF_MATCH, "If-Match")? else { return Ok(None) };
    if text == "*" {
        return Ok(None);
    }
    let bare = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(text);
    number(bare).map(Some).ok_or_else(|| {
        malformed(
            "If-Match",
            "Send the version of the session, as its ETag gives it, such as \"7\".",
        )
    })
}

/// The idempotency key.
///
/// # Errors
/// `bad_request` when it is empty, longer than 255, or not visible ASCII.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(text) = single(headers, &IDEMPOTENCY_KEY, "Idempotency-Key")? else {
        return Ok(None);
    };
    let fits = !text.is_empty()
        && text.len() <= KEY_MOST
        && text.bytes().all(|byte| byte.is_ascii_graphic());
    if fits {
        Ok(Some(text.to_owned()))
    } else {
        Err(malformed("Idempotency-Key", "Send 1 to 255 visible ASCII characters, such as a UUID."))
    }
}

/// The number of the last event that a stream saw.
///
/// # Errors
/// `bad_request` when it is not a number.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let name = HeaderName::from_static("last-event-id");
    let Some(text) = single(headers, &name, "Last-Event-ID")? else { return Ok(None) };
    number(text)
        .map(Some)
        .ok_or_else(|| malformed("Last-Event-ID", "Send the number of the last event you saw."))
}

/// The version of a session as an entity tag.
pub(crate) fn etag(version: u64) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("\"{version}\"")).ok()
}

/// The largest whole number that every JSON reader keeps exact: 2^53 - 1.
pub(crate) const SAFE_MOST: u64 = (1 << 53) - 1;

fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok().filter(|n| *n <= SAFE_MOST) } else { None }
}

fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
    shown: &str,
) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value
            .to_str()
            .map(|text| Some(text.trim()))
            .map_err(|_| malformed(shown, "Send visible ASCII characters.")),
        _ => Err(malformed(shown, "Send it once.")),
    }
}

fn malformed(header: &str, hint: &str) -> Problem {
    Problem::new(
        Code::BadRequest,
        format!("The header {header} is not of the right form; nothing was done."),
        hint,
    )
    .on(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: &str) -> HeaderMap {
        let mut map = HeaderMap::new();
        map.insert(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
        map
    }

    #[test]
    fn reads_the_version_that_was_seen() {
        assert_eq!(if_match(&HeaderMap::new()), Ok(None));
        assert_eq!(if_match(&with("if-match", "\"7\"")), Ok(Some(7)));
        assert_eq!(if_match(&with("if-match", "7")), Ok(Some(7)));
        assert_eq!(if_match(&with("if-match", "*")), Ok(None));
        assert_eq!(etag(7).unwrap(), "\"7\"");
        for bad in
            ["", "\"\"", "+7", "-1", "W/\"7\"", "\"7", "seven", "\"1\", \"2\"", "9007199254740992"]
        {
            assert!(if_match(&with("if-match", bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_idempotency_key_is_visible_ascii() {
        let key = |value: &str| idempotency_key(&with("idempotency-key", value));
        assert_eq!(key("a-b"), Ok(Some("a-b".into())));
        assert!(key(&"x".repeat(255)).is_ok());
        for bad in ["", "a b", &"x".repeat(256)] {
            assert!(key(bad).is_err(), "{bad}");
        }
        let mut twice = with("idempotency-key", "a");
        twice.append(IDEMPOTENCY_KEY, "b".parse().unwrap());
        assert!(idempotency_key(&twice).is_err());
    }
}
