//! Two signatures against each other: which names both have, and whether one recording would answer for the other.

use std::sync::Arc;

use super::{Side, counted, listed};
use crate::format::recording::{Recording, Request};
use crate::ops::signature::{Signature, utf16_order};

/// Which playback client is asked.
///
/// The two differ in context keys only. Tool names and the count of messages must be equal for both, and context keys
/// are compared by both if either side has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// The one people have: it computes no context keys for a live request, nor for a recording without a signature.
    Shipped,
    /// The one the documents describe: context keys are the keys of the request's context.
    Documented,
}

/// One side: what a recording stores, and what its request computes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// What it is.
    pub kind: PartyKind,
    /// As stored in the file; `None` for requests and for recordings without a signature.
    pub stored: Option<Signature>,
    /// As computed from the request, context keys included.
    pub computed: Signature,
}

/// What a side of a comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartyKind {
    /// A recording: it can answer, and its request can be asked again.
    Recording,
    /// A bare request: it can only be asked.
    Request,
}

impl Party {
    /// Takes a recording.
    pub fn recording(recording: &Recording) -> Self {
        let stored = recording.signature.as_ref();
        Self {
            kind: PartyKind::Recording,
            stored: stored.map(|stored| Signature::stored(&stored.value)),
            computed: Signature::of_request(&recording.request),
        }
    }

    /// Takes a bare request.
    pub fn request(request: &Request) -> Self {
        Self {
            kind: PartyKind::Request,
            stored: None,
            computed: Signature::of_request(request),
        }
    }

    /// The signature by which this side answers.
    pub fn own(&self) -> &Signature {
        self.stored.as_ref().unwrap_or(&self.computed)
    }

    /// Where the signature that is shown comes from, in words.
    pub fn origin(&self) -> &'static str {
        match &self.stored {
            None => "computed",
            Some(stored) if *stored == self.computed => "as stored, equal to what is computed",
            Some(_) => "as stored, not what its request computes to",
        }
    }

    /// Why this recording would not answer a request; empty when it would.
    pub fn misses(&self, request: &Self, client: Client) -> Vec<Mismatch> {
        let (own, asked) = (self.own(), &request.computed);
        let none: &[Arc<str>] = &[];
        let own_keys = match (client, &self.stored) {
            (Client::Shipped, None) => none,
            _ => &own.context_keys,
        };
        let asked_keys = match client {
            Client::Shipped => none,
            Client::Documented => &asked.context_keys,
        };
        let mut misses = Vec::new();
        if own.tool_names != asked.tool_names {
            misses.push(Mismatch::Tools);
        }
        if own.message_count != asked.message_count {
            misses.push(Mismatch::Messages);
        }
        if own_keys != asked_keys {
            misses.push(Mismatch::ContextKeys);
        }
        misses
    }
}

/// What keeps a recording from answering a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mismatch {
    /// Other tools were offered.
    Tools,
    /// There were more or fewer messages.
    Messages,
    /// The context has other keys.
    ContextKeys,
}

/// Two signatures, row by row, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureDiff {
    /// The left side.
    pub left: Party,
    /// The right side.
    pub right: Party,
    /// Tool names, in the order of their UTF-16 code units.
    pub tools: Vec<NameRow>,
    /// Context keys, in the same order; empty when neither side has any.
    pub context_keys: Vec<NameRow>,
    /// What the shipped client does.
    pub shipped: Verdict,
    /// What the documented client does.
    pub documented: Verdict,
}

/// A name on one side or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameRow {
    /// Both have it.
    Both(Arc<str>),
    /// Only this side has it.
    Only(Side, Arc<str>),
    /// Between the same neighbours, one name took another's place: left, then right.
    Instead(Arc<str>, Arc<str>),
}

impl NameRow {
    /// The name on a side.
    pub fn name(&self, side: Side) -> Option<&str> {
        match (self, side) {
            (Self::Both(name), _)
            | (Self::Instead(name, _), Side::Left)
            | (Self::Instead(_, name), Side::Right) => Some(name),
            (Self::Only(only, name), _) => (*only == side).then_some(&**name),
        }
    }
}

/// Whether one side answers for the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How it stands, for a colour and a sign.
    pub outcome: Outcome,
    /// What decides, in the order tools, messages, context keys; empty when all is equal.
    pub because: Vec<Mismatch>,
    /// One sentence: `Neither answers for the other: the tools that were offered differ.`
    pub title: String,
    /// What is missing where, and what is equal.
    pub detail: String,
}

