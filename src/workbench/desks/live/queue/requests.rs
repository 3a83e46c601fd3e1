//! Work for queues.

use std::path::Path;
use std::sync::Arc;

use super::actions::RuleMode;
use super::request::RequestId;
use crate::ops::live::queue::{AnswerRule, QueueReply};
use crate::ops::playback::PlayedRequest;
use crate::workbench::core::items::Items;

/// A command for the thread that watches a queue and writes the answers.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueRequest {
    /// The folder.
    pub queue: Arc<Path>,
    pub command: QueueCommand,
}

/// What to do with a queue or a request there, which is given by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueCommand {
    Watch(RuleMode),
    Stop,
    SetRuleMode(RuleMode),
    Write(Arc<str>, QueueReply),
    /// Answers with the first matching rule.
    AnswerByRule(Arc<str>),
    /// Tries the rules again on all waiting requests, if they answer automatically.
    TryRules,
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

/// A request to append a rule to the project's file.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveAnswerRule(pub AnswerRule);
