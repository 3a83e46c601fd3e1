//! What playback compares: the signature of a request, stored in its recording or computed from it.

use std::sync::Arc;

use crate::format::recording::{Recording, Request, StoredSignature};
use crate::format::text;

/// A signature in the form that is compared: names and keys sorted as JavaScript sorts (by UTF-16 code units).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// Names of the offered tools.
    pub tool_names: Box<[Arc<str>]>,
    /// How many messages.
    pub message_count: u64,
    /// Keys of the request's context.
    pub context_keys: Box<[Arc<str>]>,
}

impl Signature {
    /// Computes the signature of a request, as the documented client does: context keys included.
    pub fn of_request(request: &Request) -> Self {
        let names = request.tools.iter().filter_map(|tool| text(&tool.name));
        let keys = request.context_keys.iter().map(String::as_str);
        Self {
            tool_names: sorted(names),
            message_count: request.messages.len() as u64,
            context_keys: sorted(keys),
        }
    }

    /// Reads a stored signature. Players compare it as stored, so nothing is sorted; a missing count is taken as 0.
    pub fn stored(stored: &StoredSignature) -> Self {
        let all = |names: &[String]| names.iter().map(|name| Arc::from(name.as_str())).collect();
        Self {
            tool_names: all(&stored.tool_names),
            message_count: stored.message_count.unwrap_or(0),
            context_keys: all(&stored.context_keys),
        }
    }

    /// The signature playback uses for a recording: its own, else the computed one.
    pub fn of_recording(recording: &Recording) -> Self {
        match &recording.signature {
            Some(stored) => Self::stored(&stored.value),
            None => Self::of_request(&recording.request),
        }
    }
}

/// Orders two texts as JavaScript's default sort does: by UTF-16 code units.
pub fn utf16_order(a: &str, b: &str) -> std::cmp::Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

fn sorted<'a>(texts: impl Iterator<Item = &'a str>) -> Box<[Arc<str>]> {
    let mut all: Vec<Arc<str>> = texts.map(Arc::from).collect();
    all.sort_by(|a, b| utf16_order(a, b));
    all.into()
}

#[cfg(test)]
mod tests {
    use super::utf16_order;

    #[test]
    fn names_sort_by_utf16_units_as_in_javascript() {
        let mut names = ["\u{ff5e}", "😀", "b", "a"];
        names.sort_by(|a, b| utf16_order(a, b));
        // A surrogate pair starts at U+D83D, below U+FF5E, though the emoji's code point is above it.
        assert_eq!(names, ["a", "b", "😀", "\u{ff5e}"]);
    }
}
