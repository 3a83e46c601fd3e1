//! The conditions of a fixture of aimock, and what it compares of a request: the same values for each API.

use super::http_request::HttpRequest;
use super::matcher::{Comparison, Matcher, PreparedRequest};
use calls::api::{Api, BlockContent, MessageRole, ModelBlock, Route};
use document::edit::JsonValue;
use document::json::{self, JsonLayout};
use document::{Node, NodeKind};

/// The member `match` of a fixture. What it does not name is not compared.
#[derive(Clone, Debug)]
pub(super) struct FixtureConditions(JsonValue);

impl FixtureConditions {
    /// Reads the conditions of a fixture.
    pub(super) fn read(fixture: Node<'_>) -> Option<Self> {
        fixture.get("response")?;
        Some(Self(JsonValue::from_node(fixture.get("match")?)))
    }

    /// Returns a condition, for a message.
    pub(super) fn shown(&self, matcher: Matcher) -> Option<String> {
        self.0.root().get(matcher.as_str()).map(|wanted| json::text(wanted).into_owned())
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.0.root().get(name).and_then(Node::as_f64)
    }

    /// Returns the number of answers before this one in its conversation.
    pub(super) fn turn(&self) -> Option<f64> {
        self.number("turnIndex")
    }

    /// Returns whether two fixtures count their answers together: they differ only in their places in a sequence.
    pub(super) fn is_in_sequence_with(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|conditions| conditions.0.root());
        let sequence = Matcher::SequenceIndex.as_str();
        let names = Matcher::OF_FIXTURES.map(Matcher::as_str).into_iter().chain(["turnIndex"]);
        let is_same = |name: &str| match (a.get(name), b.get(name)) {
            (Some(a), Some(b)) => name == sequence || json::text(a) == json::text(b),
            (a, b) => name != sequence && a.is_none() && b.is_none(),
        };
        names.into_iter().all(is_same)
    }

    /// Compares a condition with a request. `plays` returns how often its sequence was played.
    pub(super) fn compare(
        &self,
        matcher: Matcher,
        sent: &PreparedRequest,
        plays: impl Fn() -> usize,
    ) -> Comparison {
        let Some(wanted) = self.0.root().get(matcher.as_str()) else { return Comparison::Equal };
        if matcher == Matcher::SequenceIndex {
            return Comparison::of(wanted.as_f64().map(|index| index == plays() as f64));
        }
        let compare = || sent.conversation()?.fulfils(matcher, wanted);
        Comparison::of(compare())
    }
}

/// The parts of a request that aimock compares.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    system: String,
    /// The text of the last message of a user that has any.
    prompt: Option<String>,
    /// Number of answers.
    pub(super) answers: usize,
    /// The call and the text of the result of a tool, if that is the last message.
    last_result: Option<(Option<String>, Option<String>)>,
    /// Whether a tool has answered since the last message of a user.
    has_result: bool,
    /// The ids of the calls that the model made, and whether it made any since the last message of a user.
    calls: Vec<String>,
    has_calls: bool,
    model: Option<String>,
    tools: Vec<String>,
    response_format: Option<String>,
    context: Option<String>,
}

impl Conversation {
    /// Reads a request to an API; `None` if its body or its API is not known.
    pub(super) fn read(request: &HttpRequest) -> Option<Self> {
        let body = request.body.json()?;
        let root = body.root();
        let url = request.url.as_deref().unwrap_or_default();
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let route = Route::from_request("POST", path, None);
        let api = route.as_ref().map(|route| route.api).or_else(|| Api::of_request(root))?;
        let read = api.read_request(root);
        let model = read.model.map(str::to_owned);
        let names = read.tools.iter().filter_map(|tool| tool.name?.as_str());
        let format = root.get("response_format").and_then(|format| format.get("type")?.as_str());
        let mut conversation = Self {
            // A developer's message is none of the system in chat completions.
            system: match api {
                Api::OpenAiChat => system_text(root),
                _ => read.system.join("\n"),
            },
            model: route.and_then(|route| route.model).or(model),
            tools: names.map(str::to_owned).collect(),
            response_format: format.map(str::to_owned),
            context: request.header("x-aimock-context").map(str::to_owned),
            ..Self::default()
        };
        for message in &read.messages {
            match message.role {
                MessageRole::Assistant => conversation.add_answer(api, &message.blocks),
                MessageRole::User => conversation.add_prompt(api, &message.blocks),
            }
        }
        Some(conversation)
    }

