//! Parts of messages: counts, lists, sizes, quotes.

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
    // One letter may become several: `ß` becomes `SS`.
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}

/// Returns the text with its first letter in lower case, for use after a colon.
pub fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(char::to_lowercase).into_iter().flatten().chain(letters).collect()
}

/// Formats a count with its noun: `1 word`, `2 words`, `12,408 lines`.
pub fn counted(count: usize, singular: &str, plural: &str) -> String {
    let number = thousands(count);
    format!("{number} {}", if count == 1 { singular } else { plural })
}

/// Formats a number with commas between thousands.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut output = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            output.push(',');
        }
        output.push(digit);
    }
    output
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

/// Joins the first names for a sentence, with the number of the others: `a, b and 12 more`.
pub fn some<T: AsRef<str>>(names: impl IntoIterator<Item = T>, max_names: usize) -> String {
    some_and(names, max_names, |count| format!("{} more", thousands(count)))
}

/// Joins the first names as [`some`] does, where the others are called so: `a, b and 12 others`.
pub fn some_and_others<T: AsRef<str>>(names: impl IntoIterator<Item = T>, limit: usize) -> String {
    some_and(names, limit, |count| counted(count, "other", "others"))
}

fn some_and<T: AsRef<str>>(
    names: impl IntoIterator<Item = T>,
    max_names: usize,
    describe_rest: fn(usize) -> String,
) -> String {
    let mut names = names.into_iter();
    let mut first: Vec<String> =
        names.by_ref().take(max_names).map(|name| name.as_ref().to_owned()).collect();
    let rest_count = names.count();
    first.extend((rest_count > 0).then(|| describe_rest(rest_count)));
    listed(&first)
}

/// Formats a count with a regular noun: `1 error`, `3 errors`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Formats a size: `71 MB`.
pub fn bytes(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return counted(bytes as usize, "byte", "bytes");
    }
    let mut size = bytes as f64 / 1000.0;
    let mut unit = 0;
    // Rounded, 999.5 kB would be written as `1000 kB`.
    while size >= 999.5 && unit + 1 < units.len() {
        size /= 1000.0;
        unit += 1;
    }
    let unit = units.get(unit).unwrap_or(&"TB");
    // From 9.95 on, one decimal would be written as `10.0`.
    if size < 9.95 { format!("{size:.1} {unit}") } else { format!("{size:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(
            [0, 999, 1000, 12408, 1_000_000].map(thousands),
            ["0", "999", "1,000", "12,408", "1,000,000"]
        );
        assert_eq!(
            [0, 999, 1000, 8_930, 71_300_000, 999_600_000, u64::MAX].map(bytes),
            ["0 bytes", "999 bytes", "1.0 kB", "8.9 kB", "71 MB", "1.0 GB", "18446744 TB"]
        );
    }

    #[test]
    fn counts_and_lists_read_as_sentences() {
        assert_eq!(counted(1, "line", "lines"), "1 line");
        assert_eq!(counted(1_234_567, "line", "lines"), "1,234,567 lines");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed::<&str>(&[]), "");
        assert_eq!(some(["a", "b"], 2), "a and b");
        assert_eq!(some(["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(some(["a"; 1_234], 1), "a and 1,233 more");
        assert_eq!(some([""; 0], 1), "");
        assert_eq!(some_and_others(["a", "b", "c"], 2), "a, b and 1 other");
        assert_eq!(some_and_others(["a", "b", "c"], 1), "a and 2 others");
    }

    #[test]
    fn what_is_quoted_is_short_and_hides_nothing() {
        assert_eq!(quoted("b\u{1b}"), r"`b\u{1b}`");
        assert_eq!(quoted(&"é".repeat(70)).chars().count(), MAX_QUOTED_CHARS + 3);
    }

    #[test]
    fn first_letters_change_their_case() {
        assert_eq!(upper_first("ärger"), "Ärger");
        assert_eq!(lower_first("Neither"), "neither");
        assert_eq!(upper_first(""), "");
    }
}
