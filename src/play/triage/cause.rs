//! Causes of failures.

use std::sync::Arc;

use super::cassettes::CassetteCause;
use crate::playback::fixes::Fix;
use document::text::{counted, quoted};

/// The cause of a failure. Failures of all sets with an equal cause are one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Requests offer the tool under another name than recordings.
    ToolRenamed {
        /// The name in the recordings.
        from: Arc<str>,
        /// The name in the requests.
        to: Arc<str>,
    },
    /// Stored signatures list context keys, which no client in tests computes.
    ContextKeys,
    /// Stored signatures differ from their requests.
    SignaturesOutdated,
    /// Answers are one level too high, so that the client returns `undefined`.
    AnswersNotWrapped,
    /// The files do not sort by their numbers.
    FileOrder,
    /// The test makes a call once more often than it is recorded.
    UsedUp,
    /// The folder of the recordings does not exist, or is empty.
    NoRecordings {
        /// A revision that has its recordings.
        revision: Option<Arc<str>>,
    },
    /// The client found no recordings, and there are some now; no call was played.
    RecordingsPresent,
    /// The test makes a call after the last recording.
    RecordingMissing,
    /// Requests offer other tools than recordings.
    ToolsChanged {
        /// Tools that recordings lack.
        missing: Vec<Arc<str>>,
        /// Tools that only recordings have.
        extra: Vec<Arc<str>>,
    },
    /// Requests have another number of messages than recordings.
    MessagesChanged,
    /// An answer calls a tool that the machine does not have.
    ToolNotFound { tool: Arc<str> },
    /// The client fails because a recording lacks a value that it reads.
    RecordingBroken,
    /// Calls are not answered, and nothing is similar.
    NoAnswer,
    /// The set has changed since the log was written: now it has the answers.
    AnsweredNow,
    /// All calls find their answers; the test expects something else.
    Expectation,
    /// The cause of a failure of a test that plays a cassette.
    Cassette(CassetteCause),
}

impl Cause {
    /// Returns what a fix removes; `None` for one that only shows or copies something.
    pub(super) fn removed_by(fix: &Fix) -> Option<Self> {
        Some(match fix {
            Fix::RenameTool { from, to, .. } => {
                Self::ToolRenamed { from: Arc::clone(from), to: Arc::clone(to) }
            }
            Fix::DropContextKeys(_) => Self::ContextKeys,
            Fix::RecomputeSignatures(_) => Self::SignaturesOutdated,
            Fix::WrapResponses(_) => Self::AnswersNotWrapped,
            Fix::Reorder(_) => Self::FileOrder,
            Fix::Duplicate(_) => Self::UsedUp,
            Fix::ShowSourceChange(_) | Fix::Regenerate(_) => return None,
        })
    }

