//! Helpers for messages.

use super::visible;

/// The most characters of a value that a message shows.
const MAX_QUOTED_CHARS: usize = 60;

/// Returns a name or value from a file in backquotes, escaped and truncated to a readable length.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("`{}…`", visible(&text[..end])),
        None => format!("`{}`", visible(text)),
    }
}

/// Returns the text with its first letter in upper case, for the start of a sentence.
pub fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Returns the text with its first letter in lower case, for use after a colon.
pub fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_short_and_hides_nothing() {
        assert_eq!(quoted("b\u{1b}"), r"`b\u{1b}`");
        assert_eq!(
            quoted(&"é".repeat(70)).chars().count(),
            MAX_QUOTED_CHARS + 3
        );
    }

    #[test]
    fn first_letters_change_their_case() {
        assert_eq!(upper_first("ärger"), "Ärger");
        assert_eq!(lower_first("Neither"), "neither");
        assert_eq!(upper_first(""), "");
    }
}
