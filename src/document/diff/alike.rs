//! Formats two documents as JSON in the same style, so that only their content differs.

use std::collections::HashMap;

use crate::edit::JsonValue;
use crate::json::{JsonLayout, JsonWriter, quote};
use crate::text::Source;
use crate::{Node, NodeKind, Tree, json};

/// Formats the values of two trees: one member or element per line, with members in the order of the second tree.
pub fn format_alike(old: Option<&Tree>, new: Option<&Tree>) -> [Source; 2] {
    let trees = [old, new].map(|tree| tree.and_then(as_json));
    let [old, new] = trees.each_ref().map(|tree| tree.as_ref().and_then(Tree::root));
    let text = |node: Option<Node<'_>>, order: Option<Node<'_>>| {
        let mut writer = JsonWriter::new(JsonLayout::PRETTY);
        if let Some(node) = node {
            write(&mut writer, (node, order));
            writer.json("\n");
        }
        Source::new(writer.into_text())
    };
    [text(old, new), text(new, None)]
}

/// Converts the values to a JSON tree.
fn as_json(tree: &Tree) -> Option<Tree> {
    let text = JsonValue::from_node(tree.root()?).json().to_owned();
    Some(json::parse(&Source::new(text)).0)
}

fn write(writer: &mut JsonWriter<'_>, (node, order): (Node<'_>, Option<Node<'_>>)) {
    let order = order.filter(|order| order.kind() == node.kind());
    match node.kind() {
        NodeKind::Object => {
            let map = in_order(node, order).into_iter();
            writer.object(map.map(|pair| (quote(pair.0.key().unwrap_or_default()), pair)), write);
        }
        NodeKind::Array => {
            // Only the order of members follows the other side; elements are compared at their own places.
            let mut other_items = order.into_iter().flat_map(Node::items);
            writer.list(node.items().map(|item| (item, other_items.next())), write);
        }
        _ => writer.node(node),
    }
}

/// Returns the members of an object, each with the one of the same key in the other: in the order of the other, then
/// those only in this one.
fn in_order<'a>(object: Node<'a>, order: Option<Node<'a>>) -> Vec<(Node<'a>, Option<Node<'a>>)> {
    let Some(order) = order else { return object.items().map(|m| (m, None)).collect() };
    // The last of several members with the same key counts.
    let by_key = |node: Node<'a>| -> HashMap<&'a str, Node<'a>> {
        node.items().filter_map(|item| Some((item.key()?, item))).collect()
    };
    let (own_by_key, others_by_key) = (by_key(object), by_key(order));
    let shared_members =
        order.items().filter_map(|other| Some((*own_by_key.get(other.key()?)?, Some(other))));
    let own_members =
        object.items().filter(|m| m.key().is_none_or(|key| !others_by_key.contains_key(key)));
    shared_members.chain(own_members.map(|m| (m, None))).collect()
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
        let [empty_side, _] = format_alike(None, None);
        assert_eq!(empty_side.text(), "");
    }
}
