//! Writes requests as the SDKs of the APIs send them: what all APIs have in common.

use std::collections::BTreeMap;

use super::request::{input_text, texts};
use super::{Api, BlockContent, ModelBlock, ModelRequest, ModelTool, ToolCall};
use crate::json::{Json, object};
use document::json::quote;
use document::text::Source;
use document::{Node, NodeKind, json};

impl Api {
    /// Writes the body of a request as the SDK of the API sends it.
    pub fn write_request(self, request: &ModelRequest<'_>, is_stream: bool) -> String {
        self.known().write_request(request, is_stream).into_string()
    }

    /// Returns the address to which the SDK of the API sends a request.
    pub fn address(self, model: &str, is_stream: bool) -> String {
        self.known().address(model, is_stream)
    }
}

impl<'t> ModelRequest<'t> {
    /// Reads the request of a recording, which has the blocks of Anthropic's API, and adds what recordings do not hold.
    pub fn of_recording(
        request: Node<'t>,
        model: &'t str,
        parameters: Vec<(&'static str, Node<'t>)>,
    ) -> Self {
        let system = request.get("systemPrompt").map(texts).filter(|text| !text.is_empty());
        Self {
            model: Some(model),
            system: system.into_iter().collect(),
            parameters,
            ..Api::AnthropicMessages.read_request(request)
        }
    }
}

/// Returns `stream`, which SDKs send only for a stream.
pub(super) fn stream(is_stream: bool) -> Option<(&'static str, Json)> {
    is_stream.then(|| ("stream", true.into()))
}

/// Returns the settings of a request and its tools as members of a body, in the order of their names, as OpenAI's and Anthropic's SDKs
/// send them.
pub(super) fn settings(
    request: &ModelRequest<'_>,
    table: &[(&'static str, &'static str)],
    tools: Vec<Json>,
) -> Vec<(&'static str, Json)> {
    let mut values: BTreeMap<&str, Vec<(&str, Json)>> = BTreeMap::new();
    for (name, value) in &request.parameters {
        // The first of several names that an API has for a setting.
        let Some((_, path)) = table.iter().find(|(known, _)| known == name) else { continue };
        let (key, inner) = path.split_once('/').unwrap_or((path, ""));
        values.entry(key).or_default().push((inner, Json::raw(input_text(*value))));
    }
    if !tools.is_empty() {
        values.insert("tools", vec![("", tools.into())]);
    }
    let member = |(key, mut values): (_, Vec<(&str, Json)>)| match values.pop() {
        Some(("", value)) => (key, value),
        last => (key, Json::object(values.into_iter().chain(last))),
    };
    values.into_iter().map(member).collect()
}

/// Writes name, description and schema of a tool.
pub(super) fn tool_members(
    tool: &ModelTool<'_>,
    schema: &'static str,
) -> Vec<(&'static str, Json)> {
    let json = |node: Node<'_>| Json::raw(input_text(node));
    let description = tool.description.filter(|node| node.as_str() != Some(""));
    [("name", tool.name), ("description", description), (schema, tool.schema)]
        .into_iter()
        .filter_map(|(key, node)| Some((key, json(node?))))
        .collect()
}

/// Writes blocks that are neither calls nor results: a single text as a plain string, else a list in which texts have this type. What is
/// no text is written as the source has it.
pub(super) fn content<'b, 't>(blocks: &'b [ModelBlock<'t>], text_type: &str) -> Option<Json> {
    let part = |block: &'b ModelBlock<'t>| match &block.content {
        BlockContent::Text(text) => Some((Some(text), None)),
        BlockContent::Image | BlockContent::Other => Some((None, block.node)),
        _ => None,
    };
    let parts: Vec<_> = blocks.iter().filter_map(part).collect();
    match &parts[..] {
        [] => None,
        [(Some(text), _)] => Some(Json::from(&***text)),
        parts => {
            let parts = parts.iter().map(|(text, node)| match text {
                Some(text) => object! { "type": text_type, "text": &***text },
                None => Json::raw(node.map_or_else(|| "null".to_owned(), input_text)),
            });
            Some(parts.collect::<Vec<_>>().into())
        }
    }
}

/// Returns the id of a call; where the source has none its name, by which a result without an id names it, too.
pub(super) fn call_id(call: &ToolCall) -> &str {
    call.id.as_deref().unwrap_or(&call.name)
}

/// Returns what a tool answered as a text: that of its blocks, else its JSON.
pub(super) fn result_text(content: Option<Node<'_>>) -> String {
    let Some(content) = content else { return String::new() };
    let is_text = |node: Node<'_>| node.get("text").is_some();
    match content.kind() {
        NodeKind::String => texts(content),
        NodeKind::Array if content.items().all(is_text) => texts(content),
        _ => input_text(content),
    }
}

