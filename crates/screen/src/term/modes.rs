//! Modes that a program sets.

use super::Term;

/// On or off modes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flags(u32);

/// Which mouse events are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mouse {
    /// None.
    #[default]
    None,
    /// Presses and releases (1000).
    Buttons,
    /// Also movement with a button down (1002).
    Drag,
    /// All movement (1003).
    Motion,
}

/// Shape of the cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CursorStyle {
    /// 0 is the viewer's own; 1 block, 3 underline, 5 bar, as in DECSCUSR.
    pub shape: u8,
    pub blinking: bool,
    /// Whether mode 12 said whether it blinks.
    pub blinking_set: bool,
}

/// The kitty keyboard protocol's flags: one stack per screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keyboard {
    /// Flags now in force, then those that popping brings back, the last first.
    pub primary: Vec<u8>,
    pub alternate: Vec<u8>,
}

/// Most entries on a keyboard stack; the oldest falls out.
const MAX_KEYBOARD: usize = 16;

impl Flags {
    pub const CURSOR: Self = Self(1);
    pub const INSERT: Self = Self(1 << 1);
    pub const ORIGIN: Self = Self(1 << 2);
    pub const WRAP: Self = Self(1 << 3);
    pub const APPLICATION_CURSOR: Self = Self(1 << 4);
    pub const APPLICATION_KEYPAD: Self = Self(1 << 5);
    pub const BRACKETED_PASTE: Self = Self(1 << 6);
    pub const FOCUS: Self = Self(1 << 7);
    pub const MOUSE_UTF8: Self = Self(1 << 8);
    pub const MOUSE_SGR: Self = Self(1 << 9);
    pub const MOUSE_PIXELS: Self = Self(1 << 10);
    pub const ALTERNATE_SCROLL: Self = Self(1 << 11);
    pub const SYNCHRONIZED: Self = Self(1 << 12);
    pub const EXTENDED_KEYS: Self = Self(1 << 13);
    /// What a terminal starts with.
    pub const INITIAL: Self = Self(Self::CURSOR.0 | Self::WRAP.0);

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn set(&mut self, other: Self, on: bool) {
        if on {
            self.0 |= other.0;
        } else {
            self.0 &= !other.0;
        }
    }
}

impl std::fmt::Debug for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Flags({:#x})", self.0)
    }
}

impl Keyboard {
    /// The stack of the screen that is shown.
    pub fn stack(&mut self, alternate: bool) -> &mut Vec<u8> {
        if alternate { &mut self.alternate } else { &mut self.primary }
    }
}

impl Term {
    /// CSI h and CSI l with `?`.
    pub fn private_mode(&mut self, mode: i32, on: bool) {
        let flag = match mode {
            1 => Flags::APPLICATION_CURSOR,
            3 => {
                self.move_to(Some(0), Some(0), true);
                return self.erase_screen();
            }
            6 => {
                self.flags.set(Flags::ORIGIN, on);
                return self.move_to(Some(0), Some(0), true);
            }
            7 => Flags::WRAP,
            12 => {
                self.cursor_style.blinking = on;
                self.cursor_style.blinking_set = true;
                return;
            }
            25 => Flags::CURSOR,
            1000 | 1002 | 1003 => {
                self.mouse = match mode {
                    _ if !on => Mouse::None,
                    1000 => Mouse::Buttons,
                    1002 => Mouse::Drag,
                    _ => Mouse::Motion,
                };
                return;
            }
            1001 if !on => {
                self.mouse = Mouse::None;
                return;
            }
            1004 => Flags::FOCUS,
            1005 => Flags::MOUSE_UTF8,
            1006 => Flags::MOUSE_SGR,
            1007 => Flags::ALTERNATE_SCROLL,
            1016 => Flags::MOUSE_PIXELS,
            47 | 1047 | 1049 if on => return self.enter_alternate(mode == 1049),
            47 | 1047 | 1049 => return self.leave_alternate(mode == 1049),
            2004 => Flags::BRACKETED_PASTE,
            2026 => Flags::SYNCHRONIZED,
            _ => return,
        };
        self.flags.set(flag, on);
    }

    /// CSI h and CSI l without `?`.
    pub fn public_mode(&mut self, mode: i32, on: bool) {
        if mode == 4 {
            self.flags.set(Flags::INSERT, on);
        }
    }

    /// DECSCUSR.
    pub fn set_cursor_style(&mut self, style: i32) {
        let (shape, blinking) = match style {
            0 => (0, false),
            1..=6 => ((style as u8 - 1) / 2 * 2 + 1, style % 2 == 1),
            _ => return,
        };
        self.cursor_style.shape = shape;
        self.cursor_style.blinking = blinking;
        self.cursor_style.blinking_set = false;
    }

    /// The kitty keyboard protocol: CSI with `>`, `<` or `=`, and final `u`.
    pub fn keyboard(&mut self, operation: u8, first: i32, second: i32) {
        let alternate = self.primary.is_some();
        let stack = self.keyboard.stack(alternate);
        let flags = (first.max(0) & 0x1f) as u8;
        match operation {
            b'>' => {
                if stack.is_empty() {
                    stack.push(0);
                }
                if stack.len() > MAX_KEYBOARD {
                    stack.remove(0);
                }
                stack.push(flags);
            }
            b'<' => {
                let count = usize::try_from(first.max(1)).unwrap_or(1);
                stack.truncate(stack.len().saturating_sub(count));
            }
            _ => {
                let now = stack.last().copied().unwrap_or(0);
                let new = match second {
                    2 => now | flags,
                    3 => now & !flags,
                    _ => flags,
                };
                match stack.last_mut() {
                    Some(last) => *last = new,
                    None => stack.push(new),
                }
            }
        }
    }
}
