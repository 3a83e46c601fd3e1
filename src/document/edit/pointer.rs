//! Finds what a pointer means, or says why it means nothing that can be edited.

use std::borrow::Cow;

use super::EditRefusal;
use crate::text::{Place, quoted};
use crate::{Node, NodeKind, Tree, unescape_step};

/// Returns the value at a pointer.
///
/// # Errors
///
/// Returns an error with the place where the path ends, if the pointer leads to no value.
pub fn find<'t>(tree: &'t Tree, pointer: &str) -> Result<Node<'t>, EditRefusal> {
    let mut node = root(tree)?;
    for token in tokens(pointer, node)? {
        node = step(node, &token)?;
    }
    Ok(node)
}

/// Returns the value at a pointer, if its key occurs only once: otherwise removing it would make an earlier one effective.
pub(super) fn find_unique<'t>(tree: &'t Tree, pointer: &str) -> Result<Node<'t>, EditRefusal> {
    let node = find(tree, pointer)?;
    let twin = node.parent().filter(|_| node.key().is_some()).and_then(|parent| {
        let mut siblings = parent.items().filter(|sibling| sibling.id() != node.id());
        siblings.find(|sibling| !sibling.is_merge() && sibling.key() == node.key())
    });
    match twin {
        Some(twin) => Err(EditRefusal::at(
            node,
            format!(
                "The key {} also occurs at line {} and would become effective; edit the text itself",
                quoted(node.key().unwrap_or_default()),
                twin.place().line
            ),
        )),
        None => Ok(node),
    }
}

/// Returns the aliases of the value at a pointer, or of one around it: they change with it.
pub(super) fn aliases_of<'t>(tree: &'t Tree, pointer: &str) -> Vec<Node<'t>> {
    let container = pointer.rsplit_once('/').map_or("", |(container, _)| container);
    // A value that is still to be inserted changes what is around it.
    let node = find(tree, pointer).or_else(|_| find(tree, container));
    let ancestors: Vec<_> = node.ok().into_iter().flat_map(Node::ancestors).map(Node::id).collect();
    let follows = |alias: &Node<'_>| {
        let target = alias.alias_target().map(Node::id);
        target.is_some_and(|target| ancestors.contains(&target))
    };
    tree.nodes().filter(follows).collect()
}

/// Position of a value to insert.
pub(super) enum InsertPosition<'t> {
    /// Into this list, before this index.
    Element(Node<'t>, usize),
    /// Into this mapping, with this key.
    Member(Node<'t>, String),
}

/// Returns the position of a value to insert.
pub(super) fn find_insert_position<'t>(
    tree: &'t Tree,
    pointer: &str,
) -> Result<InsertPosition<'t>, EditRefusal> {
    let mut node = root(tree)?;
    let tokens = tokens(pointer, node)?;
    let Some((last, path)) = tokens.split_last() else {
        let message = "The document itself is not in a list or a mapping; set its value instead";
        return Err(EditRefusal::at(node, message));
    };
    for token in path {
        node = step(node, token)?;
    }
    if node.is_alias() {
        return Err(inside_alias(node));
    }
    match node.kind() {
        NodeKind::Array if last == "-" => Ok(InsertPosition::Element(node, node.len())),
        NodeKind::Array => match index(last) {
            Some(index) if index <= node.len() => Ok(InsertPosition::Element(node, index)),
            _ => Err(no_element(node, last)),
        },
        NodeKind::Object => match own_member(node, last) {
            Some(member) => {
                let message =
                    format!("The key {} already exists; set its value instead", quoted(last));
                Err(EditRefusal::at(member, message))
            }
            None => Ok(InsertPosition::Member(node, last.to_string())),
        },
        _ => Err(no_container(node)),
    }
}

fn root(tree: &Tree) -> Result<Node<'_>, EditRefusal> {
    tree.root().ok_or_else(|| EditRefusal {
        reason: "The file contains no value".to_owned(),
        place: Place::START,
    })
}

fn tokens<'p>(pointer: &'p str, root: Node<'_>) -> Result<Vec<Cow<'p, str>>, EditRefusal> {
    if pointer.is_empty() {
        return Ok(Vec::new());
    }
    let Some(rest) = pointer.strip_prefix('/') else {
        let message = format!(
            "{} is not a JSON Pointer, which starts with `/`, as in `/stream/0/text`",
            quoted(pointer)
        );
        return Err(EditRefusal::at(root, message));
    };
    let token = |token: &'p str| {
        if token.contains('~') { Cow::Owned(unescape_step(token)) } else { Cow::Borrowed(token) }
    };
    Ok(rest.split('/').map(token).collect())
}

fn step<'t>(node: Node<'t>, token: &str) -> Result<Node<'t>, EditRefusal> {
    if node.is_alias() {
        return Err(inside_alias(node));
    }
    match node.kind() {
        NodeKind::Array => index(token)
            .and_then(|index| node.items().nth(index))
            .ok_or_else(|| no_element(node, token)),
        NodeKind::Object => own_member(node, token).ok_or_else(|| no_member(node, token)),
        _ => Err(no_container(node)),
    }
}

/// Returns the effective member, ignoring merged ones.
fn own_member<'t>(node: Node<'t>, key: &str) -> Option<Node<'t>> {
    let mut members = node.items().filter(|member| !member.is_merge());
    let first = members.find(|member| member.key() == Some(key))?;
    members.filter(|member| member.key() == Some(key)).last().or(Some(first))
}

/// Returns an index as RFC 6901 writes it: no sign, no leading zero.
fn index(token: &str) -> Option<usize> {
    let is_index =
        token == "0" || !token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit());
    is_index.then(|| token.parse().ok()).flatten()
}

fn inside_alias(node: Node<'_>) -> EditRefusal {
    let target = node.alias_target().unwrap_or(node);
    let message = format!(
        "The alias {} refers to a value at line {}; edit it there, or set the alias itself",
        quoted(node.raw()),
        target.place().line
    );
    EditRefusal::at(node, message)
}

/// Returns why an index names nothing in a list.
pub(super) fn no_element(list: Node<'_>, token: &str) -> EditRefusal {
    let name = named(list);
    EditRefusal::at(
        list,
        match (index(token), token) {
            (Some(_), _) => {
                let count = list.len();
                format!("There is no element {token} in {name}, which has {count}, counted from 0")
            }
            (None, "-") => {
                format!("`-` refers to the end of {name}, where there is no element yet")
            }
            (None, _) => format!("{} is not an index, but {name} is a list", quoted(token)),
        },
    )
}

fn no_member(map: Node<'_>, key: &str) -> EditRefusal {
    let merge = map.items().find(|member| member.is_merge());
    match merge {
        Some(merge) if key == "<<" => EditRefusal::at(
            merge,
            "A merge (`<<`) inserts the members of other mappings; edit the text itself",
        ),
        Some(merge) if map.get(key).is_some() => EditRefusal::at(
            merge,
            format!(
                "The key {} is inserted by this merge (`<<`); edit it where it is defined, or insert it here to override it",
                quoted(key)
            ),
        ),
        _ => EditRefusal::at(map, format!("There is no key {} in {}", quoted(key), named(map))),
    }
}

fn no_container(node: Node<'_>) -> EditRefusal {
    let words = format!("There is nothing inside {}, which is {}", named(node), node.kind().name());
    EditRefusal::at(node, words)
}

/// Returns a value by its pointer.
fn named(node: Node<'_>) -> String {
    match node.pointer() {
        root if root.is_empty() => "the document".to_owned(),
        pointer => quoted(&pointer),
    }
}
