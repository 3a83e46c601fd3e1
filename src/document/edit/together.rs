//! Replaces or removes many values of a document at once, which is read again only once.

use std::borrow::Cow;
use std::ops::Range;

use super::expected_edit::{ExpectedEdit, RemovedValues};
use super::set::{best_candidate, candidates, fits_syntax, wrapped_base64};
use super::style::{Quotes, quotes_of};
use super::writer::ValueWriter;
use super::{
    Edit, EditCandidates, EditRefusal, JsonValue, pointer, readable, text_places, writes_ascii,
};
use super::{plan, read_again, remove, toml_members, toml_value, trace, verify};
use crate::text::TextEdit;
use crate::yaml::write;
use crate::{Node, NodeId, Syntax, Tree, httprr, json};

/// A new value in place of another one.
#[derive(Clone, Debug)]
pub struct NewValue {
    /// The value to replace, in the tree that is given with it.
    pub node: NodeId,
    pub value: JsonValue,
    /// For a text of which only parts change: each part, in bytes of the decoded text, with its new text, in order. The bytes
    /// of the others stay as they are written, where that reads as the value.
    pub parts: Vec<(Range<usize>, String)>,
}

/// The text with new values.
#[derive(Clone, Debug, Default)]
pub struct ValuesReplaced {
    pub text: String,
    /// The values that could not be replaced, by index, each with the reason.
    pub refused: Vec<(usize, EditRefusal)>,
}

/// Replaces values, in the order of the text and none within another. What cannot be replaced stays, and the others are replaced.
///
/// # Errors
///
/// Returns an error if the text could not be understood as a whole.
pub fn replace_values(tree: &Tree, values: &[NewValue]) -> Result<ValuesReplaced, EditRefusal> {
    readable(tree)?;
    let mut outcome = ValuesReplaced { text: tree.source().text().to_owned(), refused: Vec::new() };
    let to_pointed = |value| PointedValue::new(tree, value);
    let pointed_values: Vec<PointedValue<'_>> = values.iter().map(to_pointed).collect();
    if httprr::is_trace(tree) {
        let replace = |tree: &Tree, group: &[PointedValue<'_>]| {
            let values: Vec<&NewValue> = group.iter().map(|value| value.new).collect();
            trace::replace_all(tree, &values)
        };
        change_group(
            tree,
            &pointed_values,
            0,
            &mut outcome,
            &|tree, value| replace(tree, std::slice::from_ref(value)),
            &|tree, group| replace(tree, group).ok(),
        );
        return Ok(outcome);
    }
    change_group(tree, &pointed_values, 0, &mut outcome, &replace_one, &replace_all);
    Ok(outcome)
}

/// Removes members of mappings, in the order of the text and none within another. What cannot be removed stays, and the others are
/// removed.
///
/// # Errors
///
/// Returns an error if the text could not be understood as a whole.
pub fn remove_members(tree: &Tree, members: &[NodeId]) -> Result<ValuesReplaced, EditRefusal> {
    readable(tree)?;
    let mut outcome = ValuesReplaced { text: tree.source().text().to_owned(), refused: Vec::new() };
    let pointers: Vec<String> = members.iter().map(|node| tree.node(*node).pointer()).collect();
    let remove_one = |tree: &Tree, pointer: &String| -> Result<String, EditRefusal> {
        Ok(applied(tree, &plan(tree, &Edit::Remove { pointer: pointer.clone() })?))
    };
    let remove_all =
        |tree: &Tree, group: &[String]| remove_all(tree, group).filter(|_| !httprr::is_trace(tree));
    change_group(tree, &pointers, 0, &mut outcome, &remove_one, &remove_all);
    Ok(outcome)
}

/// Changes the values of a group at once, or if that fails those of its halves. `first` is the index of the first one.
fn change_group<T>(
    tree: &Tree,
    group: &[T],
    first: usize,
    outcome: &mut ValuesReplaced,
    change_one: &dyn Fn(&Tree, &T) -> Result<String, EditRefusal>,
    change_all: &dyn Fn(&Tree, &[T]) -> Option<String>,
) {
    if group.is_empty() {
        return;
    }
    if let [member] = group {
        match change_one(tree, member) {
            Ok(text) => outcome.text = text,
            Err(refusal) => outcome.refused.push((first, refusal)),
        }
    } else if let Some(text) = change_all(tree, group) {
        outcome.text = text;
    } else {
        let (front, back) = group.split_at(group.len() / 2);
        change_group(tree, front, first, outcome, change_one, change_all);
        // The edits of the front moved the places of the back, so the text is read again.
        change_group(
            &read_again(tree, &outcome.text),
            back,
            first + front.len(),
            outcome,
            change_one,
            change_all,
        );
    }
}

