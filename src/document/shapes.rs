//! The shapes of requests and answers in the APIs of models: what sets them apart from other values, whatever file holds them.
//!
//! A new API is a row of the table below, by which it is recognised everywhere, and a file of `calls/api/`, by which it is read.

pub use super::found_calls::ApiShape;
use super::members::{has, has_all, has_any, list};
use super::tree::{Node, NodeKind};

/// What shows an API.
struct Shape {
    api: ApiShape,
    request: fn(Node<'_>) -> bool,
    answer: fn(Node<'_>) -> bool,
    /// An event of a streamed answer.
    event: fn(Node<'_>) -> bool,
    /// The marks that suffice for what is known to be a request, and to be an answer or an event.
    known: [fn(Node<'_>) -> bool; 2],
}

const NEVER: fn(Node<'_>) -> bool = |_| false;

/// The first row that fits counts, so APIs with fewer marks come after those that have the same ones and more.
const SHAPES: [Shape; 17] = [
    Shape {
        api: ApiShape::Gemini,
        request: |node| objects(node, "contents").any(|content| is_list(content, "parts")),
        answer: |node| {
            is_gemini_answer(node)
                || has(node, "usageMetadata")
                    && has_any(node, &["modelVersion", "promptFeedback", "responseId"])
        },
        event: is_gemini_answer,
        known: [
            |node| has(node, "contents"),
            |node| has_any(node, &["candidates", "promptFeedback", "usageMetadata"]),
        ],
    },
    Shape {
        api: ApiShape::Converse,
        request: |node| {
            has_any(node, &["inferenceConfig", "toolConfig", "modelId", "schemaVersion"])
                && has_untyped_blocks(node)
        },
        answer: |node| {
            let message = node.get("output").and_then(|output| output.get("message"));
            message.is_some_and(|message| is_list(message, "content"))
                && has_any(node, &["stopReason", "usage"])
        },
        event: |node| {
            let kinds = [
                "messageStart",
                "contentBlockStart",
                "contentBlockDelta",
                "contentBlockStop",
                "messageStop",
            ];
            has_any(node, &kinds) || word(node, "bytes").is_some_and(|text| text.starts_with("eyJ"))
        },
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::Anthropic,
        request: |node| {
            messages(node).next().is_some()
                && (has(node, "anthropic_version")
                    || has_all(node, &["max_tokens", "system", "model"]))
        },
        answer: |node| {
            word(node, "type") == Some("message") && is_list(node, "content") && has(node, "role")
        },
        event: |node| {
            let kind = word(node, "type").unwrap_or_default();
            let starts = ["message_start", "message_delta", "message_stop", "content_block_"];
            // A `ping` is sent by others, too.
            starts.iter().any(|start| kind.starts_with(start))
        },
        known: [
            |node| has(node, "messages") && has_any(node, &["anthropic_version", "system"]),
            |node| {
                let kind = word(node, "type").unwrap_or_default();
                kind == "message"
                    || kind.starts_with("message_")
                    || kind.starts_with("content_block_")
            },
        ],
    },
    Shape {
        api: ApiShape::OllamaChat,
        request: NEVER,
        answer: is_ollama_message,
        event: is_ollama_message,
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::OllamaGenerate,
        request: NEVER,
        answer: |node| word(node, "response").is_some() && has_all(node, &["done", "model"]),
        event: |node| word(node, "response").is_some() && has_all(node, &["done", "model"]),
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::CohereChat,
        request: |node| word(node, "message").is_some() && is_list(node, "chat_history"),
        answer: |node| {
            node.get("message").is_some_and(|message| {
                is_list(message, "content") || is_list(message, "tool_calls")
            }) && has(node, "finish_reason")
                || word(node, "text").is_some() && has(node, "generation_id")
        },
        event: |node| {
            let kinds = [
                "message-start",
                "content-start",
                "content-delta",
                "content-end",
                "tool-call-start",
                "message-end",
            ];
            word(node, "type").is_some_and(|kind| kinds.contains(&kind))
                || word(node, "event_type").is_some_and(|kind| {
                    matches!(kind, "text-generation" | "stream-start" | "stream-end")
                })
        },
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::Llama,
        request: |node| word(node, "prompt").is_some() && has(node, "max_gen_len"),
        answer: |node| {
            word(node, "generation").is_some()
                && has_any(node, &["prompt_token_count", "generation_token_count"])
        },
        event: |node| word(node, "generation").is_some() && has(node, "generation_token_count"),
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::Titan,
        request: |node| word(node, "inputText").is_some() && has(node, "textGenerationConfig"),
        answer: |node| {
            let is_output = |result| {
                word(result, "outputText").is_some()
                    && (has_any(result, &["tokenCount", "completionReason"])
                        || has(node, "inputTextTokenCount"))
            };
            objects(node, "results").any(is_output)
        },
        event: |node| word(node, "outputText").is_some() && has(node, "index"),
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::Ai21,
        request: |node| word(node, "prompt").is_some() && has(node, "maxTokens"),
        answer: |node| {
            objects(node, "completions")
                .any(|one| one.get("data").is_some_and(|data| has(data, "text")))
        },
        event: NEVER,
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::CohereGenerate,
        request: NEVER,
        answer: |node| objects(node, "generations").any(|one| word(one, "text").is_some()),
        event: NEVER,
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::MistralPrompt,
        request: NEVER,
        answer: |node| {
            objects(node, "outputs")
                .any(|one| word(one, "text").is_some() && has(one, "stop_reason"))
        },
        event: |node| {
            objects(node, "outputs")
                .any(|one| word(one, "text").is_some() && has(one, "stop_reason"))
        },
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::Interactions,
        request: |node| has(node, "input") && has(node, "agent"),
        answer: |node| word(node, "object") == Some("interaction"),
        event: |node| {
            let kind = word(node, "event_type").unwrap_or_default();
            ["interaction.", "content.", "step."].iter().any(|start| kind.starts_with(start))
        },
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::Responses,
        request: is_responses_request,
        answer: |node| word(node, "object") == Some("response") && is_list(node, "output"),
        event: |node| word(node, "type").is_some_and(|kind| kind.starts_with("response.")),
        known: [
            |node| has(node, "input") && !has(node, "messages"),
            |node| {
                word(node, "type").is_some_and(|kind| kind.starts_with("response."))
                    || word(node, "object") == Some("response")
            },
        ],
    },
    Shape {
        api: ApiShape::Chat,
        request: |node| {
            let settings = [
                "model",
                "max_tokens",
                "max_completion_tokens",
                "temperature",
                "stream",
                "modelId",
            ];
            messages(node).next().is_some() && has_any(node, &settings)
        },
        answer: |node| {
            objects(node, "choices").any(|choice| choice.get("message").is_some_and(is_object))
        },
        event: |node| {
            let is_chunk = word(node, "object").is_some_and(|object| object.ends_with(".chunk"));
            is_chunk && is_list(node, "choices")
                || objects(node, "choices").any(|choice| has(choice, "delta"))
        },
        known: [|node| has(node, "messages"), |node| has(node, "choices")],
    },
    Shape {
        api: ApiShape::Completions,
        request: |node| has_all(node, &["prompt", "model"]) && !has(node, "messages"),
        answer: is_completion,
        event: is_completion,
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::TextGeneration,
        request: |node| word(node, "inputs").is_some() && has(node, "parameters"),
        answer: |node| word(node, "generated_text").is_some(),
        event: |node| node.get("token").is_some_and(|token| word(token, "text").is_some()),
        known: [NEVER, NEVER],
    },
    Shape {
        api: ApiShape::Embeddings,
        request: |node| {
            let settings = ["encoding_format", "dimensions", "input_type", "embedding_types"];
            let is_named = || word(node, "model").is_some_and(|model| model.contains("embed"));
            has_all(node, &["input", "model"]) && (has_any(node, &settings) || is_named())
        },
        answer: |node| {
            let is_container = |key| node.get(key).is_some_and(|value| !value.is_empty());
            objects(node, "data").take(1).any(|item| has(item, "embedding"))
                || is_container("embedding")
                || is_container("embeddings")
        },
        event: NEVER,
        known: [NEVER, NEVER],
    },
];

/// Requests whose API only their answer shows.
fn is_vague_request(node: Node<'_>) -> bool {
    has_all(node, &["input", "model"])
        || ["prompt", "message", "inputText", "inputs"].iter().any(|key| word(node, key).is_some())
            && node.len() <= 20
            && has_any(
                node,
                &["max_tokens", "temperature", "model", "stream", "parameters", "maxTokens"],
            )
}

/// Returns the API of a request.
pub fn of_request(node: Node<'_>) -> Option<ApiShape> {
    is_object(node)
        .then(|| SHAPES.iter().find(|shape| (shape.request)(node)))?
        .map(|shape| shape.api)
}

/// Returns whether a value may be a request: one of a known shape, or one whose API its answer shows.
pub(super) fn may_be_request(node: Node<'_>) -> bool {
    is_object(node) && (of_request(node).is_some() || is_vague_request(node))
}

/// Returns the API of a whole answer.
pub fn of_answer(node: Node<'_>) -> Option<ApiShape> {
    is_object(node)
        .then(|| SHAPES.iter().find(|shape| (shape.answer)(node)))?
        .map(|shape| shape.api)
}

/// Returns the API of an event of a streamed answer.
pub fn of_event(node: Node<'_>) -> Option<ApiShape> {
    is_object(node).then(|| SHAPES.iter().find(|shape| (shape.event)(node)))?.map(|shape| shape.api)
}

/// Returns the API of what is known to be the body of a request.
pub fn of_known_request(node: Node<'_>) -> Option<ApiShape> {
    SHAPES.iter().find(|shape| (shape.known[0])(node)).map(|shape| shape.api)
}

/// Returns the API of what is known to be an answer, or an event of one.
pub fn of_known_answer(node: Node<'_>) -> Option<ApiShape> {
    SHAPES.iter().find(|shape| (shape.known[1])(node)).map(|shape| shape.api)
}

/// Returns whether the blocks of a conversation have names in place of types, as those of Converse.
pub fn has_untyped_blocks(request: Node<'_>) -> bool {
    let names = ["text", "toolUse", "toolResult", "image", "document", "video"];
    // Anthropic's blocks may have a `text`, but always a type.
    let is_untyped = |block: Node<'_>| !has(block, "type") && has_any(block, &names);
    objects(request, "messages").any(|message| objects(message, "content").any(is_untyped))
}

/// Returns whether a value says that an answer ends with it.
pub(super) fn is_end(node: Node<'_>) -> bool {
    let is_given = |node: Node<'_>, key: &str| {
        node.get(key).is_some_and(|value| value.kind() != NodeKind::Null)
    };
    let ends = |list: &str, key: &str| objects(node, list).any(|item| is_given(item, key));
    node.get("done").and_then(Node::as_bool) == Some(true)
        || is_given(node, "stop_reason")
        || ends("choices", "finish_reason")
        || ends("candidates", "finishReason")
        || ends("candidates", "finish_reason")
        || ends("outputs", "stop_reason")
}

/// Returns whether a value has the messages of a conversation.
pub(super) fn has_messages(node: Node<'_>) -> bool {
    is_object(node) && messages(node).next().is_some()
}

/// Returns whether a value is an error as only an API of models reports it.
pub(super) fn is_error_of_api(node: Node<'_>) -> bool {
    let error = node.get("error").filter(|error| word(*error, "message").is_some());
    is_object(node)
        && error.is_some_and(|error| has_any(error, &["type", "status"]))
        // An object with more is the record of an error.
        && node.items().all(|item| matches!(item.key(), Some("error" | "type" | "request_id")))
}

/// Returns whether a value is an error that an API reports in place of an answer.
pub(super) fn is_error(node: Node<'_>) -> bool {
    let says = |error: Node<'_>| word(error, "message").is_some();
    node.get("error").is_some_and(|error| says(error) || error.as_str().is_some())
        || node.len() <= 4 && has_any(node, &["message", "detail"])
}

fn is_gemini_answer(node: Node<'_>) -> bool {
    objects(node, "candidates").any(|one| {
        // Candidates of a search or an election have contents as well.
        one.get("content").is_some_and(|content| has_any(content, &["parts", "role"]))
            || has_any(one, &["finishReason", "finish_reason"])
    })
}

fn is_ollama_message(node: Node<'_>) -> bool {
    has(node, "done")
        && node.get("message").is_some_and(|message| is_object(message) && has(message, "role"))
}

/// Returns whether a value has completions of a prompt; the choices of a survey or a game have texts, too.
fn is_completion(node: Node<'_>) -> bool {
    let is_completion = |choice| {
        word(choice, "text").is_some() && has_any(choice, &["finish_reason", "index", "logprobs"])
    };
    word(node, "object") == Some("text_completion") || objects(node, "choices").any(is_completion)
}

/// Returns whether a body with `model` and `input` is one of OpenAI's responses. Embeddings, moderations and speech have these, too.
pub fn is_responses_request(node: Node<'_>) -> bool {
    // Settings of a conversation that embeddings, moderations and speech do not have.
    const SETTINGS: [&str; 8] = [
        "instructions",
        "max_output_tokens",
        "previous_response_id",
        "reasoning",
        "store",
        "stream",
        "text",
        "tools",
    ];
    let is_item = |item: Node<'_>| {
        // The types are `function_call`, `web_search_call` and others, and those of their outputs.
        let kind = word(item, "type").unwrap_or_default();
        has(item, "role") || kind.contains("_call") || kind == "item_reference"
    };
    let Some(input) = node.get("input").filter(|_| has(node, "model")) else { return false };
    objects(node, "input").any(is_item)
        || input.kind() != NodeKind::Object
            && SETTINGS.iter().any(|key| has(node, key))
            // Speech has instructions for its voice.
            && !has(node, "voice")
}

pub(super) fn is_object(node: Node<'_>) -> bool {
    node.kind() == NodeKind::Object
}

fn is_list(node: Node<'_>, key: &str) -> bool {
    list(node, key).is_some()
}

/// Returns the objects in a member that is a list.
fn objects<'t>(node: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> {
    list(node, key).into_iter().flat_map(Node::items).filter(|item| is_object(*item))
}

/// Returns the messages of a conversation.
fn messages(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    objects(node, "messages").filter(|message| word(*message, "role").is_some())
}

fn word<'t>(node: Node<'t>, key: &str) -> Option<&'t str> {
    node.get(key).and_then(Node::as_str)
}
