//! An HTTP archive: calls to a model's API contain the input, the answers, and the tool responses in between; calls to
//! other hosts are what the tools did.
//!
//! All calls of one conversation make one draft. A call belongs to it when its first question is that of the first call.

use std::collections::{HashMap, HashSet};

use super::langsmith::content;
use super::report::file_name;
use super::session_draft::{AgentAnswer, SessionDraft, provenance};
use super::{ImportInput, Imported};
use calls::api::{BlockContent, MessageRole, ModelAnswer, ModelMessage, ModelRequest};
use calls::reading::{HarEntry, HostRole, entries};
use document::edit::JsonValue;
use document::text::{Source, counted};
use document::{Node, NodeKind, Tree, json};

pub(super) fn drafts(input: ImportInput<'_>) -> Result<Imported, String> {
    let entries = entries(input.document);
    let mut draft = SessionDraft::default();
    let mut passed_over = 0;
    let mut conversation = HarConversation::default();
    let mut tools = Vec::new();
    for entry in &entries {
        match entry.role() {
            HostRole::Model => conversation.add_call(&mut draft, input, entry),
            HostRole::Tool => tools.push(entry),
            HostRole::Page => passed_over += 1,
        }
    }
    // The tool results in the requests are preferred, because they are what the model was given.
    if draft.session.tool_responses.is_empty() {
        tools.iter().for_each(|entry| push_tool(&mut draft, input, entry));
    } else if !tools.is_empty() {
        let calls = counted(tools.len(), "call", "calls");
        draft.notes.push(format!(
            "{calls} to other hosts skipped, because the answers of the tools are in the requests to the model"
        ));
    }
    let Some(first) = conversation.first else {
        return Err("The archive contains no call to a model".to_owned());
    };
    if let Some(started) = first.get("startedDateTime")
        && let Some(text) = started.as_str()
    {
        draft.session.captured_at = Some(text.to_owned());
        draft.mark_read("/captured_at", input.file, started);
    }
    match conversation.others {
        0 => {}
        1 => draft
            .notes
            .push("1 call to a model starts with another question and is skipped".to_owned()),
        many => draft
            .notes
            .push(format!("{many} calls to a model start with another question and are skipped")),
    }
    let value = draft.session.value();
    draft.identify("har", &[value.json()]);
    draft.set_source("manual", "For entry by hand");
    let at = draft.session.context.len();
    let answer = draft.answer.as_ref();
    let latency_ms = answer.and_then(|answer| answer.latency_ms);
    let members = [
        ("file", Some(JsonValue::text(file_name(input.file)))),
        ("response", answer.map(|answer| JsonValue::text(&answer.text))),
        ("latency_ms", latency_ms.and_then(|ms| JsonValue::parse(&ms.to_string()).ok())),
    ];
    draft.session.context.push(provenance("http_archive", &members));
    let how = "The imported archive, with the agent's last answer";
    draft.mark_generated(format!("/context/{at}"), how);
    Ok(Imported { drafts: vec![draft], skipped: passed_over, ..Imported::default() })
}

/// A conversation with a model, over all of its calls.
#[derive(Default)]
struct HarConversation<'a> {
    /// Its first call.
    first: Option<Node<'a>>,
    question: Option<String>,
    /// The tools' names, by the ids of their calls.
    names: HashMap<String, String>,
    /// The answers of tools that were taken, by their ids and how often the id was met before in the same request: each
    /// request repeats the conversation so far, and some servers number the calls of each answer from 0.
    taken: HashSet<(String, usize)>,
    /// Number of calls that are of other conversations.
    others: usize,
}

impl<'a> HarConversation<'a> {
    /// Takes the first input, the tool responses since then, and the last answer.
    fn add_call(&mut self, draft: &mut SessionDraft, input: ImportInput<'_>, entry: &HarEntry<'a>) {
        self.first = self.first.or(Some(entry.call.node));
        let node = entry.call.node;
        let data = || node.get("request")?.get("postData")?.get("text");
        let data = data().unwrap_or(node);
        let request = entry.call.request();
        // OpenAI's first API has a prompt in place of messages.
        let prompt = || entry.call.sent_body()?.get("prompt")?.as_str().map(str::to_owned);
        let requested = request.as_ref().and_then(first_question).or_else(prompt);
        match (&self.question, requested) {
            (None, Some(requested)) => {
                draft.session.input.clone_from(&requested);
                draft.mark_read("/input", input.file, data);
                self.question = Some(requested);
            }
            (Some(model), Some(requested)) if *model != requested => {
                self.others += 1;
                return;
            }
            _ => {}
        }
        if let Some(request) = &request {
            self.add_messages(draft, input, request, data);
        }
        let answer = entry.call.answer();
        let calls = answer.iter().flat_map(ModelAnswer::calls);
        self.names.extend(calls.filter_map(|call| Some((call.id.clone()?, call.name.clone()))));
        let text = match &answer {
            Some(answer) => answer.text(),
            None => entry.call.received_body().and_then(content),
        };
        draft.answer = text.map(|text| AgentAnswer {
            text,
            latency_ms: entry.call.node.get("time").and_then(Node::as_f64),
        });
    }

