//! Controls and escape sequences.

use super::{Flags, Term};
use crate::{event::Event, params::Params, parser::Perform};

impl Perform for Term {
    fn print_ascii(&mut self, run: &[u8]) {
        self.write_ascii(run);
    }

    fn print(&mut self, c: char) {
        self.write_char(c);
    }

    fn control(&mut self, byte: u8) {
        self.forget_last();
        match byte {
            0x07 => self.events.push(Event::Bell),
            0x08 => self.backspace(),
            b'\t' => self.tab(),
            b'\n' | 0x0b | 0x0c => {
                let blank = self.blank();
                self.line_feed(false, blank);
            }
            b'\r' => self.x = 0,
            0x0e => self.pen.charsets.shifted = true,
            0x0f => self.pen.charsets.shifted = false,
            _ => {}
        }
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        self.forget_last();
        match (intermediates, last) {
            (b"", b'7') => self.save_cursor(),
            (b"", b'8') => self.restore_cursor(),
            (b"", b'=') => self.flags.set(Flags::APPLICATION_KEYPAD, true),
            (b"", b'>') => self.flags.set(Flags::APPLICATION_KEYPAD, false),
            (b"", b'D') => {
                let blank = self.blank();
                self.line_feed(false, blank);
            }
            (b"", b'E') => {
                self.x = 0;
                let blank = self.blank();
                self.line_feed(false, blank);
            }
            (b"", b'H') => self.set_tab(true),
            (b"", b'M') => self.reverse_line_feed(),
            (b"", b'c') => self.reset(),
            (b"#", b'8') => self.alignment_test(),
            (b"(", b'0') => self.pen.charsets.g0 = true,
            (b"(", b'B') => self.pen.charsets.g0 = false,
            (b")", b'0') => self.pen.charsets.g1 = true,
            (b")", b'B') => self.pen.charsets.g1 = false,
            _ => {}
        }
    }

    fn csi(&mut self, intermediates: &[u8], params: &Params<'_>, last: u8) {
        // REP needs what the others make it forget.
        if (intermediates, last) == (b"", b'b') {
            self.repeat(params);
        } else {
            self.control_sequence(intermediates, params, last);
        }
        self.forget_last();
    }

    fn osc(&mut self, payload: &[u8]) {
        self.operating_system_command(payload);
    }

    fn string(&mut self) {
        self.last = None;
    }
}

impl Term {
    fn forget_last(&mut self) {
        self.last = None;
        self.joiner = false;
    }
}
