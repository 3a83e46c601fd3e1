//! Formats parts of messages: lists, counts, paths and places. Hidden characters of file contents are escaped.

use document::text::{quoted, visible};
use document::{Node, Syntax};

/// Number of names that a message lists before it counts the rest.
const MAX_LISTED_NAMES: usize = 4;

/// Formats names as a list: `a`, `b` and 3 more.
pub(super) fn format_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    // One more name is as short as “and 1 more”.
    let count = if names.len() == MAX_LISTED_NAMES + 1 { names.len() } else { MAX_LISTED_NAMES };
    let quotes: Vec<String> = names.iter().take(count).map(|name| quoted(name)).collect();
    let list = quotes.join(", ");
    match names.len().saturating_sub(count) {
        0 => list,
        number => format!("{list} and {number} more"),
    }
}

/// Quotes a path as one word of a shell command.
pub(super) fn shell_word(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./@%+=:,".contains(c);
    let display = visible(path);
    // A command would take a path that begins with `-` for an option.
    let path = if display.starts_with('-') { format!("./{display}") } else { display.into_owned() };
    if !path.is_empty() && path.chars().all(is_plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// Describes where a value is: its JSON Pointer, or in code its line.
pub(super) fn format_place(node: Node<'_>) -> String {
    match node.tree().syntax() {
        Syntax::Code | Syntax::Machine => format!("line {}", node.place().line),
        Syntax::Json | Syntax::Yaml | Syntax::Toml => {
            format!("`{}`", visible(&node.bounded_pointer()))
        }
    }
}

/// Returns the path of a folder from the project root, for a sentence.
pub(super) fn folder_name(dir: &str) -> String {
    if dir.is_empty() { "the project's root folder".to_owned() } else { visible(dir).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_short_and_hide_nothing() {
        assert_eq!(format_list(["a", "b\u{1b}"]), r"`a`, `b\u{1b}`");
        assert_eq!(format_list(["a", "b", "c", "d", "e", "f"]), "`a`, `b`, `c`, `d` and 2 more");
    }

    #[test]
    fn a_path_stays_one_word_for_the_shell() {
        assert_eq!(shell_word("a/turn-1.json"), "a/turn-1.json");
        assert_eq!(shell_word("it's here.json"), r"'it'\''s here.json'");
        assert_eq!(shell_word("-rf"), "./-rf");
    }
}
