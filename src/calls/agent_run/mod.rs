//! Runs of agents, as transcripts, traces and trajectories store them: one reading for all.
//!
//! [`agent_runs`] gives the runs of a document. The calls of models in them are converted by [`reading`](super::reading), as those of all
//! other files; an import takes the run itself.
//!
//! # A source
//!
//! A source is a file here and a row of `READERS`; how its files are recognised is a row in `document/foreign/agent_files.rs`. There are two kinds:
//!
//! - A *transcript* has one conversation. Its reader pushes the messages in order of time, those of the model by `AgentRun::push_answer`;
//!   what was sent for a call are the messages before its answer, which are not copied.
//! - A *trace* has spans, and each call of a model its own request. Its reader fills a `TraceReader` with a [`RunCall`] with
//!   [`CallContent::Own`] for each and the tools that ran as [`ToolSpan`]s. Finishing it sorts the calls by their start, takes the longest
//!   conversation of a call as that of the run, and pairs the spans of tools with it.
//!
//! Readers never fail: what is missing stays `None`. What is [missing](AgentRun::missing) is seen from the fields, so a reader adds only what these
//! cannot show. Texts are borrowed from the document. JSON in a text is parsed on its own; [`RunMessage::placed_at`] gives what was read from that
//! the place of the text.

mod ai_sdk;
mod attributes;
mod chat;
mod chat_log;
mod claude_code;
mod codex;
mod copilot_cli;
mod gemini_cli;
mod inspect;
mod langfuse;
mod langsmith;
mod message;
mod openai_agents;
mod opencode;
mod span;
mod span_files;
mod trace;
mod traced_value;
mod trajectory;

use std::borrow::Cow;

use document::foreign::ForeignFormat;
use document::text::named_enum;
use document::{Document, DocumentBody, Node, NodeKind};

use crate::api::ToolCall;

pub use chat_log::chat_messages;
pub use inspect::ProviderCall;
pub use langsmith::runs as langsmith_runs;
use message::owned;
pub use message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
pub use span_files::joined_files;
use trace::ToolPair;
pub use trace::{ToolSpan, iso_time};

/// Readers of the formats that hold runs.
const READERS: [(ForeignFormat, RunReader); 16] = [
    (ForeignFormat::ClaudeCode, claude_code::runs),
    (ForeignFormat::Codex, codex::runs),
    (ForeignFormat::GeminiCli, gemini_cli::runs),
    (ForeignFormat::OpencodeSession, opencode::runs),
    (ForeignFormat::CopilotCli, copilot_cli::runs),
    (ForeignFormat::OpenAiAgents, openai_agents::runs),
    (ForeignFormat::Otlp, span_files::otlp),
    (ForeignFormat::Logfire, span_files::logfire),
    (ForeignFormat::Phoenix, span_files::phoenix),
    (ForeignFormat::Langfuse, langfuse::runs),
    (ForeignFormat::Runs, langsmith::runs),
    (ForeignFormat::InspectLog, inspect::runs),
    (ForeignFormat::SweAgent, trajectory::swe_agent),
    (ForeignFormat::MiniSweAgent, trajectory::mini_swe_agent),
    (ForeignFormat::Atif, trajectory::atif),
    (ForeignFormat::AiSdk, ai_sdk::runs),
];

type RunReader = for<'d> fn(Node<'d>) -> Vec<AgentRun<'d>>;

/// One run of an agent.
#[derive(Clone, Debug)]
pub struct AgentRun<'d> {
    /// The value of the document that holds it; the root if that holds only one.
    pub node: Node<'d>,
    /// Ids, each with its kind: `session`, `trace`, `group`.
    pub ids: Vec<(&'static str, Cow<'d, str>)>,
    /// The conversation in order of time, with its system prompt.
    pub messages: Vec<RunMessage<'d>>,
    /// The calls of models, in order of their start.
    pub calls: Vec<RunCall<'d>>,
    /// Tools that were offered; `None` where the source does not store them.
    pub tools: Option<Vec<RunTool<'d>>>,
    /// The result, where it is stored apart from the conversation.
    pub result: Option<Cow<'d, str>>,
    /// As written.
    pub started: Option<Cow<'d, str>>,
    /// As written.
    pub ended: Option<Cow<'d, str>>,
    /// Numbers of all tokens, where they are stored apart from those of the calls.
    pub tokens: Option<RunTokens>,
    /// Errors that ended the run or a call.
    pub errors: Vec<Cow<'d, str>>,
    /// Missing parts that cannot be seen from the other fields.
    pub gaps: Vec<RunGap>,
    /// The text that was given to the run, where that is stored apart from the calls.
    given: Vec<RunMessage<'d>>,
    /// Position of the message at which the conversation began again, after it was compacted.
    first: usize,
}

