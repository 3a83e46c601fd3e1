//! Compares two signatures: which names both have, and whether one recording can answer the request of the other.

mod matching;
#[cfg(test)]
mod tests;
mod verdict;

use std::sync::Arc;

use document::diff::Side;
use document::signature::utf16_order;
use document::text::{counted, lower_first};
use verdict::verdict;

pub use matching::{MatchingClient, MatchingSide, MatchingSideKind, Mismatch};
pub use verdict::{MatchOutcome, MatchVerdict};

/// Two signatures compared row by row, with verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureDiff {
    pub left: MatchingSide,
    pub right: MatchingSide,
    /// Tool names, in the order of their UTF-16 code units.
    pub tools: Vec<NameRow>,
    /// Context keys, in the same order; empty when neither side has any.
    pub context_keys: Vec<NameRow>,
    /// Verdict for the shipped client.
    pub shipped: MatchVerdict,
    /// Verdict for the documented client.
    pub documented: MatchVerdict,
}

/// A name on one side or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameRow {
    /// Both have it.
    Both(Arc<str>),
    /// Only this side has it.
    Only(Side, Arc<str>),
    /// One name was replaced by another between the same neighbors: left, then right.
    Instead(Arc<str>, Arc<str>),
}

impl NameRow {
    /// Returns the name on a side.
    pub fn name(&self, side: Side) -> Option<&str> {
        match (self, side) {
            (Self::Both(name), _)
            | (Self::Instead(name, _), Side::Left)
            | (Self::Instead(_, name), Side::Right) => Some(name),
            (Self::Only(only, name), _) => (*only == side).then_some(&**name),
        }
    }
}

/// Comparison of a context key by a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyComparison {
    /// With the keys of the other side.
    Compared,
    /// It is stored on this side, and the client computes no keys for a request.
    WithNone(Side),
    /// It is not part of a signature: the client does not compute it.
    NotCompared,
}

impl KeyComparison {
    /// Returns what a row adds to a name: empty for one that is compared.
    pub fn remark(self) -> &'static str {
        match self {
            Self::Compared => "",
            Self::WithNone(_) => ", compared with none",
            Self::NotCompared => ", not compared",
        }
    }
}

impl SignatureDiff {
    /// Compares two sides.
    pub fn new(left: MatchingSide, right: MatchingSide) -> Self {
        let tools = rows(&left.own_signature().tool_names, &right.own_signature().tool_names);
        let context_keys =
            rows(&left.own_signature().context_keys, &right.own_signature().context_keys);
        let [shipped, documented] = [MatchingClient::Shipped, MatchingClient::Documented]
            .map(|client| verdict(&left, &right, (&tools, &context_keys), client));
        Self { left, right, tools, context_keys, shipped, documented }
    }

    /// Returns a side.
    pub fn side(&self, side: Side) -> &MatchingSide {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Returns how a client compares a row of [`Self::context_keys`].
    pub fn key_comparison(&self, row: &NameRow, client: MatchingClient) -> KeyComparison {
        if client == MatchingClient::Documented {
            return KeyComparison::Compared;
        }
        let is_stored = |side: &Side| {
            let stored = self.side(*side).stored.as_ref();
            let mut keys = stored.iter().flat_map(|stored| &stored.context_keys);
            row.name(*side).is_some_and(|name| keys.any(|key| **key == *name))
        };
        // A request stores nothing, so its recording is at the right.
        let stored = [Side::Right, Side::Left].into_iter().find(is_stored);
        stored.map_or(KeyComparison::NotCompared, KeyComparison::WithNone)
    }

    /// Describes how many names are on both sides, only left and only right: `3 names in both, 1 only left, 2 only
    /// right`.
    pub fn counts(&self) -> String {
        let common_count = self.tools.iter().filter(|row| matches!(row, NameRow::Both(_))).count();
        let only = |side: Side| {
            let count = self.tools.iter().filter(|r| r.name(side).is_some()).count() - common_count;
            (count > 0).then(|| format!("{count} only {}", side.as_str()))
        };
        let common = || counted(common_count, "name", "names") + " in both";
        let both = (common_count > 0 || self.tools.is_empty()).then(common);
        both.into_iter()
            .chain(Side::BOTH.into_iter().filter_map(only))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Describes how the two clients differ; `None` if they do not.
    pub fn clients_differ(&self) -> Option<String> {
        if self.shipped.outcome == self.documented.outcome {
            return None;
        }
        Some(match self.documented.outcome {
            MatchOutcome::Matches => "The documented client would match: unlike the shipped client, it computes context keys for a live request.".to_owned(),
            _ => format!("With the documented client: {}", lower_first(&self.documented.title)),
        })
    }
}

/// Returns a tool name without `transition_to_`.
pub fn short(name: &str) -> &str {
    // DyGram's name for the tool of an edge: such tools differ only by the target.
    name.strip_prefix("transition_to_").filter(|rest| !rest.is_empty()).unwrap_or(name)
}

fn rows(left: &[Arc<str>], right: &[Arc<str>]) -> Vec<NameRow> {
    let sorted = |names: &[Arc<str>]| {
        let mut names = names.to_vec();
        // The order in which DyGram's recorder sorts; a stored list may be in another one.
        names.sort_by(|a, b| utf16_order(a, b));
        names
    };
    let (left, right) = (sorted(left), sorted(right));
    let mut rows = Vec::with_capacity(left.len().max(right.len()));
    let mut right = right.into_iter().peekable();
    for name in left {
        while let Some(other) = right.next_if(|other| utf16_order(other, &name).is_lt()) {
            rows.push(NameRow::Only(Side::Right, other));
        }
        rows.push(match right.next_if_eq(&name) {
            Some(_) => NameRow::Both(name),
            None => NameRow::Only(Side::Left, name),
        });
    }
    rows.extend(right.map(|name| NameRow::Only(Side::Right, name)));
    merge_instead(rows)
}

/// Merges a left and a right name into one row if both are single between equal ones.
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
