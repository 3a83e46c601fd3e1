//! An HTTP archive: calls to a model's API say what was asked and answered, calls to other hosts are what the tools did.

use super::draft::{Answer, Draft, provenance};
use super::langsmith::content;
use super::report::file_name;
use super::{Imported, Input};
use crate::format::{self, Document, Node, NodeKind};
use crate::ops::edit::Value;
use crate::text::Source;

/// Hosts that answer as models, or the ends of their names.
const MODEL_HOSTS: [&str; 16] = [
    "api.openai.com",
    "openai.azure.com",
    "api.anthropic.com",
    "generativelanguage.googleapis.com",
    "aiplatform.googleapis.com",
    "api.mistral.ai",
    "api.cohere.com",
    "api.cohere.ai",
    "api.groq.com",
    "openrouter.ai",
    "api.x.ai",
    "api.deepseek.com",
    "api.together.xyz",
    "api.fireworks.ai",
    "api.perplexity.ai",
    "router.huggingface.co",
];

pub(super) fn is_archive(root: Node<'_>) -> bool {
    let entries = root.get("log").and_then(|log| log.get("entries"));
    entries.is_some_and(|entries| entries.kind() == NodeKind::Array)
}

pub(super) fn drafts(input: Input<'_>) -> Result<Imported, String> {
    let entries = input
        .document
        .tree
        .at_pointer("/log/entries")
        .into_iter()
        .flat_map(Node::items);
    let entries: Vec<Entry<'_>> = entries.filter_map(Entry::of).collect();
    let mut draft = Draft::default();
    let mut passed_over = 0;
    for entry in &entries {
        match entry.role() {
            Role::Model => take_call(&mut draft, input, entry),
            Role::Tool => push_tool(&mut draft, input, entry),
            Role::Page => passed_over += 1,
        }
    }
    if !entries
        .iter()
        .any(|entry| matches!(entry.role(), Role::Model))
    {
        return Err("The archive holds no call to a model".to_owned());
    }
    if let Some(started) = entries
        .first()
        .and_then(|entry| entry.node.get("startedDateTime"))
        && let Some(words) = started.as_str()
    {
        draft.session.captured_at = Some(words.to_owned());
        draft.read("/captured_at", input.file, started);
    }
    let whole = draft.session.value();
    draft.identify("har", &[whole.json()]);
    draft.session.source = Some("manual".to_owned());
    draft.made("/source", "What is put in by hand");
    let at = draft.session.context.len();
    let file = Value::text(file_name(input.file));
    draft
        .session
        .context
        .push(provenance("http_archive", &[("file", Some(file))]));
    draft.made(format!("/context/{at}"), "The archive it was made of");
    Ok(Imported {
        drafts: vec![draft],
        passed_over,
        ..Imported::default()
    })
}

/// Who was called.
enum Role {
    Model,
    Tool,
    /// A page and its parts: nothing that a tool would call.
    Page,
}

/// One call.
struct Entry<'a> {
    node: Node<'a>,
    method: &'a str,
    host: &'a str,
    path: &'a str,
    /// What was sent, where that is JSON.
    sent: Option<Document>,
    response: Node<'a>,
}

impl<'a> Entry<'a> {
    fn of(node: Node<'a>) -> Option<Self> {
        let (request, response) = (node.get("request")?, node.get("response")?);
        let url = request.get("url")?.as_str()?;
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let sent = request
            .get("postData")
            .and_then(|data| data.get("text"))
            .and_then(Node::as_str);
        Some(Self {
            node,
            method: request
                .get("method")
                .and_then(Node::as_str)
                .unwrap_or("GET"),
            host: host.rsplit('@').next().unwrap_or(host),
            path: path.split(['?', '#']).next().unwrap_or_default(),
            sent: sent.and_then(json),
            response,
        })
    }

    fn role(&self) -> Role {
        let name = self.host.split(':').next().unwrap_or(self.host);
        let is_host = |host: &&str| {
            name == *host
                || name
                    .strip_suffix(*host)
                    .is_some_and(|rest| rest.ends_with(['.', '-']))
        };
        let is_bedrock = name.starts_with("bedrock-runtime.");
        let asks = self
            .sent
            .as_ref()
            .and_then(|it| it.tree.root())
            .is_some_and(|body| {
                let has = |key| body.get(key).is_some();
                has("messages") && has("model")
                    || has("contents")
                        && (has("generationConfig") || self.path.contains("generateContent"))
            });
        let is_page = || {
            const PARTS: [&str; 8] = [
                "image/",
                "font/",
                "text/css",
                "javascript",
                "text/html",
                "video/",
                "audio/",
                "wasm",
            ];
            let kind = self
                .body()
                .and_then(|it| it.get("mimeType"))
                .and_then(Node::as_str)
                .unwrap_or_default();
            self.method == "OPTIONS" || PARTS.iter().any(|part| kind.contains(part))
        };
        match () {
            () if asks || is_bedrock => Role::Model,
            () if MODEL_HOSTS.iter().any(&is_host) && self.method == "POST" => Role::Model,
            () if MODEL_HOSTS.iter().any(is_host) || is_page() => Role::Page,
            () => Role::Tool,
        }
    }

