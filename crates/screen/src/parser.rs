//! From bytes to characters and sequences, in the states of tmux 3.3a's parser.
//!
//! The parser can be stopped after any byte: [`Parser::pending`] gives the bytes that put an idle
//! parser into the same state.

use crate::params::Params;

/// Longest OSC payload, in bytes. A longer one is dropped whole.
const MAX_STRING: usize = 256 * 1024;
/// Most bytes of an unfinished escape or control sequence that are kept. tmux gives up at 63
/// bytes of parameters; what comes after that has no effect.
const MAX_SEQUENCE: usize = 128;
/// Most parameter bytes and intermediate bytes in a sequence, as in tmux.
const MAX_PARAMS: usize = 63;
const MAX_INTERMEDIATES: usize = 3;

/// What the bytes mean.
pub(crate) trait Perform {
    /// Printable ASCII.
    fn print_ascii(&mut self, run: &[u8]);
    /// Any other character.
    fn print(&mut self, c: char);
    /// A C0 control.
    fn control(&mut self, byte: u8);
    /// An escape sequence.
    fn escape(&mut self, intermediates: &[u8], last: u8);
    /// A control sequence; `intermediates` includes a leading `?`, `>`, `=` or `<`.
    fn csi(&mut self, intermediates: &[u8], params: &Params, last: u8);
    /// An operating system command, without its introducer and terminator.
    fn osc(&mut self, payload: &[u8]);
    /// A string that draws nothing has begun; REP has nothing to repeat any more.
    fn string(&mut self);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    Escape,
    EscapeIntermediate,
    Csi,
    CsiParams,
    CsiIntermediate,
    CsiIgnore,
    Dcs,
    DcsParams,
    DcsIntermediate,
    DcsPayload,
    DcsEscape,
    DcsIgnore,
    Osc,
    /// SOS, PM, APC, and screen's title sequence: dropped up to the next escape.
    Ignore,
}

#[derive(Debug)]
pub(crate) struct Parser {
    state: State,
    /// Bytes of the unfinished sequence that have had no effect yet, or of a UTF-8 character.
    sequence: Vec<u8>,
    intermediates: Vec<u8>,
    params: Vec<u8>,
    discard: bool,
    /// Payload of an OSC.
    string: Vec<u8>,
    /// Length of the UTF-8 character in `sequence`; 0 if there is none.
    utf8: usize,
}

impl Parser {
    pub fn new() -> Self {
        Self {
            state: State::Ground,
            sequence: Vec::new(),
            intermediates: Vec::new(),
            params: Vec::new(),
            discard: false,
            string: Vec::new(),
            utf8: 0,
        }
    }

    /// The bytes that bring a parser from the ground state to this one. Payloads that nothing will
    /// ever read are left out.
    pub fn pending(&self) -> Vec<u8> {
        match self.state {
            // A number that no terminal knows: the rest is dropped there as it would be here.
            State::Osc if self.discard => b"\x1b]9999;".to_vec(),
            State::Osc => [b"\x1b]", &self.string[..]].concat(),
            // What announced the payload was cut off; that it has begun is what counts.
            State::DcsPayload if self.sequence.len() >= MAX_SEQUENCE => b"\x1bPz".to_vec(),
            State::DcsEscape if self.sequence.len() >= MAX_SEQUENCE => b"\x1bPz\x1b".to_vec(),
            _ => self.sequence.clone(),
        }
    }

    pub fn feed(&mut self, to: &mut impl Perform, mut bytes: &[u8]) {
        while let Some(&byte) = bytes.first() {
            if self.state == State::Ground {
                bytes = self.ground(to, bytes);
            } else if self.state == State::Osc && (0x20..=0xff).contains(&byte) {
                let end = bytes.iter().position(|&b| b < 0x20).unwrap_or(bytes.len());
                self.collect(&bytes[..end]);
                bytes = &bytes[end..];
            } else {
                self.step(to, byte);
                bytes = &bytes[1..];
            }
        }
    }

