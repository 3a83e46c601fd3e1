//! A waiting request, and the draft of its answer.

use std::sync::Arc;

use super::{QueueDesk, RequestOutcome};
use crate::{Core, Effect};
use document::{Node, Severity};
use jiff::Timestamp;
use play::live::form::{FilledInput, InputForm};
use play::live::queue::{AnswerRule, QueueReply, RuleAnswer, RuleRequest};
use protocol::{NearRecording, NearSet, RequestId, SaveAnswerRule};

/// Way in which a request is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AnswerMethod {
    /// With a tool call.
    #[default]
    Tool,
    Text,
    /// With the answer of a recording.
    Recording,
    /// With a rule of the project.
    Rule,
}

/// A tool offered by a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestTool {
    pub name: String,
    /// Its description for the model.
    pub description: String,
    /// The schema of its input.
    schema: Option<document::NodeId>,
}

/// The draft of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerDraft {
    /// The way in which the request is answered.
    pub method: AnswerMethod,
    /// The called tool, by its position among the offered ones.
    pub tool: Option<usize>,
    /// The input form of each tool.
    pub forms: Vec<InputForm>,
    /// The text before the call.
    pub text_before: String,
    /// The text of an answer without a call.
    pub text: String,
    /// The reasoning, for people.
    pub reasoning: String,
    /// The set of the shown recordings; `None` for the nearest set.
    pub set: Option<Arc<str>>,
    /// The chosen recording, by its position in the set.
    pub recording: usize,
}

/// A waiting request.
#[derive(Debug)]
pub struct PendingRequest {
    pub id: RequestId,
    /// Its content.
    pub question: RuleRequest,
    /// The offered tools.
    pub tools: Vec<RequestTool>,
    /// The time at which it was written.
    pub written_at: Timestamp,
    /// When its client times out, in seconds of the window's clock.
    pub(super) deadline: f64,
    /// The draft of the answer.
    pub draft: AnswerDraft,
    /// The input of the chosen tool.
    pub filled: Option<FilledInput>,
    /// The similar recordings, and the revision of the items they belong to.
    pub(super) near: Option<(u64, Arc<[NearSet]>)>,
    /// The outcome that it gets, while the answer is being written.
    pub(super) writing: Option<RequestOutcome>,
    /// Its outcome, if it ended; it is kept while it is selected.
    pub ended: Option<RequestOutcome>,
    /// Whether its client has probably timed out.
    pub is_overdue: bool,
}

impl PendingRequest {
    pub(super) fn new(
        id: RequestId,
        question: RuleRequest,
        written_at: Timestamp,
        deadline: f64,
    ) -> Self {
        let tools = offered_tools(&question);
        let text = &question.document;
        let form = |tool: &RequestTool| InputForm::new(tool.schema.map(|schema| text.node(schema)));
        let draft =
            // A form for each tool, so that what was typed stays while another tool is chosen.
            AnswerDraft { forms: tools.iter().map(form).collect(), ..AnswerDraft::default() };
        Self {
            id,
            question,
            tools,
            written_at,
            deadline,
            draft,
            filled: None,
            near: None,
            writing: None,
            ended: None,
            is_overdue: false,
        }
    }

    /// First words of the user; else the node that sent it, or its id.
    pub fn title(&self) -> String {
        let words = self.question.first_words();
        match words.strip_prefix("Subject:").unwrap_or(&words).trim() {
            "" => self.node().unwrap_or_else(|| self.request_id()).to_owned(),
            title => title.to_owned(),
        }
    }

    /// The node that sent it.
    pub fn node(&self) -> Option<&str> {
        self.question.played.node.as_deref()
    }

    /// The id for its answer.
    pub fn request_id(&self) -> &str {
        self.question.played.id.as_deref().unwrap_or(&self.id.name)
    }

    /// The sets with similar recordings; `None` while they are being ranked.
    pub fn sets(&self) -> Option<&[NearSet]> {
        self.near.as_ref().map(|(_, sets)| &**sets)
    }

