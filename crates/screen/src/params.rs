//! Parameters of a control sequence.

/// Most parameters; a sequence with more is ignored, as in tmux.
const MAX: usize = 23;
/// Most parts of a parameter with colons.
const MAX_PARTS: usize = 8;

/// One parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param<'a> {
    /// Nothing between two semicolons.
    Missing,
    /// A number up to `i32::MAX`.
    Number(i32),
    /// A parameter with colons.
    Colons(&'a str),
}

/// The parameters of one sequence.
pub(crate) struct Params<'a> {
    list: [Param<'a>; MAX],
    len: usize,
}

/// The numbers of a parameter with colons; -1 where there is none.
pub(crate) struct Parts {
    pub numbers: [i32; MAX_PARTS],
    pub len: usize,
}

impl<'a> Params<'a> {
    /// Splits digits, semicolons and colons. `None` if a number or the list is too large.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut params = Self { list: [Param::Missing; MAX], len: 0 };
        if bytes.is_empty() {
            return Some(params);
        }
        for part in bytes.split(|&byte| byte == b';') {
            let param = if part.is_empty() {
                Param::Missing
            } else if part.contains(&b':') {
                Param::Colons(std::str::from_utf8(part).ok()?)
            } else {
                Param::Number(number(part)?)
            };
            *params.list.get_mut(params.len)? = param;
            params.len += 1;
        }
        Some(params)
    }

    pub fn list(&self) -> &[Param<'a>] {
        &self.list[..self.len]
    }

    /// The number at `index`, or `default` if there is none, but at least `min`. `None` for a
    /// parameter with colons: the command is then ignored.
    pub fn get(&self, index: usize, min: i32, default: i32) -> Option<i32> {
        match self.list().get(index) {
            None | Some(Param::Missing) => Some(default),
            Some(Param::Number(number)) => Some((*number).max(min)),
            Some(Param::Colons(_)) => None,
        }
    }

    /// The number at `index` as a count of cells or rows: 1 if missing or 0.
    pub fn count(&self, index: usize) -> Option<u16> {
        self.get(index, 1, 1).map(|n| u16::try_from(n).unwrap_or(u16::MAX))
    }

    /// The number at `index`, -1 if there is none.
    pub fn number(&self, index: usize) -> i32 {
        self.get(index, 0, -1).unwrap_or(-1)
    }
}

fn number(digits: &[u8]) -> Option<i32> {
    digits.iter().try_fold(0i32, |number, digit| {
        number.checked_mul(10)?.checked_add(i32::from(digit.wrapping_sub(b'0')))
    })
}

impl Parts {
    /// Splits a parameter with colons. `None` if a part is too large or there are too many.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = Self { numbers: [-1; MAX_PARTS], len: 0 };
        for part in text.split(':') {
            if !part.is_empty() {
                parts.numbers[parts.len] = part.parse().ok()?;
            }
            parts.len += 1;
            if parts.len == MAX_PARTS {
                return None;
            }
        }
        Some(parts)
    }
}
