//! One pair, compared: what changed in it, in words, and what of it is noise or follows from something else.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::cassette;
use super::change::{ChangeKind, Follows, TakeChange};
use super::change_pattern::{ChangePatterns, PatternRank, Replaced, change_patterns, tool_renames};
use super::describe::sentence;
use super::ignore_rule::IgnoreRule;
use super::noise::{IgnoreReason, find_noise};
use super::pair::TakePair;
use super::similarity::hash;
use super::structure::{ValueDifference, differences};
use super::subject::{ChangeSubject, ChangeTopic};
use crate::format::{Document, FileKind, Syntax, json};
use crate::ops::signature::SignatureText;

/// What became of a take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairStatus {
    /// It says the same; perhaps in other bytes.
    Same,
    /// All differences are ignored.
    IgnoredOnly,
    /// It says something else.
    Changed,
    /// There was none before.
    Added,
    /// It no longer exists.
    Removed,
    /// It says the same at another path.
    Renamed,
}

impl PairStatus {
    /// Returns its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::IgnoredOnly => "ignored-only",
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
        }
    }
}

/// What differs within a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairComparison {
    /// What kind of file it is; the old one's where the new one's is not known.
    pub kind: FileKind,
    /// What became of the take.
    pub status: PairStatus,
    /// Both say the same, in other bytes: another order of keys, other spacing or spelling.
    pub bytes_only: bool,
    /// All differences, in the order of the new take; in a review, those that the group is named after come first.
    pub changes: Vec<TakeChange>,
    /// Why they could not be compared value by value; then one change covers the whole text.
    pub fault: Option<ComparisonFault>,
    /// For each message of the request, a hash of it and all messages before it.
    pub(super) history: Vec<u64>,
}

impl PairComparison {
    /// Returns the differences that are neither ignored nor consequences of others.
    pub fn direct_changes(&self) -> impl Iterator<Item = &TakeChange> {
        let is_own = |change: &&TakeChange| change.ignored.is_none() && change.follows.is_none();
        self.changes.iter().filter(is_own)
    }

    /// Returns how many differences are ignored for each reason, in words; empty if there are none.
    pub fn ignored_counts(&self) -> Vec<String> {
        count_reasons(self.ignored_changes())
    }

    /// Returns the ignored differences.
    pub fn ignored_changes(&self) -> impl Iterator<Item = &TakeChange> {
        self.changes
            .iter()
            .filter(|change| change.ignored.is_some())
    }
}

/// Returns how many changes are ignored for each reason, in words.
pub fn count_reasons<'a>(ignored: impl Iterator<Item = &'a TakeChange>) -> Vec<String> {
    let mut counts: BTreeMap<IgnoreReason, usize> = BTreeMap::new();
    for reason in ignored.filter_map(|change| change.ignored) {
        let reason = match reason {
            IgnoreReason::Rule(_) => IgnoreReason::Rule(0),
            reason => reason,
        };
        *counts.entry(reason).or_default() += 1;
    }
    let counts = counts.into_iter();
    counts
        .map(|(reason, count)| reason.counted(count))
        .collect()
}