/// How a verdict stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Whatever can answer, answers.
    Matches,
    /// Only the recording on this side answers for the other.
    Only(Side),
    /// No recording answers for the other side.
    Differs,
}

impl SignatureDiff {
    /// Compares two sides.
    pub fn new(left: Party, right: Party) -> Self {
        let tools = rows(&left.own().tool_names, &right.own().tool_names);
        let context_keys = rows(&left.own().context_keys, &right.own().context_keys);
        let [shipped, documented] = [Client::Shipped, Client::Documented]
            .map(|client| verdict(&left, &right, (&tools, &context_keys), client));
        Self {
            left,
            right,
            tools,
            context_keys,
            shipped,
            documented,
        }
    }

    /// A side.
    pub fn party(&self, side: Side) -> &Party {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// How many names both have, only the left has, only the right has: `3 names in both, 1 only left, 2 only right`.
    pub fn counts(&self) -> String {
        let both = self
            .tools
            .iter()
            .filter(|row| matches!(row, NameRow::Both(_)))
            .count();
        let only = |side: Side| {
            let count = self
                .tools
                .iter()
                .filter(|row| row.name(side).is_some())
                .count()
                - both;
            (count > 0).then(|| format!("{count} only {}", side.as_str()))
        };
        let mut parts = vec![counted(both, "name", "names") + " in both"];
        parts.extend(Side::BOTH.into_iter().filter_map(only));
        parts.join(", ")
    }

    /// A sentence on where the two clients part; `None` when both do the same.
    pub fn clients_differ(&self) -> Option<String> {
        if self.shipped.outcome == self.documented.outcome {
            return None;
        }
        Some(match self.documented.outcome {
            Outcome::Matches => "As documented it would match: the shipped client computes no context keys for a live request.".to_owned(),
            _ => format!("As documented: {}", lower_first(&self.documented.title)),
        })
    }
}

/// A name as people say it: without `transition_to_`.
pub fn short(name: &str) -> &str {
    match name.strip_prefix("transition_to_") {
        Some(rest) if !rest.is_empty() => rest,
        _ => name,
    }
}

fn rows(left: &[Arc<str>], right: &[Arc<str>]) -> Vec<NameRow> {
    let sorted = |names: &[Arc<str>]| {
        let mut names = names.to_vec();
        names.sort_by(|a, b| utf16_order(a, b));
        names
    };
    let (left, right) = (sorted(left), sorted(right));
    let mut rows = Vec::with_capacity(left.len().max(right.len()));
    let (mut l, mut r) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let order = match (l.peek(), r.peek()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => utf16_order(a, b),
        };
        let (a, b) = match order {
            std::cmp::Ordering::Less => (l.next(), None),
            std::cmp::Ordering::Greater => (None, r.next()),
            std::cmp::Ordering::Equal => (l.next(), r.next()),
        };
        rows.extend(match (a, b) {
            (Some(name), Some(_)) => Some(NameRow::Both(name.clone())),
            (Some(name), None) => Some(NameRow::Only(Side::Left, name.clone())),
            (None, Some(name)) => Some(NameRow::Only(Side::Right, name.clone())),
            (None, None) => None,
        });
    }
    merge_instead(rows)
}

/// Makes one row of a left and a right name that stand alone between equal ones.
fn merge_instead(rows: Vec<NameRow>) -> Vec<NameRow> {
    let is_both = |row: &NameRow| matches!(row, NameRow::Both(_));
    let mut merged = Vec::with_capacity(rows.len());
    for stretch in rows.chunk_by(|a, b| is_both(a) == is_both(b)) {
        match stretch {
            [NameRow::Only(Side::Left, a), NameRow::Only(Side::Right, b)]
            | [NameRow::Only(Side::Right, b), NameRow::Only(Side::Left, a)] => {
                merged.push(NameRow::Instead(a.clone(), b.clone()));
            }
            _ => merged.extend_from_slice(stretch),
        }
    }
    merged
}

