//! APIs that are read by translation: their requests, answers and streams have the content of one of [`Api`] by other names.
//!
//! A new one is a row of [`PROMPTS`] if a text or a message answers it, else an arm of the functions below.

use super::converse;
use crate::api::Api;
use crate::json::{Json, object};
use document::parts::{self, PartsForm};
use document::recorded::{event_value, own_value};
use document::shapes::{self, ApiShape};
use document::text::Source;
use document::{Node, NodeKind, Tree, json};

/// An API that is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect(ApiShape);

/// Where an API has a prompt, what completes it, and what is known of it. Of several places the first that there is counts; some are only
/// in the events of a stream.
struct Prompt {
    api: ApiShape,
    label: &'static str,
    prompt: &'static str,
    /// A text, or a message.
    content: &'static [&'static str],
    stop: &'static [&'static str],
    tokens: [&'static [&'static str]; 2],
}

const PROMPTS: [Prompt; 10] = [
    Prompt {
        api: ApiShape::Completions,
        label: "OpenAI completions",
        prompt: "/prompt",
        content: &["/choices/0/text"],
        stop: &["/choices/0/finish_reason"],
        tokens: [&["/usage/prompt_tokens"], &["/usage/completion_tokens"]],
    },
    Prompt {
        api: ApiShape::Titan,
        label: "Bedrock Titan",
        prompt: "/inputText",
        content: &["/results/0/outputText", "/outputText"],
        stop: &["/results/0/completionReason"],
        tokens: [&["/inputTextTokenCount"], &["/results/0/tokenCount"]],
    },
    Prompt {
        api: ApiShape::Llama,
        label: "Bedrock Llama",
        prompt: "/prompt",
        content: &["/generation"],
        stop: &["/stop_reason"],
        tokens: [&["/prompt_token_count"], &["/generation_token_count"]],
    },
    Prompt {
        api: ApiShape::Ai21,
        label: "Bedrock AI21",
        prompt: "/prompt",
        content: &["/completions/0/data/text"],
        stop: &["/completions/0/finishReason/reason"],
        tokens: [&[], &[]],
    },
    Prompt {
        api: ApiShape::MistralPrompt,
        label: "Bedrock Mistral",
        prompt: "/prompt",
        content: &["/outputs/0/text"],
        stop: &["/outputs/0/stop_reason"],
        tokens: [&[], &[]],
    },
    Prompt {
        api: ApiShape::CohereGenerate,
        label: "Cohere generate",
        prompt: "/prompt",
        content: &["/generations/0/text", "/text"],
        stop: &["/generations/0/finish_reason"],
        tokens: [&["/meta/billed_units/input_tokens"], &["/meta/billed_units/output_tokens"]],
    },
    Prompt {
        api: ApiShape::OllamaChat,
        label: "Ollama chat",
        prompt: "",
        content: &["/message"],
        stop: &["/done_reason"],
        tokens: [&["/prompt_eval_count"], &["/eval_count"]],
    },
    Prompt {
        api: ApiShape::OllamaGenerate,
        label: "Ollama generate",
        prompt: "/prompt",
        content: &["/response"],
        stop: &["/done_reason"],
        tokens: [&["/prompt_eval_count"], &["/eval_count"]],
    },
    Prompt {
        api: ApiShape::TextGeneration,
        label: "Hugging Face text generation",
        prompt: "/inputs",
        // The last event has the whole text as well.
        content: &["/token/text", "/generated_text", "/0/generated_text"],
        stop: &["/details/finish_reason"],
        tokens: [&[], &["/details/generated_tokens"]],
    },
    // A chat of the first version has one message, answered by a text.
    Prompt {
        api: ApiShape::CohereChat,
        label: "Cohere chat",
        prompt: "/message",
        content: &["/message", "/text", "/delta/message"],
        stop: &["/finish_reason", "/delta/finish_reason"],
        tokens: [
            &[
                "/usage/tokens/input_tokens",
                "/meta/tokens/input_tokens",
                "/delta/usage/tokens/input_tokens",
            ],
            &[
                "/usage/tokens/output_tokens",
                "/meta/tokens/output_tokens",
                "/delta/usage/tokens/output_tokens",
            ],
        ],
    },
];

impl Prompt {
    /// Writes an answer, or an event of a stream, as OpenAI does: with its content under `key`. `None` if it has none.
    fn chat(&self, key: &'static str, body: Node<'_>) -> Option<Json> {
        let first = |pointers: &[&str]| pointers.iter().find_map(|pointer| at(body, pointer));
        let (content, stop) = (first(self.content), first(self.stop));
        content.or(stop.filter(|_| key == DELTA))?;
        let message =
            content.map_or_else(|| object! {}, |content| message(content, body.get("index")));
        Some(chat(key, message, stop, self.tokens.map(first), body))
    }
}