/// Compares the takes of a pair. Noise and differences that match the project's rules are ignored.
pub fn compare(pair: &TakePair, rules: &[IgnoreRule]) -> PairComparison {
    let is_same_bytes = pair.is_same_bytes();
    let new = pair.new.as_ref().map(|take| take.read());
    let is_known_of_new = is_same_bytes && new.as_ref().is_some_and(|new| new.kind().is_known());
    // The same bytes are read once, unless another name says what they are.
    let old = pair.old.as_ref().filter(|_| !is_known_of_new);
    let old = old.map(|take| take.read());
    let history = new
        .as_ref()
        .or(old.as_ref())
        .map(message_hashes)
        .unwrap_or_default();
    let known = |document: &&Document| document.kind().is_known();
    let kind = new
        .iter()
        .chain(&old)
        .find(known)
        .map_or(FileKind::Unknown, Document::kind);
    let mut compared = PairComparison {
        kind,
        status: PairStatus::Same,
        bytes_only: false,
        changes: Vec::new(),
        fault: None,
        history,
    };
    if pair.new.is_none() || pair.old.is_none() {
        compared.status = match pair.old {
            Some(_) => PairStatus::Removed,
            None => PairStatus::Added,
        };
        // Of a known kind its own view says so.
        let unknown = new
            .as_ref()
            .or(old.as_ref())
            .filter(|_| kind == FileKind::Unknown);
        compared.fault = unknown.and_then(fault);
        return compared;
    }
    if let (Some(old), Some(new), false) = (&old, &new, is_same_bytes) {
        match fault(old).or_else(|| fault(new)) {
            Some(fault) => {
                compared.changes.push(whole_text(old, new));
                compared.fault = Some(fault);
            }
            None => compared.changes = changes(old, new, rules),
        }
    }
    let is_noise = |change: &TakeChange| change.ignored.is_some();
    compared.bytes_only = compared.changes.is_empty() && !is_same_bytes;
    compared.status = match compared.changes.as_slice() {
        changes if !changes.iter().all(is_noise) => PairStatus::Changed,
        _ if pair.is_renamed() => PairStatus::Renamed,
        [] => PairStatus::Same,
        _ => PairStatus::IgnoredOnly,
    };
    compared
}

/// Why a file cannot be compared value by value; displayed as a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonFault {
    /// It contains bytes that are not UTF-8.
    NotUtf8,
    /// It contains the two versions of an unresolved merge.
    ConflictMarkers,
    /// It is a program or a state machine.
    Code,
    /// The parser stopped before the end, with this message if it has one.
    Incomplete(Option<Arc<str>>),
}

impl ComparisonFault {
    /// Returns whether the file is damaged, and not only of another kind.
    pub fn is_broken(&self) -> bool {
        !matches!(self, Self::Code)
    }
}

impl fmt::Display for ComparisonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("The file is not UTF-8 text"),
            Self::ConflictMarkers => f.write_str("The file has conflict markers"),
            Self::Code => f.write_str("Code is compared as text"),
            Self::Incomplete(None) => f.write_str("The file cannot be read as a whole"),
            Self::Incomplete(Some(message)) => {
                write!(f, "The file cannot be read as a whole: {message}")
            }
        }
    }
}

/// Returns why a file cannot be compared value by value.
pub(super) fn fault(document: &Document) -> Option<ComparisonFault> {
    let text = document.source().text();
    let has_marker = |marker: &str| text.lines().any(|line| line.starts_with(marker));
    if document.source().fault().is_some() {
        Some(ComparisonFault::NotUtf8)
    } else if has_marker("<<<<<<< ") && has_marker(">>>>>>> ") {
        Some(ComparisonFault::ConflictMarkers)
    } else if matches!(document.syntax, Syntax::Code | Syntax::Machine) {
        Some(ComparisonFault::Code)
    } else if let Some(fault) = document.tree.fault() {
        Some(ComparisonFault::Incomplete(Some(Arc::clone(
            &fault.message,
        ))))
    } else {
        let is_whole = document.tree.is_well_formed() && !document.tree.is_empty();
        (!is_whole).then_some(ComparisonFault::Incomplete(None))
    }
}

/// Returns the one change of texts that are not compared value by value.
fn whole_text(old: &Document, new: &Document) -> TakeChange {
    TakeChange {
        subject: ChangeSubject::Text,
        sentence: "The text changed".into(),
        patterns: ChangePatterns::without_variant(
            PatternRank::Changed,
            "text changed",
            "Text changed",
        ),
        ..TakeChange::of_texts(old.source(), new.source())
    }
}