fn verdict(
    left: &Party,
    right: &Party,
    names: (&[NameRow], &[NameRow]),
    client: Client,
) -> Verdict {
    let answers = |own: &Party, other: &Party| {
        (own.kind == PartyKind::Recording).then(|| own.misses(other, client))
    };
    let [l, r] = [answers(left, right), answers(right, left)];
    let yes = |misses: &Option<Vec<Mismatch>>| misses.as_ref().is_some_and(Vec::is_empty);
    let mut because: Vec<Mismatch> = [&l, &r].into_iter().flatten().flatten().copied().collect();
    because.sort_unstable();
    because.dedup();
    let pair = l.is_some() && r.is_some();
    let outcome = match (yes(&l), yes(&r)) {
        (true, true) => Outcome::Matches,
        (true, false) if !pair => Outcome::Matches,
        (false, true) if !pair => Outcome::Matches,
        (true, false) => Outcome::Only(Side::Left),
        (false, true) => Outcome::Only(Side::Right),
        (false, false) => Outcome::Differs,
    };
    let reason = reason(&because, left, right, names, client);
    let title = match (outcome, pair) {
        (Outcome::Matches, true) => "Each answers for the other: the signatures match.".to_owned(),
        (Outcome::Matches, false) => {
            "The recording answers this request: the signatures match.".to_owned()
        }
        (Outcome::Only(side), _) => format!(
            "Only the {} answers for the {}: {reason}.",
            side.as_str(),
            side.other().as_str()
        ),
        (Outcome::Differs, true) => format!("Neither answers for the other: {reason}."),
        (Outcome::Differs, false) if l.is_none() && r.is_none() => {
            "Neither is a recording, so neither answers.".to_owned()
        }
        (Outcome::Differs, false) => {
            format!("The recording does not answer this request: {reason}.")
        }
    };
    Verdict {
        outcome,
        detail: detail(left, right, names, &because),
        because,
        title,
    }
}

/// What decides, as the end of a sentence.
fn reason(
    because: &[Mismatch],
    left: &Party,
    right: &Party,
    (tools, keys): (&[NameRow], &[NameRow]),
    client: Client,
) -> String {
    let same = |rows: &[NameRow]| rows.iter().all(|row| matches!(row, NameRow::Both(_)));
    let parts: Vec<&str> = because
        .iter()
        .map(|mismatch| match mismatch {
            Mismatch::Tools if !same(tools) => "the tools that were offered differ",
            Mismatch::Tools if left.own().tool_names != right.own().tool_names => {
                "the same tools are stored in another order"
            }
            Mismatch::Tools => "the tools stored are not those that were offered",
            Mismatch::Messages if left.own().message_count != right.own().message_count => {
                "the counts of messages differ"
            }
            Mismatch::Messages => "the count stored is not that of the messages",
            Mismatch::ContextKeys if client == Client::Shipped => {
                "stored context keys are compared with none"
            }
            Mismatch::ContextKeys if !same(keys) => "the context keys differ",
            Mismatch::ContextKeys => "the context keys stored are not those of the context",
        })
        .collect();
    listed(&parts)
}

/// Who lacks what, and what is equal.
fn detail(
    left: &Party,
    right: &Party,
    (tools, keys): (&[NameRow], &[NameRow]),
    because: &[Mismatch],
) -> String {
    let mut sentences = Vec::new();
    let lacks = |side: Side| {
        let there = tools
            .iter()
            .filter(|row| row.name(side).is_none() || matches!(row, NameRow::Instead(..)));
        let mut names: Vec<&str> = there
            .filter_map(|row| row.name(side.other()))
            .map(short)
            .collect();
        let more = names.len().saturating_sub(MOST_NAMED);
        names.truncate(MOST_NAMED);
        let more = (more > 0).then(|| format!("{more} more"));
        names.extend(more.as_deref());
        (!names.is_empty()).then(|| format!("the {} lacks {}", side.as_str(), listed(&names)))
    };
    let lacking: Vec<String> = Side::BOTH.into_iter().filter_map(lacks).collect();
    if !lacking.is_empty() {
        sentences.push(upper_first(&lacking.join(", ")));
    }
    let [l, r] = [left, right].map(|party| party.own().message_count);
    if l != r {
        sentences.push(format!(
            "The left has {}, the right {r}",
            counted(l as usize, "message", "messages")
        ));
    }
    let keys_same = keys.iter().all(|row| matches!(row, NameRow::Both(_)));
    let mut equal = Vec::new();
    if lacking.is_empty() && !because.contains(&Mismatch::Tools) {
        equal.push("tools");
    }
    if l == r && !because.contains(&Mismatch::Messages) {
        equal.push("messages");
    }
    if keys_same && !because.contains(&Mismatch::ContextKeys) {
        equal.push("context keys");
    }
    if !equal.is_empty() {
        sentences.push(format!("{} are equal", upper_first(&listed(&equal))));
    }
    if !keys_same {
        sentences.push(match because.contains(&Mismatch::ContextKeys) {
            true => "Context keys differ".to_owned(),
            false => "Context keys differ, which the shipped client does not see".to_owned(),
        });
    }
    let mut text = sentences.join(". ");
    if !text.is_empty() {
        text.push('.');
    }
    text
}

