//! What differs between two calls, in words.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::{Call, Difference, Label, Section, SectionKind, SetAside, Sign, Target, Weight, Words};
use crate::format::recording::{Block, Request};
use crate::format::{Field, text};
use crate::ops::diff::signature::{Mismatch, NameRow, SignatureDiff, short};
use crate::ops::diff::text::Size;
use crate::ops::diff::{Side, counted};
use crate::ops::signature::Signature;

/// Everything that differs, first what decides the match.
pub(super) fn differences(
    calls: &[Call<'_>; 2],
    signatures: &SignatureDiff,
    sections: &[Section],
) -> Vec<Difference> {
    let mut all = Vec::new();
    tools(calls, signatures, &mut all);
    counts(calls, signatures, &mut all);
    context_keys(calls, signatures, &mut all);
    for (index, section) in sections.iter().enumerate() {
        of_section(index, section, signatures, &mut all);
    }
    stop_reasons(calls, sections, &mut all);
    all.sort_by_key(|difference| difference.weight);
    all
}

fn plain(text: impl Into<String>) -> Words {
    Words::Plain(text.into())
}

fn name(text: impl Into<String>) -> Words {
    Words::Name(text.into())
}

/// Whether a mismatch keeps any client from serving one side for the other.
fn weight(signatures: &SignatureDiff, mismatch: Mismatch) -> Weight {
    let verdicts = [&signatures.shipped, &signatures.documented];
    match verdicts
        .iter()
        .any(|verdict| verdict.because.contains(&mismatch))
    {
        true => Weight::Decides,
        false => Weight::NotLookedAt,
    }
}

fn tools(calls: &[Call<'_>; 2], signatures: &SignatureDiff, all: &mut Vec<Difference>) {
    let weight = weight(signatures, Mismatch::Tools);
    let mut told = HashSet::new();
    let lone = |side: Side| {
        let rows = signatures.tools.iter().enumerate();
        rows.filter_map(move |(row, names)| match names {
            NameRow::Both(_) => None,
            _ => Some((row, Arc::<str>::from(names.name(side)?))),
        })
    };
    // A name that stands where another stood took its place.
    for (row, left) in lone(Side::Left) {
        let at = tool_index(calls[0].request, &left);
        let instead = lone(Side::Right).find(|(other, right)| {
            row == *other || at.is_some() && at == tool_index(calls[1].request, right)
        });
        let Some((other, right)) = instead.filter(|(other, _)| told.insert((Side::Right, *other)))
        else {
            continue;
        };
        told.insert((Side::Left, row));
        all.push(Difference {
            words: vec![
                plain("Offered tool "),
                name(short(&left)),
                plain(", now "),
                name(short(&right)),
            ],
            pointer: tool_pointer(&calls[1], &right, signatures.right.stored.as_ref()),
            weight,
            sign: Sign::Replaced,
            target: Target::Tools(vec![row, other]),
        });
    }
    for (side, call) in Side::BOTH.into_iter().zip(calls) {
        for (row, tool) in lone(side).filter(|(row, _)| !told.contains(&(side, *row))) {
            let stored = signatures.party(side).stored.as_ref();
            all.push(Difference {
                words: vec![
                    plain("Offered tool "),
                    name(short(&tool)),
                    plain(format!(", only {}", side.as_str())),
                ],
                pointer: tool_pointer(call, &tool, stored),
                weight,
                sign: only(side),
                target: Target::Tools(vec![row]),
            });
        }
        outdated(side, call, signatures, all);
    }
}

/// A stored list of tools that is not what its own request offers.
fn outdated(side: Side, call: &Call<'_>, signatures: &SignatureDiff, all: &mut Vec<Difference>) {
    let party = signatures.party(side);
    let Some(stored) = party
        .stored
        .as_ref()
        .filter(|stored| stored.tool_names != party.computed.tool_names)
    else {
        return;
    };
    let set = |signature: &Signature| signature.tool_names.iter().cloned().collect::<HashSet<_>>();
    let what = match set(stored) == set(&party.computed) {
        true => "in another order than they are compared in",
        false => "not those its request offers",
    };
    let root = call.document.tree.root();
    let pointer = root
        .and_then(|root| root.get("signature")?.get("toolNames"))
        .map(|node| node.pointer());
    all.push(Difference {
        words: vec![plain(format!("Tools stored {}, {what}", side.as_str()))],
        pointer: pointer.unwrap_or_default(),
        weight: weight(signatures, Mismatch::Tools),
        sign: Sign::Value,
        target: Target::Tools(Vec::new()),
    });
}

fn only(side: Side) -> Sign {
    match side {
        Side::Left => Sign::Removed,
        Side::Right => Sign::Added,
    }
}

fn tool_index(request: &Request, tool: &str) -> Option<usize> {
    request
        .tools
        .iter()
        .position(|other| text(&other.name) == Some(tool))
}

/// Where a tool's name stands in the request, else in the stored signature.
fn tool_pointer(call: &Call<'_>, tool: &str, stored: Option<&Signature>) -> String {
    let offered = call
        .request
        .tools
        .iter()
        .filter_map(|other| other.name.as_ref());
    if let Some(field) = offered.into_iter().find(|field| field.value == tool) {
        return call.document.node(field.node).pointer();
    }
    let at = stored.and_then(|stored| stored.tool_names.iter().position(|other| **other == *tool));
    at.map(|at| format!("/signature/toolNames/{at}"))
        .unwrap_or_default()
}

fn counts(calls: &[Call<'_>; 2], signatures: &SignatureDiff, all: &mut Vec<Difference>) {
    let [left, right] = Side::BOTH.map(|side| signatures.party(side).own().message_count);
    if left == right {
        return;
    }
    let request = calls[1].document.node(calls[1].request.node);
    all.push(Difference {
        words: vec![plain(format!(
            "{}, now {right}",
            counted(left as usize, "message", "messages")
        ))],
        pointer: request.pointer() + "/messages",
        weight: weight(signatures, Mismatch::Messages),
        sign: Sign::Value,
        target: Target::MessageCount,
    });
}

fn context_keys(calls: &[Call<'_>; 2], signatures: &SignatureDiff, all: &mut Vec<Difference>) {
    let weight = weight(signatures, Mismatch::ContextKeys);
    for (row, names) in signatures.context_keys.iter().enumerate() {
        if matches!(names, NameRow::Both(_)) {
            continue;
        }
        for (side, call) in Side::BOTH.into_iter().zip(calls) {
            let Some(key) = names.name(side) else {
                continue;
            };
            let value = call
                .request
                .context
                .and_then(|id| call.document.node(id).get(key));
            let stored = || {
                let stored = signatures.party(side).stored.as_ref()?;
                let at = stored
                    .context_keys
                    .iter()
                    .position(|other| **other == *key)?;
                Some(format!("/signature/contextKeys/{at}"))
            };
            all.push(Difference {
                words: vec![
                    plain("Context key "),
                    name(key),
                    plain(format!(", only {}", side.as_str())),
                ],
                pointer: value
                    .map(|node| node.pointer())
                    .or_else(stored)
                    .unwrap_or_default(),
                weight,
                sign: only(side),
                target: Target::ContextKey(row),
            });
        }
    }
}

/// Differences within a section: one for each of its named parts that changed.
fn of_section(
    index: usize,
    section: &Section,
    signatures: &SignatureDiff,
    all: &mut Vec<Difference>,
) {
    let [left, right] = &section.notes;
    let sides = Side::BOTH.map(|side| {
        let text = section.diff.source(side).text();
        !text.is_empty() || section.pointers[side as usize].is_some()
    });
    let pointer = section.pointers[1]
        .as_ref()
        .or(section.pointers[0].as_ref());
    let pointer = pointer.cloned().unwrap_or_default();
    if let [true, false] | [false, true] = sides {
        let (side, note) = match sides[0] {
            true => (Side::Left, left),
            false => (Side::Right, right),
        };
        let lone = |row: &NameRow| !matches!(row, NameRow::Both(_)) && row.name(side) == Some(note);
        if section.kind == SectionKind::Tool && signatures.tools.iter().any(lone) {
            return;
        }
        if let Some(words) = one_sided(section, note, side) {
            all.push(Difference {
                words,
                pointer,
                weight: Weight::NotLookedAt,
                sign: only(side),
                target: Target::Heading(index),
            });
            return;
        }
    }
    for part in parts(section) {
        let own = part.label.map(|label| label.pointer.clone());
        let (words, sign) = part.words(section);
        all.push(Difference {
            words,
            pointer: own.unwrap_or_else(|| pointer.clone()),
            weight: Weight::NotLookedAt,
            sign,
            target: Target::Rows(index, part.rows),
        });
    }
}

/// A section that only one side has.
fn one_sided(section: &Section, note: &str, side: Side) -> Option<Vec<Words>> {
    let only = plain(format!(", only {}", side.as_str()));
    Some(match section.kind {
        SectionKind::Tool => vec![plain("Offered tool "), name(short(note)), only],
        SectionKind::ToolCall => {
            let called = section.diff.line(side, 1);
            vec![plain("Calls "), name(short(called)), only]
        }
        SectionKind::Message => {
            let which = note.split(" of ").next().unwrap_or("message");
            vec![plain(upper_first(which)), only]
        }
        SectionKind::System => vec![plain("System prompt"), only],
        SectionKind::Context => vec![plain("Context"), only],
        SectionKind::Answer => vec![plain(section.title), only],
        SectionKind::Other => return None,
    })
}

/// The rows of a section that changed under one name.
struct Part<'a> {
    heading: Option<&'a str>,
    label: Option<&'a Label>,
    rows: Vec<Range<usize>>,
    size: Size,
}

fn parts(section: &Section) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for (row, found) in section.diff.rows.iter().enumerate() {
        if found.is_same() {
            continue;
        }
        let heading = section.diff.heading(row);
        let label = section.label(row);
        let same = |part: &&mut Part<'_>| {
            part.heading == heading && part.label.map(|l| &l.name) == label.map(|l| &l.name)
        };
        let size = section.diff.row_size(found);
        match parts.iter_mut().find(same) {
            Some(part) => {
                part.size = part.size.and(size);
                match part.rows.last_mut() {
                    Some(last) if last.end == row => last.end += 1,
                    _ => part.rows.push(row..row + 1),
                }
            }
            None => parts.push(Part {
                heading,
                label,
                rows: std::iter::once(row..row + 1).collect(),
                size,
            }),
        }
    }
    parts
}

impl Section {
    /// The named part of the text that a row belongs to.
    fn label(&self, row: usize) -> Option<&Label> {
        let row = self.diff.rows.get(row)?;
        Side::BOTH.into_iter().rev().find_map(|side| {
            let number = row.number(side)?;
            let labels = &self.labels[side as usize];
            let after = labels.partition_point(|label| label.first_line <= number);
            labels.get(after.checked_sub(1)?)
        })
    }
}

impl Part<'_> {
    fn words(&self, section: &Section) -> (Vec<Words>, Sign) {
        let (size, sign) = match self.only(section) {
            Some(side) => (format!(", only {}", side.as_str()), only(side)),
            None => (format!(", {}", self.size), Sign::Value),
        };
        let size = plain(size);
        let [left, right] = &section.notes;
        let note = if right.is_empty() { left } else { right };
        let label = self.label.map(|label| name(&label.name));
        let words = match (section.kind, label) {
            (SectionKind::ToolCall, None) => {
                let [old, new] = Side::BOTH.map(|side| section.diff.line(side, 1));
                let words = vec![
                    plain("Calls "),
                    name(short(new)),
                    plain(" in place of "),
                    name(short(old)),
                ];
                return (words, Sign::Replaced);
            }
            (SectionKind::ToolCall, Some(label)) => vec![plain("Input "), label, size],
            (SectionKind::Context, Some(label)) => vec![plain("Context "), label, size],
            (SectionKind::Tool, Some(label)) => vec![
                plain("Offered tool "),
                name(short(note)),
                plain(": "),
                label,
                size,
            ],
            (SectionKind::Other, Some(label)) => vec![plain("Field "), label, size],
            _ => {
                let what = match (self.heading, section.kind) {
                    (Some(heading), _) => heading.to_owned(),
                    (None, SectionKind::System) => "System prompt".to_owned(),
                    (None, SectionKind::Message) => {
                        upper_first(note.split(" of ").next().unwrap_or("message"))
                    }
                    (None, _) => section.title.to_owned(),
                };
                return (vec![plain(what), size], Sign::Text);
            }
        };
        (words, sign)
    }

    /// The side that alone has the named part.
    fn only(&self, section: &Section) -> Option<Side> {
        let label = self.label?;
        let has = |side: Side| {
            let labels = &section.labels[side as usize];
            labels.iter().any(|other| other.name == label.name)
        };
        match (has(Side::Left), has(Side::Right)) {
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            _ => None,
        }
    }
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

fn stop_reasons(calls: &[Call<'_>; 2], sections: &[Section], all: &mut Vec<Difference>) {
    let answers = calls.map(|call| {
        call.recording
            .and_then(|recording| recording.answer.as_ref())
    });
    let [Some(left), Some(right)] = answers else {
        return;
    };
    let [old, new] = [left, right].map(|answer| text(&answer.stop_reason).unwrap_or("none"));
    if old == new {
        return;
    }
    let document = calls[1].document;
    let field = right.stop_reason.as_ref();
    let pointer = match field {
        Some(field) => document.node(field.node).pointer(),
        None => document.node(right.node).pointer(),
    };
    let heading = sections
        .iter()
        .position(|section| section.title == "Answer");
    all.push(Difference {
        words: vec![
            plain("Stop reason "),
            name(new),
            plain(" in place of "),
            name(old),
        ],
        pointer,
        weight: Weight::NotLookedAt,
        sign: Sign::Value,
        target: Target::Heading(heading.unwrap_or(0)),
    });
}

/// Times and ids that differ.
pub(super) fn set_aside(calls: &[Call<'_>; 2]) -> Vec<SetAside> {
    let [left, right] = calls.map(ids_and_times);
    let mut all = Vec::new();
    for (a, b) in left.iter().zip(&right) {
        for at in 0..a.1.len().max(b.1.len()) {
            let (l, r) = (
                a.1.get(at).copied().flatten(),
                b.1.get(at).copied().flatten(),
            );
            let [lv, rv] = [l, r].map(|field| field.map(|field| field.value.clone()));
            if lv == rv {
                continue;
            }
            let pointer = match (r, l) {
                (Some(field), _) => calls[1].document.node(field.node).pointer(),
                (None, Some(field)) => calls[0].document.node(field.node).pointer(),
                (None, None) => continue,
            };
            all.push(SetAside {
                what: a.0,
                pointer,
                left: lv,
                right: rv,
            });
        }
    }
    all
}

type Fields<'a> = (&'static str, Vec<Option<&'a Field<String>>>);

fn ids_and_times(call: Call<'_>) -> [Fields<'_>; 7] {
    let recording = call.recording;
    let answer = recording.and_then(|recording| recording.answer.as_ref());
    let blocks = answer.map_or(&[][..], |answer| &answer.blocks);
    let tool_ids = blocks.iter().filter_map(|block| match block {
        Block::ToolUse(call) => Some(call.id.as_ref()),
        _ => None,
    });
    [
        ("request id", vec![call.request.id.as_ref()]),
        ("asked at", vec![call.request.timestamp.as_ref()]),
        (
            "request id of the answer",
            vec![answer.and_then(|answer| answer.request_id.as_ref())],
        ),
        (
            "answered at",
            vec![answer.and_then(|answer| answer.timestamp.as_ref())],
        ),
        ("tool call id", tool_ids.collect()),
        (
            "recorded at",
            vec![recording.and_then(|recording| recording.recorded_at.as_ref())],
        ),
        (
            "last validated",
            vec![recording.and_then(|recording| recording.last_validated.as_ref())],
        ),
    ]
}
