//! Describes whether one side can answer the request of the other.

use super::{MatchingClient, MatchingSide, MatchingSideKind, Mismatch, NameRow, short};
use document::diff::Side;
use document::text::{counted, listed, some, upper_first};

/// Whether one side can answer the request of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchVerdict {
    /// Status, for its color and icon.
    pub outcome: MatchOutcome,
    /// The deciding mismatches, in the order tools, messages, context keys; empty if all is equal.
    pub mismatches: Vec<Mismatch>,
    /// One sentence: `Neither can answer the other's request: the offered tools differ.`
    pub title: String,
    /// Details on what is missing on which side, and what is equal.
    pub detail: String,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchOutcome {
    /// Every side that is a recording can answer.
    Matches,
    /// Only the recording on this side can answer.
    Only(Side),
    /// No recording can answer the other side.
    Differs,
}

pub(super) fn verdict(
    left: &MatchingSide,
    right: &MatchingSide,
    names: (&[NameRow], &[NameRow]),
    client: MatchingClient,
) -> MatchVerdict {
    let answers = |own: &MatchingSide, other: &MatchingSide| {
        (own.kind == MatchingSideKind::Recording).then(|| own.mismatches(other, client))
    };
    let [l, r] = [answers(left, right), answers(right, left)];
    let yes = |misses: &Option<Vec<Mismatch>>| misses.as_ref().is_some_and(Vec::is_empty);
    let mut because: Vec<Mismatch> = [&l, &r].into_iter().flatten().flatten().copied().collect();
    because.sort_unstable();
    // Both directions may fail for the same reason, which is reported once.
    because.dedup();
    let pair = l.is_some() && r.is_some();
    let outcome = match (yes(&l), yes(&r)) {
        (true, true) => MatchOutcome::Matches,
        // The other side is a bare request, which answers nothing.
        (true, false) | (false, true) if !pair => MatchOutcome::Matches,
        (true, false) => MatchOutcome::Only(Side::Left),
        (false, true) => MatchOutcome::Only(Side::Right),
        (false, false) => MatchOutcome::Differs,
    };
    let reason = reason(&because, left, right, names, client);
    let title = match (outcome, pair) {
        (MatchOutcome::Matches, true) => {
            "The signatures match: each recording can answer the other's request.".to_owned()
        }
        (MatchOutcome::Matches, false) => {
            "The signatures match: the recording can answer this request.".to_owned()
        }
        (MatchOutcome::Only(side), _) => format!(
            "Only the {} side can answer the {} side's request: {reason}.",
            side.as_str(),
            side.other().as_str()
        ),
        (MatchOutcome::Differs, true) => {
            format!("Neither can answer the other's request: {reason}.")
        }
        (MatchOutcome::Differs, false) if l.is_none() && r.is_none() => {
            "Neither side is a recording, so neither can answer.".to_owned()
        }
        (MatchOutcome::Differs, false) => {
            format!("The recording cannot answer this request: {reason}.")
        }
    };
    MatchVerdict {
        outcome,
        detail: detail(left, right, names, &because, client),
        mismatches: because,
        title,
    }
}

/// Describes the deciding mismatches as the end of a sentence.
fn reason(
    because: &[Mismatch],
    left: &MatchingSide,
    right: &MatchingSide,
    (tools, keys): (&[NameRow], &[NameRow]),
    client: MatchingClient,
) -> String {
    let same = |rows: &[NameRow]| rows.iter().all(|row| matches!(row, NameRow::Both(_)));
    let (left, right) = (left.own_signature(), right.own_signature());
    let part = |mismatch: &Mismatch| match mismatch {
        Mismatch::Tools if !same(tools) => "the offered tools differ",
        Mismatch::Tools if left.tool_names != right.tool_names => {
            "the same tools are stored in a different order"
        }
        Mismatch::Tools => "the stored tools differ from the offered ones",
        Mismatch::Messages if left.message_count != right.message_count => {
            "the message counts differ"
        }
        Mismatch::Messages => "the stored message count differs from the number of messages",
        Mismatch::ContextKeys if client == MatchingClient::Shipped => {
            "the stored context keys are compared with none"
        }
        Mismatch::ContextKeys if !same(keys) => "the context keys differ",
        Mismatch::ContextKeys => "the stored context keys differ from those of the context",
    };
    listed(&because.iter().map(part).collect::<Vec<_>>())
}

/// Describes what each side lacks, and what is equal.
fn detail(
    left: &MatchingSide,
    right: &MatchingSide,
    (tools, keys): (&[NameRow], &[NameRow]),
    because: &[Mismatch],
    client: MatchingClient,
) -> String {
    let mut parts = Vec::new();
    let lacking_side = |side: Side| {
        let rest = tools
            .iter()
            .filter(|row| row.name(side).is_none() || matches!(row, NameRow::Instead(..)));
        let names = some(rest.filter_map(|row| row.name(side.other())).map(short), MAX_NAMED_TOOLS);
        (!names.is_empty()).then(|| format!("the {} side lacks {names}", side.as_str()))
    };
    let lacking: Vec<String> = Side::BOTH.into_iter().filter_map(lacking_side).collect();
    if !lacking.is_empty() {
        parts.push(upper_first(&lacking.join(", ")));
    }
    let [l, r] = [left, right].map(|party| party.own_signature().message_count);
    if l != r {
        parts.push(format!(
            "The left side has {}, the right side {r}",
            counted(l as usize, "message", "messages")
        ));
    }
    let keys_same = keys.iter().all(|row| matches!(row, NameRow::Both(_)));
    let are_compared = client == MatchingClient::Documented || keys.is_empty();
    let mut equal = Vec::new();
    if lacking.is_empty() && !because.contains(&Mismatch::Tools) {
        equal.push("tools");
    }
    if l == r && !because.contains(&Mismatch::Messages) {
        equal.push("messages");
    }
    if keys_same && are_compared && !because.contains(&Mismatch::ContextKeys) {
        equal.push("context keys");
    }
    if !equal.is_empty() {
        parts.push(format!("{} are equal", upper_first(&listed(&equal))));
    }
    if !keys_same {
        parts.push(if because.contains(&Mismatch::ContextKeys) {
            "Context keys differ".to_owned()
        } else {
            "Context keys differ, but the shipped client ignores them".to_owned()
        });
    } else if !are_compared && !because.contains(&Mismatch::ContextKeys) {
        parts.push("Context keys are not compared: the shipped client computes none".to_owned());
    }
    let mut text = parts.join(". ");
    if !text.is_empty() {
        text.push('.');
    }
    text
}

/// Maximum number of names listed in a sentence.
const MAX_NAMED_TOOLS: usize = 6;