fn changes(old: &Document, new: &Document, rules: &[IgnoreRule]) -> Vec<TakeChange> {
    if let Some(changes) = cassette::changes(old, new, rules) {
        return changes;
    }
    let found = differences(&old.tree, &new.tree);
    let ignored = find_noise(&found);
    let kind = new.kind();
    let nodes = found.iter().map(ValueDifference::node);
    let topics: Vec<_> = nodes
        .map(|node| Some(ChangeTopic::of_value(kind, node?)))
        .collect();
    let subjects = topics
        .iter()
        .map(|topic| topic.as_ref().map(|it| it.subject));
    let renames = tool_renames(found.iter().zip(subjects));
    let changes = found.iter().zip(topics).zip(ignored);
    let changes = changes.filter_map(|((difference, topic), ignored)| {
        let mut change = TakeChange::new(difference).about(&topic?, difference, &renames);
        change.ignored = ignored.or_else(|| matching_rule(&change, rules));
        Some(change)
    });
    let mut changes: Vec<TakeChange> = changes.collect();
    fold_signature_changes(&mut changes, new);
    changes
}

/// Returns the rule that a change falls under.
pub(super) fn matching_rule(change: &TakeChange, rules: &[IgnoreRule]) -> Option<IgnoreReason> {
    let silences = |rule: &IgnoreRule| change.is_ignored_by(rule);
    rules.iter().position(silences).map(IgnoreReason::Rule)
}

/// Folds what changed in a signature under what it was computed from.
fn fold_signature_changes(changes: &mut [TakeChange], new: &Document) {
    let Some(recording) = new.body.recording() else {
        return;
    };
    let Some(stored) = &recording.signature else {
        return;
    };
    let (stored, computed) = (
        SignatureText::stored(&stored.value),
        SignatureText::of_request(&recording.request),
    );
    let is_renewed =
        |subject: ChangeSubject| changes.iter().any(|change| change.subject == subject);
    let causes = [
        (
            "/signature/toolNames",
            ChangeSubject::OfferedTool,
            Follows::OfferedTools,
            stored.tool_names == computed.tool_names,
        ),
        (
            "/signature/messageCount",
            ChangeSubject::Message,
            Follows::Messages,
            stored.message_count == computed.message_count,
        ),
        (
            "/signature/contextKeys",
            ChangeSubject::Context,
            Follows::Context,
            stored.context_keys == computed.context_keys,
        ),
    ];
    let causes =
        causes.map(|(at, subject, follows, fits)| (at, follows, fits && is_renewed(subject)));
    for change in changes {
        let cause = causes
            .iter()
            .find(|(at, _, holds)| *holds && change.pointer().starts_with(at));
        change.follows = cause.map(|(_, follows, _)| follows.clone());
    }
}

/// Returns for each message of a request a hash of it and all messages before it. Later turns repeat them exactly.
fn message_hashes(document: &Document) -> Vec<u64> {
    let messages = document.body.request().into_iter();
    let messages = messages.flat_map(|request| &request.messages);
    let running = messages.scan(0, |all, message| {
        *all = hash((*all, json::text(document.node(message.node))));
        Some(*all)
    });
    running.collect()
}

impl TakeChange {
    /// Adds what a change is about, in words.
    pub(super) fn about(
        mut self,
        topic: &ChangeTopic<'_>,
        difference: &ValueDifference<'_>,
        renames: &[Replaced],
    ) -> Self {
        self.subject = topic.subject;
        self.sentence = sentence(topic, difference).into();
        self.patterns = change_patterns(difference, topic, renames);
        self
    }

    /// Returns true if a rule ignores it. A moved value is matched by its place only.
    pub fn is_ignored_by(&self, rule: &IgnoreRule) -> bool {
        let json = |at: &Option<super::TakeValue>| at.as_ref().map(|at| at.json.clone());
        let (old, new) = match self.kind {
            ChangeKind::Moved => (None, None),
            _ => (json(&self.old), json(&self.new)),
        };
        rule.ignores(self.pointer(), old.as_deref(), new.as_deref())
    }
}
