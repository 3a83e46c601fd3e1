//! Text inside string values: what is searched, and what replaces it.

use std::ops::Range;

use regex::Regex;

use document::edit::JsonValue;
use document::json::places_in_raw;
use document::text::with_replaced;
use document::{Node, Syntax, json};

/// A text to find, and what replaces it.
#[derive(Clone, Debug)]
pub enum TextPattern {
    /// Exactly this text.
    Exact { old: String, new: String },
    /// A regular expression; in the new text `$1` and `${name}` are what its groups matched.
    Regex { pattern: Regex, new: String },
}

impl TextPattern {
    /// Finds a text exactly as it is.
    ///
    /// # Errors
    ///
    /// Returns an error if `old` is empty.
    pub fn exact(old: &str, new: &str) -> Result<Self, String> {
        if old.is_empty() {
            return Err("The text to replace is empty".to_owned());
        }
        Ok(Self::Exact { old: old.to_owned(), new: new.to_owned() })
    }

    /// Finds what a regular expression matches.
    ///
    /// # Errors
    ///
    /// The reason that it is none, as a sentence without a full stop.
    pub fn regex(pattern: &str, new: &str) -> Result<Self, String> {
        let compiled = Regex::new(pattern).map_err(|error| {
            let message = error.to_string();
            // The message shows the pattern on several lines; the reason is on the last one.
            let line = message.lines().last().unwrap_or_default();
            let reason = line.strip_prefix("error: ").unwrap_or(line);
            format!("The regular expression is invalid: {reason}")
        })?;
        Ok(Self::Regex { pattern: compiled, new: new.to_owned() })
    }

    /// Returns the parts of a text that change, in order, each with its new text.
    pub(crate) fn find(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let mut replacements: Vec<(Range<usize>, String)> = match self {
            Self::Exact { old, new } => {
                let starts = memchr::memmem::find_iter(text.as_bytes(), old.as_bytes());
                let ranges = starts.map(|start| start..start + old.len());
                ranges.map(|range| (range, new.clone())).collect()
            }
            Self::Regex { pattern, new } => {
                let found = pattern.captures_iter(text).map(|captures| {
                    let mut expanded = String::new();
                    captures.expand(new, &mut expanded);
                    (captures.get_match().range(), expanded)
                });
                found.collect()
            }
        };
        replacements.retain(|(range, new)| text.get(range.clone()) != Some(new));
        replacements
    }
}

/// Returns the value of a text in which parts, in bytes of the decoded text and in order, are replaced. Half a surrogate pair
/// elsewhere in the text stays what it is.
pub(crate) fn with_parts(node: Node<'_>, parts: &[(Range<usize>, String)]) -> JsonValue {
    let text = node.as_str().unwrap_or_default();
    if node.tree().syntax() == Syntax::Json {
        let raw = node.raw();
        let ends: Vec<usize> = parts.iter().flat_map(|(r, _)| [r.start, r.end]).collect();
        let raw_places = places_in_raw(raw, &ends);
        let places = raw_places.chunks_exact(2).map(|pair| pair[0].zip(pair[1]));
        let mut text = String::with_capacity(raw.len());
        let mut end = 0;
        for ((_, new), place) in parts.iter().zip(places) {
            let Some((start, until)) = place else { continue };
            let new = json::quote(new);
            text.push_str(&raw[end..start]);
            text.push_str(&new[1..new.len() - 1]);
            end = until;
        }
        text.push_str(&raw[end..]);
        if let Ok(value) = JsonValue::parse(&text) {
            return value;
        }
    }
    JsonValue::text(&with_replaced(text, parts))
}
