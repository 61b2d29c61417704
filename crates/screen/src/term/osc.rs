//! Operating system commands.

use super::Term;
use crate::event::Event;

/// Longest title and directory, in bytes; a longer one is ignored.
const MAX_TITLE: usize = 4096;
/// Longest payload of a command that is only passed on, in bytes.
const MAX_PASSED_ON: usize = 8192;

impl Term {
    pub fn operating_system_command(&mut self, payload: &[u8]) {
        // Like tmux we take no text that is not valid and printable.
        let Ok(text) = std::str::from_utf8(payload) else { return };
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(code) = text[..digits].parse::<u16>() else { return };
        let text = &text[digits..];
        let text = text.strip_prefix(';').unwrap_or(text);
        match code {
            0 | 2 if text.len() <= MAX_TITLE && !text.contains(char::is_control) => {
                self.set_title(text.to_owned());
            }
            0 | 2 => {}
            4 => self.palette.set_indexed(text),
            7 if text.len() <= MAX_TITLE => self.events.push(Event::Directory(text.to_owned())),
            8 => self.set_link(text),
            10..=12 => self.palette.set_special(code, text),
            52 => self.copy(text),
            104 => self.palette.reset_indexed(text),
            110..=112 => self.palette.reset_special(code),
            _ if text.len() <= MAX_PASSED_ON => {
                self.events.push(Event::Osc { code, data: text.to_owned() });
            }
            _ => {}
        }
    }

    /// OSC 8: parameters, a semicolon, and the URI; without one the link ends.
    fn set_link(&mut self, text: &str) {
        let Some((parameters, uri)) = text.split_once(';') else { return };
        let id = parameters.split(':').find_map(|p| p.strip_prefix("id=")).unwrap_or("");
        let visible = !uri.contains(char::is_control) && !id.contains(char::is_control);
        let link = if visible { self.pool.link_handle(id, uri) } else { 0 };
        let style = crate::style::Style { link, ..self.pen.style };
        self.pen.set(style);
    }

    /// OSC 52. A question for the clipboard is never passed on.
    fn copy(&mut self, text: &str) {
        if let Some((selection, data)) = text.split_once(';')
            && data != "?"
        {
            self.events.push(Event::CopyToClipboard {
                selection: selection.to_owned(),
                data: data.to_owned(),
            });
        }
    }
}
