//! A live queue: programs write requests and wait for their answers.
//!
//! Defined by DyGram's recording client: a request lies in `requests/ID.json`, its answer in `responses/ID.json`, which has to
//! be there as a whole at once. A client waits half a minute for it ([`PATIENCE`]).

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

/// How long a client waits for its answer, unless it was told otherwise.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Something happened at a queue.
#[derive(Clone, Debug)]
pub enum Event {
    /// A request waits; the name of its file without `.json`.
    Waits(Arc<str>, Arc<Asked>),
    /// It has its answer from a set.
    Answered(Arc<str>, Arc<Choice>),
    /// It has its answer by the rule of this name.
    Ruled(Arc<str>, Arc<str>),
    /// Nothing answers it.
    Unanswered(Arc<str>, Arc<Choice>),
    /// It cannot be read, or its answer not be written; why, in a sentence.
    Failed(Arc<str>, String),
    /// Somebody else has answered it.
    Taken(Arc<str>),
    /// It was taken back before it had an answer.
    Left(Arc<str>),
    /// The folder of the queue is not there.
    Gone,
    /// It is there again.
    Back,
}