/// The keys of the content in an answer, and in an event.
const MESSAGE: &str = "message";
const DELTA: &str = "delta";

impl Dialect {
    pub(super) const CONVERSE: Self = Self(ApiShape::Converse);

    /// Recognises an API that is translated, by its answer or else by its request. `stream_api` is the API of a streamed answer, if that
    /// is [known](untranslated_api) without reading it.
    pub(super) fn of(
        sent: Option<Node<'_>>,
        received: Option<Node<'_>>,
        stream_api: Option<ApiShape>,
    ) -> Option<Self> {
        let is_list = |node: &Node<'_>| node.kind() == NodeKind::Array;
        let first_event =
            |list: Node<'_>| list.items().find_map(|event| shapes::of_event(event_value(event)));
        let of_answer = received.and_then(|node| match node {
            list if is_list(&list) => {
                first_event(list).or_else(|| shapes::of_answer(list.items().next()?))
            }
            node => shapes::of_answer(own_value(node)).or_else(|| shapes::of_event(node)),
        });
        let of_request = || sent.and_then(shapes::of_request);
        let api = match stream_api.or(of_answer).or_else(of_request)? {
            // A stream of Converse was read as an answer of Anthropic before.
            ApiShape::Anthropic if of_request() == Some(ApiShape::Converse) => ApiShape::Converse,
            api => api,
        };
        let is_dump =
            |node: Node<'_>| node.get("config").is_some() || node.get("usage_metadata").is_some();
        match api {
            api if is_untranslated(api) => None,
            // Gemini's SDK writes its types in the names of Python, and puts settings and tools into `config`.
            ApiShape::Gemini => {
                let of_list = |node: Node<'_>| node.items().any(|item| is_dump(event_value(item)));
                let nodes = [sent, received].into_iter().flatten();
                nodes
                    .into_iter()
                    .any(|node| is_dump(own_value(node)) || of_list(node))
                    .then_some(Self(api))
            }
            api => Some(Self(api)),
        }
    }

    /// The API whose form the translation has.
    pub(super) fn api(self) -> Api {
        match self.0 {
            ApiShape::Converse => Api::AnthropicMessages,
            ApiShape::Gemini => Api::Gemini,
            _ => Api::OpenAiChat,
        }
    }

    /// The display name of the API.
    pub(super) fn label(self) -> &'static str {
        match self.0 {
            ApiShape::Converse => converse::LABEL,
            ApiShape::Gemini => "Gemini generateContent",
            ApiShape::Interactions => "Gemini interactions",
            _ => self.prompt().map_or("Unknown API", |row| row.label),
        }
    }

    fn prompt(self) -> Option<&'static Prompt> {
        PROMPTS.iter().find(|row| row.api == self.0)
    }

    /// Translates the body of a request.
    pub(super) fn request(self, body: Node<'_>) -> Option<String> {
        match self.0 {
            ApiShape::Converse => converse::request(body),
            ApiShape::Gemini => Some(gemini_request(body).into_string()),
            ApiShape::Interactions => Some(interaction_request(body).into_string()),
            _ if body.get("messages").is_some() => None,
            _ => {
                let prompt = at(body, self.prompt()?.prompt)?;
                let earlier =
                    body.get("chat_history").into_iter().flat_map(Node::items).map(|turn| {
                        let is_model = turn.get("role").and_then(Node::as_str) == Some("CHATBOT");
                        let role = if is_model { "assistant" } else { "user" };
                        object! { "role": role, "content": turn.get("message") }
                    });
                let messages: Vec<Json> =
                    earlier.chain([object! { "role": "user", "content": prompt }]).collect();
                let settings = ["model", "temperature", "max_tokens", "stream", "tools"];
                let settings =
                    settings.iter().filter_map(|key| Some((*key, body.get(key)?.into())));
                Some(Json::object(settings.chain([("messages", messages.into())])).into_string())
            }
        }
    }

    /// Translates a whole answer; `None` for an error.
    pub(super) fn answer(self, body: Node<'_>) -> Option<String> {
        let body = own_value(body);
        match self.0 {
            ApiShape::Converse => converse::answer(body),
            ApiShape::Gemini => Some(camel_case(body).into_string()),
            ApiShape::Interactions => Some(interaction_answer(body).into_string()),
            _ => Some(self.prompt()?.chat(MESSAGE, body)?.into_string()),
        }
    }

    /// Translates the events of a stream, to server-sent events or a whole answer.
    pub(super) fn stream<'t>(self, events: impl Iterator<Item = Node<'t>>) -> Option<Translated> {
        let events = events.map(event_value);
        if self.0 == ApiShape::Converse {
            let kinds = events.filter_map(|event| {
                let inner = event.items().next()?;
                Some((inner.key()?, inner))
            });
            return converse::streamed_answer(kinds).map(Translated::Whole);
        }
        let mut text = String::new();
        for event in events {
            if let Some(event) = self.event(event) {
                text += &format!("data: {}\n\n", event.as_str());
            }
        }
        (!text.is_empty()).then_some(Translated::Stream(text))
    }

    fn event(self, event: Node<'_>) -> Option<Json> {
        match self.0 {
            ApiShape::Gemini => Some(camel_case(event)),
            ApiShape::Interactions => {
                let text = object! { "content": at(event, "/delta/text")? };
                Some(chat(DELTA, text, None, [None, None], event))
            }
            _ => self.prompt()?.chat(DELTA, event),
        }
    }
}

