//! Describes the differences between two calls.

use std::collections::{HashMap, HashSet};

use super::parts::of_section;
use super::{
    CallSection, ChangeSign, ComparedCall, DifferenceTarget, DifferenceWeight, RecordingDifference,
    SectionKind, name, only, plain,
};
use crate::signature::{Mismatch, NameRow, SignatureDiff, short};
use document::diff::Side;
use document::signature::Signature;
use document::text::counted;
use document::{Node, text};

/// Returns all differences, those that decide the match first.
pub(super) fn differences(
    calls: &[ComparedCall<'_>; 2],
    signatures: &SignatureDiff,
    sections: &[CallSection],
) -> Vec<RecordingDifference> {
    let mut collector = DifferenceCollector { calls, signatures, all: Vec::new() };
    collector.tools();
    collector.counts();
    collector.context_keys();
    let lone = Side::BOTH.map(|side| lone(signatures, side).map(|(_, name)| name).collect());
    for (index, section) in sections.iter().enumerate() {
        of_section(index, section, &lone, &mut collector.all);
    }
    collector.stop_reasons(sections);
    // Stable: within a weight, the order of the sections stays.
    collector.all.sort_by_key(|difference| difference.weight);
    collector.all
}

struct DifferenceCollector<'a> {
    calls: &'a [ComparedCall<'a>; 2],
    signatures: &'a SignatureDiff,
    all: Vec<RecordingDifference>,
}

impl DifferenceCollector<'_> {
    fn tools(&mut self) {
        let Self { calls, signatures, .. } = *self;
        let weight = weight(signatures, Mismatch::Tools);
        let [left, right] = Side::BOTH.map(|side| ToolPlaces::of(side, calls, signatures));
        let rows_right: HashMap<&str, usize> =
            lone(signatures, Side::Right).map(|(row, name)| (name, row)).collect();
        // A name at the position of another one replaced it: in the list of both, or among the offered tools.
        let instead = |row: usize, old_name: &str| {
            if let Some(new_name) = signatures.tools[row].name(Side::Right) {
                return Some((row, new_name));
            }
            let at = left.offered.get(old_name)?;
            let new_name = text(&calls[1].request.tools.get(*at)?.name)?;
            (right.offered.get(new_name) == Some(at)).then_some(())?;
            Some((*rows_right.get(new_name)?, new_name))
        };
        let mut described_rows = HashSet::new();
        for (row, old_name) in lone(signatures, Side::Left) {
            let Some((other, new_name)) =
            // One tool replaces at most one other.
            instead(row, old_name).filter(|(other, _)| described_rows.insert((Side::Right, *other)))
        else {
            continue;
        };
            described_rows.insert((Side::Left, row));
            self.all.push(RecordingDifference {
                description: vec![
                    plain("Offered tool "),
                    name(short(old_name)),
                    plain(", now "),
                    name(short(new_name)),
                ],
                pointer: right.pointer(new_name),
                weight,
                sign: ChangeSign::Replaced,
                target: DifferenceTarget::Tools(vec![row, other]),
            });
        }
        for places in [left, right] {
            let side = places.side;
            for (row, tool) in
                lone(signatures, side).filter(|(row, _)| !described_rows.contains(&(side, *row)))
            {
                self.all.push(RecordingDifference {
                    description: vec![
                        plain("Offered tool "),
                        name(short(tool)),
                        plain(format!(", only {}", side.as_str())),
                    ],
                    pointer: places.pointer(tool),
                    weight,
                    sign: only(side),
                    target: DifferenceTarget::Tools(vec![row]),
                });
            }
            self.outdated(side);
        }
    }

    /// Reports a stored list of tools that differs from what its own request offers.
    fn outdated(&mut self, side: Side) {
        let (call, party) = (&self.calls[side as usize], self.signatures.side(side));
        let Some(stored_signature) =
            party.stored.as_ref().filter(|stored| stored.tool_names != party.computed.tool_names)
        else {
            return;
        };
        let set = |value: &Signature| value.tool_names.iter().cloned().collect::<HashSet<_>>();
        // Players compare the lists in their order, so that even the same names may not match.
        let what = if set(stored_signature) == set(&party.computed) {
            "in a different order than they are compared"
        } else {
            "differ from those its request offers"
        };
        let root = call.document.tree.root();
        let pointer = root.and_then(|r| r.get("signature")?.get("toolNames")).map(|n| n.pointer());
        self.all.push(RecordingDifference {
            description: vec![plain(format!("Tools stored {}, {what}", side.as_str()))],
            pointer: pointer.unwrap_or_default(),
            weight: weight(self.signatures, Mismatch::Tools),
            sign: ChangeSign::Value,
            target: DifferenceTarget::Tools(Vec::new()),
        });
    }

    fn counts(&mut self) {
        let Self { calls, signatures, .. } = *self;
        let [left, right] = Side::BOTH.map(|s| signatures.side(s).own_signature().message_count);
        if left == right {
            return;
        }
        let request = calls[1].document.node(calls[1].request.node);
        self.all.push(RecordingDifference {
            description: vec![plain(format!(
                "{}, now {right}",
                counted(left as usize, "message", "messages")
            ))],
            pointer: request.pointer() + "/messages",
            weight: weight(signatures, Mismatch::Messages),
            sign: ChangeSign::Value,
            target: DifferenceTarget::MessageCount,
        });
    }

    fn context_keys(&mut self) {
        let Self { calls, signatures, .. } = *self;
        let weight = weight(signatures, Mismatch::ContextKeys);
        let pointers = Side::BOTH
            .map(|s| context_pointers(&calls[s as usize], signatures.side(s).stored.as_ref()));
        for (row, names) in signatures.context_keys.iter().enumerate() {
            if matches!(names, NameRow::Both(_)) {
                continue;
            }
            for side in Side::BOTH {
                let Some(key) = names.name(side) else { continue };
                let pointer = pointers[side as usize].get(key);
                self.all.push(RecordingDifference {
                    description: vec![
                        plain("Context key "),
                        name(key),
                        plain(format!(", only {}", side.as_str())),
                    ],
                    pointer: pointer.cloned().unwrap_or_default(),
                    weight,
                    sign: only(side),
                    target: DifferenceTarget::ContextKey(row),
                });
            }
        }
    }

    fn stop_reasons(&mut self, sections: &[CallSection]) {
        let calls = self.calls;
        let answers = calls.map(|c| c.recording.and_then(|recording| recording.answer.as_ref()));
        let [Some(left), Some(right)] = answers else { return };
        let [old, new] = [left, right].map(|answer| text(&answer.stop_reason).unwrap_or("none"));
        if old == new {
            return;
        }
        let document = calls[1].document;
        let node = right.stop_reason.as_ref().map_or(right.node, |field| field.node);
        let pointer = document.node(node).pointer();
        let heading = sections.iter().position(|section| section.kind == SectionKind::Answer);
        self.all.push(RecordingDifference {
            description: vec![plain("Stop reason "), name(new), plain(" instead of "), name(old)],
            pointer,
            // No client compares answers.
            weight: Some(DifferenceWeight::Ignored),
            sign: ChangeSign::Value,
            target: DifferenceTarget::Heading(heading.unwrap_or(0)),
        });
    }
}

