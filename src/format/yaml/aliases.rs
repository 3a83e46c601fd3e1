//! Anchors and aliases: what each stands for, and how much all may stand for together.

use super::{KeyKind, Reader};
use crate::format::json::{MAX_DEPTH, quoted};
use crate::format::problem::{Problem, RuleId};
use crate::format::tree::{Key, Node, NodeId, NodeKind, Scalar};
use crate::text::Span;

/// How many values all aliases of a file may stand for together.
const MAX_ALIASED_VALUES: u64 = 100_000;

/// How many bytes of text all aliases of a file may stand for together.
const MAX_ALIASED_BYTES: u64 = 16 << 20;

/// What an anchor names.
pub(super) enum Anchor {
    /// A value that is read, and what an alias of it stands for.
    Value(NodeId, Weight),
    /// A collection that is still being read.
    Open,
    /// A scalar that is a key.
    Key(String),
}

/// What a value amounts to when every alias in it is followed.
#[derive(Clone, Copy, Default)]
pub(super) struct Weight {
    values: u64,
    bytes: u64,
    depth: usize,
}

impl Weight {
    /// An empty one; its parts are taken in as they come.
    pub(super) fn of_collection() -> Self {
        Self {
            values: 1,
            ..Self::default()
        }
    }

    pub(super) fn of_scalar(text: &str) -> Self {
        Self {
            values: 1,
            bytes: text.len() as u64,
            depth: 0,
        }
    }

    pub(super) fn take_in(&mut self, part: Self) {
        self.values = self.values.saturating_add(part.values);
        self.bytes = self.bytes.saturating_add(part.bytes);
        self.depth = self.depth.max(part.depth + 1);
    }
}

/// The aliases of a file, each with what it stands for.
pub(super) enum Aliases {
    /// They will be followed; with what they amount to together.
    Resolved(Vec<(NodeId, NodeId)>, Weight),
    /// They stand for too much, and none is followed.
    TooMany,
}

impl Reader<'_> {
    pub(super) fn alias(&mut self, anchor: usize, start: usize, end: usize) {
        let span = Span::new(start, end);
        let name = quoted(self.source.slice(span));
        self.before = end;
        if self.expects_key() {
            let text = match self.anchors.get(&anchor) {
                Some(Anchor::Key(text)) => Some(text.clone()),
                Some(&Anchor::Value(id, _)) => self.tree.node(id).scalar_text().map(str::to_owned),
                Some(Anchor::Open) | None => None,
            };
            if text.is_none() {
                let what = format!(
                    "{name} as a key stands for a collection; PyYAML takes only scalars as keys"
                );
                self.syntax(start, end, what);
            }
            let text = text.map_or(Scalar::Plain, Scalar::Decoded);
            self.set_key(Key { span, text }, KeyKind::Ordinary);
            return;
        }
        let target = match self.anchors.get(&anchor) {
            Some(&Anchor::Value(id, weight)) => Ok((id, weight)),
            Some(Anchor::Key(text)) => Err(text.clone()),
            Some(Anchor::Open) | None => {
                self.add(NodeKind::Null, span, None);
                let what =
                    format!("{name} stands inside the value it stands for, which would never end");
                return self.alias_problem(span, what);
            }
        };
        let (target, weight) = match target {
            Ok(target) => target,
            Err(text) => {
                self.came(Weight::of_scalar(&text));
                self.add(NodeKind::String, span, Some(Scalar::Decoded(text)));
                return;
            }
        };
        let kind = self.tree.node(target).kind();
        let id = self.add_alias(kind, span);
        self.came(weight);
        self.follow(id, target, weight, span);
    }

    /// Keeps in mind what an alias stands for, unless all together stand for too much.
    fn follow(&mut self, alias: NodeId, target: NodeId, weight: Weight, span: Span) {
        let Aliases::Resolved(aliases, sum) = &mut self.aliases else {
            return;
        };
        sum.take_in(weight);
        aliases.push((alias, target));
        let what = if self.open.len() + weight.depth > MAX_DEPTH {
            format!(
                "Aliases lead to more than {MAX_DEPTH} values inside each other; none is followed"
            )
        } else if sum.values > MAX_ALIASED_VALUES {
            format!("Aliases stand for more than {MAX_ALIASED_VALUES} values; none is followed")
        } else if sum.bytes > MAX_ALIASED_BYTES {
            let mib = MAX_ALIASED_BYTES >> 20;
            format!("Aliases stand for more than {mib} MiB of text; none is followed")
        } else {
            return;
        };
        self.aliases = Aliases::TooMany;
        self.alias_problem(span, what);
    }

    fn alias_problem(&mut self, span: Span, what: String) {
        let around = self.open.last().map(|open| self.tree.node(open.id));
        let pointer = around.map_or(String::new(), Node::pointer);
        let problem = Problem::at(RuleId::NestingTooDeep, self.source, span, pointer, what);
        self.problems.add(problem);
    }

    /// Adds an alias. Until all are read it stands for nothing.
    fn add_alias(&mut self, target: NodeKind, span: Span) -> NodeId {
        let parent = self.open.last().map(|open| open.id);
        let key = self.open.last_mut().and_then(|open| open.key.take());
        let (key, key_kind) = key.unzip();
        let id = self.tree.push(parent, key, NodeKind::Null, span, None);
        if key_kind == Some(KeyKind::Merge) {
            self.merge(id, target, span);
        }
        id
    }
}