/// Returns JSON as Python's `json.dumps` writes it: with spaces, in ASCII.
pub(super) fn python_json(value: &Json) -> Json {
    let (tree, _) = json::parse(&Source::new(value.as_str()));
    let spaced = tree.root().map(|root| json::write(root, json::JsonLayout::Spaced));
    let mut ascii = String::new();
    for c in spaced.unwrap_or_default().chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            let mut units = [0; 2];
            ascii.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    Json::raw(ascii)
}

/// Returns an object as it is; anything else under the key that Gemini's SDK recommends.
pub(super) fn result_object(content: Option<Node<'_>>) -> Json {
    match content {
        Some(content) if content.kind() == NodeKind::Object => Json::raw(input_text(content)),
        content => Json::raw(format!("{{\"result\":{}}}", quote(&result_text(content)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = r#"{"systemPrompt": "Be kind.", "tools": [{"name": "find", "description": "", "input_schema": {"type": "object"}}], "messages": [
        {"role": "user", "content": "Wo ist ö?"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t1", "name": "find", "input": {"n": 1.0}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "here"}]}, {"type": "text", "text": "And?"}]}]}"#;

    fn written(request: &str, is_stream: bool) -> String {
        let parse = |text: &str| json::parse(&Source::new(text)).0;
        let (tree, limit) = (parse(request), parse("5"));
        let parameters = vec![("max_tokens", limit.root().unwrap())];
        let request = ModelRequest::of_recording(tree.root().unwrap(), "m", parameters);
        let line = |api: Api| {
            let body = api.write_request(&request, is_stream);
            format!("{}\n  {body}", api.address("m", is_stream))
        };
        Api::ALL.map(line).join("\n")
    }

    #[test]
    fn each_api_has_its_own_form_of_a_request() {
        insta::assert_snapshot!(written(REQUEST, false), @r#"
        https://api.anthropic.com/v1/messages
          {"max_tokens":5,"messages":[{"role":"user","content":"Wo ist ö?"},{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"find","input":{"n":1.0}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"here"}]},{"type":"text","text":"And?"}]}],"model":"m","system":"Be kind.","tools":[{"name":"find","input_schema":{"type":"object"}}]}
        https://api.openai.com/v1/chat/completions
          {"model":"m","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Wo ist ö?"},{"role":"assistant","content":"I look.","tool_calls":[{"id":"t1","type":"function","function":{"name":"find","arguments":"{\"n\":1.0}"}}]},{"role":"tool","tool_call_id":"t1","content":"here"},{"role":"user","content":"And?"}],"max_tokens":5,"tools":[{"type":"function","function":{"name":"find","parameters":{"type":"object"}}}]}
        https://api.openai.com/v1/responses
          {"model":"m","input":[{"role":"user","content":"Wo ist ö?"},{"role":"assistant","content":"I look."},{"type":"function_call","call_id":"t1","name":"find","arguments":"{\"n\":1.0}"},{"type":"function_call_output","call_id":"t1","output":"here"},{"role":"user","content":"And?"}],"instructions":"Be kind.","max_output_tokens":5,"tools":[{"type":"function","name":"find","parameters":{"type":"object"}}]}
        https://generativelanguage.googleapis.com/v1/models/m:generateContent
          {"contents": [{"parts": [{"text": "Wo ist \u00f6?"}], "role": "user"}, {"parts": [{"text": "I look."}, {"functionCall": {"id": "t1", "args": {"n": 1.0}, "name": "find"}}], "role": "model"}, {"parts": [{"functionResponse": {"id": "t1", "name": "find", "response": {"result": "here"}}}, {"text": "And?"}], "role": "user"}], "systemInstruction": {"parts": [{"text": "Be kind."}], "role": "user"}, "tools": [{"functionDeclarations": [{"name": "find", "parameters_json_schema": {"type": "object"}}]}], "generationConfig": {"maxOutputTokens": 5}}
        "#);
    }

    #[test]
    fn a_single_text_is_plain_and_a_stream_is_requested() {
        let request =
            r#"{"messages": [{"role": "user", "content": "Hi"}], "tools": [], "systemPrompt": ""}"#;
        insta::assert_snapshot!(written(request, true), @r#"
        https://api.anthropic.com/v1/messages
          {"max_tokens":5,"messages":[{"role":"user","content":"Hi"}],"model":"m","stream":true}
        https://api.openai.com/v1/chat/completions
          {"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}],"max_tokens":5}
        https://api.openai.com/v1/responses
          {"model":"m","stream":true,"input":"Hi","max_output_tokens":5}
        https://generativelanguage.googleapis.com/v1/models/m:streamGenerateContent?alt=sse
          {"contents": [{"parts": [{"text": "Hi"}], "role": "user"}], "generationConfig": {"maxOutputTokens": 5}}
        "#);
    }
}
