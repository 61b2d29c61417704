use qd_core::Millis;

/// From when until when a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Validity {
    pub(crate) from: Millis,
    pub(crate) until: Millis,
}

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// The version, which the oldest certificates do not have.
const VERSION: u8 = 0xa0;

/// Reads the times of a certificate in DER (RFC 5280, 4.1): serial, algorithm and issuer stand
/// before them. None when it is no certificate.
pub(crate) fn of(certificate: &[u8]) -> Option<Validity> {
    let (outer, _) = part(certificate, SEQUENCE)?;
    let (mut inner, _) = part(outer, SEQUENCE)?;
    if let Some((_, rest)) = part(inner, VERSION) {
        inner = rest;
    }
    let (_, inner) = part(inner, INTEGER)?;
    let (_, inner) = part(inner, SEQUENCE)?;
    let (_, inner) = part(inner, SEQUENCE)?;
    let (times, _) = part(inner, SEQUENCE)?;
    let (from, rest) = time(times)?;
    let (until, _) = time(rest)?;
    Some(Validity { from, until })
}

/// What is in the first value, if it is of this tag, and what comes after it.
fn part(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, mut rest) = rest.split_first()?;
    if tag != wanted {
        return None;
    }
    let mut length = usize::from(first);
    if first & 0x80 != 0 {
        let (digits, after) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if digits.len() > 4 {
            return None;
        }
        length = digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit));
        rest = after;
    }
    rest.split_at_checked(length)
}

fn time(bytes: &[u8]) -> Option<(Millis, &[u8])> {
    let (text, rest, years) = match *bytes.first()? {
        UTC_TIME => part(bytes, UTC_TIME).map(|(text, rest)| (text, rest, 2)),
        GENERALIZED_TIME => part(bytes, GENERALIZED_TIME).map(|(text, rest)| (text, rest, 4)),
        _ => None,
    }?;
    let (year, text) = text.split_at_checked(years)?;
    let text = text.strip_suffix(b"Z").filter(|text| text.len() == 10)?;
    let year = match number(year)? {
        short @ 0..50 if years == 2 => 2000 + short,
        short if years == 2 => 1900 + short,
        whole => whole,
    };
    let mut fields = [0; 5];
    for (field, digits) in fields.iter_mut().zip(text.chunks(2)) {
        *field = number(digits)?;
    }
    let [month, day, hour, minute, second] = fields;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some((Millis(seconds * 1000), rest))
}

fn number(digits: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(digits).ok()?;
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Days from 1970 to a date; the year is taken to begin in March, so that February is last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    before + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_are_those_that_were_written() {
        let key = rcgen::KeyPair::generate().unwrap();
        for (from, until) in [(1_700_000_000, 1_800_000_000), (951_782_400, 2_600_000_000)] {
            let mut params = rcgen::CertificateParams::new(vec!["x".to_owned()]).unwrap();
            params.not_before = time::OffsetDateTime::from_unix_timestamp(from).unwrap();
            // From 2050 on it is written in another form.
            params.not_after = time::OffsetDateTime::from_unix_timestamp(until).unwrap();
            let certificate = params.self_signed(&key).unwrap();
            let told = Validity { from: Millis(from * 1000), until: Millis(until * 1000) };
            assert_eq!(of(certificate.der()), Some(told));
            // No part of one makes it fall over.
            for cut in 0..80 {
                assert_eq!(of(&certificate.der()[..cut]), None, "{cut}");
            }
        }
        assert_eq!(of(b""), None);
        assert_eq!(of(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), None);
    }
}
