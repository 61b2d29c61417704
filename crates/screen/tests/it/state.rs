//! All that can be seen of a screen, to compare two of them.

use qd_screen::{Attrs, CellView, Color, Cursor, Format, Line, Modes, Screen};

#[derive(Debug, PartialEq, Eq)]
pub struct State {
    pub rows: Vec<(String, bool)>,
    pub cells: Vec<Cell>,
    pub cursor: Cursor,
    pub modes: Modes,
    pub region: (u16, u16),
    pub title: String,
    pub history: Vec<Line>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Cell {
    text: String,
    columns: u16,
    colors: (Color, Color, Color),
    attrs: Attrs,
    link: Option<(String, String)>,
}

impl State {
    pub fn of(screen: &Screen) -> Self {
        let size = screen.size();
        let cells = (0..size.rows()).flat_map(|y| (0..size.cols()).map(move |x| (x, y)));
        Self {
            rows: screen
                .lines()
                .into_iter()
                .zip(0..)
                .map(|(line, y)| (line, screen.is_wrapped(y)))
                .collect(),
            cells: cells.filter_map(|(x, y)| screen.cell(x, y)).map(Cell::from).collect(),
            cursor: screen.cursor(),
            modes: screen.modes(),
            region: screen.scroll_region(),
            title: screen.title().to_owned(),
            history: screen.history(0..usize::MAX, Format::Ansi),
        }
    }

    /// The first difference, in words; `None` if there is none.
    pub fn difference(&self, other: &Self) -> Option<String> {
        macro_rules! field {
            ($name:ident) => {
                if self.$name != other.$name {
                    let name = stringify!($name);
                    return Some(format!("{name}:\n  {:?}\n  {:?}", self.$name, other.$name));
                }
            };
        }
        field!(rows);
        field!(history);
        field!(cursor);
        field!(modes);
        field!(region);
        field!(title);
        let (at, (a, b)) =
            self.cells.iter().zip(&other.cells).enumerate().find(|(_, (a, b))| a != b)?;
        Some(format!("cell {at}:\n  {a:?}\n  {b:?}"))
    }
}

impl From<CellView<'_>> for Cell {
    fn from(cell: CellView<'_>) -> Self {
        Self {
            text: cell.text.into_owned(),
            columns: cell.columns,
            colors: (cell.fg, cell.bg, cell.underline_color),
            attrs: cell.attrs,
            link: cell.link.map(|(id, uri)| (id.to_owned(), uri.to_owned())),
        }
    }
}
