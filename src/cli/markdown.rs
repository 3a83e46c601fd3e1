//! Text from files as Markdown, for comments on pull requests.

use super::output::shown;

/// Escapes what would start an element or mention a user. Code between backticks stays code.
pub(super) fn inline(text: &str) -> String {
    escaped(&shown(text), CodeSpans::Kept)
}

/// As [`inline`], for a cell of a table.
pub(super) fn cell_text(text: &str) -> String {
    let text = shown(text);
    // In code, a backslash before a bar cannot be escaped.
    let spans = if text.contains("\\|") {
        CodeSpans::Escaped
    } else {
        CodeSpans::Kept
    };
    escaped(&text, spans).replace('|', "\\|")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CodeSpans {
    Kept,
    Escaped,
}

fn escaped(text: &str, spans: CodeSpans) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut is_code = false;
    for (at, letter) in text.char_indices() {
        match letter {
            // A backtick that is never closed would be text, and what follows it would not be code.
            '`' if spans == CodeSpans::Kept && (is_code || text[at + 1..].contains('`')) => {
                is_code = !is_code;
                escaped.push('`');
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // A comment between them keeps a sign and a name apart.
            '@' if !is_code => escaped.push_str("@<!-- -->"),
            '`' | '\\' | '*' | '_' | '[' | ']' | '#' | '~' if !is_code => {
                escaped.push('\\');
                escaped.push(letter);
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_becomes_an_element() {
        assert_eq!(
            inline("a <b> `c_d` *e* [f](g) @h #1"),
            r"a &lt;b&gt; `c_d` \*e\* \[f\](g) @<!-- -->h \#1"
        );
        // Neither an open backtick nor a backslash turns the escaping off.
        assert_eq!(inline("` [a](b)"), r"\` \[a\](b)");
        assert_eq!(inline(r"\[a](b)"), r"\\\[a\](b)");
        assert_eq!(inline("a\n# b\u{202e}"), r"a\\n\# b\\u{202e}");
    }

    #[test]
    fn a_cell_stays_one_cell() {
        assert_eq!(cell_text("a | b"), r"a \| b");
        assert_eq!(cell_text("`a | b`"), r"`a \| b`");
        assert_eq!(cell_text(r"`a \| [b](c)`"), r"\`a \\\| \[b\](c)\`");
    }
}
