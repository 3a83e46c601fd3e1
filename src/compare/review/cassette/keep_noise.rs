//! An old cassette with the causes of a new one: what is noise stays as it was, byte for byte.
//!
//! The calls are in the order of the new file. One that both files have is the old text, in which the causes are edited; an added call
//! is the new text with the old ids. A body in which single values cannot be edited, such as a stream, is taken as a whole.

use super::alignment::{align, in_order};
use super::call_texts::CallTexts;
use super::differences::{BODIES, CallDifference, find};
use super::partial::file_edits;
use super::view::{BodyParts, BodySide, CallView};
use crate::review::change::IgnoredChanges;
use crate::review::old_ids::OldIds;
use document::diff::Side;
use document::edit::{Edit, JsonValue, plan_all, read_again};
use document::{Document, Node, Syntax, Tree};

/// The headers that describe how a body is sent.
const BODY_HEADERS: [&str; 4] =
    ["content-encoding", "content-length", "content-type", "transfer-encoding"];

/// An old cassette with the causes of a new one.
pub(crate) struct KeptCassette {
    pub(crate) text: String,
    pub(crate) ids: OldIds,
    /// Whether bodies were taken as a whole, with the noise in them.
    pub(crate) has_whole_bodies: bool,
}

/// Returns the old cassette with all causes; `None` if one of them is no cassette.
///
/// # Errors
///
/// The reason that it is not possible, as a sentence without a full stop.
pub(crate) fn keep_noise(
    old: &Document,
    new: &Document,
    ignored: &IgnoredChanges,
) -> Option<Result<KeptCassette, String>> {
    Some(keep(old, new, &[CallView::read_all(old)?, CallView::read_all(new)?], ignored))
}

fn keep(
    old: &Document,
    new: &Document,
    views: &[Vec<CallView<'_>>; 2],
    ignored: &IgnoredChanges,
) -> Result<KeptCassette, String> {
    let alignment = align(views);
    let all_differences = find(views, &alignment);
    let mut reasons = Vec::with_capacity(all_differences.len());
    for difference in &all_differences {
        reasons.push(ignored.reason(&difference.change().key())?);
    }
    let pairs = all_differences.iter().map(|difference| &difference.difference);
    let mut cassette = KeptCassette {
        text: new.source().text().to_owned(),
        ids: OldIds::new(pairs.zip(reasons.iter().copied())),
        has_whole_bodies: false,
    };
    if views.iter().any(Vec::is_empty) {
        // The files have no call whose noise could stay.
        return Ok(cassette);
    }
    let has_all = |(old, new): &(CallTexts<'_>, CallTexts<'_>)| {
        old.calls.len() == views[0].len() && new.calls.len() == views[1].len()
    };
    let texts = CallTexts::new(&old.tree).zip(CallTexts::new(&new.tree));
    let Some((old_texts, new_texts)) = texts.filter(has_all) else {
        return Err("The calls of the file are not in one list, so their old noise cannot be kept; accept or reject the file".to_owned());
    };
    let mut calls = Vec::with_capacity(views[1].len());
    for numbers in in_order(&alignment) {
        let [old_at, new_at] = [numbers.old, numbers.new].map(|n| n.and_then(|n| n.checked_sub(1)));
        let Some(new_at) = new_at else { continue };
        let Some(old_at) = old_at else {
            let added_call = cassette.ids.in_text(new_texts.calls[new_at]);
            let added_text = match old.syntax {
                // The list may be indented differently in the two files.
                Syntax::Yaml => indented_like(old_texts.calls[0], &added_call),
                _ => added_call.into_owned(),
            };
            calls.push((None, added_text));
            continue;
        };
        let pairs = all_differences
            .iter()
            .zip(&reasons)
            .filter(|(difference, _)| difference.place.numbers == [numbers.old, numbers.new]);
        let merger = CallMerger {
            tree: &old.tree,
            texts: &old_texts,
            views: [&views[0][old_at], &views[1][new_at]],
            differences: pairs.map(|(difference, reason)| (difference, reason.is_none())).collect(),
            ids: &cassette.ids,
        };
        let (call, has_whole_bodies) = merger.merge()?;
        cassette.has_whole_bodies |= has_whole_bodies;
        calls.push((Some(old_at), call));
    }
    cassette.text = old_texts.joined(&calls);
    Ok(cassette)
}

/// A call that both files have.
struct CallMerger<'a> {
    tree: &'a Tree,
    texts: &'a CallTexts<'a>,
    views: [&'a CallView<'a>; 2],
    /// Its differences, each with whether it is a cause.
    differences: Vec<(&'a CallDifference<'a>, bool)>,
    ids: &'a OldIds,
}

