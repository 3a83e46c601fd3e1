//! Finds the places of one replacement in a document.

use super::rename::{self, RenamedPlace};
use super::texts::TextPattern;
use super::{Candidate, PlaceChange, PlacePattern, Replacement, Step, json_of};
use document::edit::{EditRefusal, has_value, text_ranges};
use document::{Document, Node, NodeKind, Syntax, Tree, json};

/// Returns the places, in any order.
pub(super) fn candidates(
    document: &Document,
    replacement: &Replacement,
) -> Result<Vec<Candidate>, EditRefusal> {
    let tree = &document.tree;
    Ok(match replacement {
        Replacement::Set { at, value } => {
            let others = at.find(tree).into_iter().filter(|node| !has_value(*node, value));
            let set = |node: Node<'_>| Step::Values(vec![(node.id(), value.clone())]);
            others.map(|node| whole(node, Some(value.json().into()), set(node))).collect()
        }
        Replacement::Remove { at } => {
            at.find(tree).into_iter().map(|node| whole(node, None, Step::Remove)).collect()
        }
        Replacement::Text { find, at } => {
            texts(tree, at.as_ref()).into_iter().flat_map(|node| parts(node, find)).collect()
        }
        Replacement::Rename { kind, from, to } => {
            let places = rename::places(document, *kind, from, to)?.into_iter();
            places.flat_map(|place| renamed(tree, place, from, to)).collect()
        }
    })
}

fn whole(node: Node<'_>, new: Option<Box<str>>, step: Step) -> Candidate {
    let change = PlaceChange { old: json_of(node), new };
    Candidate { node: node.id(), offset: node.span().range().start, change, step }
}

/// Returns the texts of a document, or those at a pattern and below it. The text of an alias is found where it is written.
fn texts<'t>(tree: &'t Tree, at: Option<&PlacePattern>) -> Vec<Node<'t>> {
    let is_text = |node: &Node<'_>| node.kind() == NodeKind::String && !node.is_alias();
    match at {
        None => tree.nodes().filter(is_text).collect(),
        Some(at) => {
            let places = at.find(tree).into_iter();
            places.flat_map(|place| tree.nodes_at(place.positions())).filter(is_text).collect()
        }
    }
}

fn parts(node: Node<'_>, find: &TextPattern) -> Vec<Candidate> {
    let text = node.as_str().unwrap_or_default();
    let replacements = find.find(text);
    if replacements.is_empty() {
        return Vec::new();
    }
    let spans = text_ranges(node, &replacements.iter().map(|(range, _)| range).collect::<Vec<_>>());
    let start = node.span().range().start;
    let is_json = node.tree().syntax() == Syntax::Json;
    let replacement_places = replacements.into_iter().zip(spans);
    // What is only part of an escape, such as half a surrogate pair, is no text.
    let replacement_places = replacement_places.filter(|(_, w)| !is_json || w.is_some());
    let candidates = replacement_places.map(|((range, new), written_range)| Candidate {
        node: node.id(),
        offset: start + written_range.map_or(0, |written_range| written_range.start),
        change: PlaceChange {
            old: json::quote(&text[range.clone()]).into(),
            new: Some(json::quote(&new).into()),
        },
        step: Step::Part(range, new),
    });
    candidates.collect()
}

fn renamed(tree: &Tree, place: RenamedPlace, from: &str, to: &str) -> Option<Candidate> {
    let node = tree.node(place.node);
    let change = PlaceChange { old: json::quote(from).into(), new: Some(json::quote(to).into()) };
    let start = node.span().range().start;
    let (offset, step) = match place.part {
        Some(range) => {
            let written_range = text_ranges(node, &[&range]).pop().flatten();
            (start + written_range.map_or(0, |r| r.start), Step::Part(range, to.to_owned()))
        }
        None => (start, Step::Values(place.values)),
    };
    Some(Candidate { node: place.node, offset, change, step })
}