/// Returns the display name of the API that alone has a path, for calls whose answer does not show it.
pub(super) fn label_of_path(path: &str) -> Option<&'static str> {
    match path {
        "/v2/chat" => Some("Cohere chat"),
        "/api/chat" => Some("Ollama chat"),
        "/api/generate" => Some("Ollama generate"),
        _ => None,
    }
}

/// An answer that was translated from a stream.
pub(super) enum Translated {
    Whole(String),
    Stream(String),
}

fn at<'t>(node: Node<'t>, pointer: &str) -> Option<Node<'t>> {
    let mut value = node;
    for key in pointer.split('/').skip(1) {
        value = match key.parse::<usize>() {
            Ok(index) if value.kind() == NodeKind::Array => value.items().nth(index)?,
            _ => value.get(key)?,
        };
    }
    (!pointer.is_empty()).then_some(value)
}

/// Returns a reason to stop as OpenAI names it.
fn stop_word(word: &str) -> &str {
    match word {
        "stop" | "COMPLETE" | "FINISH" | "FINISHED" | "endoftext" | "eos_token" | "end_turn"
        | "stop_sequence" | "STOP_SEQUENCE" => "stop",
        "length" | "LENGTH" | "MAX_TOKENS" | "max_tokens" => "length",
        "TOOL_CALL" | "tool_calls" => "tool_calls",
        word => word,
    }
}

/// Writes an answer or an event of a stream as OpenAI does, with its content under `key`.
fn chat(
    key: &'static str,
    content: Json,
    stop: Option<Node<'_>>,
    tokens: [Option<Node<'_>>; 2],
    body: Node<'_>,
) -> Json {
    let stop = stop.and_then(Node::as_str).map(stop_word);
    let choice =
        Json::object([("index", 0usize.into()), (key, content), ("finish_reason", stop.into())]);
    let usage = object! { "prompt_tokens": tokens[0], "completion_tokens": tokens[1] };
    object! { "id": body.get("id"), "model": body.get("model"), "choices": vec![choice], "usage": usage }
}

/// Writes a text or a message of a chat as OpenAI does: the arguments of calls as texts, the content as one. In an event, the only call
/// is no list, and has its number beside the message.
fn message(message: Node<'_>, number: Option<Node<'_>>) -> Json {
    if message.kind() != NodeKind::Object {
        return object! { "role": "assistant", "content": message };
    }
    let text = |part: Node<'_>| part.get("text").and_then(Node::as_str).map(str::to_owned);
    let content = message.get("content").map(|content| match content.kind() {
        NodeKind::Array => Json::from(content.items().filter_map(text).collect::<String>()),
        NodeKind::Object => Json::from(text(content)),
        _ => content.into(),
    });
    let call = |(index, call): (usize, Node<'_>)| {
        let function = call.get("function");
        let arguments = function.and_then(|function| function.get("arguments")).map(argument_text);
        let function =
            object! { "name": function.and_then(|f| f.get("name")), "arguments": arguments };
        let index = number.map_or_else(|| index.into(), Json::from);
        object! { "index": index, "id": call.get("id"), "type": "function", "function": function }
    };
    let calls: Vec<Json> = match message.get("tool_calls") {
        Some(one) if one.kind() == NodeKind::Object => vec![call((0, one))],
        list => list.into_iter().flat_map(Node::items).enumerate().map(call).collect(),
    };
    let mut members = vec![("role", Json::from("assistant")), ("content", content.into())];
    // Ollama and Cohere have what the model thought under these names.
    let thoughts = message.get("thinking").or(message.get("tool_plan"));
    members.extend(thoughts.map(|thoughts| ("reasoning_content", thoughts.into())));
    members.extend((!calls.is_empty()).then(|| ("tool_calls", calls.into())));
    Json::object(members)
}

/// Returns the arguments of a call as text, which some APIs have as values.
pub(super) fn argument_text(arguments: Node<'_>) -> String {
    arguments.as_str().map_or_else(|| json::text(arguments).into_owned(), str::to_owned)
}

/// Moves the settings of an SDK's request to where the API has them.
fn gemini_request(body: Node<'_>) -> Json {
    let config = body.get("config").into_iter().flat_map(Node::items);
    let members = body.items().filter(|item| item.key() != Some("config")).chain(config);
    let is_setting = |key: &str| {
        matches!(
            key,
            "temperature" | "topP" | "topK" | "maxOutputTokens" | "stopSequences" | "seed"
        )
    };
    let named = members.filter(|item| item.kind() != NodeKind::Null);
    let named: Vec<(String, Json)> = named
        .map(|item| {
            let key = camel(item.key().unwrap_or_default());
            let is_text = key == "systemInstruction" && item.as_str().is_some();
            let value = if is_text {
                object! { "parts": Json::from(vec![object! { "text": item }]) }
            } else {
                camel_case(item)
            };
            (key, value)
        })
        .collect();
    let (settings, mut named): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|(key, _)| is_setting(key));
    named.push(("generationConfig".to_owned(), Json::object(settings)));
    Json::object(named)
}

