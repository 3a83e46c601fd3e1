//! Anchors and aliases, and the limits of their expansion.

use super::{KeyKind, YamlReader};
use crate::json::MAX_DEPTH;
use crate::problem::RuleId;
use crate::text::{Span, quoted};
use crate::tree::{MemberKey, NodeId, NodeKind, Scalar};

/// The most values that all aliases of a file may expand to.
// A few nested aliases can stand for more values than any memory holds.
const MAX_ALIASED_VALUES: u64 = 100_000;

/// The most bytes of text that all aliases of a file may expand to.
const MAX_ALIASED_BYTES: u64 = 16 << 20;

/// Value that an anchor names.
pub(super) enum YamlAnchor {
    /// A complete value, and its expanded size.
    Value(NodeId, AliasWeight),
    /// A collection that is still being read.
    Open,
    /// A scalar that is a key.
    Key(String),
}

/// The size of a value when every alias in it is expanded.
#[derive(Clone, Copy, Default)]
pub(super) struct AliasWeight {
    values: u64,
    bytes: u64,
    depth: usize,
}

impl AliasWeight {
    /// Returns that of an empty collection; parts are added as they are read.
    pub(super) fn of_collection() -> Self {
        Self { values: 1, ..Self::default() }
    }

    pub(super) fn of_scalar(text: &str) -> Self {
        Self { values: 1, bytes: text.len() as u64, depth: 0 }
    }

    pub(super) fn add(&mut self, part: Self) {
        // Each level of nested aliases can multiply the sum, which overflows after a few dozen.
        self.values = self.values.saturating_add(part.values);
        self.bytes = self.bytes.saturating_add(part.bytes);
        self.depth = self.depth.max(part.depth + 1);
    }
}

/// The aliases of a file, each with its target.
pub(super) enum Aliases {
    /// They will be followed; with their total size.
    Resolved(Vec<(NodeId, NodeId)>, AliasWeight),
    /// They expand to too much, and none is followed.
    TooMany,
}

impl YamlReader<'_> {
    pub(super) fn alias(&mut self, anchor: usize, start: usize, end: usize) {
        let span = Span::new(start, end);
        self.before = end;
        if self.expects_key() {
            return self.alias_as_key(anchor, span);
        }
        match self.anchors.get(&anchor) {
            Some(&YamlAnchor::Value(target, weight)) => {
                let id = self.add_alias(self.tree.node(target).kind(), span);
                self.note_part(weight);
                if self.may_follow(weight, span)
                    && let Aliases::Resolved(aliases, _) = &mut self.aliases
                {
                    aliases.push((id, target));
                }
            }
            Some(YamlAnchor::Key(text)) => {
                let weight = AliasWeight::of_scalar(text);
                self.note_part(weight);
                match self.copied(anchor, weight, span) {
                    Some(text) => self.add(NodeKind::String, span, Some(text)),
                    None => self.add(NodeKind::Null, span, None),
                };
            }
            Some(YamlAnchor::Open) | None => {
                // An alias in the tree would be a cycle, in which readers never end.
                self.add(NodeKind::Null, span, None);
                let name = quoted(self.source.slice(span));
                let message = format!(
                    "{name} is inside the value that it refers to, so the value would never end"
                );
                self.report(RuleId::NestingTooDeep, span, message);
            }
        }
    }

    fn alias_as_key(&mut self, anchor: usize, span: Span) {
        let weight = self.anchored_text(anchor).map(AliasWeight::of_scalar);
        let text = weight.and_then(|weight| self.copied(anchor, weight, span));
        if weight.is_none() {
            let name = quoted(self.source.slice(span));
            let message = format!(
                "{name} as a key refers to a collection; PyYAML accepts only scalars as keys"
            );
            self.syntax(span.start as usize, span.end as usize, message);
        }
        // A collection has no text that could be a key, so the value is kept under the name of the alias.
        let text = text.unwrap_or(Scalar::Plain);
        self.set_key(MemberKey { span, text }, KeyKind::Ordinary);
    }

    /// Returns the text of an anchor's scalar; `None` for a collection.
    fn anchored_text(&self, anchor: usize) -> Option<&str> {
        match self.anchors.get(&anchor)? {
            YamlAnchor::Key(text) => Some(text),
            YamlAnchor::Value(id, _) => self.tree.node(*id).scalar_text(),
            YamlAnchor::Open => None,
        }
    }

    /// Copies the text of an anchor, where the tree cannot refer to it. Copies count as aliases do: a long text and
    /// many aliases of it would fill the memory.
    fn copied(&mut self, anchor: usize, weight: AliasWeight, span: Span) -> Option<Scalar> {
        let may_copy = self.may_follow(weight, span);
        Some(Scalar::Decoded(self.anchored_text(anchor).filter(|_| may_copy)?.to_owned()))
    }

    /// Counts one more alias, and returns whether it is followed: not if all together expand to too much.
    fn may_follow(&mut self, weight: AliasWeight, span: Span) -> bool {
        let Aliases::Resolved(_, sum) = &mut self.aliases else { return false };
        sum.add(weight);
        // Code that reads the tree recurses through aliases, too.
        let message = if self.open.len() + weight.depth > MAX_DEPTH {
            format!("Aliases lead to more than {MAX_DEPTH} nested values; no alias is followed")
        } else if sum.values > MAX_ALIASED_VALUES {
            format!("Aliases expand to more than {MAX_ALIASED_VALUES} values; no alias is followed")
        } else if sum.bytes > MAX_ALIASED_BYTES {
            let mib = MAX_ALIASED_BYTES >> 20;
            format!("Aliases expand to more than {mib} MiB of text; no alias is followed")
        } else {
            return true;
        };
        self.aliases = Aliases::TooMany;
        self.report(RuleId::NestingTooDeep, span, message);
        false
    }

    /// Adds an alias. It is resolved when all were read.
    fn add_alias(&mut self, target: NodeKind, span: Span) -> NodeId {
        let parent = self.open.last().map(|open| open.id);
        let key = self.open.last_mut().and_then(|open| open.key.take());
        let (key, key_kind) = key.unzip();
        // Null for now: whether aliases are followed is decided after the last one.
        let id = self.tree.push(parent, key, NodeKind::Null, span, None);
        if key_kind == Some(KeyKind::Merge) {
            self.merge(id, target, span);
        }
        id
    }
}