    fn body(&self) -> Option<Node<'a>> {
        self.response.get("content")
    }

    fn answered(&self) -> Option<Node<'a>> {
        self.body()?.get("text")
    }
}

fn json(text: &str) -> Option<Document> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let document = is_json.then(|| format::read(Source::new(text), "body.json"))?;
    document.tree.fault().is_none().then_some(document)
}

/// Takes what was asked first, and what was answered last.
fn take_call(draft: &mut Draft, input: Input<'_>, entry: &Entry<'_>) {
    let body = entry.sent.as_ref().and_then(|it| it.tree.root());
    let asked = body.and_then(first_question);
    if let (true, Some(asked)) = (draft.session.input.is_empty(), asked) {
        draft.session.input = asked;
        let data = entry
            .node
            .get("request")
            .and_then(|it| it.get("postData"))
            .and_then(|it| it.get("text"));
        draft.read("/input", input.file, data.unwrap_or(entry.node));
    }
    let answer = entry.answered().and_then(Node::as_str).and_then(json);
    if let Some(text) = answer
        .as_ref()
        .and_then(|it| it.tree.root())
        .and_then(answer_of)
    {
        let latency_ms = entry.node.get("time").and_then(Node::as_f64);
        draft.answer = Some(Answer { text, latency_ms });
    }
}

/// The first words of the user in what was sent to a model.
fn first_question(body: Node<'_>) -> Option<String> {
    let turns = body
        .get("messages")
        .or_else(|| body.get("contents"))
        .or_else(|| body.get("input"));
    if let Some(prompt) = turns
        .and_then(Node::as_str)
        .or_else(|| body.get("prompt")?.as_str())
    {
        return Some(prompt.to_owned());
    }
    let from_user = |turn: &Node<'_>| {
        turn.get("role")
            .and_then(Node::as_str)
            .is_none_or(|role| role == "user")
    };
    let turn = turns?.items().find(from_user)?;
    let parts = || {
        let texts: Vec<&str> = turn
            .get("parts")?
            .items()
            .filter_map(|part| part.get("text")?.as_str())
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    content(turn).or_else(parts)
}

/// The words of a model's answer, in the shapes that are common.
fn answer_of(body: Node<'_>) -> Option<String> {
    let choice = || content(body.get("choices")?.items().next()?.get("message")?);
    let candidate = || {
        let parts = body
            .get("candidates")?
            .items()
            .next()?
            .get("content")?
            .get("parts")?;
        let texts: Vec<&str> = parts
            .items()
            .filter_map(|part| part.get("text")?.as_str())
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    content(body).or_else(choice).or_else(candidate)
}

fn push_tool(draft: &mut Draft, input: Input<'_>, entry: &Entry<'_>) {
    let at = draft.session.tool_responses.len();
    let tool = format!("{} {}{}", entry.method, entry.host, entry.path);
    let is_binary = entry
        .body()
        .and_then(|it| it.get("encoding"))
        .and_then(Node::as_str)
        == Some("base64");
    let text = entry
        .answered()
        .and_then(Node::as_str)
        .filter(|_| !is_binary);
    let is_object = |it: &Document| {
        it.tree
            .root()
            .is_some_and(|root| root.kind() == NodeKind::Object)
    };
    let response = match (text, text.and_then(json).filter(is_object)) {
        (_, Some(object)) => object.tree.root().map_or_else(Value::null, Value::of),
        (Some(text), None) => Value::text(text),
        (None, None) => Value::null(),
    };
    if is_binary {
        draft.notes.push(format!(
            "The answer of tool response {} is no text and is left out",
            at + 1
        ));
    }
    let whole = |node: Option<Node<'_>>| {
        let number = node.and_then(Node::as_f64)?.round();
        (0.0..1e15).contains(&number).then_some(number as i64)
    };
    let pushed = draft.push_response(&tool, response);
    pushed.status = whole(entry.response.get("status"));
    pushed.latency_ms = whole(entry.node.get("time"));
    let pointer = format!("/tool_responses/{at}");
    draft.read(pointer.as_str(), input.file, entry.node);
    if let Some(answered) = entry.answered() {
        draft.read(format!("{pointer}/response"), input.file, answered);
    }
    draft.made(
        format!("{pointer}/tool"),
        "The method and the address, without its query",
    );
}
