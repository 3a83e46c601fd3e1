//! The content of an answer, independent of the API.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::event_lines::{SseReader, lines};
use super::request::{empty_input, joined_text};
use super::stream::TokenKeys;
use super::{AnswerStop, BlockContent, ModelBlock, StopReason, StreamEvent, ToolCall, read_event};
use document::text::Source;
use document::{Node, json};

/// An answer of a model, read from a document or put together from the events of a stream.
#[derive(Clone, Debug, Default)]
pub struct ModelAnswer<'t> {
    pub id: Option<String>,
    /// The model that answered, if the answer names it.
    pub model: Option<String>,
    pub blocks: Vec<ModelBlock<'t>>,
    /// Reason why it ends, if that is known.
    pub stop: Option<AnswerStop>,
    /// The same in the word of its API, also if its meaning is unknown.
    pub stop_word: Option<String>,
    /// Number of tokens of the request with those of a cache, if known.
    pub input_tokens: Option<u64>,
    /// Number of tokens of the answer with its reasoning, if known.
    pub output_tokens: Option<u64>,
}

impl<'t> ModelAnswer<'t> {
    /// Reads the id and the model, and the numbers of tokens in `usage`.
    pub(super) fn new(body: Node<'t>, usage: Option<Node<'_>>, tokens: &TokenKeys) -> Self {
        let mut builder = AnswerBuilder::default();
        builder.push_event(StreamEvent::head(body));
        builder.push_event(StreamEvent::tokens(usage, tokens));
        builder.answer
    }

    /// Adds why it ends.
    pub(super) fn with_stop(mut self, reason: Option<StopReason<'_>>) -> Self {
        self.set_stop(reason);
        self.checked_stop()
    }

    fn set_stop(&mut self, reason: Option<StopReason<'_>>) {
        self.stop = reason.and_then(|reason| reason.stop);
        self.stop_word = reason.map(|reason| reason.word.to_owned());
    }

    /// Adds that it waits for tool results, which not every API says.
    fn checked_stop(mut self) -> Self {
        let is_call = |block: &ModelBlock<'_>| matches!(block.content, BlockContent::ToolUse(_));
        if self.stop == Some(AnswerStop::End) && self.blocks.iter().any(is_call) {
            self.stop = Some(AnswerStop::Tools);
        }
        self
    }

    pub(crate) fn push(&mut self, content: BlockContent<'t>) {
        self.blocks.push(ModelBlock::without_node(content));
    }

    /// Adds text to the last block if it is one.
    pub(crate) fn push_text(&mut self, text: &str) {
        match self.blocks.last_mut().map(|block| &mut block.content) {
            Some(BlockContent::Text(block_text)) => block_text.to_mut().push_str(text),
            _ => self.push(BlockContent::Text(Cow::Owned(text.to_owned()))),
        }
    }

    /// Returns the texts of the answer, joined with line feeds, if there are any.
    pub fn text(&self) -> Option<String> {
        joined_text(&self.blocks)
    }

    /// Returns the tool calls of the answer.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match &block.content {
            BlockContent::ToolUse(call) => Some(call),
            _ => None,
        })
    }
}

impl ModelAnswer<'static> {
    /// Reads a stream: server-sent events, or one JSON list of them. `None` if no API is recognised. What a stream
    /// that breaks off has of a tool call is left out.
    pub fn from_stream(text: &str) -> Option<Self> {
        let mut builder = AnswerBuilder::default();
        let mut api = None;
        let mut push_node = |event: Node<'_>| {
            read_event(&mut api, event).into_iter().for_each(|event| builder.push_event(event));
        };
        // Gemini sends a list where the client did not request `alt=sse`.
        if text.trim_start().starts_with('[') {
            let (tree, _) = json::parse(&Source::new(text));
            tree.root()?.items().for_each(&mut push_node);
        } else {
            let mut reader = SseReader::default();
            lines(text).for_each(|line| reader.line(line, None));
            for event in reader.finish() {
                let (tree, _) = json::parse(&Source::new(event.data));
                tree.root().into_iter().for_each(&mut push_node);
            }
        }
        api.map(|_| builder.answer.checked_stop())
    }
}

/// Puts an answer together from events.
#[derive(Default)]
struct AnswerBuilder {
    answer: ModelAnswer<'static>,
    /// Tool calls that are not complete, by their index.
    calls: BTreeMap<u64, ToolCall>,
}

impl AnswerBuilder {
    fn push_event(&mut self, event: StreamEvent<'_>) {
        let owned_text = |text: Option<&str>| text.map(str::to_owned);
        let answer = &mut self.answer;
        match event {
            StreamEvent::Head { id, model, .. } => {
                answer.id = answer.id.take().or_else(|| owned_text(id));
                answer.model = answer.model.take().or_else(|| owned_text(model));
            }
            StreamEvent::Text(text) => {
                let text = text.and_then(Node::as_str);
                text.into_iter().for_each(|text| answer.push_text(text));
            }
            StreamEvent::Reasoning(text) => {
                let text = text.and_then(Node::as_str).unwrap_or_default();
                match self.answer.blocks.last_mut().map(|block| &mut block.content) {
                    Some(BlockContent::Reasoning(block_text)) => block_text.to_mut().push_str(text),
                    _ => self.answer.push(BlockContent::Reasoning(Cow::Owned(text.to_owned()))),
                }
            }
            StreamEvent::CallStart { index, id, name } => {
                let call = self.calls.entry(index).or_default();
                call.id = call.id.take().or_else(|| owned_text(id));
                if call.name.is_empty() {
                    name.unwrap_or_default().clone_into(&mut call.name);
                }
            }
            StreamEvent::CallInput { index, json } => {
                let call = self.calls.entry(index).or_default();
                call.input += json.and_then(Node::as_str).unwrap_or_default();
            }
            StreamEvent::CallEnd { index } => {
                let call = self.calls.remove(&index);
                call.into_iter().for_each(|call| self.call(call));
            }
            StreamEvent::Call { index, call } => {
                index.and_then(|index| self.calls.remove(&index));
                self.call(call);
            }
            StreamEvent::CallsEnd => {
                std::mem::take(&mut self.calls).into_values().for_each(|call| self.call(call));
            }
            StreamEvent::Tokens { input, output } => {
                // A later event may leave out what was cached.
                answer.input_tokens = input.max(answer.input_tokens);
                // Anthropic's count grows with the events, so the last one is that of the whole answer.
                answer.output_tokens = output.or(answer.output_tokens);
            }
            StreamEvent::Stop(reason) => answer.set_stop(Some(reason)),
            StreamEvent::Other(_)
            | StreamEvent::Note(_)
            | StreamEvent::Error(_)
            | StreamEvent::End => {}
        }
    }

    /// Adds a tool call, unless the server runs the tool itself: then nothing waits for its result.
    fn call(&mut self, mut call: ToolCall) {
        if call.name.is_empty() || call.is_server_call() {
            return;
        }
        // Streams send an empty text, or none, for an input without members; that is not JSON.
        if call.input.trim().is_empty() {
            call.input = empty_input();
        }
        self.answer.push(BlockContent::ToolUse(call));
    }
}
