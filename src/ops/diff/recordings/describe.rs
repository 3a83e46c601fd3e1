//! What differs between two calls, in words.

use std::collections::HashSet;
use std::sync::Arc;

use super::parts::of_section;
use super::{Call, Difference, Section, Sign, Target, Weight, Words};
use crate::format::recording::Request;
use crate::format::text;
use crate::ops::diff::signature::{Mismatch, NameRow, SignatureDiff, short};
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

pub(super) fn plain(text: impl Into<String>) -> Words {
    Words::Plain(text.into())
}

pub(super) fn name(text: impl Into<String>) -> Words {
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

pub(super) fn only(side: Side) -> Sign {
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
