//! The queue's side of the live desk: folders in which programs wait, what each asks, and what it is answered.
//!
//! The engine watches and writes; here stands who waits, what was filled in for whom, and what became of those before. Nothing
//! is watched before the user asks for it, and nothing is written but answers: by the user's word, or by a rule of the
//! project while rules answer by themselves.

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
