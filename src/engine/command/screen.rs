//! Turns a command's output into lines, with colours; a carriage return overwrites the line as in a terminal.

use std::mem;

use anstyle_parse::{Params, ParamsIter, Parser, Perform};

use crate::text::Hidden;
use crate::workbench::{Ink, Line, More, Tail};

/// The most characters in a line; a longer one continues in the next.
const WIDEST: usize = 2000;
/// The distance between tab stops, in characters.
const TAB: usize = 8;

/// Converts bytes to lines as they arrive.
#[derive(Default)]
pub(super) struct Screen {
    /// Bytes of a character that has not arrived completely.
    begun: Vec<u8>,
    parser: Parser,
    page: Page,
}

#[derive(Default)]
struct Page {
    done: Tail,
    line: Vec<(char, Ink)>,
    /// The column of the next character.
    at: usize,
    pen: Pen,
    /// Whether the current line differs from what was reported.
    is_untold: bool,
}

#[derive(Clone, Copy, Default)]
struct Pen {
    colour: Option<Ink>,
    is_bold: bool,
    is_dim: bool,
}

impl Screen {
    /// Adds output.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let mut begun = mem::take(&mut self.begun);
        begun.extend_from_slice(bytes);
        let mut chunks = begun.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.take(chunk.valid());
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_begun(invalid) {
                self.begun = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.take("\u{fffd}");
            }
        }
    }

    fn take(&mut self, text: &str) {
        for byte in text.bytes() {
            self.parser.advance(&mut self.page, byte);
        }
    }

    /// Returns what was not reported yet; `None` when nothing is new.
    pub(super) fn more(&mut self) -> Option<More> {
        if !mem::take(&mut self.page.is_untold) {
            return None;
        }
        let open = !self.page.line.is_empty();
        Some(More {
            done: mem::take(&mut self.page.done),
            open: open.then(|| self.page.as_line(false)),
        })
    }

    /// Completes the last line: there is no more output.
    pub(super) fn end(&mut self) {
        if !mem::take(&mut self.begun).is_empty() {
            self.take("\u{fffd}");
        }
        if !self.page.line.is_empty() {
            self.page.finish(false);
        }
    }
}

/// Returns whether bytes may be the beginning of a character.
fn is_begun(bytes: &[u8]) -> bool {
    let error = std::str::from_utf8(bytes).err();
    error.is_some_and(|error| error.error_len().is_none())
}

impl Page {
    fn put(&mut self, c: char) {
        self.is_untold = true;
        let cell = (c, self.pen.ink());
        match self.line.get_mut(self.at) {
            Some(there) => *there = cell,
            None => {
                self.line.resize(self.at, (' ', Ink::Plain));
                self.line.push(cell);
            }
        }
        self.at += 1;
        if self.at >= WIDEST {
            self.finish(true);
        }
    }

    fn finish(&mut self, goes_on: bool) {
        let line = self.as_line(goes_on);
        self.done.push(line);
        self.line.clear();
        self.at = 0;
        self.is_untold = true;
    }

    fn as_line(&self, goes_on: bool) -> Line {
        let mut line = Line {
            goes_on,
            ..Line::default()
        };
        for (c, ink) in &self.line {
            let start = line.text.len();
            line.text.push(*c);
            let end = line.text.len();
            match line.inks.last_mut() {
                Some((range, last)) if range.end == start && last == ink => range.end = end,
                _ if *ink == Ink::Plain => {}
                _ => line.inks.push((start..end, *ink)),
            }
        }
        line
    }

    /// Erases a part of the line.
    fn erase(&mut self, which: u16) {
        self.is_untold = true;
        match which {
            0 => self.line.truncate(self.at),
            1 => {
                let end = self.line.len().min(self.at + 1);
                self.line[..end].fill((' ', Ink::Plain));
            }
            _ => self.line.clear(),
        }
    }
}

impl Perform for Page {
    fn print(&mut self, c: char) {
        match Hidden::of(c) {
            None => self.put(c),
            // Joiners are dropped: each character is shown separately.
            Some(_) if matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}') => {}
            Some(_) => c.escape_unicode().for_each(|c| self.put(c)),
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.finish(false),
            b'\r' => self.at = 0,
            b'\x08' => self.at = self.at.saturating_sub(1),
            b'\t' => {
                let stop = (self.at / TAB + 1) * TAB;
                let new = self.at.max(self.line.len());
                self.at = self.at.max(new.min(stop));
                (self.at..stop).for_each(|_| self.put(' '));
            }
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _: bool, action: u8) {
        let first = params.iter().flatten().next().copied().unwrap_or_default();
        let by = usize::from(first.max(1));
        match (intermediates, action) {
            ([], b'm') => self.pen.set(params.iter()),
            ([], b'K') => self.erase(first),
            ([], b'G') => self.at = (by - 1).min(WIDEST - 1),
            ([], b'C') => self.at = (self.at + by).min(WIDEST - 1),
            ([], b'D') => self.at = self.at.saturating_sub(by),
            _ => {}
        }
    }
}

impl Pen {
    fn ink(self) -> Ink {
        match self.colour {
            Some(ink) => ink,
            None if self.is_dim => Ink::Muted,
            None if self.is_bold => Ink::Strong,
            None => Ink::Plain,
        }
    }

