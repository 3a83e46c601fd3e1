//! What is done at a queue, what that needs, and what is told of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::asking::{AnswerDraft, AnswerWay, NearSet, RequestId};
use super::ruling::AnswerRuleDraft;
use crate::ops::live::queue::{AnswerRule, Question, Reply};
use crate::ops::playback::Asked;
use crate::workbench::items::Items;

/// Whether the project's rules answer without being asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RulesAnswer {
    /// They answer what they fit as soon as it comes.
    #[default]
    ByThemselves,
    /// They answer when the user says so.
    WhenAsked,
}

/// Something that is done at a queue.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueAction {
    /// Let the user choose a folder to watch.
    Pick,
    /// Watch the queue in this folder, or the one in which this folder is the requests'.
    Watch(PathBuf),
    /// Watch it no longer.
    Stop(Arc<Path>),
    /// Say whether rules answer by themselves there.
    LetRules(Arc<Path>, RulesAnswer),
    /// Show this request.
    Select(RequestId),
    /// Take what was filled in for a request.
    Fill(RequestId, Box<AnswerDraft>),
    /// Answer the request that is shown in this way.
    Answer(AnswerWay),
    /// Choose the tool or recording at this position, in the way that is shown.
    Choose(usize),
    /// Take the nearest recordings from this set.
    ChooseSet(Arc<str>),
    /// Fill the form with what the chosen recording calls, to change it.
    EditAnswer,
    /// Write the answer of the request that is shown.
    Write,
    /// Show the request beside the nearest recording.
    Compare,
    /// Make a rule of the answer.
    DraftRule,
    /// Take the rule as it was typed.
    TypeRule(AnswerRuleDraft),
    /// Keep the rule in the project's file.
    KeepRule,
}

/// Work on a queue.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueEffect {
    /// Let the user choose a folder.
    Pick,
    /// Watch a queue.
    Watch(Arc<Path>, RulesAnswer),
    /// Watch it no longer.
    Stop(Arc<Path>),
    /// Whether rules answer by themselves there.
    LetRules(Arc<Path>, RulesAnswer),
    /// Write an answer.
    Write(RequestId, Reply),
    /// Let the first rule that fits answer.
    AnswerByRule(RequestId),
    /// Let rules try again on all that waits, where they answer by themselves.
    TryRules,
    /// Rank the recordings of all sets by how near they come to a request.
    Rank(RankOrder),
    /// Add a rule at the end of the project's file.
    KeepRule(AnswerRule),
}

/// A request, and the recordings that are ranked by how near they come to it.
#[derive(Clone, Debug)]
pub struct RankOrder {
    /// The request.
    pub id: RequestId,
    /// What is compared of it.
    pub asked: Arc<Asked>,
    /// The revision of the items.
    pub revision: u64,
    /// Everything that is open.
    pub items: Items,
}

impl PartialEq for RankOrder {
    fn eq(&self, other: &Self) -> bool {
        (&self.id, self.revision) == (&other.id, other.revision)
    }
}

/// What is told of a queue.
#[derive(Clone, Debug)]
pub enum QueueEvent {
    /// A folder was chosen to be watched.
    Picked(PathBuf),
    /// A request waits.
    Waits {
        /// The request.
        id: RequestId,
        /// What it asks.
        question: Box<Question>,
        /// When it was written.
        at: Timestamp,
        /// How long ago that was.
        age: Duration,
    },
    /// Its answer was written, or not; why, in a sentence.
    Written(RequestId, Timestamp, Result<(), String>),
    /// A rule has answered it.
    Ruled(RequestId, Timestamp, Arc<str>),
    /// Somebody else has answered it.
    Taken(RequestId, Timestamp),
    /// It was taken back.
    Left(RequestId, Timestamp),
    /// Something cannot be read or answered; why, in a sentence.
    Failed(RequestId, Timestamp, String),
    /// The folder is not there.
    Gone(Arc<Path>),
    /// It is there again.
    Back(Arc<Path>),
    /// The project's rules as they are now, and what of its file is not understood.
    Rules(Arc<[AnswerRule]>, Arc<[String]>),
    /// The sets by how near their recordings come to a request, the nearest first; for this revision of the items.
    Ranked(RequestId, u64, Arc<[NearSet]>),
    /// A rule was kept in the project's file, or not.
    RuleKept(Result<(), String>),
}