/// Writes a value with the names of Google's APIs in place of those of Python. What the user named stays.
fn camel_case(node: Node<'_>) -> Json {
    match node.kind() {
        NodeKind::Object => Json::object(node.items().map(|item| {
            let key = item.key().unwrap_or_default();
            let is_own = matches!(key, "args" | "response" | "properties");
            (camel(key), if is_own { item.into() } else { camel_case(item) })
        })),
        NodeKind::Array => node.items().map(camel_case).collect::<Vec<_>>().into(),
        _ => node.into(),
    }
}

fn camel(key: &str) -> String {
    let mut parts = key.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (head, tail) =
            part.split_at(part.len().min(part.chars().next().map_or(0, char::len_utf8)));
        name + &head.to_uppercase() + tail
    })
}

fn interaction_request(body: Node<'_>) -> Json {
    let messages: Vec<Json> = match body.get("input") {
        Some(input) if input.kind() == NodeKind::Array => input
            .items()
            .map(|item| {
                let role = match item.get("role").and_then(Node::as_str) {
                    Some("model") => "assistant",
                    _ => "user",
                };
                object! { "role": role, "content": item.get("content").or(item.get("text")) }
            })
            .collect(),
        input => vec![object! { "role": "user", "content": input }],
    };
    let model = body.get("model").or(body.get("agent"));
    object! { "model": model, "messages": messages, "tools": body.get("tools"), "stream": body.get("stream") }
}

fn interaction_answer(body: Node<'_>) -> Json {
    let outputs: Vec<Node<'_>> =
        ["outputs", "steps"].iter().filter_map(|key| body.get(key)).flat_map(Node::items).collect();
    let is_kind =
        |node: &Node<'_>, kind: &str| node.get("type").and_then(Node::as_str) == Some(kind);
    let texts = outputs
        .iter()
        .filter(|node| is_kind(node, "text"))
        .filter_map(|node| node.get("text")?.as_str());
    let calls = outputs.iter().filter(|node| is_kind(node, "function_call")).map(|call| {
        let arguments = call.get("arguments").map(|value| json::text(value).into_owned());
        let function = object! { "name": call.get("name"), "arguments": arguments };
        object! { "id": call.get("id"), "type": "function", "function": function }
    });
    let text = texts.collect::<Vec<_>>().concat();
    let calls: Vec<Json> = calls.collect();
    let mut members = vec![("role", Json::from("assistant")), ("content", text.into())];
    members.extend((!calls.is_empty()).then(|| ("tool_calls", calls.into())));
    let tokens = ["/usage/total_input_tokens", "/usage/total_output_tokens"];
    chat(MESSAGE, Json::object(members), None, tokens.map(|pointer| at(body, pointer)), body)
}

/// Returns whether the bodies of an API are read without a translation.
fn is_untranslated(api: ApiShape) -> bool {
    use ApiShape::{Anthropic, Chat, Embeddings, Responses};
    matches!(api, Anthropic | Chat | Embeddings | Responses)
}

/// Returns the events of a stream that is stored as lines of JSON or as server-sent events.
pub(super) fn events(text: &str) -> Option<Tree> {
    parts::parse(&Source::new(text), events_form(text))
}

/// Returns the API of a stream if its first known event shows that it is not translated. The events behind that one are not read, which
/// most streams would spend more time on than on anything else.
pub(super) fn untranslated_api(text: &str) -> Option<ApiShape> {
    let mut events = parts::values(text, events_form(text));
    let api = events.find_map(|event| shapes::of_event(event_value(event.root()?)));
    api.filter(|api| is_untranslated(*api))
}

fn events_form(text: &str) -> PartsForm {
    if text.trim_start().starts_with('{') { PartsForm::Lines } else { PartsForm::Events }
}
