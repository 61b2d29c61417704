use qd_core::Millis;

/// The time now.
#[expect(clippy::disallowed_methods, reason = "the one home of the clock in this program")]
pub fn now() -> Millis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Millis(since.ok().and_then(|d| i64::try_from(d.as_millis()).ok()).unwrap_or(0))
}

/// How long before `now` an RFC 3339 time was, as people say it: `12s`, `5m`, `3h`, `9d`.
pub fn ago(time: &str, now: Millis) -> String {
    let Ok(time) = time.parse::<jiff::Timestamp>() else { return String::new() };
    let seconds = now.since(Millis(time.as_millisecond())) / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// An RFC 3339 time as the person's clock shows it, to the minute: `2026-01-31 14:05`. What is no
/// time stays as it is.
pub fn local(time: &str) -> String {
    let Ok(time) = time.parse::<jiff::Timestamp>() else { return time.to_owned() };
    time.to_zoned_datetime(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_largest_unit() {
        let now = Millis(1_000_000_000_000);
        let at = |seconds: i64| qd_api::rfc3339(Millis(now.0 - seconds * 1000));
        for (seconds, told) in
            [(0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (7200, "2h"), (86_400, "1d")]
        {
            assert_eq!(ago(&at(seconds), now), told);
        }
        assert_eq!(ago(&at(-50), now), "0s", "a clock that went backwards");
        assert_eq!(ago("?", now), "");
        assert_eq!(local("?"), "?");
        assert_eq!(local("2026-01-31T14:05:09Z").len(), "2026-01-31 14:05".len());
    }
}