/// A call of a model in a run.
#[derive(Clone, Debug)]
pub struct RunCall<'d> {
    /// The value of the document that shows it; of several, the first. No other call has the same.
    pub node: Node<'d>,
    pub content: CallContent<'d>,
    /// Tools that this call was offered, where the source stores them for each; else those of the run.
    pub tools: Option<Vec<RunTool<'d>>>,
    pub model: Option<Cow<'d, str>>,
    /// Reason why the answer ends, in the source's word.
    pub stop: Option<Cow<'d, str>>,
    pub tokens: Option<RunTokens>,
    /// As written.
    pub started: Option<Cow<'d, str>>,
    /// As written.
    pub ended: Option<Cow<'d, str>>,
    pub error: Option<Cow<'d, str>>,
    /// The call in the form of its provider, where the source stores that as well.
    pub provider_call: Option<ProviderCall<'d>>,
}

/// The two sides of a call.
#[derive(Clone, Debug)]
pub enum CallContent<'d> {
    /// The request is a part of the conversation of the run; its answer, if there is one, is the message behind it.
    Shared { first: usize, end: usize, is_answered: bool },
    /// Stored with the call; no message was sent where that is not stored.
    Own { sent: Vec<RunMessage<'d>>, answer: Option<RunMessage<'d>> },
}

/// A tool that was offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTool<'d> {
    pub name: Cow<'d, str>,
    pub description: Option<Cow<'d, str>>,
    /// Schema of its input as JSON; `None` where only names are stored.
    pub schema: Option<Cow<'d, str>>,
}

/// Numbers of tokens: of requests with those of a cache, and of answers with their reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTokens {
    pub input: Option<u64>,
    pub output: Option<u64>,
}

/// A tool call of a run, with what it returned.
#[derive(Clone, Copy, Debug)]
pub struct RunToolCall<'r, 'd> {
    /// Its place.
    pub node: Node<'d>,
    pub call: &'r ToolCall,
    /// `None` if no result is stored.
    pub outcome: Option<(&'r ToolOutcome<'d>, Node<'d>)>,
}

named_enum! {
    /// A part of a run that a file does not hold.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum RunGap {
        System = "system" "the system prompt",
        ToolsOffered = "tools_offered" "the offered tools",
        ToolSchemas = "tool_schemas" "the schemas of the tools",
        Model = "model" "the model",
        Input = "input" "the input of the user",
        Answers = "answers" "answers of the model",
        Times = "times" "times",
        Tokens = "usage" "numbers of tokens",
        CallIds = "call_ids" "ids of tool calls",
        ErrorMarks = "error_marks" "which results are errors",
        ErrorTexts = "error_texts" "the texts of tool errors",
        ResultParts = "result_parts" "parts of long results",
        RequestParts = "request_parts" "parts of long requests",
    }

    /// The word used in JSON.
    pub fn as_str;

    /// The noun with its article, as in a sentence.
    pub fn describe;
}

/// Returns the runs of a document, in its order; none if it is of no format that holds some.
pub fn agent_runs(document: &Document) -> Vec<AgentRun<'_>> {
    let DocumentBody::Foreign(foreign) = &document.body else { return Vec::new() };
    let reader = READERS.iter().find(|(format, _)| *format == foreign.format);
    reader.zip(document.tree.root()).map_or_else(Vec::new, |((_, read), root)| read(root))
}