fn applied(tree: &Tree, edit: &TextEdit) -> String {
    let mut text = tree.source().text().to_owned();
    edit.apply(&mut text);
    text
}

/// Removes each value in the best way; `None` if the result is not exactly what was meant.
fn remove_all(tree: &Tree, group: &[String]) -> Option<String> {
    let nodes: Vec<Node<'_>> = group
        .iter()
        .map(|pointer| pointer::find_unique(tree, pointer))
        .collect::<Result<_, _>>()
        .ok()?;
    let mut edits = Vec::with_capacity(group.len());
    // Neighbors in brackets are removed with the commas between them.
    let are_neighbors = |node: &Node<'_>, next: &Node<'_>| {
        node.parent().map(Node::id) == next.parent().map(Node::id)
            && node.index() + 1 == next.index()
    };
    for run in nodes.chunk_by(are_neighbors) {
        match remove::plan_run(run) {
            Some(edit) => edits.push(edit),
            None => {
                for node in run {
                    let plans = match tree.syntax() {
                        Syntax::Toml => toml_members::remove(*node),
                        _ => remove::plans(*node),
                    };
                    edits.push(plans.ok()?.candidates.into_iter().next()?);
                }
            }
        }
    }
    verify::text_if_good(tree, &ExpectedEdit::RemoveAll(RemovedValues::new(nodes)), &edits)
}

/// A new value, and how to find it again when the text has changed elsewhere.
struct PointedValue<'a> {
    new: &'a NewValue,
    /// The value in the form of the old one.
    value: Cow<'a, JsonValue>,
    pointer: String,
    raw: &'a str,
}

impl<'a> PointedValue<'a> {
    fn new(tree: &'a Tree, new: &'a NewValue) -> Self {
        let node = tree.node(new.node);
        let base64 = wrapped_base64(node, &new.value);
        Self {
            new,
            value: base64.map_or(Cow::Borrowed(&new.value), Cow::Owned),
            pointer: node.pointer(),
            raw: node.raw(),
        }
    }

    fn find<'t>(&self, tree: &'t Tree) -> Result<Node<'t>, EditRefusal> {
        // Ids are positions: they stay as long as no earlier edit changed the number of values.
        if let Some(node) = tree.find(self.new.node)
            && node.raw() == self.raw
            && node.pointer() == self.pointer
        {
            return Ok(node);
        }
        let current = pointer::find(tree, &self.pointer)?;
        if current.raw() == self.raw {
            Ok(current)
        } else {
            Err(EditRefusal::at(current, "The key is repeated; edit the text itself"))
        }
    }
}

