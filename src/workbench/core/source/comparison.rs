//! A source at the time of recording and now.

use crate::ops::diff::source::SourceDiff;
use crate::ops::machine::MachineDiff;
use crate::ops::source::SourceOrigin;
use crate::text::Source;

/// The source of a recording, at the time of recording and now.
#[derive(Clone, Debug)]
pub struct SourceComparison {
    /// The `sourceFile` of the recording.
    pub file: String,
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
    /// What the recording contains about its source: title, nodes and labels, for when the text is not found.
    pub recorded_facts: Vec<(&'static str, String)>,
}

/// A source at the time of recording.
#[derive(Clone, Debug)]
pub struct SourceAsRecorded {
    pub text: Source,
    /// Where it was found.
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
