//! The queue side of the live desk: folders in which programs wait, their requests, and the answers.
//!
//! The engine watches folders and writes answers; this module holds the waiting requests, the drafts and the log. Nothing is
//! watched before the user requests it, and only answers are written: by the user, or by a rule of the project while rules
//! answer automatically.

mod actions;
mod desk;
mod events;
mod handlers;
mod request;
mod rule_draft;

#[cfg(test)]
mod tests;

pub use actions::QueueAction;
pub use desk::{QueueDesk, RequestLogEntry, RequestOutcome, WatchedQueue};
pub use request::{AnswerDraft, AnswerMethod, PendingRequest, RequestTool};
pub use rule_draft::AnswerRuleDraft;
