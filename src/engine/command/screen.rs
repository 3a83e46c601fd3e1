//! Turns a command's output into lines, with colours; a carriage return overwrites the line as in a terminal.

use std::mem;

use anstyle_parse::{Params, ParamsIter, Parser, Perform};

use crate::text::HiddenKind;
use crate::workbench::{Ink, NewOutput, OutputLine, Tail};

/// The most characters in a line; a longer one continues in the next.
const MAX_LINE_CHARS: usize = 2000;
/// The distance between tab stops, in characters.
const TAB_WIDTH: usize = 8;

/// Converts bytes to lines as they arrive.
#[derive(Default)]
pub(super) struct Screen {
    /// Bytes of a character that has not arrived completely.
    partial: Vec<u8>,
    parser: Parser,
    page: ScreenPage,
}

#[derive(Default)]
struct ScreenPage {
    done: Tail,
    line: Vec<(char, Ink)>,
    /// The column of the next character.
    column: usize,
    pen: Pen,
    /// Whether the current line differs from what was reported.
    has_unsent: bool,
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
        let mut begun = mem::take(&mut self.partial);
        begun.extend_from_slice(bytes);
        let mut chunks = begun.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.put_text(chunk.valid());
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_char_prefix(invalid) {
                self.partial = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.put_text("\u{fffd}");
            }
        }
    }

    fn put_text(&mut self, text: &str) {
        for byte in text.bytes() {
            self.parser.advance(&mut self.page, byte);
        }
    }

    /// Returns what was not reported yet; `None` when nothing is new.
    pub(super) fn take_update(&mut self) -> Option<NewOutput> {
        if !mem::take(&mut self.page.has_unsent) {
            return None;
        }
        let open = !self.page.line.is_empty();
        Some(NewOutput {
            done: mem::take(&mut self.page.done),
            open: open.then(|| self.page.as_line(false)),
        })
    }

    /// Completes the last line: there is no more output.
    pub(super) fn end(&mut self) {
        if !mem::take(&mut self.partial).is_empty() {
            self.put_text("\u{fffd}");
        }
        if !self.page.line.is_empty() {
            self.page.finish(false);
        }
    }
}

/// Returns whether bytes may be the beginning of a character.
fn is_char_prefix(bytes: &[u8]) -> bool {
    let error = std::str::from_utf8(bytes).err();
    error.is_some_and(|error| error.error_len().is_none())
}

impl ScreenPage {
    fn put(&mut self, c: char) {
        self.has_unsent = true;
        let cell = (c, self.pen.ink());
        match self.line.get_mut(self.column) {
            Some(there) => *there = cell,
            None => {
                self.line.resize(self.column, (' ', Ink::Plain));
                self.line.push(cell);
            }
        }
        self.column += 1;
        if self.column >= MAX_LINE_CHARS {
            self.finish(true);
        }
    }

    fn finish(&mut self, goes_on: bool) {
        let line = self.as_line(goes_on);
        self.done.push(line);
        self.line.clear();
        self.column = 0;
        self.has_unsent = true;
    }

    fn as_line(&self, goes_on: bool) -> OutputLine {
        let mut line = OutputLine { continues: goes_on, ..OutputLine::default() };
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
        self.has_unsent = true;
        match which {
            0 => self.line.truncate(self.column),
            1 => {
                let end = self.line.len().min(self.column + 1);
                self.line[..end].fill((' ', Ink::Plain));
            }
            _ => self.line.clear(),
        }
    }
}

impl Perform for ScreenPage {
    fn print(&mut self, c: char) {
        match HiddenKind::classify(c) {
            None => self.put(c),
            // Joiners are dropped: each character is shown separately.
            Some(_) if matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}') => {}
            Some(_) => c.escape_unicode().for_each(|c| self.put(c)),
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' => self.finish(false),
            b'\r' => self.column = 0,
            b'\x08' => self.column = self.column.saturating_sub(1),
            b'\t' => {
                let stop = (self.column / TAB_WIDTH + 1) * TAB_WIDTH;
                let new = self.column.max(self.line.len());
                self.column = self.column.max(new.min(stop));
                (self.column..stop).for_each(|_| self.put(' '));
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
            ([], b'G') => self.column = (by - 1).min(MAX_LINE_CHARS - 1),
            ([], b'C') => self.column = (self.column + by).min(MAX_LINE_CHARS - 1),
            ([], b'D') => self.column = self.column.saturating_sub(by),
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
                [38] => self.colour = parse_extended_colour(&mut params),
                [48] => drop(parse_extended_colour(&mut params)),
                _ => {}
            }
        }
    }
}

/// Reads a colour that is given by several numbers.
fn parse_extended_colour(params: &mut ParamsIter<'_>) -> Option<Ink> {
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
    fn shown(more: Option<NewOutput>) -> String {
        let NewOutput { done, open } = more.unwrap_or_default();
        let shown = |line: &OutputLine| {
            let inks = line
                .inks
                .iter()
                .map(|(range, ink)| format!(" [{} {ink:?}]", &line.text[range.clone()]));
            format!("{}{}\n", line.text, inks.collect::<String>())
        };
        let done: String = done.lines.iter().map(shown).collect();
        let open = open.map_or(String::new(), |line| format!("> {}", shown(&line)));
        done + &open
    }

    fn screen(text: &[u8]) -> String {
        let mut screen = Screen::default();
        screen.feed(text);
        shown(screen.take_update())
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
        assert_eq!(screen(b"a\xff\xc3\nb\xe2\x82\n"), "a\u{fffd}\u{fffd}\nb\u{fffd}\n");
        let mut whole = Screen::default();
        whole.feed(b"\xe2\x82");
        assert_eq!(whole.take_update(), None);
        whole.feed(b"\xac \xe2");
        assert_eq!(shown(whole.take_update()), "> \u{20ac} \n");
        whole.end();
        assert_eq!(shown(whole.take_update()), "\u{20ac} \u{fffd}\n");
        whole.end();
        assert_eq!(whole.take_update(), None);
    }

    #[test]
    fn a_line_that_is_too_long_goes_on_in_the_next() {
        let mut screen = Screen::default();
        screen.feed("é".repeat(MAX_LINE_CHARS + 1).as_bytes());
        screen.feed(b"\n");
        let lines = screen.take_update().unwrap().done;
        let lines: Vec<_> =
            lines.lines.iter().map(|line| (line.text.chars().count(), line.continues)).collect();
        assert_eq!(lines, [(MAX_LINE_CHARS, true), (1, false)]);
    }

    proptest::proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn chunks_make_no_difference(bytes in proptest::collection::vec(proptest::prop_oneof![proptest::prelude::any::<u8>(), proptest::sample::select(b"\x1b[]m;31K\r\n\t\x08Ga\xe2\x82\xac".to_vec())], 0..60), at in 0usize..60) {
            let all = |parts: &[&[u8]]| {
                let mut screen = Screen::default();
                parts.iter().for_each(|part| screen.feed(part));
                screen.end();
                shown(screen.take_update())
            };
            let at = at.min(bytes.len());
            proptest::prop_assert_eq!(all(&[&bytes]), all(&[&bytes[..at], &bytes[at..]]));
        }
    }
}
