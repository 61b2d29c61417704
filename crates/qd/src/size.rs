/// A size of a terminal as it is written: `120x40`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub cols: u32,
    /// Rows.
    pub rows: u32,
}

/// Reads `COLSxROWS`.
///
/// # Errors
/// One sentence, when it is not of the form or out of bounds.
pub fn parse(text: &str) -> Result<Size, String> {
    let form = || "a size is COLSxROWS, such as 120x40".to_owned();
    let (cols, rows) = text.split_once('x').ok_or_else(form)?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse::<u32>().ok()).flatten().ok_or_else(form)
    };
    let size = Size { cols: number(cols)?, rows: number(rows)? };
    if (2..=1000).contains(&size.cols) && (1..=500).contains(&size.rows) {
        Ok(size)
    } else {
        Err("a terminal has 2 to 1000 columns and 1 to 500 rows".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers_within_bounds() {
        assert_eq!(parse("120x40"), Ok(Size { cols: 120, rows: 40 }));
        assert_eq!(parse("2x1"), Ok(Size { cols: 2, rows: 1 }));
        assert_eq!(parse("1000x500"), Ok(Size { cols: 1000, rows: 500 }));
        for bad in [
            "",
            "x",
            "80",
            "80x",
            "x24",
            "80x24x1",
            "+80x24",
            "80 x24",
            "1x1",
            "1001x1",
            "80x0",
            "80x501",
            "99999999999x1",
            "80X24",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
