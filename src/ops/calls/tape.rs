//! The call of a tape.

use super::{CallDetail, ReadCall};
use crate::format::call::{CallFacts, ModelCall};
use crate::format::tape::{RequestShape, Tape};
use crate::format::{Document, DocumentBody, Node, text};
use crate::ops::api::{
    Api, BlockContent, ContentBlock, MessageRole, ModelAnswer, ModelBlock, ModelRequest,
};
use crate::ops::diff::recordings::TimeFigure;
use crate::ops::tape::content::{TapeEnd, split_content};
use crate::ops::tape::playback::Utf8Chunks;
use crate::ops::tape::timing::{Gaps, Stats, format_duration};

pub(super) fn call<'d>(document: &'d Document, tape: &Tape) -> Option<ModelCall<'d>> {
    let request = tape.request.map(|request| document.node(request));
    let (api, request) = request.map_or((Api::Gemini, ModelRequest::default()), |request| {
        read_request(request, tape.request_shape)
    });
    let nanos: f64 = tape.chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    let read = ReadCall {
        node: document.tree.root()?,
        api,
        request,
        answer: Some(answer(document, tape)),
        facts: CallFacts {
            model: text(&tape.model).map(str::to_owned),
            started_at: text(&tape.recorded_at).map(str::to_owned),
            duration_nanos: nanos.is_finite().then_some(nanos),
            ..CallFacts::default()
        },
    };
    read.convert(CallDetail::All)
}

/// Reads the request of a tape: in the shape of Gemini's SDK, as a history, or as it was sent.
pub(super) fn read_request(request: Node<'_>, shape: RequestShape) -> (Api, ModelRequest<'_>) {
    match shape {
        RequestShape::Contents => {
            let mut read = Api::Gemini.read_request(request.get("config").unwrap_or(request));
            let contents = request.get("contents").into_iter();
            read.push(MessageRole::User, contents.map(ModelBlock::read).collect());
            (Api::Gemini, read)
        }
        RequestShape::History => {
            let mut read = ModelRequest::default();
            let prompt = request.get("systemPrompt").and_then(Node::as_str);
            read.system.extend(prompt.map(str::to_owned));
            for event in request.get("history").into_iter().flat_map(Node::items) {
                let content = event.get("content").or_else(|| event.get("text"));
                read.push(MessageRole::of(event), ModelBlock::read_all(content));
            }
            (Api::AnthropicMessages, read)
        }
        RequestShape::Other => {
            let config = request.get("config").filter(|_| request.get("contents").is_some());
            let api = Api::of_request(request).unwrap_or(Api::Gemini);
            let mut read = api.read_request(request);
            if let Some(config) = config {
                let configured = api.read_request(config);
                read.system.extend(configured.system);
                read.tools.extend(configured.tools);
            }
            (api, read)
        }
    }
}

/// Returns the figures in which the times of two tapes are compared; `None` if the document is not a tape.
pub(super) fn times(document: &Document) -> Option<Vec<TimeFigure>> {
    let DocumentBody::Tape(tape) = &document.body else { return None };
    let figure = |name, nanos, pointer| TimeFigure { name, time: format_duration(nanos), pointer };
    let of_chunk = |name, nanos, at: usize| {
        let chunk = &tape.chunks[at];
        figure(name, nanos, document.node(chunk.delay.unwrap_or(chunk.node)).pointer())
    };
    let stats = Stats::from_tape(tape);
    let first = stats.first_nanos.map(|nanos| of_chunk("First chunk after", nanos, 0));
    let longest = |gaps: Gaps| of_chunk("Longest gap", gaps.longest_nanos, gaps.longest_at);
    let total = figure("Total time", stats.total_nanos, "/stream".to_owned());
    Some(first.into_iter().chain(stats.gaps.map(longest)).chain([total]).collect())
}

fn answer(document: &Document, tape: &Tape) -> ModelAnswer<'static> {
    let utf8 = Utf8Chunks::new(document, tape);
    let chunks: Vec<_> = (0..tape.chunks.len()).map(|index| utf8.chunk(index)).collect();
    let mut answer = ModelAnswer::default();
    for block in split_content(&chunks, TapeEnd::Whole).into_iter().flatten() {
        match block {
            ContentBlock::Text(text) => answer.push_text(&text),
            ContentBlock::Call(part) if part.is_last => {
                answer.push(BlockContent::ToolUse((*part.call).clone()));
            }
            ContentBlock::Call(_) => {}
        }
    }
    answer
}
