//! The call of a tape.

use super::{CallDetail, ReadCall};
use crate::api::{
    Api, BlockContent, ContentBlock, MessageRole, ModelAnswer, ModelBlock, ModelRequest,
};
use crate::tape::content::{TapeEnd, split_content};
use crate::tape::playback::Utf8Chunks;
use document::call::{CallFacts, ModelCall};
use document::tape::{RequestShape, Tape};
use document::{Document, Node, text};

pub(super) fn call<'d>(document: &'d Document, tape: &Tape) -> Option<ModelCall<'d>> {
    let request = tape.request.map(|request| document.node(request));
    // Tapes are made by callers of Gemini's SDK, so that is the API of one without a request.
    let (api, request) = request.map_or((Api::Gemini, ModelRequest::default()), |request| {
        read_request(request, tape.request_shape)
    });
    let nanos: f64 = tape.chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    let read_call = ReadCall {
        node: document.tree.root()?,
        api,
        request,
        answer: Some(answer(document, tape)),
        facts: CallFacts {
            model: text(&tape.model).map(str::to_owned),
            started_at: text(&tape.recorded_at).map(str::to_owned),
            // A delay may be any number of JSON; their sum may overflow.
            duration_nanos: nanos.is_finite().then_some(nanos),
            ..CallFacts::default()
        },
    };
    read_call.convert(CallDetail::All)
}

/// Reads the request of a tape: in the shape of Gemini's SDK, as a history, or as it was sent.
pub(super) fn read_request(request: Node<'_>, shape: RequestShape) -> (Api, ModelRequest<'_>) {
    match shape {
        RequestShape::Contents => {
            let mut query = Api::Gemini.read_request(request.get("config").unwrap_or(request));
            let contents = request.get("contents").into_iter();
            query.push(MessageRole::User, contents.map(ModelBlock::read).collect());
            (Api::Gemini, query)
        }
        RequestShape::History => {
            let mut query = ModelRequest::default();
            let prompt = request.get("systemPrompt").and_then(Node::as_str);
            query.system.extend(prompt.map(str::to_owned));
            for event in request.get("history").into_iter().flat_map(Node::items) {
                let content = event.get("content").or_else(|| event.get("text"));
                query.push(MessageRole::of(event), ModelBlock::read_all(content));
            }
            // A history has no API. Recordings have Anthropic's blocks, so under its name the blocks are kept as they are.
            (Api::AnthropicMessages, query)
        }
        RequestShape::Other => {
            // The SDK takes system prompt and tools in `config`; only the body that it sends has them beside `contents`.
            let config = request.get("config").filter(|_| request.get("contents").is_some());
            let api = Api::of_request(request).unwrap_or(Api::Gemini);
            let mut query = api.read_request(request);
            if let Some(config) = config {
                let config_request = api.read_request(config);
                query.system.extend(config_request.system);
                query.tools.extend(config_request.tools);
            }
            (api, query)
        }
    }
}

fn answer(document: &Document, tape: &Tape) -> ModelAnswer<'static> {
    let utf8 = Utf8Chunks::new(document, tape);
    let chunks: Vec<_> = (0..tape.chunks.len()).map(|index| utf8.chunk(index)).collect();
    let mut answer = ModelAnswer::default();
    for block in split_content(&chunks, TapeEnd::Whole).into_iter().flatten() {
        match block {
            ContentBlock::Text(text) => answer.push_text(&text),
            // Each part has the whole call; a call that broke off has no last part.
            ContentBlock::Call(part) if part.is_last => {
                answer.push(BlockContent::ToolUse((*part.call).clone()));
            }
            ContentBlock::Call(_) => {}
        }
    }
    answer
}
