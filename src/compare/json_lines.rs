//! Formats JSON as lines for people: one value per line, without quotes around keys if possible.

use document::{Node, NodeKind, json};

/// Deeper values stay on one line, as written.
// Bounds the recursion, whatever the file contains.
const MAX_DEPTH: usize = 64;

/// Builder of the lines.
#[derive(Debug, Default)]
pub(super) struct JsonLines {
    text: String,
    lines: u32,
}

impl JsonLines {
    /// Returns the number of lines so far.
    pub(super) fn len(&self) -> u32 {
        self.lines
    }

    /// Adds a line; line breaks in it are escaped.
    pub(super) fn line(&mut self, text: &str) {
        // The lines are printed as well, and text from a file must not control a terminal.
        self.text.push_str(&document::text::visible(text));
        self.end();
    }

    /// Adds `name: value`, with the value on as many lines as needed.
    pub(super) fn member(&mut self, name: &str, value: Node<'_>) {
        self.key(name);
        self.value(value, 0);
        self.end();
    }

    /// Returns the lines with their line ends.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    fn end(&mut self) {
        self.text.push('\n');
        self.lines += 1;
    }

    fn key(&mut self, name: &str) {
        let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
        if !name.is_empty() && name.chars().all(bare) {
            self.text.push_str(name);
        } else {
            self.text.push('"');
            self.text.push_str(&document::text::visible(name).replace('"', "\\\""));
            self.text.push('"');
        }
        self.text.push_str(": ");
    }

    fn value(&mut self, node: Node<'_>, depth: usize) {
        let (open, close) = match node.kind() {
            NodeKind::Object => ('{', '}'),
            NodeKind::Array => ('[', ']'),
            _ => return self.one_line(node),
        };
        self.text.push(open);
        if depth >= MAX_DEPTH {
            self.text.pop();
            return self.one_line(node);
        }
        if !node.is_empty() {
            self.end();
            for item in node.items() {
                self.indent(depth + 1);
                if let Some(key) = item.key() {
                    self.key(key);
                }
                self.value(item, depth + 1);
                self.end();
            }
            self.indent(depth);
        }
        self.text.push(close);
    }

    fn one_line(&mut self, node: Node<'_>) {
        let json = json::text(node);
        // A line break inside the value would be a line that `lines` does not count.
        self.text.extend(json.split(['\n', '\r']).map(str::trim_start));
    }

    fn indent(&mut self, depth: usize) {
        self.text.extend(std::iter::repeat_n("  ", depth));
    }
}
