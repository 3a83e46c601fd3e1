//! Rules of a project that answer requests automatically.

use std::sync::Arc;

use super::QueueReply;
use crate::format::recording::{Message, MessageBlock, Request};
use crate::format::{Document, json, text};
use crate::ops::live::schema::misfits;
use crate::ops::playback::PlayedRequest;
use crate::ops::toml_text;
use crate::text::Source;

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
            pointer
                if pointer
                    .rfind('/')
                    .is_none_or(|at| at == 0 && first.message.starts_with('`')) =>
            {
                first.message
            }
            pointer => format!("{} at {pointer}", first.message),
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
            let offers: Vec<String> =
                self.offers.iter().map(|tool| toml_text::quote(tool)).collect();
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format;
    use crate::ops::playback::requests;
    use crate::ops::{Pool, settings};

    const REQUEST: &str = r#"{"type": "llm_invocation_request", "requestId": "r", "context": {"currentNode": "intake"}, "systemPrompt": "",
        "messages": [{"role": "user", "content": "First"}, {"role": "user", "content": [{"type": "text", "text": "Charged twice"}]}],
        "tools": [{"name": "read_Ticket", "description": "", "input_schema": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}},
                  {"name": "go", "description": "", "input_schema": {}}]}"#;

    fn question() -> RuleRequest {
        let document = format::read(Source::new(REQUEST), "r.json");
        let played = requests::from_document(&"r.json".into(), &document, &Pool::default());
        RuleRequest::new(played.unwrap().swap_remove(0), Arc::new(document))
    }

    fn read_back(toml: &str) -> Vec<AnswerRule> {
        let (settings, problems) = settings::parse(&Source::new(toml));
        assert!(problems.is_empty(), "{toml}\n{problems:?}");
        settings.answers
    }

    fn none(_: &str) -> Result<Document, String> {
        Err("It is not there".to_owned())
    }

    #[test]
    fn a_rule_answers_where_all_of_its_conditions_hold() {
        let answers = |toml: &str| {
            let rules = read_back(&format!("[[answer]]\nname = 'a'\n{toml}"));
            rules[0].answers(&question())
        };
        assert!(answers("node = 'intake'\noffers = ['go']\nsays = 'twice'\ntext = 'x'"));
        assert!(!answers("node = 'other'\ntext = 'x'"));
        assert!(!answers("offers = ['go', 'stop']\ntext = 'x'"));
        assert!(!answers("says = 'First'\ntext = 'x'"), "only the last message counts");
        assert!(!answers("node = 'intake'\ntool = 'stop'"), "it is not offered");
    }

    #[test]
    fn a_rule_says_why_and_holds_to_the_schema() {
        let rules = read_back(
            "[[answer]]\nname = 'intake-reads'\nnode = 'intake'\ntool = 'read_Ticket'\ninput = '{\"path\": \"a\"}'\n\n\
             [[answer]]\nname = 'b'\nnode = 'intake'\ntool = 'read_Ticket'\nreasoning = 'So'\n",
        );
        let reply = rules[0].reply(&question(), none).unwrap();
        assert_eq!(reply.reasoning, "Retake: rule intake-reads");
        assert_eq!(
            reply.content,
            r#"[{"type":"tool_use","id":"tool-1","name":"read_Ticket","input":{"path": "a"}}]"#
        );
        let unfit = rules[1].reply(&question(), none);
        assert_eq!(unfit, Err("Its input does not fit: `path` is missing".to_owned()));
    }

    fn rule() -> impl Strategy<Value = AnswerRule> {
        let text = || ".{1,12}";
        let gives = prop_oneof![
            (text(), text(), ".{0,8}").prop_map(|(tool, value, text)| {
                let input = format!("{{\"a\": {}}}", json::quote(&value));
                RuleAnswer::Call { tool, input, text }
            }),
            text().prop_map(RuleAnswer::Text),
            "[a-z]{1,8}\\.json".prop_map(RuleAnswer::Recording),
        ];
        let when = (
            prop::option::of(text()),
            prop::collection::vec(text(), 0..3),
            prop::option::of(text()),
        );
        let rule = (text(), when, gives, prop::option::of(text())).prop_map(
            |(name, (node, offers, says), gives, reasoning)| AnswerRule {
                name,
                node,
                offers,
                says,
                answer: gives,
                reasoning,
            },
        );
        rule.prop_filter("a rule has a condition", AnswerRule::has_condition)
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn a_rule_that_is_kept_and_read_again_is_the_same(rule in rule()) {
            prop_assert_eq!(read_back(&rule.toml()), vec![rule]);
        }
    }
}
