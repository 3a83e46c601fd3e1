//! One difference between two takes.

use std::sync::Arc;

use foldhash::HashMap;

use super::change_pattern::{ChangePatterns, PatternRank};
use super::ignore_rule::IgnoreRule;
use super::noise::IgnoreReason;
use super::structure::{ChangeKind, ValueDifference};
use super::subject::ChangeSubject;
use document::Node;
use document::edit::JsonValue;
use document::json::quote;
use document::text::{Source, Span};

/// A value in one of two takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeValue {
    /// Its JSON Pointer in that take.
    pub pointer: Box<str>,
    /// Its bytes in that take, without its key.
    pub span: Span,
    /// Its value as JSON.
    pub json: Box<str>,
}

impl TakeValue {
    pub(super) fn new(node: Node<'_>) -> Self {
        Self {
            pointer: node.pointer().into(),
            span: node.span(),
            json: JsonValue::from_node(node).json().into(),
        }
    }
}

impl TakeValue {
    /// Returns the text, or of another value its JSON.
    pub fn text(&self) -> String {
        serde_json::from_str(&self.json).unwrap_or_else(|_| self.json.to_string())
    }
}

/// Names a change within its pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeKey {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Its JSON Pointer: in the new take, or in the old one for what was removed.
    pub pointer: Box<str>,
}

/// One difference between two takes: a value, by its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeChange {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// The value in the old take; none when it was added.
    pub old: Option<TakeValue>,
    /// The value in the new take; none when it was removed.
    pub new: Option<TakeValue>,
    /// Part of the conversation that it is about.
    pub subject: ChangeSubject,
    /// Description as a sentence without a full stop; names are in backquotes.
    pub sentence: Box<str>,
    /// Reason that it is ignored; none if it is not.
    pub ignored: Option<IgnoreReason>,
    /// Cause, if it is a consequence of another change.
    pub follows: Option<Follows>,
    /// The call of a cassette that it is in, or is about.
    pub call: Option<Box<CallPlace>>,
    pub(super) patterns: ChangePatterns,
}

/// The values of a change, without its place.
pub(super) type ChangedValues = (ChangeKind, Option<Box<str>>, Option<Box<str>>);

/// The calls of two cassettes that a change is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPlace {
    /// The numbers of the old and of the new call in their files, from 1.
    pub numbers: [Option<usize>; 2],
    /// Pointers into the recordings that the calls are converted to, for the window; perhaps of what is around it.
    pub shown_at: [Option<Box<str>>; 2],
    /// Whether it can be decided without the other changes of its file.
    pub is_separable: bool,
    /// Whether it is in the body of an answer whose form is not read, so that anything in it may be words of the model.
    pub is_unread_answer: bool,
    pub(super) part: ChangedCallPart,
}

/// The part of a call that a change is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangedCallPart {
    /// The request.
    Request,
    /// The status, or the body of the answer as a whole: not a value in it.
    Answer,
    /// A note of the recorder, such as how long the call took.
    Other,
}

/// Two calls that became each other, or one that has no partner, by their numbers from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlignedCalls {
    pub old: Option<usize>,
    pub new: Option<usize>,
}

/// Cause of a change that is a consequence.
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
    /// The same changed in an earlier call of the file, or its answer did: the number of that call.
    Call(usize),
}

impl TakeChange {
    /// Returns whether it is of something that was sent as words.
    pub(super) fn is_request(&self) -> bool {
        matches!(self.subject, ChangeSubject::Message | ChangeSubject::Prompt)
    }
    pub(super) fn new(difference: &ValueDifference<'_>) -> Self {
        let [old, new] = difference.nodes.map(|node| node.map(TakeValue::new));
        Self::at_values(difference.kind, old, new)
    }

    /// Returns the change of one value into another, or of a value that only one of the takes has.
    pub(super) fn at_values(
        kind: ChangeKind,
        old: Option<TakeValue>,
        new: Option<TakeValue>,
    ) -> Self {
        Self { old, new, ..Self::empty(kind) }
    }

    /// Returns the change of one text into another, as a whole.
    pub(super) fn of_texts(old: &Source, new: &Source) -> Self {
        let at = |source: &Source| TakeValue {
            pointer: "".into(),
            span: Span::new(0, source.text().len()),
            json: quote(source.text()).into(),
        };
        Self { old: Some(at(old)), new: Some(at(new)), ..Self::empty(ChangeKind::Changed) }
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
            call: None,
            patterns: ChangePatterns::without_variant(PatternRank::Changed, "", ""),
        }
    }

    /// Returns whether it is in these calls of two cassettes, or is about them.
    pub fn is_in(&self, calls: AlignedCalls) -> bool {
        self.call.as_ref().map(|call| call.numbers) == Some([calls.old, calls.new])
    }

    /// Returns whether it can be decided without the other changes of its file.
    pub fn is_separable(&self) -> bool {
        self.call.as_ref().is_none_or(|call| call.is_separable)
    }

    /// Returns true if a rule ignores it. A moved value is matched by its place only.
    pub fn is_ignored_by(&self, rule: &IgnoreRule) -> bool {
        let json = |at: &Option<TakeValue>| at.as_ref().map(|at| at.json.clone());
        let (old, new) = match self.kind {
            ChangeKind::Moved => (None, None),
            _ => (json(&self.old), json(&self.new)),
        };
        rule.ignores(self.pointer(), old.as_deref(), new.as_deref())
    }

    /// Returns the first of the rules that ignores it.
    pub(super) fn matching_rule(&self, rules: &[IgnoreRule]) -> Option<IgnoreReason> {
        rules.iter().position(|rule| self.is_ignored_by(rule)).map(IgnoreReason::Rule)
    }

    /// Returns the key of the change within its pair.
    pub fn key(&self) -> ChangeKey {
        ChangeKey { kind: self.kind, pointer: self.pointer().into() }
    }

    /// Returns where it is: in the new take, or in the old one for what was removed.
    pub fn pointer(&self) -> &str {
        let at = self.new.as_ref().or(self.old.as_ref());
        at.map_or("", |at| &at.pointer)
    }
}

/// The reason for which each change of a pair is ignored, if it is.
pub(super) struct IgnoredChanges(HashMap<ChangeKey, Option<IgnoreReason>>);

impl IgnoredChanges {
    pub(super) fn new(changes: &[TakeChange]) -> Self {
        Self(changes.iter().map(|change| (change.key(), change.ignored)).collect())
    }

    /// Returns why a change is ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if the pair has no such change.
    pub(super) fn reason(&self, change: &ChangeKey) -> Result<Option<IgnoreReason>, String> {
        let reason = self.0.get(change).copied();
        reason.ok_or_else(|| "The takes changed since they were compared".to_owned())
    }
}
