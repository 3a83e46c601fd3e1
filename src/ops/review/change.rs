//! One difference between two takes.

use std::sync::Arc;

use super::change_pattern::{ChangePatterns, PatternRank};
use super::noise::IgnoreReason;
use super::structure::ValueDifference;
use super::subject::ChangeSubject;
use crate::format::Node;
use crate::format::json::quote;
use crate::ops::edit::JsonValue;
use crate::text::{Source, Span};

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Only the new take has it.
    Added,
    /// Only the old take has it.
    Removed,
    /// Both have it, and it says something else.
    Changed,
    /// It is elsewhere in its list. Changes within it are reported separately.
    Moved,
}

impl ChangeKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Added, Self::Removed, Self::Changed, Self::Moved];

    /// Returns its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }
}

/// A value in one of two takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeValue {
    /// Its JSON Pointer in that take.
    pub pointer: Box<str>,
    /// Its bytes in that take, without its key.
    pub span: Span,
    /// What it says, as JSON.
    pub json: Box<str>,
}

impl TakeValue {
    fn new(node: Node<'_>) -> Self {
        Self {
            pointer: node.pointer().into(),
            span: node.span(),
            json: JsonValue::from_node(node).json().into(),
        }
    }
}

/// Names a change within its pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeKey {
    /// What became of the value.
    pub kind: ChangeKind,
    /// Where it is: in the new take, or in the old one for what was removed.
    pub pointer: Box<str>,
}

/// One difference between two takes: a value, by its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeChange {
    /// What became of the value.
    pub kind: ChangeKind,
    /// The value in the old take; none when it was added.
    pub old: Option<TakeValue>,
    /// The value in the new take; none when it was removed.
    pub new: Option<TakeValue>,
    /// What in the conversation it is about.
    pub subject: ChangeSubject,
    /// What changed, as a sentence without a full stop; names are in backquotes.
    pub sentence: Box<str>,
    /// Why it is ignored, if it is.
    pub ignored: Option<IgnoreReason>,
    /// What it follows from, if it is no change of its own.
    pub follows: Option<Follows>,
    pub(super) patterns: ChangePatterns,
}

/// What a change follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Follows {
    /// Other tools are offered.
    OfferedTools,
    /// Other messages were sent.
    Messages,
    /// The context is another one.
    Context,
    /// An earlier turn of the conversation changed: the path of its take.
    Turn(Arc<str>),
}

impl TakeChange {
    pub(super) fn new(difference: &ValueDifference<'_>) -> Self {
        let [old, new] = difference.nodes;
        Self {
            old: old.map(TakeValue::new),
            new: new.map(TakeValue::new),
            ..Self::empty(difference.kind)
        }
    }

    /// Returns the change of one text into another, as a whole.
    pub(super) fn of_texts(old: &Source, new: &Source) -> Self {
        let at = |source: &Source| TakeValue {
            pointer: "".into(),
            span: Span::new(0, source.text().len()),
            json: quote(source.text()).into(),
        };
        Self {
            old: Some(at(old)),
            new: Some(at(new)),
            ..Self::empty(ChangeKind::Changed)
        }
    }

    fn empty(kind: ChangeKind) -> Self {
        Self {
            kind,
            old: None,
            new: None,
            subject: ChangeSubject::Value,
            sentence: "".into(),
            ignored: None,
            follows: None,
            patterns: ChangePatterns::without_variant(PatternRank::Changed, "", ""),
        }
    }

    /// Returns the key of the change within its pair.
    pub fn key(&self) -> ChangeKey {
        ChangeKey {
            kind: self.kind,
            pointer: self.pointer().into(),
        }
    }

    /// Returns where it is: in the new take, or in the old one for what was removed.
    pub fn pointer(&self) -> &str {
        let at = self.new.as_ref().or(self.old.as_ref());
        at.map_or("", |at| &at.pointer)
    }
}