/// Returns the run in a list of messages with roles and contents, as programs of one's own keep chats: the root, or its `messages`. `None` if
/// one of them is no message, or if nothing in them is of a model.
pub fn chat_run(root: Node<'_>) -> Option<AgentRun<'_>> {
    let mut run = AgentRun::new(root);
    for value in chat::values(root, "messages") {
        let message = chat::message(value).filter(|message| !message.parts.is_empty())?;
        run.note_time(value.get("timestamp"));
        run.add_id("conversation", value.get("conversation").and_then(Node::as_str));
        run.push(message);
    }
    (!run.calls.is_empty() && run.messages.len() > 1).then_some(run)
}

/// Returns whether the runs in files of a format are read.
pub fn reads(format: ForeignFormat) -> bool {
    READERS.iter().any(|(read, _)| *read == format)
}

impl<'d> AgentRun<'d> {
    fn new(node: Node<'d>) -> Self {
        Self {
            node,
            ids: Vec::new(),
            messages: Vec::new(),
            calls: Vec::new(),
            tools: None,
            result: None,
            started: None,
            ended: None,
            tokens: None,
            errors: Vec::new(),
            gaps: Vec::new(),
            given: Vec::new(),
            first: 0,
        }
    }

    /// Adds an id, once.
    fn add_id(&mut self, kind: &'static str, id: Option<&'d str>) {
        if let Some(id) =
            id.filter(|id| !self.ids.iter().any(|known| *known == (kind, (*id).into())))
        {
            self.ids.push((kind, id.into()));
        }
    }

    /// Notes the time of an event; events come in order.
    fn note_time(&mut self, time: Option<Node<'d>>) {
        let written = time.filter(|time| time.kind() != NodeKind::Null).and_then(Node::scalar_text);
        let time = written.map(Cow::Borrowed);
        self.started = self.started.take().or_else(|| time.clone());
        self.ended = time.or_else(|| self.ended.take());
    }

    /// Adds an answer of the model to the conversation, as a call that sent all before it.
    fn push_answer(&mut self, answer: RunMessage<'d>) -> &mut RunCall<'d> {
        let node = answer.node;
        self.push_call(node, true);
        self.messages.push(answer);
        let last = self.calls.len() - 1;
        &mut self.calls[last]
    }

    /// Adds a message; one of the model as a call, which is returned.
    fn push(&mut self, message: RunMessage<'d>) -> Option<&mut RunCall<'d>> {
        if message.role == RunRole::Assistant {
            return Some(self.push_answer(message));
        }
        self.messages.push(message);
        None
    }

    /// Adds a call of the conversation that failed.
    fn push_failure(&mut self, node: Node<'d>, error: Cow<'d, str>) -> &mut RunCall<'d> {
        self.errors.push(error.clone());
        self.push_call(node, false);
        let last = self.calls.len() - 1;
        self.calls[last].error = Some(error);
        &mut self.calls[last]
    }

    /// Adds what tools returned to the model.
    fn push_outcomes(&mut self, node: Node<'d>, parts: Vec<RunPart<'d>>) {
        if !parts.is_empty() {
            self.messages.push(RunMessage::new(node, RunRole::Tool, parts));
        }
    }

    fn push_call(&mut self, node: Node<'d>, is_answered: bool) {
        let (first, end) = (self.first, self.messages.len());
        self.calls.push(RunCall::new(node, CallContent::Shared { first, end, is_answered }));
    }

    /// Begins the conversation again: a summary takes the place of all messages but the system prompts at the beginning.
    fn compact(&mut self) {
        self.first = self.messages.len();
    }

    /// Returns what was sent for a call.
    pub fn sent<'r>(&'r self, call: &'r RunCall<'d>) -> &'r [RunMessage<'d>] {
        match &call.content {
            CallContent::Shared { first, end, .. } => &self.messages[*first..*end],
            CallContent::Own { sent, .. } => sent,
        }
    }

    /// Returns the answer of a call, if it is stored.
    pub fn answer<'r>(&'r self, call: &'r RunCall<'d>) -> Option<&'r RunMessage<'d>> {
        match &call.content {
            CallContent::Shared { end, is_answered, .. } => {
                self.messages.get(*end).filter(|_| *is_answered)
            }
            CallContent::Own { answer, .. } => answer.as_ref(),
        }
    }

    /// Returns the tools that a call was offered; `None` where they are not stored.
    pub fn offered<'r>(&'r self, call: &'r RunCall<'d>) -> Option<&'r [RunTool<'d>]> {
        call.tools.as_deref().or(self.tools.as_deref())
    }

    /// Returns the system prompt, without what the program adds to it.
    pub fn system(&self) -> Option<String> {
        let is_prompt =
            |message: &&RunMessage<'_>| message.role == RunRole::System && !message.is_of_program;
        self.messages.iter().find(is_prompt).and_then(RunMessage::text)
    }

    /// Returns the messages that the user wrote, the first one first.
    pub fn inputs(&self) -> impl Iterator<Item = &RunMessage<'d>> {
        self.messages.iter().filter(|message| message.is_input())
    }

    /// Returns the messages with which the run began: what was given to it, else what was sent for its first call. The last one of the user
    /// is its input, and those before it are of earlier runs.
    pub fn opening(&self) -> &[RunMessage<'d>] {
        match (self.given.is_empty(), self.calls.first()) {
            (false, _) => &self.given,
            (true, Some(call)) => self.sent(call),
            (true, None) => &self.messages,
        }
    }

    /// Returns whether the system prompts in the opening were given to the run, and are not those of the agent.
    pub fn is_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// Returns the tool calls of the conversation, each with its result.
    pub fn tool_calls(&self) -> Vec<RunToolCall<'_, 'd>> {
        let read = |pair: ToolPair| {
            let node = |(message, part): (usize, usize)| self.messages[message].parts[part].node;
            let PartContent::ToolCall(call) = self.part(pair.call) else { return None };
            let outcome = pair.outcome.and_then(|place| match self.part(place) {
                PartContent::ToolOutcome(outcome) => Some((outcome, node(place))),
                _ => None,
            });
            Some(RunToolCall { node: node(pair.call), call, outcome })
        };
        self.tool_pairs().into_iter().filter_map(read).collect()
    }

    /// Returns the result, or the text with which the model ended the conversation.
    pub fn final_answer(&self) -> Option<String> {
        if let Some(result) = &self.result {
            return Some(result.to_string());
        }
        // What the model wrote before a call that failed is no answer.
        if self.calls.last().is_some_and(|call| call.error.is_some()) {
            return None;
        }
        let last = self.messages.iter().rev().find(|message| !message.is_of_program)?;
        let is_end = last.role == RunRole::Assistant && last.tool_calls().next().is_none();
        is_end.then(|| last.text()).flatten()
    }

    /// Returns the model of the first call that names one.
    pub fn model(&self) -> Option<&str> {
        self.calls.iter().find_map(|call| call.model.as_deref())
    }

    /// Returns the numbers of all tokens: as stored, else the sums of those of the calls.
    pub fn all_tokens(&self) -> Option<RunTokens> {
        let numbers = self.calls.iter().filter_map(|call| call.tokens);
        self.tokens.or_else(|| numbers.reduce(RunTokens::plus))
    }

    /// Returns what the file does not hold of it.
    pub fn missing(&self) -> Vec<RunGap> {
        let offered = || self.calls.iter().filter_map(|call| self.offered(call));
        let mut tools = self.tools.as_deref().into_iter().chain(offered()).flatten();
        let is_unanswered =
            |call: &RunCall<'_>| self.answer(call).is_none() && call.error.is_none();
        let conditions = [
            (RunGap::System, self.system().is_none()),
            (RunGap::ToolsOffered, self.tools.is_none() && offered().next().is_none()),
            (RunGap::ToolSchemas, tools.any(|tool| tool.schema.is_none())),
            (RunGap::Model, self.model().is_none()),
            (RunGap::Input, self.inputs().next().is_none()),
            (RunGap::Answers, self.calls.iter().any(is_unanswered)),
            (RunGap::Times, self.started.is_none()),
            (RunGap::Tokens, self.all_tokens().is_none()),
            (RunGap::CallIds, self.tool_calls().iter().any(|call| call.call.id.is_none())),
        ];
        let seen = conditions.into_iter().filter(|(_, is_missing)| *is_missing).map(|(gap, _)| gap);
        let mut gaps: Vec<RunGap> = seen.chain(self.gaps.iter().copied()).collect();
        gaps.sort_unstable();
        gaps.dedup();
        gaps
    }
}

