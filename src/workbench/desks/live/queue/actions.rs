//! Actions of queues.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::request::{AnswerDraft, AnswerMethod};
use super::rule_draft::AnswerRuleDraft;
use protocol::{DocId, RequestId, RuleMode};

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