    fn ground<'a>(&mut self, to: &mut impl Perform, bytes: &'a [u8]) -> &'a [u8] {
        let run = bytes.iter().position(|b| !(0x20..0x7f).contains(b)).unwrap_or(bytes.len());
        if run > 0 {
            self.drop_utf8();
            to.print_ascii(&bytes[..run]);
            return &bytes[run..];
        }
        match bytes[0] {
            0x1b => {
                self.drop_utf8();
                self.enter(State::Escape);
                self.sequence.push(0x1b);
            }
            0x7f => {}
            byte @ 0..0x20 => {
                self.drop_utf8();
                to.control(byte);
            }
            byte => self.top_bit(to, byte),
        }
        &bytes[1..]
    }

    /// A byte of a UTF-8 character. As in tmux a wrong one spoils the character, and as many
    /// bytes are taken as its first one announced.
    fn top_bit(&mut self, to: &mut impl Perform, byte: u8) {
        if self.utf8 == 0 {
            self.utf8 = match byte {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return to.string(),
            };
            to.string();
        }
        self.sequence.push(byte);
        if self.sequence.len() == self.utf8 {
            let c = std::str::from_utf8(&self.sequence).ok().and_then(|s| s.chars().next());
            self.drop_utf8();
            if let Some(c) = c {
                to.print(c);
            }
        }
    }

    fn drop_utf8(&mut self) {
        if self.utf8 != 0 {
            self.utf8 = 0;
            self.sequence.clear();
        }
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        if state == State::Ground || state == State::Escape {
            self.sequence.clear();
        }
        self.intermediates.clear();
        self.params.clear();
        self.discard = false;
        if self.string.capacity() > MAX_SEQUENCE {
            self.string = Vec::new();
        }
        self.string.clear();
    }

    fn step(&mut self, to: &mut impl Perform, byte: u8) {
        use State::*;
        match self.state {
            DcsPayload => {
                if byte == 0x1b {
                    self.state = DcsEscape;
                    self.sequence.push(byte);
                }
                return;
            }
            DcsEscape => {
                self.sequence.pop();
                if byte == b'\\' {
                    self.enter(Ground)
                } else {
                    self.state = DcsPayload
                }
                return;
            }
            _ => {}
        }
        match byte {
            0x18 | 0x1a => {
                self.leave(to);
                self.enter(Ground);
                return to.control(byte);
            }
            0x1b => {
                self.leave(to);
                self.enter(Escape);
                self.sequence.push(0x1b);
                return;
            }
            _ => {}
        }
        match self.state {
            Osc => {
                if byte == 0x07 {
                    self.leave(to);
                    self.enter(Ground);
                }
            }
            Ignore | DcsIgnore => {}
            Dcs | DcsParams | DcsIntermediate if byte < 0x20 => {}
            _ if byte < 0x20 => to.control(byte),
            _ if byte >= 0x7f => {}
            _ => {
                if self.sequence.len() < MAX_SEQUENCE {
                    self.sequence.push(byte);
                }
                self.sequence_byte(to, byte);
            }
        }
    }

    /// A byte from 0x20 to 0x7e inside a sequence.
    fn sequence_byte(&mut self, to: &mut impl Perform, byte: u8) {
        use State::*;
        match (self.state, byte) {
            (Escape | EscapeIntermediate, 0x20..=0x2f) => {
                self.intermediate(byte);
                self.state = EscapeIntermediate;
            }
            (Escape, b'[') => self.enter(Csi),
            (Escape, b'P') => self.enter_string(to, Dcs),
            (Escape, b']') => self.enter_string(to, Osc),
            (Escape, b'X' | b'^' | b'_' | b'k') => self.enter_string(to, Ignore),
            (Escape | EscapeIntermediate, _) => {
                if !self.discard {
                    to.escape(&self.intermediates, byte);
                }
                self.enter(Ground);
            }
            (Csi | CsiParams | CsiIntermediate, 0x20..=0x2f) => {
                self.intermediate(byte);
                self.state = CsiIntermediate;
            }
            (Csi, 0x3c..=0x3f) => {
                self.intermediate(byte);
                self.state = CsiParams;
            }
            (Csi | CsiParams, 0x30..=0x3b) => {
                self.param(byte);
                self.state = CsiParams;
            }
            (CsiParams | CsiIntermediate, 0x30..=0x3f) => self.state = CsiIgnore,
            (CsiIgnore, 0x20..=0x3f) => {}
            (CsiIgnore, _) => self.enter(Ground),
            (Csi | CsiParams | CsiIntermediate, _) => {
                match Params::parse(&self.params) {
                    Some(params) if !self.discard => to.csi(&self.intermediates, &params, byte),
                    _ => {}
                }
                self.enter(Ground);
            }
            (Dcs | DcsParams | DcsIntermediate, 0x20..=0x2f) => self.state = DcsIntermediate,
            (Dcs | DcsParams, 0x30..=0x39 | 0x3b) => self.state = DcsParams,
            (Dcs, 0x3c..=0x3f) => self.state = DcsParams,
            (Dcs | DcsParams | DcsIntermediate, 0x30..=0x3f) => self.state = DcsIgnore,
            (Dcs | DcsParams | DcsIntermediate, _) => self.state = DcsPayload,
            (Ground | Osc | Ignore | DcsIgnore | DcsPayload | DcsEscape, _) => {}
        }
    }

    fn enter_string(&mut self, to: &mut impl Perform, state: State) {
        self.enter(state);
        to.string();
    }

    /// Ends an OSC however it ends: like tmux, also by the start of another sequence.
    fn leave(&mut self, to: &mut impl Perform) {
        if self.state == State::Osc && !self.discard {
            to.osc(&self.string);
        }
    }

    fn collect(&mut self, bytes: &[u8]) {
        if self.string.len() + bytes.len() > MAX_STRING {
            self.discard = true;
            self.string = Vec::new();
        }
        if !self.discard {
            self.string.extend_from_slice(bytes);
        }
    }

    fn intermediate(&mut self, byte: u8) {
        if self.intermediates.len() == MAX_INTERMEDIATES {
            self.discard = true;
        } else {
            self.intermediates.push(byte);
        }
    }

    fn param(&mut self, byte: u8) {
        if self.params.len() == MAX_PARAMS {
            self.discard = true;
        } else {
            self.params.push(byte);
        }
    }
}