impl<'a> CallMerger<'a> {
    /// Returns the old text with the causes, and whether bodies were taken as a whole.
    fn merge(&self) -> Result<(String, bool), String> {
        let old_call = self.texts.calls[self.views[0].number - 1];
        let wholes = [BodySide::Request, BodySide::Response].map(|s| self.takes_body(s));
        let mut edits = Vec::new();
        let mut text = self.texts.with_only(old_call);
        let mut with_headers = Vec::new();
        for (side, is_whole) in [BodySide::Request, BodySide::Response].into_iter().zip(wholes) {
            if !is_whole {
                continue;
            }
            match self.decoded_body(side) {
                Some(edit) => edits.push(edit),
                None => {
                    text = self.with_body(&text, side)?;
                    with_headers.push(side);
                }
            }
        }
        let is_edited = |(change, is_cause): &&(&CallDifference<'_>, bool)| match change.body {
            Some(side) => *is_cause && !wholes[side as usize],
            None => {
                let describes_body = change.header().is_some_and(|(name, side)| {
                    with_headers.contains(&side) && BODY_HEADERS.contains(&&*name)
                });
                // A call that moved has its old text in its new place.
                let is_call = change.difference.within.is_none()
                    && change.difference.node().map(Node::id)
                        == Some(self.views[1].interaction.node.id());
                (*is_cause || describes_body) && !is_call
            }
        };
        let edited_differences = self.differences.iter().filter(is_edited);
        let edited_differences: Vec<&CallDifference<'_>> =
            edited_differences.map(|(change, _)| *change).collect();
        for edit in file_edits(&edited_differences, Side::Left, self.ids) {
            edits.push(edit.at(self.pointer_alone(edit.pointer())?));
        }
        if !edits.is_empty() {
            let edit = plan_all(&read_again(self.tree, &text), &edits).map_err(|refusal| {
                let number = self.views[1].number;
                format!("Call {number} cannot be edited: {}", refusal.reason)
            })?;
            if let Some(edit) = edit {
                edit.apply(&mut text);
            }
        }
        let rest = text.strip_prefix(self.texts.head);
        let inner = rest.and_then(|text| text.strip_suffix(self.texts.tail));
        let call = inner.ok_or("A change reaches beyond its call")?;
        Ok((call.to_owned(), wholes.contains(&true)))
    }

    /// Returns whether the new body replaces the old one: it has causes, and no values that can be edited.
    fn takes_body(&self, side: BodySide) -> bool {
        let is_in = |difference: &CallDifference<'_>| difference.body == Some(side);
        let mut causes = self.differences.iter().filter(|(_, is_cause)| *is_cause);
        if causes.any(|(difference, _)| is_in(difference) && !difference.place.is_separable) {
            // In TOML, a body in JSON is edited within its text, and not copied as a whole.
            let is_json =
                |view: &CallView<'_>| matches!(view.body(side).content, BodyParts::Json(_));
            return self.tree.syntax() != Syntax::Toml || !self.views.into_iter().all(is_json);
        }
        // The answer to a request for a stream is a stream.
        let is_stream = |view: &CallView<'_>| matches!(view.response.content, BodyParts::Answer(_));
        let [old, new] = self.views.map(is_stream);
        let is_sent = |difference: &CallDifference<'_>| difference.body == Some(BodySide::Request);
        let mut causes = self.differences.iter().filter(|(_, is_cause)| *is_cause);
        side == BodySide::Response && old != new && causes.any(|(d, _)| is_sent(d))
    }

