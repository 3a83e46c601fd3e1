//! Differences between two texts, two recordings, or two versions of a source.
//!
//! Everything here is plain data: lines, words and sentences with their places. [`text`] aligns two texts line by line
//! and marks different words; [`signature`] decides whether one recording can answer the request of another;
//! [`recordings`] and [`source`] combine both for recordings and sources.

pub mod alike;
pub mod fold;
mod json_lines;
pub mod outline;
mod pairing;
pub mod recordings;
pub mod signature;
pub mod source;
pub mod text;
pub mod word_diff;

pub use word_diff::marks;

/// One of the two compared sides.
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

    /// Returns the other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// Returns its name for a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// Formats a count with its noun: `1 word`, `2 words`, `12,408 lines`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    let number = thousands(count);
    format!("{number} {}", if count == 1 { one } else { many })
}

/// Formats a number with commas between thousands.
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

/// Joins names for a sentence: `a`, `a and b`, `a, b and c`.
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
