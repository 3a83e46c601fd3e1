//! Lanes: the attention that a change needs. Files that cannot be read come first, then from what needs no reading to what must be read.

use super::change::ChangedCallPart;
use super::{ChangeSubject, PairComparison, PairStatus, TakeChange};
use document::text::named_enum;

named_enum! {
    /// The part of a review that a change belongs to, by its cause. Behind the first, which has the whole of its files, in rising order of importance.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ReviewLane {
        /// A version is damaged, or only its text is compared: what changed is not known.
        Unreadable = "unreadable" "Cannot be read as values",
        /// Headers, order, format, ids, times, token counts.
        Noise = "noise" "Noise",
        /// The answer has the same text and the same tool calls; other fields differ.
        SameWords = "same-words" "Same words",
        /// The model answered differently.
        Answered = "answered" "Model answered differently",
        /// Another request was sent.
        Sent = "sent" "We sent something else",
        /// Calls or files were added, removed or moved.
        Calls = "calls" "Calls added or removed",
    }

    /// Returns its name in JSON.
    pub fn as_str;

    /// Returns its heading.
    pub fn label;
}

impl ReviewLane {
    /// Every lane, in order.
    pub const ALL: [Self; 6] =
        [Self::Unreadable, Self::Noise, Self::SameWords, Self::Answered, Self::Sent, Self::Calls];
}

impl TakeChange {
    /// Returns the lane of the change by itself.
    pub fn lane(&self) -> ReviewLane {
        match self.subject {
            _ if self.ignored.is_some() => ReviewLane::Noise,
            ChangeSubject::HttpCall => ReviewLane::Calls,
            _ if self.call.as_ref().is_some_and(|c| c.is_unread_answer) => ReviewLane::Answered,
            ChangeSubject::Answer | ChangeSubject::ToolCall => ReviewLane::Answered,
            ChangeSubject::Prompt
            | ChangeSubject::Message
            | ChangeSubject::OfferedTool
            | ChangeSubject::Context
            | ChangeSubject::ToolResponse => ReviewLane::Sent,
            ChangeSubject::Text => ReviewLane::Unreadable,
            ChangeSubject::Reasoning
            | ChangeSubject::StopReason
            | ChangeSubject::Signature
            | ChangeSubject::Source
            | ChangeSubject::Timing => ReviewLane::SameWords,
            ChangeSubject::Model | ChangeSubject::Value => self.lane_of_place(),
        }
    }

    /// Returns the lane of a plain value by its place.
    fn lane_of_place(&self) -> ReviewLane {
        let step = || self.pointer().split('/').nth(1);
        match self.call.as_ref().map(|call| call.part) {
            Some(ChangedCallPart::Request) => ReviewLane::Sent,
            None if step() == Some("request") => ReviewLane::Sent,
            Some(ChangedCallPart::Answer) => ReviewLane::Answered,
            Some(ChangedCallPart::Other) | None => ReviewLane::SameWords,
        }
    }
}

impl PairComparison {
    /// Returns the lane of the most important cause of a pair.
    pub fn lane(&self) -> ReviewLane {
        match self.status {
            _ if self.is_unreadable() => ReviewLane::Unreadable,
            PairStatus::Added | PairStatus::Removed => ReviewLane::Calls,
            PairStatus::Same | PairStatus::IgnoredOnly | PairStatus::Renamed => ReviewLane::Noise,
            PairStatus::Changed => {
                let direct = self.direct_changes().map(TakeChange::lane).max();
                let all = || self.changes.iter().map(TakeChange::lane).max();
                // In a later turn, all changes may be consequences.
                direct.or_else(all).unwrap_or(ReviewLane::Noise)
            }
        }
    }

    /// Returns the changes that are causes in the lane of the pair. What a model answers to another request is a consequence; beside
    /// calls that were added or removed, what was sent is a cause as well.
    pub fn causes(&self) -> impl Iterator<Item = &TakeChange> {
        let lane = self.lane();
        self.direct_changes().filter(move |change| {
            let own = change.lane();
            own == lane || lane == ReviewLane::Calls && own == ReviewLane::Sent
        })
    }
}