    /// Returns the cause of failures of both causes, if that is one.
    pub(super) fn common(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Cassette(cause), Self::Cassette(other)) => {
                cause.common(other).map(Self::Cassette)
            }
            _ => (self == other).then(|| self.clone()),
        }
    }

    /// Returns its name in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::ToolRenamed { .. } => "tool-renamed",
            Self::ContextKeys => "context-keys",
            Self::SignaturesOutdated => "signatures-outdated",
            Self::AnswersNotWrapped => "answers-not-wrapped",
            Self::FileOrder => "file-order",
            Self::UsedUp => "used-up",
            Self::NoRecordings { .. } => "recordings-missing",
            Self::RecordingsPresent => "recordings-present",
            Self::RecordingMissing => "recording-missing",
            Self::ToolsChanged { .. } => "tools-changed",
            Self::MessagesChanged => "messages-changed",
            Self::ToolNotFound { .. } => "tool-not-found",
            Self::RecordingBroken => "recording-broken",
            Self::NoAnswer => "no-answer",
            Self::AnsweredNow => "answered-now",
            Self::Expectation => "expectation",
            Self::Cassette(cause) => cause.as_str(),
        }
    }

    /// Describes it in a few words: `` `respond` became `reply` ``.
    pub fn title(&self) -> String {
        match self {
            Self::ToolRenamed { from, to } => format!("{} became {}", quoted(from), quoted(to)),
            Self::ContextKeys => "Signatures store context keys".to_owned(),
            Self::SignaturesOutdated => "Stored signatures are outdated".to_owned(),
            Self::AnswersNotWrapped => "Answers load as `undefined`".to_owned(),
            Self::FileOrder => "Files do not sort by number".to_owned(),
            Self::UsedUp => "A call is made more often than recorded".to_owned(),
            Self::NoRecordings { revision } => match revision.as_deref() {
                // The last commit still has them, so only the work tree lacks them.
                Some("HEAD") => "Recordings missing: deleted since HEAD".to_owned(),
                Some(revision) => {
                    let commit = revision.trim_end_matches("~1");
                    format!("Recordings missing: removed by commit {commit}")
                }
                None => "Recordings missing".to_owned(),
            },
            Self::RecordingsPresent => "Recordings are there now".to_owned(),
            Self::RecordingMissing => "One call more than recorded".to_owned(),
            Self::ToolsChanged { missing, extra } => match (&missing[..], &extra[..]) {
                ([], []) => "Other tools are offered".to_owned(),
                (new, []) => format!("{} {} new", tools(new), is_or_are(new.len())),
                ([], old) => format!("{} {} gone", tools(old), is_or_are(old.len())),
                (new, old) => format!("{} replaced by {}", tools(old), tools(new)),
            },
            Self::MessagesChanged => "Requests have another number of messages".to_owned(),
            Self::ToolNotFound { tool } => format!("Tool {} not found", quoted(tool)),
            Self::RecordingBroken => "A recording makes the client fail".to_owned(),
            Self::NoAnswer => "No recording is similar".to_owned(),
            Self::AnsweredNow => "Fixed since the log was written".to_owned(),
            Self::Expectation => "The test expects another answer".to_owned(),
            Self::Cassette(cause) => cause.title(),
        }
    }

    /// Describes why calls fail, as a sentence.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::ToolRenamed { .. } => {
                "Requests offer the new name, and recordings have the old one."
            }
            Self::ContextKeys => {
                "Clients in tests compute no context keys, so these recordings match no request."
            }
            Self::SignaturesOutdated => {
                "The stored tools or message counts differ from the recorded requests, so they match nothing."
            }
            Self::AnswersNotWrapped => {
                "The answer is in `response`, and clients read `response.response`."
            }
            Self::FileOrder => {
                "Clients load files in the order of their names, where `turn-10` is before `turn-2`."
            }
            Self::UsedUp => "Each recording answers one call, and all that match are used.",
            Self::NoRecordings { .. } => {
                "The client loads the recordings of one folder, without those in folders below it, and found none."
            }
            Self::RecordingsPresent => {
                "The client found none. The log contains no request, so no call is played."
            }
            Self::RecordingMissing => "There are more calls than recordings.",
            Self::ToolsChanged { .. } => {
                "Requests offer other tools than the recordings. They must be recorded again."
            }
            Self::MessagesChanged => {
                "The conversation is longer or shorter than recorded. It must be recorded again."
            }
            Self::ToolNotFound { .. } => {
                "An answer calls it, and the machine does not have it any longer."
            }
            Self::RecordingBroken => "It lacks a value that the client reads.",
            Self::NoAnswer => "The call must be recorded.",
            Self::AnsweredNow => "Each request in the log finds an answer in the present files.",
            Self::Expectation => {
                "Each call finds its answer, so the cause is in the test or in the recorded answers."
            }
            Self::Cassette(cause) => cause.describe(),
        }
    }

    /// Returns whether only recording again helps.
    pub fn needs_recording(&self) -> bool {
        if let Self::Cassette(cause) = self {
            return cause.needs_recording();
        }
        matches!(
            self,
            Self::NoRecordings { .. }
                | Self::RecordingMissing
                | Self::ToolsChanged { .. }
                | Self::MessagesChanged
                | Self::ToolNotFound { .. }
                | Self::NoAnswer
        )
    }

    /// Returns whether a failure with this cause is answered since the cause is another one.
    pub(super) fn is_solved_by(&self, now: &Self) -> bool {
        let is_present = |cause: &Self| *cause == Self::Cassette(CassetteCause::Present);
        *now == Self::AnsweredNow || is_present(now) && !is_present(self)
    }

    /// Returns the cause of a failure of a test that plays a cassette once it is solved.
    pub fn solved(&self) -> Self {
        match self {
            Self::Cassette(
                CassetteCause::Missing
                | CassetteCause::FolderMissing { .. }
                | CassetteCause::TestRenamed { .. },
            ) => Self::Cassette(CassetteCause::Present),
            _ => Self::AnsweredNow,
        }
    }

    /// Returns whether the client found no recordings, so that the log contains no request to play.
    pub fn has_no_request(&self) -> bool {
        matches!(self, Self::NoRecordings { .. } | Self::RecordingsPresent)
    }

    /// Returns whether it says why the test failed.
    pub fn is_explained(&self) -> bool {
        match self {
            Self::Cassette(cause) => cause.is_explained(),
            cause => !matches!(cause, Self::Expectation | Self::NoAnswer),
        }
    }
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Names one tool, and counts several: a list of names would hide what changed.
fn tools(names: &[Arc<str>]) -> String {
    match names {
        [name] => quoted(name),
        names => counted(names.len(), "tool", "tools"),
    }
}
