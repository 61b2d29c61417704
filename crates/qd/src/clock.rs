use qd_core::Millis;

/// The time now.
#[expect(clippy::disallowed_methods, reason = "the one home of the clock in this program")]
pub fn now() -> Millis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Millis(since.ok().and_then(|d| i64::try_from(d.as_millis()).ok()).unwrap_or(0))
}

/// How long before `now` an RFC 3339 time was, as people say it: `12s`, `5m`, `3h`, `9d`.
pub fn ago(time: &str, now: Millis) -> String {
    let Some(time) = qd_api::millis(time) else { return String::new() };
    let seconds = now.since(time) / 1000;
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

/// Reads a span of time such as `90s`, `30m`, `2h` or `3d`: milliseconds.
///
/// # Errors
/// One sentence, when it is none.
pub fn span(text: &str) -> Result<i64, String> {
    let unit = match text.chars().last() {
        Some('s') => 1000,
        Some('m') => 60_000,
        Some('h') => 3_600_000,
        Some('d') => 86_400_000,
        _ => 0,
    };
    let number = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
    let number: Option<i64> = number.parse().ok().filter(|n| *n > 0 && unit > 0);
    number
        .and_then(|number| number.checked_mul(unit))
        // Ten years: beyond is a slip of the finger.
        .filter(|millis| *millis <= 3650 * 86_400_000)
        .ok_or_else(|| "a span of time is a number and s, m, h or d, such as 30m".to_owned())
}

/// Reads a moment: `2026-01-31 08:00` by the person's clock, or RFC 3339.
///
/// # Errors
/// One sentence, when it is none.
pub fn moment(text: &str) -> Result<Millis, String> {
    let local = || {
        let time: jiff::civil::DateTime = text.parse().ok()?;
        let time = time.to_zoned_datetime(jiff::tz::TimeZone::system()).ok()?;
        Some(Millis(time.timestamp().as_millisecond()))
    };
    qd_api::millis(text)
        .or_else(local)
        .ok_or_else(|| "a moment is a day and a time, such as 2026-01-31 08:00".to_owned())
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
        assert_eq!(span("90s"), Ok(90_000));
        assert_eq!(span("2h"), Ok(7_200_000));
        for bad in ["", "h", "5", "-1h", "0s", "1w", "9999999999d", "\u{e9}"] {
            assert!(span(bad).is_err(), "{bad}");
        }
        assert_eq!(moment("1970-01-01T00:00:01Z"), Ok(Millis(1000)));
        assert!(moment("2026-01-31 08:00").is_ok() && moment("tomorrow").is_err());
        assert_eq!(local("?"), "?");
        assert_eq!(local("2026-01-31T14:05:09Z").len(), "2026-01-31 14:05".len());
    }
}
