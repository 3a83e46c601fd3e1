//! An old cassette with the causes of a new one: what is noise stays as it was, byte for byte.
//!
//! The calls are in the order of the new file. One that both files have is the old text, in which the causes are edited; an added call
//! is the new text with the old ids. A body in which single values cannot be edited, such as a stream, is taken as a whole.

use super::alignment::{align, in_order};
use super::call_texts::CallTexts;
use super::differences::{CallDifference, find};
use super::partial::file_edits;
use super::view::{BodyParts, BodySide, CallView};
use crate::review::change::{AlignedCalls, IgnoredChanges};
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
    let cassette = KeptCassette {
        text: new.source().text().to_owned(),
        ids: OldIds::new(pairs.zip(reasons.iter().copied())),
        has_whole_bodies: false,
    };
    if views.iter().any(Vec::is_empty) {
        // The files have no call whose noise could stay.
        return Ok(cassette);
    }
    let merger = |numbers: AlignedCalls, is_alone| {
        let at = |side: usize, number: Option<usize>| views[side].get(number?.checked_sub(1)?);
        let views = [at(0, numbers.old)?, at(1, numbers.new)?];
        let place = [numbers.old, numbers.new];
        let pairs = all_differences.iter().zip(&reasons);
        let own = pairs.filter(|(difference, _)| difference.place.numbers == place);
        let differences = own.map(|(difference, reason)| (difference, reason.is_none())).collect();
        Some(CallMerger { tree: &old.tree, views, is_alone, differences, ids: &cassette.ids })
    };
    let order = in_order(&alignment);
    let texts = CallTexts::new(&old.tree, &views[0]).zip(CallTexts::new(&new.tree, &views[1]));
    let (mut text, mut has_whole_bodies) = (old.source().text().to_owned(), false);
    if let Some((old_texts, new_texts)) = texts {
        let mut calls = Vec::with_capacity(views[1].len());
        for numbers in order {
            let Some(new_number) = numbers.new else { continue };
            let Some((old_number, merger)) = numbers.old.zip(merger(numbers, true)) else {
                let added_call = cassette.ids.in_text(new_texts.calls[new_number - 1]);
                calls.push((None, old_texts.as_added(added_call)));
                continue;
            };
            let old_call = old_texts.with_only(old_texts.calls[old_number - 1]);
            let (call, is_whole) = merger.merge(old_call)?;
            has_whole_bodies |= is_whole;
            let call = old_texts.only_call(&call).ok_or("A change reaches beyond its call")?;
            calls.push((Some(old_number - 1), call.to_owned()));
        }
        text = old_texts.joined(&calls);
    } else {
        if alignment.moved.contains(&true)
            || order.iter().any(|n| n.old.is_none() || n.new.is_none())
        {
            return Err("Other calls are in the file, and they are not in one list, so the old noise cannot be kept; accept or reject the file".to_owned());
        }
        for merger in order.into_iter().filter_map(|numbers| merger(numbers, false)) {
            let (merged_text, is_whole) = merger.merge(text)?;
            has_whole_bodies |= is_whole;
            text = merged_text;
        }
    }
    let outside = all_differences.iter().zip(&reasons).filter(|(difference, reason)| {
        reason.is_none() && difference.place.numbers == [None, None]
    });
    let outside: Vec<&CallDifference<'_>> = outside.map(|(difference, _)| difference).collect();
    let edits = file_edits(&outside, Side::Left, &cassette.ids);
    let edit = plan_all(&read_again(&old.tree, &text), &edits).map_err(|refusal| refusal.reason)?;
    if let Some(edit) = edit {
        edit.apply(&mut text);
    }
    Ok(KeptCassette { text, has_whole_bodies, ..cassette })
}

/// A call that both files have.
struct CallMerger<'a> {
    /// The old file.
    tree: &'a Tree,
    views: [&'a CallView<'a>; 2],
    /// Whether it is merged in a file that has only this call.
    is_alone: bool,
    /// Its differences, each with whether it is a cause.
    differences: Vec<(&'a CallDifference<'a>, bool)>,
    ids: &'a OldIds,
}

impl<'a> CallMerger<'a> {
    /// Returns the text of the old file with the causes, and whether bodies were taken as a whole.
    fn merge(&self, mut text: String) -> Result<(String, bool), String> {
        let wholes = [BodySide::Request, BodySide::Response].map(|s| self.takes_body(s));
        let mut edits = Vec::new();
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
                let describes_body = change.header.as_ref().is_some_and(|(name, side)| {
                    with_headers.contains(side) && BODY_HEADERS.contains(&&**name)
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
            edits.push(edit.at(self.pointer(edit.pointer())?));
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
        Ok((text, wholes.contains(&true)))
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

    /// Returns the pointer in the file in which the call is merged.
    fn pointer(&self, pointer: &str) -> Result<String, String> {
        if !self.is_alone {
            return Ok(pointer.to_owned());
        }
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
        // What is in several values is copied as it is there.
        let is_one_text = |view: &CallView<'a>| {
            let interaction = &view.interaction;
            let is_one = interaction.recorded().is_none()
                || interaction.body_values()[side as usize].len() == 1;
            is_one && view.body(side).node.is_some_and(|node| node.as_str().is_some())
        };
        if !self.views.into_iter().all(is_one_text) {
            return None;
        }
        let pointer = self.pointer(&old.node?.pointer()).ok()?;
        Some(Edit::Set { pointer: format!("{pointer}#"), value: JsonValue::text(&copy) })
    }

    /// Returns the text with the new body of a message.
    fn with_body(&self, text: &str, side: BodySide) -> Result<String, String> {
        let refusal = || "A body is stored in another form than before".to_owned();
        let [old_values, new_values] = self
            .views
            .map(|view| std::mem::take(&mut view.interaction.body_values()[side as usize]));
        let keys = |values: &[Node<'a>]| values.iter().map(|value| value.key()).collect::<Vec<_>>();
        if keys(&old_values) != keys(&new_values) {
            return Err(refusal());
        }
        let tree = read_again(self.tree, text);
        let mut members = Vec::new();
        for (old, new) in old_values.into_iter().zip(new_values) {
            let pointer = self.pointer(&old.pointer())?;
            members.push((tree.at_pointer(&pointer).ok_or_else(refusal)?, new));
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

/// Returns the bytes of a value with its key, if it has one, and without the line end behind it, and the column at which it begins, from 0.
fn member(value: Node<'_>) -> Option<(std::ops::Range<usize>, usize)> {
    let start = value.key_span().unwrap_or(value.span()).start as usize;
    let text = value.tree().source().text();
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = value.span().range().end;
    let end = start + text.get(start..end)?.trim_end_matches(['\n', '\r']).len();
    Some((start..end, start - line))
}

/// Returns a text with all lines but the first moved from one column to another.
pub(super) fn indented(text: &str, from: usize, to: usize) -> String {
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
