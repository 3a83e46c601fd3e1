//! The signature of a request, which playback compares. It is stored in the recording or computed from the request.

use std::sync::Arc;

use crate::recording::{Recording, Request, StoredSignature};
use crate::text;

/// A signature for comparison: names and keys are sorted as in JavaScript (by UTF-16 code units).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Names of the offered tools.
    pub tool_names: Box<[Arc<str>]>,
    /// Number of messages.
    pub message_count: u64,
    /// Keys of the request's context.
    pub context_keys: Box<[Arc<str>]>,
}

/// A signature that borrows its texts from a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SignatureText<'a> {
    /// Names of the offered tools.
    pub tool_names: Vec<&'a str>,
    /// Number of messages.
    pub message_count: u64,
    /// Keys of the request's context.
    pub context_keys: Vec<&'a str>,
}

impl<'a> SignatureText<'a> {
    /// Computes the signature of a request like the documented client, including context keys.
    pub fn of_request(request: &'a Request) -> Self {
        let names = request.tools.iter().filter_map(|tool| text(&tool.name));
        let keys = request.context_keys.iter().map(String::as_str);
        Self {
            tool_names: sorted(names),
            message_count: request.messages.len() as u64,
            context_keys: sorted(keys),
        }
    }

    /// Reads a stored signature. Players compare it as stored, so it is not sorted; a missing count is 0.
    pub fn stored(signature: &'a StoredSignature) -> Self {
        let to_strs = |names: &'a [String]| names.iter().map(String::as_str).collect();
        Self {
            tool_names: to_strs(&signature.tool_names),
            message_count: signature.message_count.unwrap_or(0),
            context_keys: to_strs(&signature.context_keys),
        }
    }

    /// Returns the signature that playback uses for a recording: the stored one, or else the computed one.
    pub fn of_recording(recording: &'a Recording) -> Self {
        match &recording.signature {
            Some(signature) => Self::stored(&signature.value),
            None => Self::of_request(&recording.request),
        }
    }

    /// Returns the signature with owned texts, which `keep` creates.
    pub fn to_signature(&self, keep: impl Fn(&str) -> Arc<str>) -> Signature {
        let to_arcs = |texts: &[&str]| texts.iter().map(|text| keep(text)).collect();
        Signature {
            tool_names: to_arcs(&self.tool_names),
            message_count: self.message_count,
            context_keys: to_arcs(&self.context_keys),
        }
    }
}

impl PartialEq<Signature> for SignatureText<'_> {
    fn eq(&self, other: &Signature) -> bool {
        let are_equal = |texts: &[&str], others: &[Arc<str>]| {
            texts.iter().copied().eq(others.iter().map(|other| &**other))
        };
        self.message_count == other.message_count
            && are_equal(&self.tool_names, &other.tool_names)
            && are_equal(&self.context_keys, &other.context_keys)
    }
}

/// Orders two texts as JavaScript's default sort does: by UTF-16 code units.
pub fn utf16_order(a: &str, b: &str) -> std::cmp::Ordering {
    // Up to U+DFFF, bytes sort in the order of code units.
    let is_low = |text: &str| text.bytes().fold(true, |all, byte| all & (byte < 0xee));
    if is_low(a) && is_low(b) { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

fn sorted<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut list: Vec<&str> = texts.collect();
    list.sort_by(|a, b| utf16_order(a, b));
    list
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::utf16_order;

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn the_quick_way_gives_the_same_order(a in "[a\u{80}\u{d7ff}\u{e000}\u{ffff}\u{10000}]{0,4}", b in "[a\u{80}\u{d7ff}\u{e000}\u{ffff}\u{10000}]{0,4}") {
            prop_assert_eq!(utf16_order(&a, &b), a.encode_utf16().cmp(b.encode_utf16()));
        }
    }

    #[test]
    fn names_sort_by_utf16_units_as_in_javascript() {
        let mut names = ["\u{ff5e}", "😀", "b", "a"];
        names.sort_by(|a, b| utf16_order(a, b));
        // A surrogate pair starts at U+D83D, below U+FF5E, though the emoji's code point is above it.
        assert_eq!(names, ["a", "b", "😀", "\u{ff5e}"]);
    }
}
