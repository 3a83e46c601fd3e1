//! Rules of a project that answer requests automatically.

use std::sync::Arc;

use super::QueueReply;
use crate::live::schema::misfits;
use crate::playback::PlayedRequest;
use document::recording::{Message, MessageBlock, Request};
use document::text::Source;
use document::toml_text;
use document::{Document, json, text};

/// A rule: conditions on a request, and the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerRule {
    /// Display name.
    pub name: String,
    /// The node at which the request must be made.
    pub node: Option<String>,
    /// Tools that must all be offered.
    pub offers: Vec<String>,
    /// Text that the last message must contain exactly.
    pub says: Option<String>,
    pub answer: RuleAnswer,
    /// Explanation for people; `None` names the rule.
    pub reasoning: Option<String>,
}

/// The answer of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleAnswer {
    /// A call of a tool, which must be offered.
    Call {
        tool: String,
        /// Its input, as JSON.
        input: String,
        /// Text before the call; may be empty.
        text: String,
    },
    /// Plain text.
    Text(String),
    /// The answer of the recording at this path, from the folder of the project's file.
    Recording(String),
}

/// A request as rules see it.
#[derive(Clone, Debug)]
pub struct RuleRequest {
    /// The compared properties.
    pub played: Arc<PlayedRequest>,
    /// Its file.
    pub document: Arc<Document>,
    /// Text of its last message.
    last_text: String,
}

impl RuleRequest {
    /// Wraps a parsed request.
    pub fn new(played: Arc<PlayedRequest>, document: Arc<Document>) -> Self {
        let request = document.body.request();
        let last = request.and_then(|request| request.messages.last());
        let last_words = last.map(|message| message_text(&document, message));
        Self { played, last_text: last_words.unwrap_or_default(), document }
    }

    /// Returns the first words of its last message; of a prompt, those of the user.
    pub fn first_words(&self) -> Box<str> {
        calls::first_words(&self.last_text)
    }

    /// Returns the request itself.
    pub fn request(&self) -> Option<&Request> {
        self.document.body.request()
    }

    /// Returns the first violation of an offered tool's schema by an input.
    fn misfit(&self, tool: &str, input: &str) -> Option<String> {
        let mut tools = self.request()?.tools.iter();
        let tool = tools.find(|offered| text(&offered.name) == Some(tool))?;
        let schema = self.document.node(tool.input_schema?);
        let (input, _) = json::parse(&Source::new(input));
        let first = misfits(schema, input.root()?).into_iter().next()?;
        Some(match first.pointer.as_str() {
            // A message that names its property needs no pointer to it.
            path if path.rfind('/').is_none_or(|a| a == 0 && first.message.starts_with('`')) => {
                first.message
            }
            path => format!("{} at {path}", first.message),
        })
    }
}

/// Joins the texts of a message and of its tool results, each on separate lines.
fn message_text(document: &Document, message: &Message) -> String {
    let words = message.blocks.iter().filter_map(|block| match block {
        MessageBlock::Text(text) => Some(text.value.as_str()),
        MessageBlock::ToolResult { content, .. } => document.node((*content)?).as_str(),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

impl AnswerRule {
    /// Returns whether the rule matches a request.
    pub fn answers(&self, question: &RuleRequest) -> bool {
        let played = &question.played;
        let is_offered = |tool: &str| played.offered.iter().any(|offered| **offered == *tool);
        // A call of a tool that is not offered would end the run with an error.
        let can_call = match &self.answer {
            RuleAnswer::Call { tool, .. } => is_offered(tool),
            RuleAnswer::Text(_) | RuleAnswer::Recording(_) => true,
        };
        let node = self.node.as_deref();
        let says = self.says.as_deref();
        can_call
            && node.is_none_or(|node| played.node.as_deref() == Some(node))
            && self.offers.iter().all(|tool| is_offered(tool))
            && says.is_none_or(|says| question.last_text.contains(says))
    }

    /// Returns its answer to a request. `read` reads the recording that a rule names.
    ///
    /// # Errors
    ///
    /// Returns why it has no answer for this request, as a sentence without a full stop.
    pub fn reply(
        &self,
        question: &RuleRequest,
        read: impl FnOnce(&str) -> Result<Document, String>,
    ) -> Result<QueueReply, String> {
        let reply = match &self.answer {
            RuleAnswer::Text(text) => QueueReply::from_text(text),
            RuleAnswer::Call { tool, input, text } => match question.misfit(tool, input) {
                Some(misfit) => return Err(format!("Its input does not fit: {misfit}")),
                None => QueueReply::from_call(text, tool, input),
            },
            RuleAnswer::Recording(path) => {
                let document = read(path)?;
                match document.body.recording() {
                    Some(recording) => QueueReply::from_recording(&document, recording)?,
                    None => return Err(format!("{path} is not a recording")),
                }
            }
        };
        Ok(match &self.reasoning {
            Some(reasoning) => QueueReply { reasoning: reasoning.clone(), ..reply },
            None => reply.with_default_reasoning(|| format!("Retake: rule {}", self.name)),
        })
    }

    /// Returns whether it has any condition.
    pub fn has_condition(&self) -> bool {
        self.node.is_some() || !self.offers.is_empty() || self.says.is_some()
    }

    /// Returns the rule as TOML for the project's file.
    pub fn toml(&self) -> String {
        let mut toml = "[[answer]]\n".to_owned();
        let mut put = |key: &str, value: &str| toml += &format!("{key} = {value}\n");
        put("name", &toml_text::quote(&self.name));
        let node = self.node.as_deref();
        node.inspect(|node| put("node", &toml_text::quote(node)));
        if !self.offers.is_empty() {
            let offers: Vec<String> = self.offers.iter().map(|t| toml_text::quote(t)).collect();
            put("offers", &format!("[{}]", offers.join(", ")));
        }
        let says = self.says.as_deref();
        says.inspect(|says| put("says", &toml_text::quote(says)));
        match &self.answer {
            RuleAnswer::Call { tool, input, text } => {
                put("tool", &toml_text::quote(tool));
                put("input", &toml_text::quote(input));
                if !text.is_empty() {
                    put("before", &toml_text::quote(text));
                }
            }
            RuleAnswer::Text(text) => put("text", &toml_text::quote(text)),
            RuleAnswer::Recording(path) => put("recording", &toml_text::quote(path)),
        }
        let reasoning = self.reasoning.as_deref();
        reasoning.inspect(|reasoning| put("reasoning", &toml_text::quote(reasoning)));
        toml
    }
}