    /// Returns the pointer in a file that has only this call.
    fn pointer_alone(&self, pointer: &str) -> Result<String, String> {
        let call = self.views[0].interaction.node.pointer();
        let rest = pointer.strip_prefix(&*call);
        let (list, _) = call.rsplit_once('/').unwrap_or_default();
        let rest = rest.ok_or("A change reaches beyond its call")?;
        Ok(format!("{list}/0{rest}"))
    }

    /// Returns the edit that writes a whole body with old ids in the layers of the old one; `None` if the new text of the file can be copied.
    fn decoded_body(&self, side: BodySide) -> Option<Edit> {
        let [old, new] = self.views.map(|view| view.body(side));
        // The header beside a form names the boundary that is in it.
        if new.content.is_form() {
            return None;
        }
        let http = self.views[1].call.facts.http.as_ref()?;
        let body = match side {
            BodySide::Request => http.request_body.as_ref()?,
            BodySide::Response => http.response_body.as_ref()?,
        };
        let text = body.text().filter(|_| !body.is_inside)?;
        let copy = self.ids.in_text(text);
        // Old ids of the same length leave the length in the headers true, so the raw text can be copied.
        let is_copied = copy == text || body.layers.is_empty() && copy.len() == text.len();
        new.node.filter(|_| !is_copied)?;
        let pointer = self.pointer_alone(&old.node?.pointer()).ok()?;
        Some(Edit::Set { pointer: format!("{pointer}#"), value: JsonValue::text(&copy) })
    }

    /// Returns a file that has only this call, with the new body of a message.
    fn with_body(&self, text: &str, side: BodySide) -> Result<String, String> {
        let refusal = || "A body is stored in another form than before".to_owned();
        let message = |view: &CallView<'a>| match side {
            BodySide::Request => Some(view.interaction.request),
            BodySide::Response => view.interaction.response,
        };
        let [old, new] = self.views.map(message);
        let pointer = self.pointer_alone(&old.ok_or_else(refusal)?.pointer())?;
        let tree = read_again(self.tree, text);
        let old = tree.at_pointer(&pointer).ok_or_else(refusal)?;
        let new = new.ok_or_else(refusal)?;
        let mut members = Vec::new();
        for key in BODIES {
            match (old.get(key), new.get(key)) {
                (Some(old), Some(new)) => members.push((old, new)),
                (None, None) => {}
                _ => return Err(refusal()),
            }
        }
        // From the end, so that the spans in front stay valid.
        members.sort_by_key(|(old, _)| std::cmp::Reverse(old.span().start));
        let mut text = text.to_owned();
        for (old, new) in members {
            let (range, column) = member(old).ok_or_else(refusal)?;
            let (copied, copied_column) = member(new).ok_or_else(refusal)?;
            let copied = &new.tree().source().text()[copied];
            text.replace_range(range, &indented(&self.ids.in_text(copied), copied_column, column));
        }
        Ok(text)
    }
}

/// Returns the bytes of a member with its key and without the line end behind it, and the column at which it begins, from 0.
fn member(value: Node<'_>) -> Option<(std::ops::Range<usize>, usize)> {
    let start = value.key_span()?.start as usize;
    let text = value.tree().source().text();
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = value.span().range().end;
    let end = start + text.get(start..end)?.trim_end_matches(['\n', '\r']).len();
    Some((start..end, start - line))
}

/// Returns a call in block style at the column of another one.
fn indented_like(other: &str, call: &str) -> String {
    let column = |call: &str| call.len() - call.trim_start_matches(' ').len();
    let (from, to) = (column(call), column(other));
    if [call, other].iter().any(|line| !line.trim_start().starts_with('-')) {
        return call.to_owned();
    }
    format!("{}{}", " ".repeat(to), indented(&call[from..], from, to))
}

/// Returns a text with all lines but the first moved from one column to another.
fn indented(text: &str, from: usize, to: usize) -> String {
    if from == to {
        return text.to_owned();
    }
    let mut lines = text.split_inclusive('\n');
    let mut indented = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let blank = line.bytes().take_while(|byte| *byte == b' ').count();
        let own = blank.saturating_sub(from);
        indented += &" ".repeat(if line.trim().is_empty() { 0 } else { own + to });
        indented += &line[blank..];
    }
    indented
}
