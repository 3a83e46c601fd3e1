//! The old ids of a pair, in place of the new ones.

use std::borrow::Cow;

use foldhash::HashMap;

use super::noise::IgnoreReason;
use super::structure::ValueDifference;
use document::Node;
use document::edit::JsonValue;

/// Old ids of a pair by the new ids that replaced them.
#[derive(Debug, Default)]
pub(super) struct OldIds {
    /// The old one by the new one.
    by_new: HashMap<Box<str>, Box<str>>,
}

impl OldIds {
    /// The least bytes of an id that is replaced within a longer text, where it must contain a digit as well.
    // A shorter word, or one of letters alone, may be a plain word of a sentence.
    const MIN_BYTES_IN_TEXT: usize = 8;
    /// The least bytes of an id that is replaced where it is a whole text.
    // Texts such as `1` or `ok` are equal by chance.
    const MIN_BYTES: usize = 4;

    /// Collects the ids from differences with the reason why each is ignored.
    pub(super) fn new<'a>(
        differences: impl Iterator<Item = (&'a ValueDifference<'a>, Option<IgnoreReason>)>,
    ) -> Self {
        let is_word = |id: &&str| id.len() >= Self::MIN_BYTES && !id.contains(char::is_whitespace);
        let mut ids = Self::default();
        for (difference, reason) in differences {
            let texts = difference.nodes.map(|node| node.and_then(Node::as_str));
            if let (Some(IgnoreReason::Id), [Some(old), Some(new)]) = (reason, texts)
                && [old, new].iter().all(is_word)
            {
                ids.by_new.entry(new.into()).or_insert_with(|| old.into());
            }
        }
        ids
    }

    /// Returns a text with the old ids.
    pub(super) fn in_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if let Some(old) = self.by_new.get(text) {
            return Cow::Owned(old.to_string());
        }
        let new_ids: Vec<_> = self.found_in(text).collect();
        if new_ids.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut new_text = text.to_owned();
        // From the end, so that the places in front stay valid.
        for (start, new, old) in new_ids.into_iter().rev() {
            new_text.replace_range(start..start + new.len(), old);
        }
        Cow::Owned(new_text)
    }

    /// Returns a value with the old ids.
    pub(super) fn in_value(&self, value: &JsonValue) -> JsonValue {
        if self.by_new.is_empty() {
            return value.clone();
        }
        value.with_texts(&|text| self.in_text(text).into_owned())
    }

    /// Returns a new id that a text still contains.
    pub(super) fn first_in<'t>(&self, text: &'t str) -> Option<&'t str> {
        let mut new_ids = self.found_in(text);
        // Ids that are counted per file may be old ones as well.
        let is_old = |id: &str| self.by_new.values().any(|old| &**old == id);
        new_ids.find(|(_, id, _)| !is_old(id)).map(|(_, id, _)| id)
    }

    /// Returns each new id in a text with its start in bytes and the old id.
    fn found_in<'s, 't>(
        &'s self,
        text: &'t str,
    ) -> impl Iterator<Item = (usize, &'t str, &'s str)> + use<'s, 't> {
        let is_separator = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_');
        let is_empty = self.by_new.is_empty();
        text.split(is_separator).filter(move |_| !is_empty).filter_map(move |word| {
            let is_clear = word.len() >= Self::MIN_BYTES_IN_TEXT
                && word.bytes().any(|byte| byte.is_ascii_digit());
            let old = self.by_new.get(word).filter(|_| is_clear)?;
            // `word` is a slice of `text`, so the difference of their addresses is its start.
            Some((word.as_ptr() as usize - text.as_ptr() as usize, word, &**old))
        })
    }
}
