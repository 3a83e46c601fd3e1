//! A live queue: programs write requests and wait for their answers.
//!
//! Defined by DyGram's recording client: a request is in `requests/ID.json`, its answer in `responses/ID.json`, which
//! must appear complete at once. A client waits half a minute for it ([`PATIENCE`]).

mod reply;
mod rule;

use std::sync::Arc;
use std::time::Duration;

use super::serve::Choice;
use crate::ops::playback::Asked;

pub use reply::Reply;
pub use rule::{AnswerRule, Gives, Question};

/// The folder of a queue in which requests wait.
pub const REQUESTS: &str = "requests";

/// The folder of a queue for the answers.
pub const RESPONSES: &str = "responses";

/// How long a client waits for its answer by default.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// An event of a queue.
#[derive(Clone, Debug)]
pub enum Event {
    /// A request waits; the name of its file without `.json`.
    Waits(Arc<str>, Arc<Asked>),
    /// It was answered from a set.
    Answered(Arc<str>, Arc<Choice>),
    /// It was answered by the rule with this name.
    Ruled(Arc<str>, Arc<str>),
    /// Nothing answers it.
    Unanswered(Arc<str>, Arc<Choice>),
    /// It could not be read, or its answer could not be written; the reason is a sentence.
    Failed(Arc<str>, String),
    /// Another program answered it.
    Taken(Arc<str>),
    /// It was withdrawn before it was answered.
    Left(Arc<str>),
    /// The folder of the queue is missing.
    Gone,
    /// The folder exists again.
    Back,
}
