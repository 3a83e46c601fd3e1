//! Finds, names and escapes characters that are invisible, reorder text or control a terminal.

use std::borrow::Cow;

use super::named_enum;

named_enum! {
    /// Kind of a hidden character.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HiddenKind {
        /// Controls a terminal: C0 and C1 controls other than tab and line ends, and DEL.
        Control = "a control character",
        /// Changes the direction in which text is shown, so that its order differs from what is stored.
        Bidi = "a character that reorders text",
        /// Invisible: zero-width, tag and similar characters.
        Invisible = "an invisible character",
    }

    /// Its name in a message.
    pub fn name;
}

impl HiddenKind {
    /// Returns the kind of a hidden character; `None` for others. Tab, line feed and carriage return are ordinary; so are the joiners that emoji
    /// and several scripts need, when they are between the characters they join (see [`first_hidden`]).
    pub fn classify(c: char) -> Option<Self> {
        match c {
            '\t' | '\n' | '\r' => None,
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some(Self::Control),
            // All of Unicode's `Bidi_Control`.
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => Some(Self::Bidi),
            // From here on, mostly Unicode's `Default_Ignorable_Code_Point`, without U+FE00 to U+FE0F, which are common after emoji.
            '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180e}' => Some(Self::Invisible),
            '\u{200b}'..='\u{200d}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}' => Some(Self::Invisible),
            '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            // U+FFFE and U+FFFF are no characters, and not allowed in XML.
            | '\u{fffe}'..='\u{ffff}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}' => Some(Self::Invisible),
            _ => None,
        }
    }
}

/// The first bytes of the characters beyond ASCII that [`HiddenKind::classify`] knows.
const HIDDEN_LEADS: [[u8; 3]; 3] = [[0xe2, 0xef, 0xc2], [0xe1, 0xe3, 0xf0], [0xcd, 0xd8, 0xf3]];

/// Returns whether `text` has a character of a [`HiddenKind`], a joiner included. Takes a few passes over the bytes, many at once, so that
/// it is quick for text without any.
pub fn has_hidden_kind(text: &str) -> bool {
    let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // No early return, so that the compiler can vectorize the loop.
    let has_control = |bytes: &[u8]| {
        bytes.iter().fold(false, |has_any, &byte| has_any | is_control(byte) | (byte == 0x7f))
    };
    let is_hidden = |at: usize| text[at..].chars().next().and_then(HiddenKind::classify).is_some();
    let has_lead =
        |[a, b, c]: [u8; 3]| memchr::memchr3_iter(a, b, c, text.as_bytes()).any(is_hidden);
    has_control(text.as_bytes()) || !text.is_ascii() && HIDDEN_LEADS.into_iter().any(has_lead)
}

/// Finds the first hidden character of `text`: its byte, itself and its kind.
///
/// A joiner (U+200C, U+200D) between two characters beyond ASCII is how emoji and many scripts are written, not a trick.
pub fn first_hidden(text: &str) -> Option<(usize, char, HiddenKind)> {
    let mut previous: Option<char> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if let Some(kind) = HiddenKind::classify(c)
            && !joins(previous, c, chars.peek().map(|(_, next)| *next))
        {
            return Some((at, c, kind));
        }
        previous = Some(c);
    }
    None
}

/// Whether a character joins the two around it.
fn joins(previous: Option<char>, c: char, next: Option<char>) -> bool {
    let is_joined = |other: Option<char>| other.is_some_and(|other| !other.is_ascii());
    matches!(c, '\u{200c}' | '\u{200d}') && is_joined(previous) && is_joined(next)
}

/// Shows `text` on one line with nothing hidden: control, bidi and invisible characters, tabs and line ends included,
/// become `\n`-like or `\u{…}` escapes. What comes from a file passes through here on its way to a terminal.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Most texts are printable ASCII, which this loop over bytes finds faster than the table of characters.
    let is_plain = || text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain()
        || !text
            .chars()
            .any(|c| HiddenKind::classify(c).is_some() || matches!(c, '\t' | '\n' | '\r'))
    {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len() + 8);
    let mut previous = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\t' => output.push_str("\\t"),
            '\n' => output.push_str("\\n"),
            '\r' => output.push_str("\\r"),
            c => push_visible(&mut output, previous, c, chars.peek().copied()),
        }
        previous = Some(c);
    }
    Cow::Owned(output)
}

/// The same for a text of several lines: tabs and line ends stay, `\r\n` becomes `\n`.
pub fn visible_lines(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut previous = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            // A lone `\r` would let the rest of a line overwrite its start in a terminal.
            '\r' => output.push_str("\\r"),
            c => push_visible(&mut output, previous, c, chars.peek().copied()),
        }
        previous = Some(c);
    }
    output
}

fn push_visible(output: &mut String, previous: Option<char>, c: char, next: Option<char>) {
    if HiddenKind::classify(c).is_some() && !joins(previous, c, next) {
        output.extend(c.escape_unicode());
    } else {
        output.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hidden_character_is_found_by_its_bytes() {
        for c in '\0'..=char::MAX {
            let is_hidden = HiddenKind::classify(c).is_some();
            assert_eq!(has_hidden_kind(&format!("a{c}b")), is_hidden, "{c:?}");
        }
    }

    #[test]
    fn nothing_hidden_is_left_in_what_is_shown() {
        assert_eq!(visible("a\u{1b}[31mb\u{202e}c\n"), "a\\u{1b}[31mb\\u{202e}c\\n");
        assert_eq!(visible("plain é"), "plain é");
        assert_eq!(visible_lines("a\r\n\tb\rc\u{202e}\n"), "a\n\tb\\rc\\u{202e}\n");
        assert_eq!(visible("👩\u{200d}💻 a\u{200d}b"), "👩\u{200d}💻 a\\u{200d}b");
        assert_eq!(visible_lines("👩\u{200d}💻"), "👩\u{200d}💻");
        // No reader of XML takes these.
        assert_eq!(visible("a\u{fffe}\u{ffff}\u{fffd}"), "a\\u{fffe}\\u{ffff}\u{fffd}");
    }

    #[test]
    fn joiners_inside_emoji_are_ordinary() {
        assert_eq!(first_hidden("👩\u{200d}💻 ok"), None);
        assert_eq!(
            first_hidden("pay\u{200d}pal").map(|(at, _, kind)| (at, kind)),
            Some((3, HiddenKind::Invisible))
        );
    }
}
