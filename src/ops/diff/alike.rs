//! Formats two documents as JSON in the same style, so that only their content differs.

use crate::format::{Node, NodeKind, Tree, json};
use crate::ops::edit::JsonValue;
use crate::text::Source;

/// Formats the values of two trees: one member or element per line, with members in the order of the second tree.
pub fn format_alike(old: Option<&Tree>, new: Option<&Tree>) -> [Source; 2] {
    let trees = [old, new].map(|tree| tree.and_then(as_json));
    let [old, new] = trees
        .each_ref()
        .map(|tree| tree.as_ref().and_then(Tree::root));
    let text = |node: Option<Node<'_>>, order: Option<Node<'_>>| {
        let mut text = String::new();
        if let Some(node) = node {
            write(&mut text, node, order, 0);
            text.push('\n');
        }
        Source::new(text)
    };
    [text(old, new), text(new, None)]
}

/// Converts the values to a JSON tree.
fn as_json(tree: &Tree) -> Option<Tree> {
    let text = JsonValue::from_node(tree.root()?).json().to_owned();
    Some(json::parse(&Source::new(text)).0)
}

fn write(text: &mut String, node: Node<'_>, order: Option<Node<'_>>, depth: usize) {
    let (open, close) = match node.kind() {
        NodeKind::Object => ('{', '}'),
        NodeKind::Array => ('[', ']'),
        _ => return text.push_str(node.raw()),
    };
    text.push(open);
    let order = order.filter(|order| order.kind() == node.kind());
    let items = match node.kind() {
        NodeKind::Object => in_order(node, order),
        _ => {
            let mut others = order.into_iter().flat_map(Node::items);
            node.items().map(|item| (item, others.next())).collect()
        }
    };
    for (at, (item, other)) in items.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        line(text, depth + 1);
        if let Some(key) = item.key() {
            text.push_str(&crate::ops::edit::json_string(key));
            text.push_str(": ");
        }
        write(text, *item, *other, depth + 1);
    }
    if !items.is_empty() {
        line(text, depth);
    }
    text.push(close);
}

fn line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

/// Returns the members of an object, each with the one of the same key in the other: in the order of the other, then
/// those only in this one.
fn in_order<'a>(object: Node<'a>, order: Option<Node<'a>>) -> Vec<(Node<'a>, Option<Node<'a>>)> {
    let Some(order) = order else {
        return object.items().map(|member| (member, None)).collect();
    };
    let both = order
        .items()
        .filter_map(|other| Some((object.get(other.key()?)?, Some(other))));
    let alone = object
        .items()
        .filter(|it| it.key().is_none_or(|key| order.get(key).is_none()));
    both.chain(alone.map(|member| (member, None))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_spacing_do_not_show() {
        let tree = |text: &str| json::parse(&Source::new(text)).0;
        let old = tree(r#"{"b": [1,{"y":1e2,"x":"\u00e9"}], "gone": {}, "a": null}"#);
        let new = tree("{ \"a\":null, \"b\":[1, {\"x\":\"\u{e9}\", \"y\": 1e2}], \"came\": [] }");
        let [old, new] = format_alike(Some(&old), Some(&new));
        insta::assert_snapshot!(old.text(), @r#"
        {
          "a": null,
          "b": [
            1,
            {
              "x": "\u00e9",
              "y": 1e2
            }
          ],
          "gone": {}
        }
        "#);
        insta::assert_snapshot!(new.text(), @r#"
        {
          "a": null,
          "b": [
            1,
            {
              "x": "é",
              "y": 1e2
            }
          ],
          "came": []
        }
        "#);
        let [nothing, _] = format_alike(None, None);
        assert_eq!(nothing.text(), "");
    }
}
