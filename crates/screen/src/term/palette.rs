//! Colours that a program has redefined.

use std::collections::BTreeMap;

/// Red, green, blue.
pub(crate) type Rgb = [u8; 3];

/// Redefined colours; empty as long as a program leaves them alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Palette {
    /// OSC 4, by index.
    pub indexed: BTreeMap<u8, Rgb>,
    /// OSC 10.
    pub foreground: Option<Rgb>,
    /// OSC 11.
    pub background: Option<Rgb>,
    /// OSC 12.
    pub cursor: Option<Rgb>,
}

impl Palette {
    /// OSC 4: pairs of index and colour. A question is not ours to answer.
    pub fn set_indexed(&mut self, text: &str) {
        let mut parts = text.split(';');
        while let (Some(index), Some(color)) = (parts.next(), parts.next()) {
            let Ok(index) = index.parse() else { return };
            if let Some(rgb) = parse(color) {
                self.indexed.insert(index, rgb);
            }
        }
    }

    /// OSC 104: the colours that are named, or all.
    pub fn reset_indexed(&mut self, text: &str) {
        if text.is_empty() {
            self.indexed.clear();
        }
        for index in text.split(';').filter_map(|index| index.parse().ok()) {
            self.indexed.remove(&index);
        }
    }

    /// OSC 10, 11 and 12.
    pub fn set_special(&mut self, code: u16, text: &str) {
        if let Some(rgb) = parse(text) {
            *self.special(code) = Some(rgb);
        }
    }

    /// OSC 110, 111 and 112.
    pub fn reset_special(&mut self, code: u16) {
        *self.special(code - 100) = None;
    }

    fn special(&mut self, code: u16) -> &mut Option<Rgb> {
        match code {
            10 => &mut self.foreground,
            11 => &mut self.background,
            _ => &mut self.cursor,
        }
    }
}

/// `rgb:R/G/B` with one to four hexadecimal digits each, or `#RGB`, `#RRGGBB`, `#RRRRGGGGBBBB`.
fn parse(text: &str) -> Option<Rgb> {
    let mut rgb = [0; 3];
    if let Some(parts) = text.strip_prefix("rgb:") {
        let mut parts = parts.split('/');
        for channel in &mut rgb {
            *channel = scale(parts.next()?)?;
        }
        return parts.next().is_none().then_some(rgb);
    }
    let digits = text.strip_prefix('#')?;
    if !digits.is_ascii() || digits.is_empty() || digits.len() % 3 != 0 {
        return None;
    }
    let each = digits.len() / 3;
    for (index, channel) in rgb.iter_mut().enumerate() {
        *channel = scale(&digits[index * each..][..each])?;
    }
    Some(rgb)
}

fn scale(digits: &str) -> Option<u8> {
    let most = match digits.len() {
        1..=4 => (1u32 << (4 * digits.len())) - 1,
        _ => return None,
    };
    let value = u32::from_str_radix(digits, 16).ok()?;
    u8::try_from(value * 255 / most).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_both_notations() {
        assert_eq!(parse("rgb:ff/80/00"), Some([255, 128, 0]));
        assert_eq!(parse("rgb:ffff/0000/8080"), Some([255, 0, 128]));
        assert_eq!(parse("#f00"), Some([255, 0, 0]));
        assert_eq!(parse("#102030"), Some([16, 32, 48]));
        for bad in ["?", "", "#", "#12", "rgb:1/2", "rgb:1/2/3/4", "rgb:00000/1/1", "#é00"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
