//! Texts with `*`, compared without regard to case.

/// Extent of a text that a pattern has to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternExtent {
    Whole,
    /// Any part of it.
    Part,
}

/// One piece of a value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TermPiece {
    /// These characters.
    Text(String),
    /// `*`: any characters.
    Any,
}

/// A text with `*`, made ready for comparing it with many others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WildcardPattern {
    /// The texts between the stars, in lower case; there is always one more than stars.
    parts: Box<[Box<str>]>,
    reach: PatternExtent,
}

impl WildcardPattern {
    pub(super) fn new(pieces: &[TermPiece], reach: PatternExtent) -> Self {
        let mut parts = vec![String::new()];
        for piece in pieces {
            match piece {
                TermPiece::Any => parts.push(String::new()),
                TermPiece::Text(text) => {
                    if let Some(last) = parts.last_mut() {
                        last.push_str(&text.to_lowercase());
                    }
                }
            }
        }
        Self { parts: parts.into_iter().map(String::into_boxed_str).collect(), reach }
    }

    /// Returns true if nothing was written at all, not even a star.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&*self.parts, [part] if part.is_empty())
    }

    /// Returns whether `text` fits. Allocates only for text beyond ASCII.
    pub(super) fn matches(&self, text: &str) -> bool {
        if text.is_ascii() {
            self.fits(text.as_bytes())
        } else {
            self.fits(text.to_lowercase().as_bytes())
        }
    }

    fn fits(&self, text: &[u8]) -> bool {
        let (first, last, middle_parts) = match (&*self.parts, self.reach) {
            ([], _) => return true,
            ([part], PatternExtent::Whole) => return text.eq_ignore_ascii_case(part.as_bytes()),
            (parts, PatternExtent::Part) => return in_order(text, parts).is_some(),
            ([first, middle_parts @ .., last], PatternExtent::Whole) => {
                (first.as_bytes(), last.as_bytes(), middle_parts)
            }
        };
        let is_start = (text.get(..first.len())).is_some_and(|s| s.eq_ignore_ascii_case(first));
        if !is_start {
            return false;
        }
        let Some(rest) = in_order(&text[first.len()..], middle_parts) else { return false };
        let end = rest.len().checked_sub(last.len());
        end.is_some_and(|end| rest[end..].eq_ignore_ascii_case(last))
    }
}

/// Finds the parts one after the other and returns what is left behind the last.
fn in_order<'a>(mut text: &'a [u8], parts: &[Box<str>]) -> Option<&'a [u8]> {
    for part in parts {
        // The first place of each part leaves the most text for the parts behind it, so no other need be tried.
        let index = find(text, part.as_bytes())?;
        text = &text[index + part.len()..];
    }
    Some(text)
}

/// Finds `needle`, which is in lower case, in a text of any case.
fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    let Some(&first) = needle.first() else { return Some(0) };
    // A fast search for the first letter leaves few places to compare.
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text).find(|&index| {
        text.get(index..index + needle.len()).is_some_and(|b| b.eq_ignore_ascii_case(needle))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, reach: PatternExtent, text: &str) -> bool {
        let pieces: Vec<TermPiece> = pattern
            .split_inclusive('*')
            .flat_map(|piece| {
                let text = piece.trim_end_matches('*');
                let star = (piece.len() > text.len()).then_some(TermPiece::Any);
                [Some(TermPiece::Text(text.to_owned())), star].into_iter().flatten()
            })
            .collect();
        WildcardPattern::new(&pieces, reach).matches(text)
    }

    #[test]
    fn stars_mean_any_characters() {
        let cases = [
            ("read", "READ", true),
            ("read", "read_x", false),
            ("read*", "read_x", true),
            ("*x", "read_x", true),
            ("r*_*x", "read_the_x", true),
            ("aba*ba", "aba", false),
            ("*", "", true),
            ("a**b", "ab", true),
            ("ärger*", "ÄRGER am Morgen", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(fits(pattern, PatternExtent::Whole, text), expected, "{pattern} {text}");
        }
        assert!(fits("b*D", PatternExtent::Part, "abcde"));
        assert!(!fits("d*b", PatternExtent::Part, "abcde"));
    }
}
