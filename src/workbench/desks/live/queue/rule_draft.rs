//! Makes rules from answers.

use super::QueueDesk;
use super::request::{AnswerMethod, PendingRequest};
use crate::core::Core;
use crate::core::effect::Effect;
use document::Severity;
use play::live::queue::{AnswerRule, RuleAnswer};
use protocol::SaveAnswerRule;

/// The form of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerRuleDraft {
    pub name: String,
    /// The node that sends the request; empty for any.
    pub node: String,
    /// The tools that must be offered, separated by commas; empty for any.
    pub offers: String,
    /// The text that the last message must contain; empty for any.
    pub says: String,
    pub gives: Option<RuleAnswer>,
    /// The reasoning, for people; empty for a default text.
    pub reasoning: String,
}

impl AnswerRuleDraft {
    /// Starts with the answer to a request, for all requests of its node.
    pub(super) fn from_request(request: &PendingRequest) -> Result<Self, String> {
        let draft = &request.draft;
        let gives = match draft.method {
            AnswerMethod::Rule => return Err("this answer already comes from a rule".to_owned()),
            AnswerMethod::Text if draft.text.is_empty() => {
                return Err("the answer is empty".to_owned());
            }
            AnswerMethod::Text => RuleAnswer::Text(draft.text.clone()),
            AnswerMethod::Recording => {
                let recording = request.recording().ok_or("no recording is available")?;
                RuleAnswer::Recording(recording.path.to_string())
            }
            AnswerMethod::Tool => {
                // Refuses an input that does not match its schema.
                request.reply()?;
                let tool = draft.tool.and_then(|tool| request.tools.get(tool));
                let input = request.filled.as_ref().map(|f| f.json.clone());
                RuleAnswer::Call {
                    tool: tool.map(|tool| tool.name.clone()).unwrap_or_default(),
                    input: input.unwrap_or_default(),
                    text: draft.text_before.clone(),
                }
            }
        };
        let node = request.question.played.node.as_deref().unwrap_or_default();
        let suffix = match &gives {
            RuleAnswer::Call { tool, .. } => tool.as_str(),
            RuleAnswer::Text(_) => "says",
            RuleAnswer::Recording(_) => "as-recorded",
        };
        let offers = match (&gives, node) {
            // Without a node, the tool name identifies the requests.
            (RuleAnswer::Call { tool, .. }, "") => tool.clone(),
            _ => String::new(),
        };
        Ok(Self {
            name: match node {
                "" => suffix.to_owned(),
                node => format!("{node}-{suffix}"),
            },
            node: node.to_owned(),
            offers,
            says: String::new(),
            reasoning: draft.reasoning.clone(),
            gives: Some(gives),
        })
    }

    /// Returns the rule, unless one of these has its name.
    ///
    /// # Errors
    ///
    /// Returns what is missing, as a sentence without a full stop.
    pub fn rule(&self, rules: &[AnswerRule]) -> Result<AnswerRule, String> {
        let non_empty = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let name = non_empty(&self.name).ok_or("The rule has no name")?;
        if rules.iter().any(|rule| rule.name == name) {
            return Err("Another rule has this name".to_owned());
        }
        let offers = self.offers.split(',').filter_map(non_empty);
        let rule = AnswerRule {
            name,
            node: non_empty(&self.node),
            offers: offers.collect(),
            says: (!self.says.is_empty()).then(|| self.says.clone()),
            answer: self.gives.clone().ok_or("The rule has no answer")?,
            reasoning: non_empty(&self.reasoning),
        };
        if rule.has_condition() {
            Ok(rule)
        } else {
            Err(
                "The rule would answer every request: enter a node, tools or text of the last message"
                    .to_owned(),
            )
        }
    }
}

impl QueueDesk {
    pub(super) fn save_answer_rule(&mut self, core: &mut Core) {
        match self.rule_draft.rule(&self.rules) {
            Ok(rule) => {
                self.await_rule(&rule);
                core.overlay = None;
                core.request(Effect::run(SaveAnswerRule(rule)));
            }
            Err(reason) => core.refuse(Severity::Warning, format!("{reason}.")),
        }
    }
}
