//! The format of the file itself.

use document::text::Source;
use document::{Syntax, Tree};

/// Returns a text that ends with a line end and, in JSON, has no blanks at the ends of its lines. A text stays whose values would
/// become other ones.
pub(super) fn fixed(text: String, name: &str) -> String {
    let old_document = document::read(Source::new(text.as_str()), name);
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let is_json = old_document.tree.syntax() == Syntax::Json;
    let mut new_text = String::with_capacity(text.len() + 2);
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\r', '\n']);
        // A string in JSON has no line ends, so blanks at the end of a line are in no value.
        let line_content = if is_json { content.trim_end_matches([' ', '\t']) } else { content };
        new_text.push_str(line_content);
        new_text.push_str(&line[content.len()..]);
    }
    if is_json {
        // In YAML the line ends at the end may belong to a block.
        new_text.truncate(new_text.trim_end_matches(['\r', '\n']).len());
    }
    if !new_text.ends_with('\n') {
        new_text.push_str(newline);
    }
    if new_text == text {
        return text;
    }
    let new_document = document::read(Source::new(new_text.as_str()), name);
    if has_same_values(&old_document.tree, &new_document.tree) { new_text } else { text }
}

fn has_same_values(old: &Tree, new: &Tree) -> bool {
    let values = old.nodes().zip(new.nodes());
    old.len() == new.len()
        && values.into_iter().all(|(old, new)| {
            (old.kind(), old.key(), old.scalar_text()) == (new.kind(), new.key(), new.scalar_text())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blanks_and_the_last_line_end_change() {
        let fixed = |text: &str, name| fixed(text.to_owned(), name);
        assert_eq!(fixed("{\"a\": 1, \n \"b\": \" \"}", "a.json"), "{\"a\": 1,\n \"b\": \" \"}\n");
        assert_eq!(fixed("{\r\n}\r\n\r\n", "a.json"), "{\r\n}\r\n");
        assert_eq!(fixed("a: 1 ", "a.yaml"), "a: 1 \n");
        // The text would get a line end.
        assert_eq!(fixed("a: |\n  b", "a.yaml"), "a: |\n  b");
        assert_eq!(fixed("a = 1", "a.toml"), "a = 1\n");
    }
}