    fn add_messages(
        &mut self,
        draft: &mut SessionDraft,
        input: ImportInput<'_>,
        request: &ModelRequest<'_>,
        data: Node<'_>,
    ) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for block in request.messages.iter().flat_map(|message| &message.blocks) {
            match &block.content {
                BlockContent::ToolUse(call) => {
                    self.names.insert(call.id.clone().unwrap_or_default(), call.name.clone());
                }
                BlockContent::ToolResult { call_id, content, is_error } => {
                    let id = call_id.as_deref().unwrap_or_default();
                    let count = counts.entry(id).or_default();
                    *count += 1;
                    if self.taken.insert((id.to_owned(), *count)) {
                        self.push_result(draft, input, (id, *content, *is_error), data);
                    }
                }
                _ => {}
            }
        }
    }

    fn push_result(
        &self,
        draft: &mut SessionDraft,
        input: ImportInput<'_>,
        (id, content, failed): (&str, Option<Node<'_>>, bool),
        data: Node<'_>,
    ) {
        let at = draft.session.tool_responses.len();
        // Without an id, Gemini's answer of a tool has the tool's name.
        let tool = self.names.get(id).map_or(id, String::as_str);
        let tool = if tool.is_empty() { "unnamed" } else { tool };
        let response = content.map_or_else(JsonValue::null, result_of);
        draft.push_response(tool, response).status = failed.then_some(0);
        let pointer = format!("/tool_responses/{at}");
        draft.mark_read(pointer.as_str(), input.file, data);
        let how = "The tool whose call has the id in the response";
        draft.mark_generated(format!("{pointer}/tool"), how);
        if failed {
            let how = "0 for a response that is marked as an error";
            draft.mark_generated(format!("{pointer}/status"), how);
        }
    }
}

/// Returns the answer of a tool, as the model was given it: an object where it is one, else its text.
fn result_of(content: Node<'_>) -> JsonValue {
    let texts = || {
        let texts: Option<Vec<&str>> = content.items().map(|b| b.get("text")?.as_str()).collect();
        texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join("\n"))
    };
    let text = match content.kind() {
        NodeKind::Array => texts(),
        _ => content.as_str().map(str::to_owned),
    };
    text.map_or_else(|| JsonValue::from_node(content), |text| text_or_object(&text))
}

/// Returns a text unchanged, or the object if it is JSON.
fn text_or_object(text: &str) -> JsonValue {
    let tree = json::parse_container(&Source::new(text));
    let root = tree.as_ref().and_then(Tree::root);
    // Flakestorm's sessions take texts and objects; a list or a number stays the text that it is.
    root.filter(|root| root.kind() == NodeKind::Object)
        .map_or_else(|| JsonValue::text(text), JsonValue::from_node)
}

/// Returns the first words of the user in what was sent to a model.
fn first_question(request: &ModelRequest<'_>) -> Option<String> {
    let is_user = |message: &&ModelMessage<'_>| message.role == MessageRole::User;
    request.messages.iter().find(is_user)?.text()
}

fn push_tool(draft: &mut SessionDraft, input: ImportInput<'_>, entry: &HarEntry<'_>) {
    let at = draft.session.tool_responses.len();
    let tool = format!("{} {}{}", entry.call.method, entry.call.host, entry.call.path);
    let text = entry.text();
    let is_binary = text.is_none() && entry.answered().is_some();
    let response = text.map_or_else(JsonValue::null, text_or_object);
    if is_binary {
        let place = at + 1;
        draft.notes.push(format!("The answer of tool response {place} is not text and is skipped"));
    }
    let whole_number = |node: Option<Node<'_>>| {
        let place = node.and_then(Node::as_f64)?.round();
        // An `f64` holds each whole number up to this limit; times and statuses are far below.
        (0.0..1e15).contains(&place).then_some(place as i64)
    };
    let response_draft = draft.push_response(&tool, response);
    response_draft.status = whole_number(entry.response.get("status"));
    response_draft.latency_ms = whole_number(entry.call.node.get("time"));
    let pointer = format!("/tool_responses/{at}");
    draft.mark_read(pointer.as_str(), input.file, entry.call.node);
    if let Some(answered) = entry.answered() {
        draft.mark_read(format!("{pointer}/response"), input.file, answered);
    }
    let how = "The method and the address, without its query";
    draft.mark_generated(format!("{pointer}/tool"), how);
}