/// Returns whether a mismatch prevents any client from serving one side for the other.
fn weight(signatures: &SignatureDiff, mismatch: Mismatch) -> Option<DifferenceWeight> {
    let verdicts = [&signatures.shipped, &signatures.documented];
    let decides = verdicts.iter().any(|verdict| verdict.mismatches.contains(&mismatch));
    Some(if decides { DifferenceWeight::Decides } else { DifferenceWeight::Ignored })
}

/// Returns the tools of a side that the other side does not have.
fn lone(signatures: &SignatureDiff, side: Side) -> impl Iterator<Item = (usize, &str)> {
    signatures.tools.iter().enumerate().filter_map(move |(row, names)| match names {
        NameRow::Both(_) => None,
        names => Some((row, names.name(side)?)),
    })
}

/// Places of a side's tools by name; of equal names the first.
struct ToolPlaces<'a> {
    side: Side,
    call: &'a ComparedCall<'a>,
    /// Among the tools that the request offers.
    offered: HashMap<&'a str, usize>,
    /// In the stored signature.
    stored: HashMap<&'a str, usize>,
}

impl<'a> ToolPlaces<'a> {
    fn of(side: Side, calls: &'a [ComparedCall<'a>; 2], signatures: &'a SignatureDiff) -> Self {
        let call = &calls[side as usize];
        // Reversed, so that of equal names the first one stays in the map.
        let offered = call.request.tools.iter().enumerate().rev();
        let signature = signatures.side(side).stored.iter();
        let stored = signature.flat_map(|stored| stored.tool_names.iter().enumerate().rev());
        Self {
            side,
            call,
            offered: offered.filter_map(|(at, tool)| Some((text(&tool.name)?, at))).collect(),
            stored: stored.map(|(at, name)| (&**name, at)).collect(),
        }
    }

    /// Returns the JSON Pointer of a tool's name in the request, else in the stored signature.
    fn pointer(&self, tool: &str) -> String {
        let name = |at: &usize| self.call.request.tools[*at].name.as_ref();
        if let Some(field) = self.offered.get(tool).and_then(name) {
            return self.call.document.node(field.node).pointer();
        }
        self.stored.get(tool).map_or_else(String::new, |at| format!("/signature/toolNames/{at}"))
    }
}

/// Returns the JSON Pointer of each context key's value or, without one, of the stored key.
fn context_pointers<'a>(
    call: &ComparedCall<'a>,
    signature: Option<&'a Signature>,
) -> HashMap<&'a str, String> {
    let stored_keys = signature.into_iter().flat_map(|s| &s.context_keys).enumerate();
    let mut pointers: HashMap<&str, String> =
        stored_keys.map(|(at, key)| (&**key, format!("/signature/contextKeys/{at}"))).collect();
    let context = call.request.context.map(|id| call.document.node(id));
    let items = context.into_iter().flat_map(Node::items);
    pointers.extend(items.filter_map(|item| Some((item.key()?, item.pointer()))));
    pointers
}
