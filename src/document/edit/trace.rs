//! Edits of traces of `httprr`, whose numbers of bytes stay right.

use super::{Edit, EditRefusal, JsonValue, NewValue, pointer};
use crate::body::{BodyHeaders, read_body};
use crate::call::BodyLayer;
use crate::cassette::Interaction;
use crate::httprr;
use crate::text::{Source, TextEdit};
use crate::{Node, NodeKind, Tree};

/// Plans an edit of one value.
pub(super) fn plan(tree: &Tree, edit: &Edit) -> Result<TextEdit, EditRefusal> {
    let part = match edit {
        Edit::Set { pointer, value } => replaced(pointer::find(tree, pointer)?, value)?,
        Edit::Remove { pointer } => removed(pointer::find(tree, pointer)?)?,
        _ => {
            let node = tree.node(crate::NodeId::ROOT);
            let reason = "In a trace of httprr, values are replaced and headers removed; edit the text itself";
            return Err(EditRefusal::at(node, reason));
        }
    };
    let text = written(tree, vec![part.clone()])?;
    Ok(TextEdit::between(tree.source().text(), &text).unwrap_or(part))
}

/// Replaces all of these values, or none.
pub(super) fn replace_all(tree: &Tree, values: &[&NewValue]) -> Result<String, EditRefusal> {
    let parts = values.iter().map(|new| replaced(tree.node(new.node), &new.value));
    written(tree, parts.collect::<Result<_, _>>()?)
}

fn replaced(node: Node<'_>, value: &JsonValue) -> Result<TextEdit, EditRefusal> {
    let is_leaf = !matches!(node.kind(), NodeKind::Array | NodeKind::Object);
    let new = value.root().scalar_text().filter(|_| is_leaf);
    let new = new.ok_or_else(|| {
        EditRefusal::at(
            node,
            "In a trace of httprr, only texts are written; edit its content with `#`",
        )
    })?;
    if node.raw().is_empty() {
        return Err(EditRefusal::at(node, "The value is empty; edit the text itself"));
    }
    let is_header = node.parent().and_then(Node::key) == Some("headers");
    let ends = match node.key() {
        Some("body") if !is_header => false,
        // Spaces divide the words of the first line.
        _ if is_header => new.contains(['\r', '\n']),
        _ => new.is_empty() || new.contains(char::is_whitespace),
    };
    if ends {
        return Err(EditRefusal::at(node, "The new text would end the value in its line"));
    }
    Ok(TextEdit { range: node.span().range(), new: new.to_owned() })
}

/// Plans to take a header out, with its line.
fn removed(node: Node<'_>) -> Result<TextEdit, EditRefusal> {
    let is_header = node.parent().and_then(Node::key) == Some("headers");
    let line = node.key_span().filter(|_| is_header);
    let key = line
        .ok_or_else(|| EditRefusal::at(node, "In a trace of httprr, only headers are removed"))?;
    let text = node.tree().source().text();
    let value_end = node.span().range().end;
    let end = text[value_end..].find('\n').map_or(text.len(), |end| value_end + end + 1);
    Ok(TextEdit { range: key.range().start..end, new: String::new() })
}

/// Returns the text with edits of single values, and with the numbers of bytes that follow from them: those before each call, and each
/// `Content-Length` that was right.
fn with_counts(tree: &Tree, edits: Vec<TextEdit>) -> String {
    let text = tree.source().text();
    let mut all = edits;
    for call in tree.root().into_iter().flat_map(Node::items) {
        let messages = ["request", "response"].map(|key| call.get(key));
        let [Some(request), Some(response)] = messages else { continue };
        let is_in = |edit: &TextEdit, node: Node<'_>| {
            let range = node.span().range();
            range.start <= edit.range.start && edit.range.end <= range.end
        };
        if !all.iter().any(|edit| is_in(edit, call)) {
            continue;
        }
        let counts = [request, response].map(|message| {
            let new_bytes = |node: Node<'_>, all: &[TextEdit]| {
                let inside: Vec<&TextEdit> = all.iter().filter(|edit| is_in(edit, node)).collect();
                let added: usize = inside.iter().map(|edit| edit.new.len()).sum();
                let removed: usize = inside.iter().map(|edit| edit.range.len()).sum();
                node.span().range().len() + added - removed
            };
            if let Some(body) = message.get("body") {
                let (old, new) = (body.span().range().len(), new_bytes(body, &all));
                let headers = message.get("headers").into_iter().flat_map(Node::items);
                let mut lengths = headers.filter(|header| {
                    header.key().is_some_and(|key| key.eq_ignore_ascii_case("content-length"))
                        && header.as_str() == Some(&*old.to_string())
                });
                if let Some(length) = lengths.next().filter(|_| old != new)
                    && !all.iter().any(|edit| is_in(edit, length))
                {
                    all.push(TextEdit { range: length.span().range(), new: new.to_string() });
                }
            }
            new_bytes(message, &all)
        });
        let start = call.span().range().start;
        let line = text[..start].trim_end_matches(['\r', '\n']);
        let line_start = line.rfind('\n').map_or(0, |end| end + 1);
        let [request_bytes, response_bytes] = counts;
        all.push(TextEdit {
            range: line_start..line.len(),
            new: format!("{request_bytes} {response_bytes}"),
        });
    }
    all.sort_by_key(|edit| edit.range.start);
    let mut new_text = text.to_owned();
    for edit in all.iter().rev() {
        edit.apply(&mut new_text);
    }
    new_text
}

/// Returns the text with these parts, if it reads as a trace of the same calls.
fn written(tree: &Tree, parts: Vec<TextEdit>) -> Result<String, EditRefusal> {
    let first_start = parts.iter().map(|part| part.range.start).min().unwrap_or_default();
    let text = with_counts(tree, parts);
    let new_tree = httprr::parse(&Source::new(text.as_str()));
    let calls = |tree: &'_ Tree| tree.root().map_or(0, Node::len);
    let refusal = |reason: &str| {
        let place = tree.source().place(first_start);
        Err(EditRefusal { reason: reason.to_owned(), place })
    };
    if !new_tree.is_well_formed() || calls(&new_tree) != calls(tree) {
        return refusal("The trace could not be read afterwards");
    }
    let old_calls = tree.root().into_iter().flat_map(Node::items);
    let new_calls = new_tree.root().into_iter().flat_map(Node::items);
    let mut pairs = old_calls.zip(new_calls).filter(|(old, new)| old.raw() != new.raw());
    if pairs.any(|(old, new)| {
        is_readable(old).into_iter().zip(is_readable(new)).any(|(old, new)| old && !new)
    }) {
        return refusal(
            "The body is compressed or in chunks with their sizes; edit its content with `#`",
        );
    }
    Ok(text)
}

/// Returns whether the bodies of a call in chunks and layers can be read.
fn is_readable(call: Node<'_>) -> [bool; 2] {
    let Some(call) = Interaction::in_cassette(call) else { return [false; 2] };
    let sides = [
        (call.request_headers(), call.request_body()),
        (call.response_headers(), call.response_body()),
    ];
    sides.map(|(headers, stored)| {
        let texts: Vec<(String, String)> = headers
            .iter()
            .filter_map(|(name, value)| Some(((*name).to_owned(), value.scalar_text()?.to_owned())))
            .collect();
        let body = read_body(stored, &BodyHeaders::new(&texts));
        let is_chunked = texts.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("transfer-encoding") && value.contains("chunked")
        });
        body.is_none_or(|body| {
            body.fault.is_none() && (!is_chunked || body.layers.contains(&BodyLayer::Chunked))
        })
    })
}
