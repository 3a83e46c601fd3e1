//! A live queue: programs write requests and wait for their answers.
//!
//! Defined by DyGram's recording client: a request is in `requests/ID.json`, its answer in `responses/ID.json`, which
//! must appear complete at once. A client waits half a minute for it ([`ANSWER_TIMEOUT`]).

mod reply;
mod rule;

use std::sync::Arc;
use std::time::Duration;

use super::serve::ServeChoice;

pub use reply::QueueReply;
pub use rule::{AnswerRule, RuleAnswer, RuleRequest};

/// The folder of a queue in which requests wait.
pub const REQUESTS: &str = "requests";

/// The folder of a queue for the answers.
pub const RESPONSES: &str = "responses";

/// Time that a client waits for its answer by default.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// An event of a queue.
#[derive(Clone, Debug)]
pub enum LiveQueueEvent {
    /// A request, by the name of its file without `.json`, was answered from a set.
    Answered(Arc<str>, Arc<ServeChoice>),
    /// It was answered by the rule with this name.
    AnsweredByRule(Arc<str>, Arc<str>),
    /// Nothing answers it.
    Unanswered(Arc<str>, Arc<ServeChoice>),
    /// It could not be read, or its answer could not be written; the reason is a sentence.
    Failed(Arc<str>, String),
    /// Another program answered it.
    AnsweredByOther(Arc<str>),
    /// It was withdrawn before it was answered.
    Withdrawn(Arc<str>),
    /// The folder of the queue is missing.
    FolderMissing,
    /// The folder exists again.
    FolderBack,
}
