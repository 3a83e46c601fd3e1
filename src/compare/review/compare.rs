//! One pair, compared: what changed in it, in words, and what of it is noise or follows from something else.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::cassette;
use super::change::{Follows, TakeChange};
use super::change_pattern::{ChangePatterns, PatternRank, tool_renames};
use super::hand_edit::HandEdit;
use super::ignore_rule::IgnoreRule;
use super::noise::{IgnoreReason, find_noise, is_message_content};
use super::pair::TakePair;
use super::similarity::hash;
use super::structure::{ValueDifference, differences};
use super::subject::{ChangeSubject, ChangeTopic};
use document::signature::SignatureText;
use document::text::{lower_first, named_enum};
use document::{Document, DocumentBody, FileKind, Problem, Syntax, json};

named_enum! {
    /// Result of comparing a take with the one before.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PairStatus {
        /// It says the same; perhaps in other bytes.
        Same = "same",
        /// All differences are ignored.
        IgnoredOnly = "ignored-only",
        /// It says something else.
        Changed = "changed",
        /// There was none before.
        Added = "added",
        /// It no longer exists.
        Removed = "removed",
        /// It says the same at another path.
        Renamed = "renamed",
    }

    /// Returns its name in JSON.
    pub fn as_str;
}

/// Differences within a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairComparison {
    /// Kind of the file; the old one's where the new one's is not known.
    pub kind: FileKind,
    /// The noun for such a file: `cassette`, `recording` or `file`.
    pub noun: &'static str,
    /// Result of the comparison as a whole.
    pub status: PairStatus,
    /// Both say the same, in other bytes: another order of keys, other spacing or spelling.
    pub bytes_only: bool,
    /// All differences, in the order of the new take; in a review, those that the group is named after come first.
    pub changes: Vec<TakeChange>,
    /// The reason that they could not be compared value by value, then one change covers the whole text; or that the only version cannot be read.
    pub fault: Option<ComparisonFault>,
    /// The changes that overwrite what was edited by hand, as far as the history of the old take shows it.
    pub edits: Vec<HandEdit>,
    /// For each message of the request, a hash of it and all messages before it.
    pub(super) history: Vec<u64>,
}

impl PairComparison {
    /// Returns the differences that are neither ignored nor consequences of others.
    pub fn direct_changes(&self) -> impl Iterator<Item = &TakeChange> {
        let is_own = |change: &&TakeChange| change.ignored.is_none() && change.follows.is_none();
        self.changes.iter().filter(is_own)
    }

    /// Returns whether what became of it, or what it was before, cannot be read. A file that was removed is no longer read.
    pub fn is_unreadable(&self) -> bool {
        let is_broken = self.fault.as_ref().is_some_and(ComparisonFault::is_broken);
        is_broken && self.status != PairStatus::Removed
    }

    /// Returns how many differences are ignored for each reason, in words; empty if there are none.
    pub fn ignored_counts(&self) -> Vec<String> {
        count_reasons(self.ignored_changes())
    }

    /// Returns the ignored differences.
    pub fn ignored_changes(&self) -> impl Iterator<Item = &TakeChange> {
        self.changes.iter().filter(|change| change.ignored.is_some())
    }
}

/// Returns how many changes are ignored for each reason, in words.
pub fn count_reasons<'a>(ignored: impl Iterator<Item = &'a TakeChange>) -> Vec<String> {
    let mut counts: BTreeMap<IgnoreReason, usize> = BTreeMap::new();
    for reason in ignored.filter_map(|change| change.ignored) {
        let reason = match reason {
            // All rules are counted together.
            IgnoreReason::Rule(_) => IgnoreReason::Rule(0),
            reason => reason,
        };
        *counts.entry(reason).or_default() += 1;
    }
    counts.into_iter().map(|(reason, count)| reason.counted(count)).collect()
}

fn noun(document: &Document) -> &'static str {
    match &document.body {
        DocumentBody::Foreign(foreign) if foreign.label().ends_with("cassette") => "cassette",
        DocumentBody::Recording(_) => "recording",
        _ if document.kind() == FileKind::Cassette => "recording",
        _ => "file",
    }
}

