//! Comparisons of two items, and of a source at the time of recording and now.

use std::sync::Arc;

use crate::DocId;
use calls::Item;
use calls::source::SourceOrigin;
use compare::recordings::RecordingComparison;
use compare::review::RunComparison;
use compare::source::SourceDiff;
use document::diff::Side;
use document::diff::text::TextDiff;
use document::text::{Source, Span};
use machine::MachineDiff;

/// Two compared calls.
#[derive(Debug)]
pub struct ComparedCalls {
    pub calls: Arc<RecordingComparison>,
    /// Both files as values, formatted in the same way.
    pub json: Arc<TextDiff>,
    /// Place of each difference among the values.
    pub in_json: Vec<Option<(Side, Span)>>,
    /// Place of each difference in the files as written.
    pub in_text: Vec<Option<(Side, Span)>>,
    /// All calls of both files; `None` if they have one each, or cannot be aligned.
    pub run: Option<RunComparison>,
    /// The compared calls, by their place in the run.
    pub call: usize,
}

/// Compares two items as they are on disk.
#[derive(Debug)]
pub struct CompareItems {
    pub left: (DocId, Arc<Item>),
    pub right: (DocId, Arc<Item>),
    /// The calls to compare, by their place among the aligned calls; `None` for the first that differ.
    pub call: Option<usize>,
}

/// Looks up the recorded source of a recording, and compares it with the current one.
#[derive(Debug)]
pub struct CompareSourceVersions {
    pub doc: DocId,
    pub item: Arc<Item>,
}

/// The source of a recording, at the time of recording and now.
#[derive(Clone, Debug)]
pub struct SourceComparison {
    /// The `contentHash` of the recording.
    pub recorded_hash: String,
    /// The text at the time of recording, or why it was not found, in a sentence.
    pub recorded: Result<SourceAsRecorded, String>,
    /// The current text, or why there is none, in a sentence.
    pub current: Result<CurrentSource, String>,
    /// The difference; `None` unless both texts are known.
    pub diff: Option<SourceDiff>,
    /// The difference of the machine; without the recorded text, as far as the recording contains it. `None` without the current text.
    pub machine: Option<MachineDiff>,
    /// Facts in the recording about its source: title, nodes and labels, for when the text is not found.
    pub recorded_facts: Vec<(&'static str, String)>,
}

/// A source at the time of recording.
#[derive(Clone, Debug)]
pub struct SourceAsRecorded {
    pub text: Source,
    /// Place where it was found.
    pub origin: SourceOrigin,
}

/// A source now.
#[derive(Clone, Debug)]
pub struct CurrentSource {
    pub text: Source,
    /// Its path from the project root.
    pub path: String,
    /// SHA-256, 64 lower-case hex digits.
    pub hash: String,
    /// The modification time of the file, in seconds since 1970 (UTC), if it is known.
    pub seconds: Option<i64>,
}
