//! Copies an element of a list with its text, so that also what no JSON can say stays as it is: tags, styles of texts, comments.

use super::lines::{ContainerSyntax, DocumentLines};
use super::{EditRefusal, JsonValue, has_value, pointer, read_again, readable};
use crate::text::TextEdit;
use crate::{NodeKind, Tree};

/// Plans to put a copy of the element at a pointer after it.
///
/// # Errors
///
/// Returns an error if it is no element of a list, if the text could not be understood as a whole, or if other values would change.
pub fn with_copy(tree: &Tree, pointer: &str) -> Result<TextEdit, EditRefusal> {
    readable(tree)?;
    let node = pointer::find(tree, pointer)?;
    let refusal = |reason: &str| EditRefusal::at(node, reason);
    let parent = node.parent().filter(|parent| parent.kind() == NodeKind::Array);
    let list = parent.ok_or_else(|| refusal("Only an element of a list can be copied"))?;
    let page = DocumentLines::new(tree);
    let parts = page.parts(list);
    let part = parts.get(node.index()).ok_or_else(|| refusal("Its place is not known"))?;
    let newline = if page.text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("{newline}{}", page.indentation(part.start));
    let edit = match page.shape(list) {
        ContainerSyntax::Block => {
            let end = page.line_end(part.end);
            // The first element may be on the line of the list.
            let blanks = " ".repeat(page.column(part.start));
            let text = format!("{newline}{blanks}{}", page.slice(part.start..end));
            TextEdit { range: end..end, new: text }
        }
        _ => {
            let is_alone = page.starts_line(part.start);
            let comma = if is_alone { format!(",{line}") } else { ", ".to_owned() };
            let text = format!("{comma}{}", page.slice(part.start..part.end));
            TextEdit { range: part.end..part.end, new: text }
        }
    };
    let mut text = page.text.to_owned();
    edit.apply(&mut text);
    let new_tree = read_again(tree, &text);
    let new_list = new_tree.at_pointer(&list.pointer()).filter(|_| new_tree.fault().is_none());
    let new_items: Vec<_> = new_list.into_iter().flat_map(|list| list.items()).collect();
    let mut expected: Vec<_> = list.items().collect();
    expected.insert(node.index(), node);
    let is_same = new_items.len() == expected.len()
        && new_items
            .iter()
            .zip(expected)
            .all(|(new, old)| has_value(*new, &JsonValue::from_node(old)));
    if is_same { Ok(edit) } else { Err(refusal("A copy of its text would be another value")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;

    fn copied(name: &str, text: &str, pointer: &str) -> String {
        let document = crate::read(Source::new(text), name);
        match with_copy(&document.tree, pointer) {
            Ok(edit) => {
                let mut text = text.to_owned();
                edit.apply(&mut text);
                text
            }
            Err(refusal) => format!("! {}", refusal.reason),
        }
    }

    #[test]
    fn an_element_is_copied_with_its_text() {
        let yaml =
            "calls:\n- body: !!binary |\n    AQI=\n  b: 'x'  # why\n- a: |\n    t\n\nend: 1\n";
        let rows = [
            (
                "a.yaml",
                yaml,
                "/calls/0",
                "calls:\n- body: !!binary |\n    AQI=\n  b: 'x'  # why\n- body: !!binary |\n    AQI=\n  b: 'x'  # why\n- a: |\n    t\n\nend: 1\n",
            ),
            ("a.yaml", "- - 1\n  - 2\n", "/0/0", "- - 1\n  - 1\n  - 2\n"),
            ("a.yaml", "a: [1, 2]\n", "/a/1", "a: [1, 2, 2]\n"),
            (
                "a.json",
                "{\r\n  \"a\": [\r\n    {\"b\": 1}\r\n  ]\r\n}\r\n",
                "/a/0",
                "{\r\n  \"a\": [\r\n    {\"b\": 1},\r\n    {\"b\": 1}\r\n  ]\r\n}\r\n",
            ),
            ("a.json", "{\"a\":[{\"b\":1}]}", "/a/0", "{\"a\":[{\"b\":1}, {\"b\":1}]}"),
            ("a.json", "{\"a\":1}", "/a", "! Only an element of a list can be copied"),
        ];
        for (name, text, pointer, expected) in rows {
            assert_eq!(copied(name, text, pointer), expected, "{text}");
        }
    }
}
