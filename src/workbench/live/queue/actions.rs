//! Actions, effects and events of queues.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::request::{AnswerDraft, AnswerMethod, NearSet, RequestId};
use super::rule_draft::AnswerRuleDraft;
use crate::ops::live::queue::{AnswerRule, QueueReply, RuleRequest};
use crate::ops::playback::PlayedRequest;
use crate::workbench::items::Items;

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

/// Work for queues.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueEffect {
    /// Watches a queue.
    Watch(Arc<Path>, RuleMode),
    /// Stops watching a queue.
    Stop(Arc<Path>),
    /// Sets whether rules answer automatically there.
    SetRuleMode(Arc<Path>, RuleMode),
    /// Writes an answer.
    Write(RequestId, QueueReply),
    /// Answers with the first matching rule.
    AnswerByRule(RequestId),
    /// Tries the rules again on all waiting requests, where they answer automatically.
    TryRules,
    /// Ranks the recordings of all sets by their distance to a request.
    Rank(RankRequest),
    /// Appends a rule to the project's file.
    SaveRule(AnswerRule),
}

/// A request to rank recordings by their distance to a waiting request.
#[derive(Clone, Debug)]
pub struct RankRequest {
    /// The waiting request.
    pub id: RequestId,
    /// The part that is compared.
    pub request: Arc<PlayedRequest>,
    /// The revision of the items.
    pub revision: u64,
    /// All open items.
    pub items: Items,
}

impl PartialEq for RankRequest {
    fn eq(&self, other: &Self) -> bool {
        (&self.id, self.revision) == (&other.id, other.revision)
    }
}

/// An event of a queue.
#[derive(Clone, Debug)]
pub enum QueueEvent {
    /// A request arrived.
    RequestArrived {
        /// The request.
        id: RequestId,
        /// Its content.
        question: Box<RuleRequest>,
        /// The time at which it was written.
        at: Timestamp,
        /// Its age.
        age: Duration,
    },
    /// Its answer was written, or not, with the reason as a sentence.
    Written(RequestId, Timestamp, Result<(), String>),
    /// A rule answered it.
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
    /// The project's rules, and the errors in its file.
    Rules(Arc<[AnswerRule]>, Arc<[String]>),
    /// The sets with the recordings nearest to a request, the nearest first, for this revision of the items.
    Ranked(RequestId, u64, Arc<[NearSet]>),
    /// A rule was added to the project's file, or not.
    RuleSaved(Result<(), String>),
}
