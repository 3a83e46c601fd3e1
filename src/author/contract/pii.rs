//! Finds texts that the owner takes for personal data, by their form alone.

use std::sync::LazyLock;

use super::python::{PatternError, PythonPattern};

/// The kinds of personal data and their patterns, each with a word boundary at both ends.
const PII_PATTERNS: [(&str, &str); 5] = [
    // `|` is allowed in the last part, as in Flakestorm's pattern.
    ("an e-mail address", r"(?i)\b[a-z0-9%+._-]+@[a-z0-9.-]+\.[a-z|]{2,}\b"),
    ("a phone number", r"\b(?:\+1[\s.-]?)?\(?\d{3}\)?[\s.-]?\d{3}[\s.-]?\d{4}\b"),
    ("a social security number", r"\b\d{3}[\s.-]?\d\d[\s.-]?\d{4}\b"),
    ("a card number", r"\b\d{4}(?:[\s.-]?\d{4}){3}\b"),
    ("an IP address", r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),
];

static PATTERNS: LazyLock<Result<Vec<(&str, PythonPattern)>, PatternError>> = LazyLock::new(|| {
    PII_PATTERNS.iter().map(|(name, look)| Ok((*name, PythonPattern::new(look)?))).collect()
});

/// Returns the findings in a text, each kind once.
pub(super) fn find(text: &str) -> Result<Vec<&'static str>, String> {
    let words = |fault: &PatternError| match fault {
        PatternError::Invalid(reason) | PatternError::Unsupported(reason) => reason.clone(),
    };
    let patterns = PATTERNS.as_ref().map_err(words)?;
    let mut kinds = Vec::new();
    for (name, pattern) in patterns {
        if pattern.search(text).map_err(|fault| words(&fault))?.is_some() {
            kinds.push(*name);
        }
    }
    Ok(kinds)
}
