//! Converts the scanner's places to bytes: the scanner counts characters, and its spans include what precedes a value.

use std::ops::Range;

/// The number of characters between two indexed places.
// Four bytes of memory for 64 characters, and at most 63 characters from an indexed place to another.
const INDEX_STEP_CHARS: usize = 64;

/// Finds the byte of a character by its number.
pub(super) struct CharIndex<'a> {
    text: &'a str,
    /// The byte of every `INDEX_STEP_CHARS`th character; empty when each character is a byte.
    bytes: Vec<u32>,
}

impl<'a> CharIndex<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut bytes = Vec::new();
        if !text.is_ascii() {
            let starts = text.char_indices().step_by(INDEX_STEP_CHARS);
            bytes.extend(starts.map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)));
        }
        Self { text, bytes }
    }

    /// The byte at which character `index` starts; the end of the text for one past it.
    pub(super) fn byte(&self, index: usize) -> usize {
        if self.bytes.is_empty() {
            return index.min(self.text.len());
        }
        let Some(&byte) = self.bytes.get(index / INDEX_STEP_CHARS) else { return self.text.len() };
        let rest = self.text.get(byte as usize..).unwrap_or_default();
        let place = rest.char_indices().nth(index % INDEX_STEP_CHARS);
        place.map_or(self.text.len(), |(at, _)| byte as usize + at)
    }
}

/// Skips the anchor and the tag before a value, with the white space and comments around them.
pub(super) fn after_properties(text: &str, start: usize, end: usize) -> usize {
    after_some_properties(text, start, end, usize::MAX)
}

/// Skips this many anchors and tags, with the white space and comments around them: what follows may be those of a
/// first key.
pub(super) fn after_some_properties(text: &str, start: usize, end: usize, count: usize) -> usize {
    let mut at = after_space(text, start, end);
    for _ in 0..count {
        match property_len(text.get(at..end).unwrap_or_default()) {
            Some(len) => at = after_space(text, at + len, end),
            None => break,
        }
    }
    at.min(end)
}

/// The length of the anchor or the tag at the start of a text.
fn property_len(text: &str) -> Option<usize> {
    match text.as_bytes() {
        [b'!', b'<', ..] => Some(text.find('>').map_or(text.len(), |len| len + 1)),
        [b'&' | b'!', ..] => Some(name_len(text)),
        _ => None,
    }
}

/// The first byte between `search_start`, where the value before a key ends, and the key itself that is neither white space nor a
/// sign of the collections around it: a `?` where the key is explicit, a `:` where there is no key.
pub(super) fn key_sign(text: &str, search_start: usize) -> Option<(usize, u8)> {
    let mut at = after_space(text, search_start, text.len());
    while let Some(b'{' | b'[' | b',' | b'-') = text.as_bytes().get(at) {
        at = after_space(text, at + 1, text.len());
    }
    Some((at, *text.as_bytes().get(at)?))
}

/// The name of the anchor among the properties that start at `start`, without its sign.
pub(super) fn anchor(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let mut at = after_space(text, start, end);
    while let Some(&first) = text.as_bytes().get(at).filter(|_| at < end) {
        let next = after_some_properties(text, at, end, 1);
        match first {
            b'&' => return Some(at + 1..(at + name_len(&text[at..])).min(end)),
            // Without a property here, `at` would never advance.
            _ if next <= at => return None,
            _ => at = next,
        }
    }
    None
}

/// The tag of the value that starts at `end`, among the signs of collections and the properties between `start` and it.
pub(super) fn tag(text: &str, start: usize, end: usize) -> Option<&str> {
    let mut at = start;
    loop {
        at = after_space(text, at, end);
        let rest = text.get(at..end)?;
        at += match (rest.chars().next()?, property_len(rest)) {
            ('!', Some(len)) => return rest.get(..len),
            (_, Some(len)) => len,
            // A directive of YAML reaches to the end of its line.
            ('%', None) => rest.find(['\n', '\r']).unwrap_or(1),
            (sign, None) => sign.len_utf8(),
        };
    }
}

/// The length of an anchor or a tag.
fn name_len(text: &str) -> usize {
    let is_end = |c: char| c.is_ascii_whitespace() || ",[]{}".contains(c);
    text.find(is_end).unwrap_or(text.len())
}

/// Skips white space, line ends and comments.
pub(super) fn after_space(text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            // Without white space before it, `#` is part of a text.
            b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() => {
                let rest = &bytes[at..end];
                at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            }
            _ => break,
        }
    }
    at
}