    /// The set whose recordings are shown.
    pub fn set(&self) -> Option<&NearSet> {
        let sets = self.sets()?;
        self.draft
            .set
            .as_ref()
            .and_then(|folder| sets.iter().find(|set| set.folder == *folder))
            // After another ranking, the chosen set may be missing.
            .or_else(|| sets.first())
    }

    /// The chosen recording.
    pub fn recording(&self) -> Option<&NearRecording> {
        let recordings = &self.set()?.nearest;
        // After another ranking, the set may have fewer recordings.
        recordings.get(self.draft.recording).or(recordings.first())
    }

    /// The schema of the chosen tool's input.
    pub(super) fn schema(&self) -> Option<Node<'_>> {
        Some(self.question.document.node(self.tools.get(self.draft.tool?)?.schema?))
    }

    /// Sets the draft of the answer.
    pub(super) fn fill(&mut self, draft: AnswerDraft) {
        self.draft = draft;
        self.filled = self
            .draft
            .tool
            .and_then(|tool| Some(self.draft.forms.get(tool)?.to_input(self.schema())));
    }

    /// Whether the draft is unchanged.
    pub(super) fn is_waiting(&self) -> bool {
        !self.is_overdue && self.ended.is_none()
    }

    pub(super) fn is_untouched(&self) -> bool {
        let draft = &self.draft;
        let is_empty = |form: &InputForm| {
            form.whole.is_empty() && form.entries.iter().all(|entry| entry.typed.is_empty())
        };
        let texts = [&draft.text_before, &draft.text, &draft.reasoning];
        draft.tool.is_none()
            && texts.iter().all(|text| text.is_empty())
            && draft.forms.iter().all(is_empty)
    }

    /// The first matching rule.
    pub fn rule<'r>(&self, rules: &'r [AnswerRule]) -> Option<&'r AnswerRule> {
        rules.iter().find(|rule| rule.answers(&self.question))
    }

    /// The answer to write, or what is missing, in a few words. The answer of a rule is made by the engine.
    pub(super) fn reply(&self) -> Result<(QueueReply, RequestOutcome), String> {
        let draft = &self.draft;
        let (reply, end) = match draft.method {
            AnswerMethod::Tool => (self.call()?, RequestOutcome::ByHand),
            AnswerMethod::Text if draft.text.is_empty() => {
                return Err("enter an answer".to_owned());
            }
            AnswerMethod::Text => (QueueReply::from_text(&draft.text), RequestOutcome::ByHand),
            AnswerMethod::Recording => {
                let recording = self.recording().ok_or("no recording is available")?;
                let reasoning = || format!("Retake: as {}", recording.path);
                let reply = recording.reply.clone()?.with_default_reasoning(reasoning);
                (reply, RequestOutcome::Recording(Arc::clone(&recording.label)))
            }
            AnswerMethod::Rule => return Err("a rule answers this request".to_owned()),
        };
        let with_reasoning =
            |reply: QueueReply| QueueReply { reasoning: draft.reasoning.clone(), ..reply };
        Ok(if draft.reasoning.is_empty() { (reply, end) } else { (with_reasoning(reply), end) })
    }

    fn call(&self) -> Result<QueueReply, String> {
        let draft = &self.draft;
        let tool = draft.tool.and_then(|tool| self.tools.get(tool));
        let (Some(tool), Some(input)) = (tool, &self.filled) else {
            return Err("choose a tool".to_owned());
        };
        match input.misfits.first() {
            Some(_) => Err("the input does not match its schema".to_owned()),
            None => Ok(QueueReply::from_call(&draft.text_before, &tool.name, &input.json)),
        }
    }
}

fn offered_tools(question: &RuleRequest) -> Vec<RequestTool> {
    let tools = question.request().map_or(&[][..], |request| &request.tools);
    let request_tools = tools.iter().map(|tool| RequestTool {
        name: document::text(&tool.name).unwrap_or_default().to_owned(),
        description: document::text(&tool.description).unwrap_or_default().to_owned(),
        schema: tool.input_schema,
    });
    request_tools.collect()
}

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