/// Compares the takes of a pair. Noise and differences that match the project's rules are ignored.
pub fn compare(pair: &TakePair, rules: &[IgnoreRule]) -> PairComparison {
    let is_same_bytes = pair.is_same_bytes();
    let new = pair.new.as_ref().map(|take| take.read());
    let is_known_of_new = is_same_bytes && new.as_ref().is_some_and(|new| new.kind().is_compared());
    // The same bytes are read once, unless another name says what they are.
    let old = pair.old.as_ref().filter(|_| !is_known_of_new).map(|take| take.read());
    let is_one = pair.old.is_none() || pair.new.is_none();
    let fault = Some([&old, &new])
        .filter(|_| is_one || !is_same_bytes)
        .and_then(|versions| find_fault(versions.map(Option::as_ref)))
        // A file without a partner is not compared, so only damage matters.
        .filter(|fault| !is_one || fault.is_broken());
    // Turns are linked by the contents of their requests, which are not known of a file that cannot be read.
    let readable = new.as_ref().or(old.as_ref()).filter(|_| fault.is_none());
    let is_known = |document: &&Document| document.kind().is_compared();
    let known = new.iter().chain(&old).find(is_known);
    let kind = known.map_or(FileKind::Unknown, Document::kind);
    let mut result = PairComparison {
        kind,
        noun: known.map_or("file", noun),
        status: PairStatus::Same,
        bytes_only: false,
        changes: Vec::new(),
        history: readable.map(message_hashes).unwrap_or_default(),
        fault,
        edits: Vec::new(),
    };
    if is_one {
        result.status = if pair.old.is_some() { PairStatus::Removed } else { PairStatus::Added };
        return result;
    }
    if let (Some(old), Some(new), false) = (&old, &new, is_same_bytes) {
        result.changes = match &result.fault {
            Some(fault) => vec![whole_text(old, new, fault)],
            None => changes(old, new, rules),
        };
    }
    let is_noise = |change: &TakeChange| change.ignored.is_some();
    result.bytes_only = result.changes.is_empty() && !is_same_bytes;
    result.status = match result.changes.as_slice() {
        changes if !changes.iter().all(is_noise) => PairStatus::Changed,
        _ if pair.is_renamed() => PairStatus::Renamed,
        [] => PairStatus::Same,
        _ => PairStatus::IgnoredOnly,
    };
    result
}

/// The reason that a pair cannot be compared value by value; displayed as a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonFault {
    /// It is a program or a state machine.
    Code,
    /// It is a file of which values are not read.
    OnlyText,
    /// The old version, the new one or both are damaged.
    Broken([Option<FileFault>; 2]),
}

/// Damage of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFault {
    /// It contains bytes that are not UTF-8.
    NotUtf8,
    /// It contains the two versions of an unresolved merge, the first at this line.
    ConflictMarkers(usize),
    /// It contains nothing.
    Empty,
    /// The parser did not understand it: the line and a message, if it has one.
    Syntax(Option<(u32, Arc<str>)>),
}

impl ComparisonFault {
    /// Returns whether a version is damaged, and not only of another kind.
    pub fn is_broken(&self) -> bool {
        matches!(self, Self::Broken(_))
    }

    /// Returns the damage of the new version.
    pub fn of_new(&self) -> Option<&FileFault> {
        match self {
            Self::Broken([_, new]) => new.as_ref(),
            Self::Code | Self::OnlyText => None,
        }
    }
}

impl FileFault {
    /// Returns a sentence without a full stop about a file, which is called `name`.
    pub fn describe(&self, name: &str) -> String {
        match self {
            Self::NotUtf8 => format!("{name} is not UTF-8 text"),
            Self::ConflictMarkers(line) => format!("{name} has conflict markers: line {line}"),
            Self::Empty => format!("{name} is empty"),
            Self::Syntax(None) => format!("{name} cannot be read"),
            Self::Syntax(Some((line, message))) => {
                format!("{name} cannot be read: line {line}: {message}")
            }
        }
    }
}

impl fmt::Display for ComparisonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let versions = match self {
            Self::Code => return f.write_str("Code is compared as text"),
            Self::OnlyText => return f.write_str("This kind of file is compared as text"),
            Self::Broken(versions) => versions,
        };
        let versions = versions.iter().zip(["The old version", "The new version"]);
        let faults = versions.filter_map(|(fault, name)| Some(fault.as_ref()?.describe(name)));
        match faults.collect::<Vec<String>>().as_slice() {
            [old, new] => write!(f, "{old}; {}", lower_first(new)),
            faults => f.write_str(&faults.concat()),
        }
    }
}

/// Returns why two versions of a file, or its only one, cannot be compared value by value.
pub(super) fn find_fault(versions: [Option<&Document>; 2]) -> Option<ComparisonFault> {
    let faults = versions.map(|version| version.and_then(damage));
    if faults.iter().any(Option::is_some) {
        return Some(ComparisonFault::Broken(faults));
    }
    let is = |is: &dyn Fn(&Document) -> bool| versions.into_iter().flatten().any(is);
    if is(&|take| matches!(take.syntax, Syntax::Code | Syntax::Machine)) {
        Some(ComparisonFault::Code)
    } else {
        is(&is_only_text).then_some(ComparisonFault::OnlyText)
    }
}

/// Returns whether a file is none of which values are read.
fn is_only_text(document: &Document) -> bool {
    let is_empty = document.tree.is_empty() && document.tree.fault().is_none();
    is_empty && (document.kind() == FileKind::Foreign || document.syntax == Syntax::Toml)
}