    fn add_answer(&mut self, api: Api, blocks: &[ModelBlock<'_>]) {
        let calls = blocks.iter().filter_map(|block| match &block.content {
            BlockContent::ToolUse(call) => Some(call.id.clone().unwrap_or_default()),
            _ => None,
        });
        let calls: Vec<String> = calls.collect();
        // Each call is an item of its own in a request for a response.
        let items = if api == Api::OpenAiResponses { calls.len().max(1) } else { 1 };
        self.answers += items;
        self.has_calls |= !calls.is_empty();
        self.calls.extend(calls);
        self.last_result = None;
    }

    /// Adds what a user or a tool says.
    fn add_prompt(&mut self, api: Api, blocks: &[ModelBlock<'_>]) {
        let results = blocks.iter().filter_map(|block| match &block.content {
            BlockContent::ToolResult { call_id, content, .. } => {
                Some((call_id.as_deref(), content))
            }
            _ => None,
        });
        let results: Vec<_> = results.collect();
        let texts = blocks.iter().filter_map(|block| match &block.content {
            BlockContent::Text(text) => Some(&**text),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        let is_prompt = results.is_empty() || !texts.is_empty();
        if is_prompt {
            self.has_calls = false;
            self.has_result = false;
            // A text that is absent is none only in chat completions.
            if api != Api::OpenAiChat || !texts.is_empty() {
                self.prompt = Some(texts.concat());
            }
        }
        for (id, _) in &results {
            let is_known = id.is_some_and(|id| self.calls.iter().any(|call| call == id));
            // The answer with the call of a result is only referred to.
            if api == Api::OpenAiResponses && !is_known && !self.has_calls {
                self.answers += 1;
                self.has_calls = true;
            }
        }
        // Only Gemini's results are before the text of the same message.
        let last = results.last().filter(|_| !is_prompt || api != Api::Gemini);
        self.has_result |= last.is_some();
        self.last_result = last.map(|(id, content)| {
            (id.map(str::to_owned), content.and_then(|content| result_text(api, content)))
        });
    }

    /// Returns whether it fulfils a condition; `None` if that is none of aimock's.
    fn fulfils(&self, matcher: Matcher, wanted: Node<'_>) -> Option<bool> {
        let text = || wanted.as_str();
        let contains = |actual: Option<&str>| {
            Some(actual.is_some_and(|a| a.contains(text().unwrap_or_default())))
        };
        let equals = |actual: Option<&str>| Some(actual == text());
        match matcher {
            Matcher::UserMessage => contains(self.prompt.as_deref()),
            Matcher::SystemMessage => {
                let actual = &self.system;
                let mut parts = match wanted.kind() {
                    NodeKind::Array if wanted.is_empty() => return Some(true),
                    NodeKind::Array => wanted.items().collect(),
                    _ => vec![wanted],
                }
                .into_iter();
                let is_part = |part: Node<'_>| part.as_str().is_some_and(|p| actual.contains(p));
                Some(!actual.is_empty() && parts.all(is_part))
            }
            Matcher::ToolCallId => {
                equals(self.last_result.as_ref().and_then(|(id, _)| id.as_deref()))
            }
            Matcher::ToolResultContains => {
                contains(self.last_result.as_ref().and_then(|(_, text)| text.as_deref()))
            }
            Matcher::ToolName => Some(self.tools.iter().any(|name| Some(&**name) == text())),
            Matcher::Model => {
                let actual = self.model.as_deref().unwrap_or_default();
                let rest = actual.strip_prefix(text()?);
                let is_version = |rest: &str| {
                    rest.strip_prefix('-')
                        .is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
                };
                Some(rest.is_some_and(|rest| rest.is_empty() || is_version(rest)))
            }
            Matcher::ResponseFormat => equals(self.response_format.as_deref()),
            Matcher::HasToolResult => Some(wanted.as_bool() == Some(self.has_result)),
            Matcher::Endpoint => Some(text() == Some("chat")),
            Matcher::Context => equals(self.context.as_deref()),
            // Only requests for embeddings have it.
            Matcher::InputText => Some(false),
            _ => None,
        }
    }

    /// Returns a compared value, for a message.
    pub(super) fn shown(&self, matcher: Matcher) -> Option<String> {
        match matcher {
            Matcher::UserMessage => self.prompt.clone(),
            Matcher::SystemMessage => Some(self.system.clone()),
            Matcher::ToolCallId => self.last_result.as_ref()?.0.clone(),
            Matcher::ToolResultContains => self.last_result.as_ref()?.1.clone(),
            Matcher::ToolName => Some(self.tools.join(", ")),
            Matcher::Model => self.model.clone(),
            Matcher::ResponseFormat => self.response_format.clone(),
            Matcher::HasToolResult => Some(self.has_result.to_string()),
            Matcher::Endpoint => Some("chat".to_owned()),
            Matcher::Context => self.context.clone(),
            _ => None,
        }
    }
}

/// Returns the position of the fixture that answers, of those that match, by their turns: the last one that the conversation has reached,
/// else the first without a turn, else the earliest.
pub(super) fn chosen_turn(turns: &[Option<f64>], answers: usize) -> Option<usize> {
    let answers = answers as f64;
    let positions = || turns.iter().enumerate().filter_map(|(at, turn)| Some((at, (*turn)?)));
    // Of equal turns the first one.
    let past = positions().rev().filter(|(_, turn)| *turn <= answers);
    let reached = past.max_by(|(_, a), (_, b)| a.total_cmp(b));
    let without_turn = turns.iter().position(Option::is_none);
    match (reached, without_turn) {
        (Some((at, turn)), Some(first)) if turn == answers && first < at => Some(first),
        (Some((at, _)), _) => Some(at),
        (None, Some(first)) => Some(first),
        (None, None) => positions().min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at),
    }
}

/// Returns the texts of the messages of the system in a request for a chat completion.
fn system_text(root: Node<'_>) -> String {
    let messages = root.get("messages").into_iter().flat_map(Node::items);
    let is_system =
        |message: &Node<'_>| message.get("role").and_then(Node::as_str) == Some("system");
    let texts = messages.filter(is_system).filter_map(|m| joined_text(m.get("content")?));
    texts.collect::<Vec<_>>().join("\n")
}

/// Joins the texts of some content; `None` if it has none.
fn joined_text(content: Node<'_>) -> Option<String> {
    let is_text = |part: &Node<'_>| part.get("type").and_then(Node::as_str) == Some("text");
    let texts = content.items().filter(is_text).filter_map(|part| part.get("text")?.as_str());
    let texts: Vec<&str> = content.as_str().into_iter().chain(texts).collect();
    (!texts.is_empty()).then(|| texts.concat())
}

fn result_text(api: Api, content: Node<'_>) -> Option<String> {
    match api {
        Api::Gemini if content.as_str().is_none() => {
            Some(json::write(content, JsonLayout::Compact))
        }
        Api::AnthropicMessages => Some(joined_text(content).unwrap_or_default()),
        _ => joined_text(content),
    }
}
