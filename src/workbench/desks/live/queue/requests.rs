//! Work for queues.

use std::path::Path;
use std::sync::Arc;

use super::actions::RuleMode;
use super::request::RequestId;
use crate::ops::live::queue::{AnswerRule, QueueReply};
use crate::ops::playback::PlayedRequest;
use crate::text::quoted;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::items::Items;
use crate::workbench::core::task::{TaskRequest, quote_paths};

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

impl QueueCommand {
    pub(super) fn effect(self, queue: Arc<Path>) -> Effect {
        Effect::run(QueueRequest { queue, command: self })
    }
}

impl TaskRequest for QueueRequest {
    fn describe(&self) -> String {
        let queue = quote_paths(&[&self.queue]);
        match &self.command {
            QueueCommand::Write(name, _) | QueueCommand::AnswerByRule(name) => {
                format!("answering {} in {queue}", quoted(name))
            }
            _ => format!("watching the queue {queue}"),
        }
    }
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

impl TaskRequest for RankRequest {
    fn describe(&self) -> String {
        format!("comparing recordings with {}", quoted(&self.id.name))
    }
}

/// A request to append a rule to the project's file.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveAnswerRule(pub AnswerRule);

impl TaskRequest for SaveAnswerRule {
    fn describe(&self) -> String {
        format!("adding {} to retake.toml", quoted(&self.0.name))
    }
}