/// Returns the damage of a file.
fn damage(document: &Document) -> Option<FileFault> {
    let text = document.source().text();
    let marker = |marker: &str| text.lines().position(|line| line.starts_with(marker));
    let is_code = matches!(document.syntax, Syntax::Code | Syntax::Machine);
    let is_whole = document.tree.is_well_formed() && !document.tree.is_empty();
    let place = |problem: &Problem| (problem.place.line, Arc::clone(&problem.message));
    if document.source().fault().is_some() {
        Some(FileFault::NotUtf8)
    // Both of git's markers, since one may be a line of a text; before the parser, which would only report the marker.
    } else if let (Some(line), Some(_)) = (marker("<<<<<<< "), marker(">>>>>>> ")) {
        Some(FileFault::ConflictMarkers(line + 1))
    } else if is_code || is_only_text(document) {
        None
    } else if let Some(fault) = document.tree.fault() {
        Some(FileFault::Syntax(Some(place(fault))))
    } else if text.trim().is_empty() {
        Some(FileFault::Empty)
    } else {
        (!is_whole).then_some(FileFault::Syntax(document.problems.first().map(place)))
    }
}

/// Returns the one change of texts that are not compared value by value.
fn whole_text(old: &Document, new: &Document, fault: &ComparisonFault) -> TakeChange {
    let (key, name) = match fault {
        ComparisonFault::Broken([Some(_), Some(_)]) => {
            ("neither version is readable", "Neither version can be read")
        }
        ComparisonFault::Broken([_, Some(_)]) => {
            ("new version is unreadable", "The new version cannot be read")
        }
        ComparisonFault::Broken(_) => {
            ("old version is unreadable", "The old version cannot be read")
        }
        ComparisonFault::Code | ComparisonFault::OnlyText => ("text changed", "Text changed"),
    };
    let reason = if fault.is_broken() { fault.to_string() } else { "The text changed".to_owned() };
    TakeChange {
        subject: ChangeSubject::Text,
        sentence: reason.into(),
        patterns: ChangePatterns::without_variant(PatternRank::Changed, key, name),
        ..TakeChange::of_texts(old.source(), new.source())
    }
}

fn changes(old: &Document, new: &Document, rules: &[IgnoreRule]) -> Vec<TakeChange> {
    if let Some(changes) = cassette::changes(old, new, rules) {
        return changes;
    }
    let all_diffs = differences(&old.tree, &new.tree);
    let kind = new.kind();
    let nodes = all_diffs.iter().map(ValueDifference::node);
    let topics: Vec<_> = nodes.map(|node| Some(ChangeTopic::of_value(kind, node?))).collect();
    let subjects = topics.iter().map(|topic| topic.as_ref().map(|topic| topic.subject));
    let renames = tool_renames(all_diffs.iter().zip(subjects.clone()));
    let in_content = all_diffs.iter().zip(subjects).map(|(difference, subject)| {
        let value = subject.zip(difference.node());
        value.is_some_and(|(subject, node)| is_message_content(subject, node, false))
    });
    let reasons = find_noise(&all_diffs, &in_content.collect::<Vec<_>>());
    let described =
        all_diffs.iter().zip(topics).zip(reasons).filter_map(|((difference, topic), reason)| {
            let mut change = TakeChange::new(difference).about(&topic?, difference, &renames);
            change.ignored = reason.or_else(|| change.matching_rule(rules));
            Some(change)
        });
    let mut changes: Vec<TakeChange> = described.collect();
    fold_signature_changes(&mut changes, new);
    changes
}

/// Folds what changed in a signature under what it was computed from.
fn fold_signature_changes(changes: &mut [TakeChange], new: &Document) {
    let Some(recording) = new.body.recording() else { return };
    let Some(signature) = &recording.signature else { return };
    let (stored_text, computed) =
        (SignatureText::stored(&signature.value), SignatureText::of_request(&recording.request));
    let is_renewed = |subject: ChangeSubject| changes.iter().any(|c| c.subject == subject);
    let causes = [
        (
            "/signature/toolNames",
            ChangeSubject::OfferedTool,
            Follows::OfferedTools,
            stored_text.tool_names == computed.tool_names,
        ),
        (
            "/signature/messageCount",
            ChangeSubject::Message,
            Follows::Messages,
            stored_text.message_count == computed.message_count,
        ),
        (
            "/signature/contextKeys",
            ChangeSubject::Context,
            Follows::Context,
            stored_text.context_keys == computed.context_keys,
        ),
    ];
    let causes =
        // A stored signature that does not fit its request was not computed from it, and is a change of its own.
        causes.map(|(at, subject, follows, fits)| (at, follows, fits && is_renewed(subject)));
    for change in changes {
        let cause = causes.iter().find(|(at, _, holds)| *holds && change.pointer().starts_with(at));
        change.follows = cause.map(|(_, follows, _)| follows.clone());
    }
}

/// Returns for each message of a request a hash of it and all messages before it. Later turns repeat them exactly.
fn message_hashes(document: &Document) -> Vec<u64> {
    let messages = document.body.request().into_iter().flat_map(|request| &request.messages);
    let running = messages.scan(0, |all, message| {
        *all = hash((*all, json::text(document.node(message.node))));
        Some(*all)
    });
    running.collect()
}
