//! The formats of "Copy as".

use document::text::named_enum;
use document::{Document, Node};
use workbench::value_json as json;

named_enum! {
    /// A format for copying a value.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CopyAs {
        Json = "JSON",
        /// Its JSON Pointer (RFC 6901).
        Pointer = "JSON Pointer",
        /// The file's path with the line number, as editors open it.
        PathLine = "path:line",
        /// A fenced block, for an issue or a review.
        Markdown = "Markdown",
    }

    /// Every format, in menu order.
    const ALL;

    /// Returns the menu label.
    pub fn name;
}

impl CopyAs {
    /// Returns the text to copy for a value of the document at `path`.
    pub fn text(self, document: &Document, node: Node<'_>, path: &str) -> String {
        match self {
            Self::Json => json(document, node),
            Self::Pointer => node.pointer(),
            Self::PathLine => format!("{path}:{}", node.place().line),
            Self::Markdown => {
                let value = node.as_str().map_or_else(|| json(document, node), str::to_owned);
                let language = if node.as_str().is_some() { "" } else { "json" };
                let fence = fence(&value);
                let place = format!("`{path}:{}`", node.place().line);
                format!("{place}\n\n{fence}{language}\n{}\n{fence}\n", value.trim_end())
            }
        }
    }
}

/// Returns a row of backticks longer than any in the text.
fn fence(text: &str) -> String {
    // A fence has at least three backticks.
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat(longest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;

    #[test]
    fn every_form_names_the_value_and_its_place() {
        let text = "{\n \"a\": [ {\"b\": \"x ``` y\"} ]\n}";
        let document = document::read(Source::new(text), "a.json");
        let node = document.tree.at_pointer("/a/0/b").unwrap();
        let texts: Vec<String> =
            CopyAs::ALL.iter().map(|form| form.text(&document, node, "set/a.json")).collect();
        assert_eq!(texts[0], "\"x ``` y\"");
        assert_eq!(texts[1], "/a/0/b");
        assert_eq!(texts[2], "set/a.json:2");
        assert_eq!(texts[3], "`set/a.json:2`\n\n````\nx ``` y\n````\n");
    }

    #[test]
    fn yaml_is_copied_as_json() {
        let text =
            "tool: refund\nstatus: 504\nresponse: null\nweights: [1.50, 0x10]\nat: 2026-06-11\n";
        let document = document::read(Source::new(text), "a.yaml");
        let root = document.tree.root().unwrap();
        let json_text = CopyAs::Json.text(&document, root, "a.yaml");
        insta::assert_snapshot!(json_text, @r#"
        {
          "tool": "refund",
          "status": 504,
          "response": null,
          "weights": [
            1.50,
            16
          ],
          "at": "2026-06-11"
        }
        "#);
    }
}