    fn set(&mut self, mut params: ParamsIter<'_>) {
        while let Some(param) = params.next() {
            match *param {
                [0] => *self = Self::default(),
                [1] => self.is_bold = true,
                [2] => self.is_dim = true,
                [22] => (self.is_bold, self.is_dim) = (false, false),
                [colour @ (30..=37 | 90..=97)] => self.colour = ink(colour % 10 + colour / 90 * 8),
                [39] => self.colour = None,
                // Of the 256 colours only the named ones are supported.
                [38, 5, colour] => self.colour = ink(colour),
                [38, ..] if param.len() > 1 => self.colour = None,
                [38] => self.colour = many_colours(&mut params),
                [48] => drop(many_colours(&mut params)),
                _ => {}
            }
        }
    }
}

/// Reads a colour that is given by several numbers.
fn many_colours(params: &mut ParamsIter<'_>) -> Option<Ink> {
    match params.next()? {
        [5] => ink(*params.next()?.first()?),
        [2] => {
            params.nth(2);
            None
        }
        _ => None,
    }
}

/// One of the sixteen colours that have a name.
fn ink(colour: u16) -> Option<Ink> {
    Some(match colour {
        8 => Ink::Muted,
        1 | 9 => Ink::Red,
        2 | 10 => Ink::Green,
        3 | 11 => Ink::Yellow,
        4 | 12 => Ink::Blue,
        5 | 13 => Ink::Magenta,
        6 | 14 => Ink::Cyan,
        15 => Ink::Strong,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines with what is out, and the line that is being written behind `>`.
    fn shown(more: Option<More>) -> String {
        let More { done, open } = more.unwrap_or_default();
        let shown = |line: &Line| {
            let inks = line
                .inks
                .iter()
                .map(|(range, ink)| format!(" [{} {ink:?}]", &line.text[range.clone()]));
            format!("{}{}\n", line.text, inks.collect::<String>())
        };
        let done: String = done.iter().map(shown).collect();
        let open = open.map_or(String::new(), |line| format!("> {}", shown(&line)));
        done + &open
    }

    fn screen(text: &[u8]) -> String {
        let mut screen = Screen::default();
        screen.feed(text);
        shown(screen.more())
    }

    #[test]
    fn lines_are_written_over_where_the_command_does_so() {
        let text = b"one\r\ntwo\rT\n 10%\r 20%\r100%\nlong\r\x1b[Kshort\nab\x08c\na\tb\n\x1b[3Gx\n12345\x1b[2D\x1b[1K\nopen";
        insta::assert_snapshot!(screen(text), @"
        one
        Two
        100%
        short
        ac
        a       b
          x
            5
        > open
        ");
    }

    #[test]
    fn colours_stay_and_all_other_commands_go() {
        let text = b"\x1b[1mbold\x1b[0m \x1b[31;1mred\x1b[39m\x1b[22m \x1b[2mdim\x1b[m \x1b[90mgrey \x1b[38;5;10mgreen \x1b[38;2;1;2;3mnone\x1b[0m\n\x1b]0;title\x07\x1b[2J\x1b[?25l\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x07a\xe2\x80\xaeb\n";
        insta::assert_snapshot!(screen(text), @r"
        bold red dim grey green none [bold Strong] [red Red] [dim Muted] [grey  Muted] [green  Green]
        link a\u{202e}b
        ");
    }

    #[test]
    fn what_is_no_text_is_shown_as_such_and_swallows_nothing() {
        assert_eq!(
            screen(b"a\xff\xc3\nb\xe2\x82\n"),
            "a\u{fffd}\u{fffd}\nb\u{fffd}\n"
        );
        let mut whole = Screen::default();
        whole.feed(b"\xe2\x82");
        assert_eq!(whole.more(), None);
        whole.feed(b"\xac \xe2");
        assert_eq!(shown(whole.more()), "> \u{20ac} \n");
        whole.end();
        assert_eq!(shown(whole.more()), "\u{20ac} \u{fffd}\n");
        whole.end();
        assert_eq!(whole.more(), None);
    }

    #[test]
    fn a_line_that_is_too_long_goes_on_in_the_next() {
        let mut screen = Screen::default();
        screen.feed("é".repeat(WIDEST + 1).as_bytes());
        screen.feed(b"\n");
        let lines = screen.more().unwrap().done;
        let lines: Vec<_> = lines
            .iter()
            .map(|line| (line.text.chars().count(), line.goes_on))
            .collect();
        assert_eq!(lines, [(WIDEST, true), (1, false)]);
    }

    proptest::proptest! {
        #[test]
        fn chunks_make_no_difference(bytes in proptest::collection::vec(proptest::prop_oneof![proptest::prelude::any::<u8>(), proptest::sample::select(b"\x1b[]m;31K\r\n\t\x08Ga\xe2\x82\xac".to_vec())], 0..60), at in 0usize..60) {
            let all = |parts: &[&[u8]]| {
                let mut screen = Screen::default();
                parts.iter().for_each(|part| screen.feed(part));
                screen.end();
                shown(screen.more())
            };
            let at = at.min(bytes.len());
            proptest::prop_assert_eq!(all(&[&bytes]), all(&[&bytes[..at], &bytes[at..]]));
        }
    }
}
