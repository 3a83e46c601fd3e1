//! Differences between two texts, two recordings, two takes of a source.
//!
//! Everything here is plain data: lines, words and sentences with their places. [`text`] aligns two texts line by line
//! and marks the words that differ; [`signature`] says whether one recording answers for another; [`recordings`] and
//! [`source`] put both together for what people compare.

pub mod alike;
pub mod fold;
mod json_lines;
pub mod outline;
mod pairing;
pub mod recordings;
pub mod signature;
pub mod source;
pub mod text;
pub mod words;

pub use words::marks;

/// One of the two things that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The older, or the one named first.
    Left,
    /// The newer, or the one named second.
    Right,
}

impl Side {
    /// Both, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// The one across.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// What it is called in a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// Counts in words: `1 word`, `2 words`, `12,408 lines`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    let number = thousands(count);
    format!("{number} {}", if count == 1 { one } else { many })
}

/// Writes a number with a comma between thousands.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut written = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// Joins names as a sentence does: `a`, `a and b`, `a, b and c`.
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [rest @ .., last] => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", rest.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_lists_read_as_sentences() {
        assert_eq!(counted(1, "line", "lines"), "1 line");
        assert_eq!(counted(1_234_567, "line", "lines"), "1,234,567 lines");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed::<&str>(&[]), "");
    }
}
