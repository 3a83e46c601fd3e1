//! The types of invariants.

/// The types that Flakestorm knows; the last two call a model.
pub const INVARIANT_TYPES: &[&str] = &[
    "contains",
    "contains_any",
    "excludes_pattern",
    "regex",
    "latency",
    "valid_json",
    "output_not_empty",
    "completes",
    "excludes_pii",
    "refusal_check",
    "similarity",
    "behavior_unchanged",
];

/// The longest word that is compared with the known types.
const MAX_WORD_BYTES: usize = 100;

/// Returns the known type that is most similar to a word.
pub fn nearest_type(word: &str) -> Option<&'static str> {
    let is_short = word.len() <= MAX_WORD_BYTES;
    // 0.6 is the default cutoff of Python's function of this name (`difflib`).
    is_short.then(|| similar::get_close_matches(word, INVARIANT_TYPES, 1, 0.6).pop())?
}
