//! Reads an answer that is one document, as the text of one chunk.

use crate::format::json::quote;
use crate::format::{Node, json};
use crate::ops::tape::javascript::stringify;
use crate::ops::tape::sse::Api;
use crate::text::Source;

/// The content of an answer.
#[derive(Debug, Default)]
pub(super) struct WholeAnswer {
    pub(super) model: Option<String>,
    /// The text; each tool call is a separate line, as in a tape of a stream.
    pub(super) text: String,
}

/// Parses an answer; `None` if it is not one of this API.
pub(super) fn read(api: Api, body: &str) -> Option<WholeAnswer> {
    let (tree, problems) = json::parse(&Source::new(body));
    let root = tree.root().filter(|_| problems.is_empty())?;
    let mut answer = WholeAnswer::default();
    let model = root.get("model").or(root.get("modelVersion"));
    answer.model = model.and_then(Node::as_str).map(str::to_owned);
    match api {
        Api::AnthropicMessages => answer.push_blocks(root.get("content")?),
        Api::OpenAiChat => {
            answer.push_message(root.get("choices")?.items().next()?.get("message")?);
        }
        Api::OpenAiResponses => answer.push_items(root.get("output")?),
        Api::Gemini => answer.push_parts(root.get("candidates")?),
    }
    Some(answer)
}

impl WholeAnswer {
    fn push_text(&mut self, text: Option<Node<'_>>) {
        self.text += text.and_then(Node::as_str).unwrap_or_default();
    }

    fn push_call(&mut self, id: Option<Node<'_>>, name: Option<Node<'_>>, input: &str) {
        let lead = if self.text.is_empty() { "" } else { "\n" };
        let id = id
            .and_then(Node::as_str)
            .map(|id| format!("\"id\":{},", quote(id)));
        let name = quote(name.and_then(Node::as_str).unwrap_or_default());
        self.text += &format!(
            "{lead}{{\"type\":\"tool_use\",{}\"name\":{name},\"input\":{input}}}",
            id.unwrap_or_default()
        );
    }

    fn push_blocks(&mut self, content: Node<'_>) {
        for block in content.items() {
            match block.get("type").and_then(Node::as_str) {
                Some("text") => self.push_text(block.get("text")),
                Some("tool_use") => {
                    let input = block
                        .get("input")
                        .map_or_else(|| "{}".to_owned(), stringify);
                    self.push_call(block.get("id"), block.get("name"), &input);
                }
                _ => {}
            }
        }
    }

    fn push_message(&mut self, message: Node<'_>) {
        self.push_text(message.get("content"));
        self.push_text(message.get("refusal"));
        for call in message.get("tool_calls").into_iter().flat_map(Node::items) {
            let function = call.get("function");
            let get = |key| function.and_then(|function| function.get(key));
            self.push_call(call.get("id"), get("name"), &parsed(get("arguments")));
        }
    }

    fn push_items(&mut self, output: Node<'_>) {
        for item in output.items() {
            match item.get("type").and_then(Node::as_str) {
                Some("message") => {
                    for part in item.get("content").into_iter().flat_map(Node::items) {
                        self.push_text(part.get("text").or(part.get("refusal")));
                    }
                }
                Some("function_call") => {
                    let input = parsed(item.get("arguments"));
                    self.push_call(item.get("call_id"), item.get("name"), &input);
                }
                _ => {}
            }
        }
    }

    fn push_parts(&mut self, candidates: Node<'_>) {
        let content = candidates
            .items()
            .next()
            .and_then(|it| it.get("content")?.get("parts"));
        for part in content.into_iter().flat_map(Node::items) {
            let is_thought = part.get("thought").and_then(Node::as_bool) == Some(true);
            match part.get("functionCall") {
                Some(call) => {
                    let input = call.get("args").map_or_else(|| "{}".to_owned(), stringify);
                    self.push_call(call.get("id"), call.get("name"), &input);
                }
                None if !is_thought => self.push_text(part.get("text")),
                None => {}
            }
        }
    }
}

/// Parses arguments that are JSON inside a string.
fn parsed(arguments: Option<Node<'_>>) -> String {
    let text = arguments.and_then(Node::as_str).unwrap_or("{}");
    let (tree, problems) = json::parse(&Source::new(text));
    let input = tree.root().filter(|_| problems.is_empty());
    input.map_or_else(|| quote(text), stringify)
}
