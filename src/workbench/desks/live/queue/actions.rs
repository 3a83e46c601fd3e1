//! Actions and events of queues.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::request::{AnswerDraft, AnswerMethod, NearSet, RequestId};
use super::rule_draft::AnswerRuleDraft;
use crate::ops::live::queue::{AnswerRule, RuleRequest};
use crate::workbench::core::library::DocId;

/// Whether the project's rules answer requests automatically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleMode {
    /// They answer a matching request as soon as it arrives.
    #[default]
    Automatic,
    /// They answer when the user requests it.
    OnDemand,
}

/// An action of the queue side.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueAction {
    /// Opens a dialog to choose a folder to watch.
    Pick,
    /// Watches the queue to which this request belongs.
    WatchFile(DocId),
    /// Watches the queue in this folder, or the queue whose folder of requests this is.
    Watch(PathBuf),
    /// Stops watching a queue.
    Stop(Arc<Path>),
    /// Sets whether rules answer automatically there.
    SetRuleMode(Arc<Path>, RuleMode),
    /// Shows this request.
    Select(RequestId),
    /// Sets the draft of an answer.
    Fill(RequestId, Box<AnswerDraft>),
    /// Sets how the shown request is answered.
    Answer(AnswerMethod),
    /// Chooses the tool or recording at this position.
    Choose(usize),
    /// Shows the nearest recordings of this set.
    ChooseSet(Arc<str>),
    /// Copies the answer of the chosen recording into the form, to edit it.
    EditAnswer,
    /// Writes the answer of the shown request.
    Write,
    /// Compares the request with the nearest recording.
    Compare,
    /// Makes a rule from the answer.
    DraftRule,
    /// Sets the values of the rule's form.
    TypeRule(AnswerRuleDraft),
    /// Adds the rule to the project's file.
    SaveRule,
}

/// An event of a queue.
#[derive(Clone, Debug)]
pub enum QueueEvent {
    RequestArrived {
        id: RequestId,
        /// Its content.
        question: Box<RuleRequest>,
        /// The time at which it was written.
        at: Timestamp,
        age: Duration,
    },
    /// Its answer was written at this time, or not, with the reason as a sentence.
    Written(RequestId, Result<Timestamp, String>),
    AnsweredByRule(RequestId, Timestamp, Arc<str>),
    /// Another program answered it.
    AnsweredElsewhere(RequestId, Timestamp),
    /// It was withdrawn.
    Withdrawn(RequestId, Timestamp),
    /// A file cannot be read or answered, with the reason as a sentence.
    Failed(RequestId, Timestamp, String),
    /// The folder does not exist.
    FolderGone(Arc<Path>),
    /// The folder exists again.
    FolderBack(Arc<Path>),
    /// The queue is no longer watched, for this reason.
    WatchFailed(Arc<Path>, String),
    /// The project's rules, and the errors in its file.
    Rules(Arc<[AnswerRule]>, Arc<[String]>),
    /// The sets with the recordings nearest to a request, the nearest first, for this revision of the items; or why they are not known.
    Ranked(RequestId, u64, Result<Arc<[NearSet]>, String>),
    /// A rule was added to the project's file, or not.
    RuleSaved(Result<(), String>),
}
