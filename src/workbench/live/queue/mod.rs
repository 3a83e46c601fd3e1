//! The queue side of the live desk: folders in which programs wait, their requests, and the answers.
//!
//! The engine watches folders and writes answers; this module holds the waiting requests, the drafts and the log. Nothing is
//! watched before the user requests it, and only answers are written: by the user, or by a rule of the project while rules
//! answer automatically.

mod actions;
mod asking;
mod commands;
mod desk;
mod doing;
mod ruling;
mod told;

#[cfg(test)]
mod tests;

pub use actions::{QueueAction, QueueEffect, QueueEvent, RankOrder, RulesAnswer};
pub use asking::{AnswerDraft, AnswerWay, Asking, Near, NearSet, RequestId, ToolOffered};
pub use desk::{Logged, Outcome, QueueDesk, Watched};
pub use ruling::AnswerRuleDraft;