/// How many names a sentence lists before it only counts.
const MOST_NAMED: usize = 6;

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(tools: &[&str], messages: u64, keys: &[&str]) -> Signature {
        let all = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
        Signature {
            tool_names: all(tools),
            message_count: messages,
            context_keys: all(keys),
        }
    }

    fn party(kind: PartyKind, stored: Option<Signature>, computed: Signature) -> Party {
        Party {
            kind,
            stored,
            computed,
        }
    }

    fn recorded(signature: Signature) -> Party {
        party(PartyKind::Recording, Some(signature.clone()), signature)
    }

    fn told(left: Party, right: Party) -> String {
        let diff = SignatureDiff::new(left, right);
        let mut told = String::new();
        for row in &diff.tools {
            let [l, r] = Side::BOTH.map(|side| row.name(side).unwrap_or("none"));
            let sign = match row {
                NameRow::Both(_) => "=",
                NameRow::Only(Side::Left, _) => "-",
                NameRow::Only(Side::Right, _) => "+",
                NameRow::Instead(..) => "≠",
            };
            told.push_str(&format!("{l:<24}{sign} {r}\n"));
        }
        told.push_str(&format!(
            "{}\n{}\n{}\n",
            diff.counts(),
            diff.shipped.title,
            diff.shipped.detail
        ));
        told.extend(diff.clients_differ());
        told
    }

    #[test]
    fn other_tools_are_named() {
        let left = signature(
            &[
                "read_Ticket",
                "transition_to_escalate",
                "transition_to_respond",
                "write_Ticket",
            ],
            1,
            &[],
        );
        let right = signature(
            &[
                "read_Ticket",
                "transition_to_escalate",
                "transition_to_refund",
                "transition_to_reply",
                "write_Ticket",
            ],
            1,
            &[],
        );
        insta::assert_snapshot!(told(recorded(left), recorded(right)), @r"
        read_Ticket             = read_Ticket
        transition_to_escalate  = transition_to_escalate
        none                    + transition_to_refund
        none                    + transition_to_reply
        transition_to_respond   - none
        write_Ticket            = write_Ticket
        3 names in both, 1 only left, 2 only right
        Neither answers for the other: the tools that were offered differ.
        The left lacks refund and reply, the right lacks respond. Messages and context keys are equal.
        ");
    }

    #[test]
    fn stored_context_keys_match_only_as_documented() {
        let same = signature(&["transition_to_a"], 1, &["currentNode"]);
        insta::assert_snapshot!(told(recorded(same.clone()), party(PartyKind::Request, None, same)), @r"
        transition_to_a         = transition_to_a
        1 name in both
        The recording does not answer this request: stored context keys are compared with none.
        Tools and messages are equal.
        As documented it would match: the shipped client computes no context keys for a live request.
        ");
    }

    #[test]
    fn a_recording_may_answer_for_one_that_does_not_answer_for_it() {
        let plain = signature(&["a"], 1, &[]);
        let outdated = party(
            PartyKind::Recording,
            Some(signature(&["b"], 2, &[])),
            plain.clone(),
        );
        insta::assert_snapshot!(told(recorded(plain), outdated), @r"
        a                       ≠ b
        0 names in both, 1 only left, 1 only right
        Only the left answers for the right: the tools that were offered differ and the counts of messages differ.
        The left lacks b, the right lacks a. The left has 1 message, the right 2. Context keys are equal.
        ");
    }

    #[test]
    fn equal_signatures_match() {
        let same = signature(&["a"], 1, &[]);
        insta::assert_snapshot!(told(recorded(same.clone()), recorded(same)), @r"
        a                       = a
        1 name in both
        Each answers for the other: the signatures match.
        Tools, messages and context keys are equal.
        ");
    }
}