impl<'d> RunCall<'d> {
    fn new(node: Node<'d>, content: CallContent<'d>) -> Self {
        let (tools, model, stop, tokens) = (None, None, None, None);
        let (started, ended, error, provider_call) = (None, None, None, None);
        Self { node, content, tools, model, stop, tokens, started, ended, error, provider_call }
    }
}

impl RunTool<'_> {
    fn into_owned<'n>(self) -> RunTool<'n> {
        RunTool {
            name: owned(self.name),
            description: self.description.map(owned),
            schema: self.schema.map(owned),
        }
    }
}

impl RunTokens {
    /// Reads the first number of each side, as [`Self::sum`] does of several.
    fn read(usage: Option<Node<'_>>, input: &[&str], output: &[&str]) -> Option<Self> {
        Self::sum(usage, &[input], &[output])
    }

    /// Reads both sides of an object of numbers: each is the sum of the first number that is there of each list of keys.
    fn sum(usage: Option<Node<'_>>, input: &[&[&str]], output: &[&[&str]]) -> Option<Self> {
        let usage = usage?;
        let first = |keys: &&[&str]| keys.iter().find_map(|key| usage.get(key)?.as_f64());
        let sum = |sides: &[&[&str]]| {
            let numbers: Vec<f64> = sides.iter().filter_map(first).collect();
            (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() as u64)
        };
        let tokens = Self { input: sum(input), output: sum(output) };
        (tokens != Self::default()).then_some(tokens)
    }

    fn plus(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a + b.unwrap_or(0)));
        Self { input: sum(self.input, other.input), output: sum(self.output, other.output) }
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod traced_tests;
