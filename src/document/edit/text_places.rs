//! Places of the characters of a text in YAML that is written in quotes or plainly, on one line or folded over several.

use std::ops::Range;

use crate::yaml::line_breaks::fold;

/// Returns where a part of the decoded text is written, in bytes from the start of the value; `None` for a block, and for half of an
/// escape.
pub(super) fn find(raw: &str, part: &Range<usize>) -> Option<Range<usize>> {
    let (quote, end) = match raw.as_bytes().first()? {
        b'|' | b'>' => return None,
        quote @ (b'"' | b'\'') if raw.len() >= 2 => (Some(*quote), raw.len() - 1),
        _ => (None, raw.len()),
    };
    let mut at = usize::from(quote.is_some());
    let mut read = 0;
    let (mut from, mut to) = (None, None);
    while at <= end {
        if read == part.start {
            // The last such place counts: it is behind a line end that is no part of the text.
            from = Some(at);
        }
        if read == part.end && to.is_none() {
            to = Some(at);
        }
        if at == end || read > part.end {
            break;
        }
        let (raw_len, text_len) = step(raw.get(at..end)?, quote)?;
        at += raw_len;
        read += text_len;
    }
    let (from, to) = (from?, to?);
    (from <= to).then_some(from..to)
}

/// Returns how many bytes the next piece takes as written, and decoded.
fn step(rest: &str, quote: Option<u8>) -> Option<(usize, usize)> {
    if let Some(fold) = fold(rest) {
        return Some((fold.len, fold.text.len()));
    }
    let first = rest.chars().next()?;
    match (quote, first) {
        (Some(b'\''), '\'') => Some((2, 1)),
        (Some(b'"'), '\\') => escape(rest),
        _ => Some((first.len_utf8(), first.len_utf8())),
    }
}

/// Reads an escape in double quotes.
fn escape(rest: &str) -> Option<(usize, usize)> {
    let next = rest[1..].chars().next()?;
    let digits = match next {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        // The text continues on the next line, whose leading spaces are no part of it.
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
            let fold = fold(&rest[1..])?;
            return Some((1 + fold.len, fold.escaped.len()));
        }
        // U+0085 and U+00A0 take two bytes, U+2028 and U+2029 three.
        'N' | '_' => return Some((2, 2)),
        'L' | 'P' => return Some((2, 3)),
        _ => return Some((1 + next.len_utf8(), 1)),
    };
    let number = u32::from_str_radix(rest.get(2..2 + digits)?, 16).ok()?;
    Some((2 + digits, char::from_u32(number)?.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;
    use crate::yaml;

    #[test]
    fn each_character_is_found_where_it_is_written() {
        for raw in [
            "'it''s\n  on lines\n\n\n  é and more'",
            "\"a \\\n  \\ b\\x41\\u00e9\\U0001F600\\n \\\"c\\\"\n  d\\_\"",
            "plain text\r\n  on lines",
            "'one\u{2028}  two \u{85}\u{2029}  three'",
            "\"one \\\u{2028}\n\n  two\\Lthree\u{2029} é\"",
        ] {
            let (tree, problems) = yaml::parse(&Source::new(format!("k: {raw}\n")));
            assert!(problems.is_empty(), "{problems:?}");
            let text = tree.at_pointer("/k").unwrap().as_str().unwrap().to_owned();
            for (start, letter) in
                text.char_indices().filter(|(_, letter)| letter.is_alphanumeric())
            {
                let place = find(raw, &(start..start + letter.len_utf8())).unwrap();
                let raw_text = &raw[place];
                let escapes = [
                    format!("\\x{:02X}", u32::from(letter)),
                    format!("\\u{:04x}", u32::from(letter)),
                    format!("\\U{:08X}", u32::from(letter)),
                ];
                assert!(
                    raw_text == letter.to_string() || escapes.iter().any(|e| e == raw_text),
                    "{letter:?} in {raw:?}: {raw_text:?}"
                );
            }
            assert_eq!(
                find(raw, &(0..text.len())).map(|place| place.end),
                Some(raw.trim_end_matches(['\'', '"']).len())
            );
        }
        assert_eq!(find("|\n  a", &(0..1)), None);
    }
}
