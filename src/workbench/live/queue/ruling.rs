//! Rules that are made of an answer.

use super::actions::QueueEffect;
use super::asking::{AnswerWay, Asking};
use super::doing::effect;
use crate::format::Severity;
use crate::ops::live::queue::{AnswerRule, Gives};
use crate::workbench::event::Effect;
use crate::workbench::state::Workbench;

/// A rule as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerRuleDraft {
    /// What it is called.
    pub name: String,
    /// The node at which a request has to be made; empty: any.
    pub node: String,
    /// Tools that have to be offered, with commas between them; empty: any.
    pub offers: String,
    /// What the last message has to contain; empty: anything.
    pub says: String,
    /// What it answers.
    pub gives: Option<Gives>,
    /// Why, for people; empty: that it is this rule.
    pub reasoning: String,
}

impl AnswerRuleDraft {
    /// Begins with the answer that was made for a request, for all requests at its node.
    pub(super) fn of(asking: &Asking) -> Result<Self, String> {
        let draft = asking.draft();
        let gives = match draft.way {
            AnswerWay::Rule => return Err("this answer is a rule's already".to_owned()),
            AnswerWay::Text if draft.text.is_empty() => {
                return Err("nothing is written yet".to_owned());
            }
            AnswerWay::Text => Gives::Text(draft.text.clone()),
            AnswerWay::Recording => {
                let near = asking.recording().ok_or("there is no recording")?;
                Gives::Recording(near.path.to_string())
            }
            AnswerWay::Tool => {
                asking.reply()?;
                let tool = draft.tool.and_then(|tool| asking.tools.get(tool));
                let input = asking.filled().map(|filled| filled.json.clone());
                Gives::Call {
                    tool: tool.map(|tool| tool.name.clone()).unwrap_or_default(),
                    input: input.unwrap_or_default(),
                    said: draft.before.clone(),
                }
            }
        };
        let node = asking.question.asked.node.as_deref().unwrap_or_default();
        let what = match &gives {
            Gives::Call { tool, .. } => tool.as_str(),
            Gives::Text(_) => "says",
            Gives::Recording(_) => "as-recorded",
        };
        let offers = match (&gives, node) {
            // Without a node the tool says which requests are meant.
            (Gives::Call { tool, .. }, "") => tool.clone(),
            _ => String::new(),
        };
        Ok(Self {
            name: match node {
                "" => what.to_owned(),
                node => format!("{node}-{what}"),
            },
            node: node.to_owned(),
            offers,
            says: String::new(),
            reasoning: draft.reasoning.clone(),
            gives: Some(gives),
        })
    }

    /// The rule, unless one of these has its name.
    ///
    /// # Errors
    ///
    /// What it lacks, as a sentence without a full stop.
    pub fn rule(&self, known: &[AnswerRule]) -> Result<AnswerRule, String> {
        let given = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let name = given(&self.name).ok_or("The rule has no name")?;
        if known.iter().any(|rule| rule.name == name) {
            return Err("There is another rule of this name".to_owned());
        }
        let offers = self.offers.split(',').filter_map(given);
        let rule = AnswerRule {
            name,
            node: given(&self.node),
            offers: offers.collect(),
            says: (!self.says.is_empty()).then(|| self.says.clone()),
            gives: self.gives.clone().ok_or("It has no answer")?,
            reasoning: given(&self.reasoning),
        };
        if rule.has_condition() {
            Ok(rule)
        } else {
            Err(
                "It would answer everything: say at which node, with which tools or to which words"
                    .to_owned(),
            )
        }
    }
}

impl Workbench {
    pub(super) fn keep_answer_rule(&mut self) -> Vec<Effect> {
        let desk = &mut self.live.queue;
        match desk.rule_draft.rule(&desk.rules) {
            Ok(rule) => {
                desk.await_rule(&rule);
                self.overlay = None;
                effect(QueueEffect::KeepRule(rule))
            }
            Err(reason) => {
                self.notify(Severity::Warning, format!("{reason}."));
                Vec::new()
            }
        }
    }
}