/// Returns the byte after the `:` or `-` that follows what was read before, if it has no value.
pub(super) fn after_sign(text: &str, search_start: usize) -> Option<usize> {
    let at = after_space(text, search_start, text.len());
    matches!(text.as_bytes().get(at)?, b':' | b'-').then_some(at + 1)
}

/// Returns the first dash of a list that is the value of a key which ends at `search_start`.
pub(super) fn dash(text: &str, search_start: usize, end: usize) -> Option<usize> {
    let colon = after_space(text, search_start, end);
    let value = colon + usize::from(text.as_bytes().get(colon) == Some(&b':'));
    let at = after_space(text, value, end);
    (text.as_bytes().get(at) == Some(&b'-') && at < end).then_some(at)
}

/// Returns the closing bracket of a flow collection, at `start` or after the comma there.
pub(super) fn bracket(text: &str, start: usize) -> Option<usize> {
    let at = match text.as_bytes().get(start) {
        Some(b',') => after_space(text, start + 1, text.len()),
        _ => start,
    };
    matches!(text.as_bytes().get(at), Some(b']' | b'}')).then_some(at)
}

/// The first tab between two places that is in no comment.
pub(super) fn tab(text: &str, start: usize, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        let is_comment = bytes[at] == b'#' && (at == 0 || bytes[at - 1].is_ascii_whitespace());
        at = match bytes[at] {
            b'\t' => return Some(at),
            _ if is_comment => after_space(text, at, end),
            _ => at + 1,
        };
    }
    None
}

/// Start of the text of the last line before `end` that is not blank.
pub(super) fn last_line(text: &str, end: usize) -> usize {
    let text_before = text.get(..end).unwrap_or_default().trim_end();
    let line = text_before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    line + text_before[line..].len() - text_before[line..].trim_start().len()
}

/// Returns the end of the quoted text that starts at `start`, after its closing quote. The scanner's end includes what follows it.
pub(super) fn quoted_end(text: &str, start: usize, end: usize) -> usize {
    let bytes = &text.as_bytes()[..end];
    let Some(&quote) = bytes.get(start) else { return end };
    // Single quotes have no escapes; a quote in them is doubled.
    let special = if quote == b'"' { b'\\' } else { quote };
    let mut at = start + 1;
    while let Some(len) = bytes.get(at..).and_then(|rest| memchr::memchr2(quote, special, rest)) {
        at += len;
        let is_doubled = quote == b'\'' && bytes.get(at + 1) == Some(&quote);
        if bytes[at] == quote && !is_doubled {
            return at + 1;
        }
        at += 2;
    }
    end
}

/// Returns the header (`|` or `>`) of a block scalar, searching from the end of what precedes it.
pub(super) fn block_header(text: &str, search_start: usize, content: usize) -> usize {
    let mut at = search_start;
    loop {
        at = after_properties(text, at, content);
        match text.as_bytes().get(at) {
            Some(b'|' | b'>') => return at,
            Some(b'%') => at += text[at..].find(['\n', '\r']).unwrap_or(1),
            // These are signs of the structure, as in `key: |`, `- |`, `? |` or `--- |`, or a mark of byte order.
            Some(_) if at < content => at += text[at..].chars().next().map_or(1, char::len_utf8),
            _ => return content,
        }
    }
}

/// End of the text of a block scalar: with its last line that is not blank, without the line end. A last line that the
/// value includes although it is blank, because it is indented further or has a tab, counts, too; `value` is the value of the
/// scalar.
pub(super) fn block_end(text: &str, header: usize, end: usize, value: &str) -> usize {
    let mut block = text.get(header..end).unwrap_or_default();
    let last = value.trim_end_matches(['\n', '\r']);
    let last = &last[last.rfind(['\n', '\r']).map_or(0, |at| at + 1)..];
    let last = if last.trim().is_empty() { last } else { "" };
    loop {
        block = block.trim_end_matches(['\n', '\r']);
        let Some(line) = block.rfind(['\n', '\r']) else {
            return header + block.trim_end_matches([' ', '\t']).len();
        };
        let is_last = !last.is_empty() && block.ends_with(last);
        if is_last || !block[line..].trim().is_empty() {
            return header + block.len();
        }
        block = &block[..line];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_found_at_their_bytes() {
        for text in ["", "abc", &"aé😀\r\n".repeat(100)] {
            let places = CharIndex::new(text);
            for (index, (at, _)) in text.char_indices().enumerate() {
                assert_eq!(places.byte(index), at);
            }
            assert_eq!(places.byte(text.chars().count()), text.len());
            assert_eq!(places.byte(usize::MAX), text.len());
        }
    }
}