/// Writes each value in the best way; `None` if the result is not exactly what was meant.
fn replace_all(tree: &Tree, group: &[PointedValue<'_>]) -> Option<String> {
    let mut sets = Vec::with_capacity(group.len());
    let mut edits = Vec::with_capacity(group.len());
    let mut spelling = Spelling::default();
    let mut writer = None;
    for value in group {
        let (node, new) = (value.find(tree).ok()?, &*value.value);
        fits_syntax(node, new).ok()?;
        let edit = parts_only(node, &value.new.parts, &mut spelling);
        let best_edit = || {
            if tree.syntax() == Syntax::Toml {
                return toml_value::plans(node, new).ok()?.candidates.into_iter().next();
            }
            let at = node.span().range().start;
            // The style is learned from the whole document, so one writer serves all values.
            let writer = writer.get_or_insert_with(|| ValueWriter::new(tree, at));
            // In a file with mixed line ends, each value has those of its place.
            writer.newline = writer.page.newline(at);
            best_candidate(writer, node, new)
        };
        edits.push(edit.or_else(best_edit)?);
        sets.push((node, new.clone()));
    }
    verify::text_if_good(tree, &ExpectedEdit::SetAll(sets), &edits)
}

/// Plans a new text in place of another one, of which only one of these parts changes: the first one that can be found in the file.
pub(super) fn plan_part(
    tree: &Tree,
    node: Node<'_>,
    value: &JsonValue,
    parts: &[(Range<usize>, String)],
) -> Result<TextEdit, EditRefusal> {
    let part = parts.chunks(1).find_map(|part| parts_only(node, part, &mut Spelling::default()));
    plan_one(tree, node, value, part)
}

fn plan_one(
    tree: &Tree,
    node: Node<'_>,
    value: &JsonValue,
    parts: Option<TextEdit>,
) -> Result<TextEdit, EditRefusal> {
    fits_syntax(node, value)?;
    let plans = match tree.syntax() {
        Syntax::Toml => toml_value::plans(node, value)?,
        _ => EditCandidates {
            outcome: ExpectedEdit::Set(node, value.clone()),
            candidates: parts.into_iter().chain(candidates(node, value)).collect(),
        },
    };
    verify::first_good(tree, plans)
}

fn replace_one(tree: &Tree, value: &PointedValue<'_>) -> Result<String, EditRefusal> {
    let node = value.find(tree)?;
    let parts = parts_only(node, &value.new.parts, &mut Spelling::default());
    Ok(applied(tree, &plan_one(tree, node, &value.value, parts)?))
}

/// Whether a document writes all texts in ASCII, once that is known.
#[derive(Default)]
struct Spelling(Option<bool>);

impl Spelling {
    /// Writes a part of a JSON text.
    fn json(&mut self, node: Node<'_>, text: &str) -> String {
        let json_text = json::quote(text);
        let text = node.tree().source().text();
        let is_ascii = !json_text.is_ascii() && *self.0.get_or_insert_with(|| writes_ascii(text));
        let value = if is_ascii { json::to_ascii(&json_text) } else { Cow::Borrowed(&*json_text) };
        value[1..value.len() - 1].to_owned()
    }
}

/// Replaces only the parts of a text.
fn parts_only(
    node: Node<'_>,
    parts: &[(Range<usize>, String)],
    spelling: &mut Spelling,
) -> Option<TextEdit> {
    if parts.is_empty() || node.tree().syntax() == Syntax::Toml {
        return None;
    }
    let raw = node.raw();
    let ranges: Vec<&Range<usize>> = parts.iter().map(|(range, _)| range).collect();
    let mut new_raw = String::with_capacity(raw.len());
    let mut end = 0;
    for ((_, new), place) in parts.iter().zip(text_ranges(node, &ranges)) {
        let place = place?;
        new_raw.push_str(raw.get(end..place.start)?);
        match node.tree().syntax() {
            Syntax::Json => new_raw.push_str(&spelling.json(node, new)),
            _ => match quotes_of(raw) {
                Quotes::None => new_raw.push_str(new),
                Quotes::Single => new_raw.push_str(&new.replace('\'', "''")),
                Quotes::Double => {
                    let yaml = write::double_quoted(new);
                    new_raw.push_str(&yaml[1..yaml.len() - 1]);
                }
            },
        }
        end = place.end;
    }
    new_raw.push_str(raw.get(end..)?);
    Some(TextEdit { range: node.span().range(), new: new_raw })
}

/// Returns where parts of a decoded text, in order, are written, in bytes from the start of the value as written; `None` for a part
/// that is not written as it reads, such as half of an escape.
pub fn text_ranges(node: Node<'_>, parts: &[&Range<usize>]) -> Vec<Option<Range<usize>>> {
    let (Some(text), raw) = (node.as_str(), node.raw()) else {
        return vec![None; parts.len()];
    };
    if node.tree().syntax() == Syntax::Json {
        let ends: Vec<usize> = parts.iter().flat_map(|part| [part.start, part.end]).collect();
        let places = json::places_in_raw(raw, &ends);
        return places.chunks_exact(2).map(|pair| Some(pair[0]?..pair[1]?)).collect();
    }
    if !raw.starts_with(['|', '>']) {
        return parts.iter().map(|part| text_places::find(raw, part)).collect();
    }
    let mut from = 0;
    let mut read = 0;
    let find = |part: &&Range<usize>| {
        let part_text = text.get((*part).clone()).filter(|part_text| !part_text.is_empty())?;
        // The same text may occur before this part: as many occurrences are skipped in the value as it is written.
        let earlier_matches = text.get(read..part.start)?.matches(part_text).count();
        let at = from + raw.get(from..)?.match_indices(part_text).nth(earlier_matches)?.0;
        from = at + part_text.len();
        read = part.end;
        Some(at..from)
    };
    parts.iter().map(find).collect()
}
