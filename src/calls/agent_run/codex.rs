//! Sessions of Codex: an event a line. `response_item` is what was sent to the model and received, in the form of OpenAI's responses; the
//! other events are what the program did with it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::chat::{self, items, word};
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use super::{AgentRun, CallContent, RunGap, RunTokens};
use crate::api::ToolCall;
use document::Node;

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut session = CodexReader {
        run: AgentRun::new(root),
        typed: root.items().flat_map(typed_texts).collect(),
        model: None,
        is_answer_open: false,
    };
    root.items().for_each(|line| session.read(line));
    vec![session.run]
}

struct CodexReader<'d> {
    run: AgentRun<'d>,
    /// Texts that the user typed, as events show them; the messages of the user that were sent have others beside them.
    typed: HashSet<&'d str>,
    model: Option<Cow<'d, str>>,
    /// Whether the next item of the model belongs to the same answer.
    is_answer_open: bool,
}

/// Returns the texts of an event of the user.
fn typed_texts(line: Node<'_>) -> Vec<&str> {
    let Some(event) = line.get("payload").filter(|_| word(line, "type") == "event_msg") else {
        return Vec::new();
    };
    match (word(event, "type"), event.get("item")) {
        ("user_message", _) => vec![word(event, "message")],
        ("item_completed", Some(item)) if word(item, "type") == "UserMessage" => {
            items(item, "content").filter_map(|part| part.get("text")?.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

impl<'d> CodexReader<'d> {
    fn read(&mut self, line: Node<'d>) {
        // Older versions write the items without an event around them.
        let payload = line.get("payload").unwrap_or(line);
        self.run.note_time(line.get("timestamp"));
        match word(line, "type") {
            "session_meta" => {
                self.run.add_id("session", payload.get("id").and_then(Node::as_str));
                let instructions = payload.get("base_instructions").or(payload.get("instructions"));
                let text = instructions.and_then(|text| text.get("text").unwrap_or(text).as_str());
                if let Some(text) = text.filter(|_| self.run.messages.is_empty()) {
                    let message = RunMessage::of_text(payload, RunRole::System, text);
                    self.run.messages.push(message);
                }
            }
            "turn_context" => self.model = chat::text(payload, "model").or(self.model.take()),
            "compacted" => {
                self.run.compact();
                if let Some(text) = chat::text(payload, "message") {
                    let mut message = RunMessage::of_text(line, RunRole::User, text);
                    message.is_of_program = true;
                    self.run.messages.push(message);
                }
            }
            "token_usage_record" => self.note_tokens(payload.get("usage")),
            "event_msg" => self.read_event(line, payload),
            _ => self.read_item(line, payload),
        }
    }

    fn read_event(&mut self, line: Node<'d>, event: Node<'d>) {
        match word(event, "type") {
            "token_count" => {
                let info = event.get("info");
                self.note_tokens(info.and_then(|info| info.get("last_token_usage")));
            }
            "error" | "stream_error" => {
                if let Some(message) = chat::text(event, "message") {
                    self.is_answer_open = false;
                    self.run.push_failure(line, message).model = self.model.clone();
                }
            }
            "task_complete" => {
                let error = event.get("error").and_then(|error| chat::text(error, "message"));
                if let Some(message) = error.filter(|error| !self.run.errors.contains(error)) {
                    self.run.push_failure(line, message).model = self.model.clone();
                }
            }
            _ => {}
        }
    }

    /// Notes the tokens of the last answer, if they are not known from an event before.
    fn note_tokens(&mut self, usage: Option<Node<'d>>) {
        self.is_answer_open = false;
        if let Some(call) = self.run.calls.last_mut().filter(|call| call.tokens.is_none()) {
            call.tokens = RunTokens::read(usage, &["input_tokens"], &["output_tokens"]);
        }
    }

    fn read_item(&mut self, line: Node<'d>, item: Node<'d>) {
        match word(item, "type") {
            "message" => self.read_message(line, item),
            "reasoning" => {
                let texts = items(item, "summary").filter_map(|part| part.get("text")?.as_str());
                let text = texts.collect::<Vec<_>>().join("\n");
                let is_readable = !text.is_empty();
                let part = RunPart { node: item, content: PartContent::Reasoning(text.into()) };
                self.push_parts(line, Vec::from_iter(Some(part).filter(|_| is_readable)));
            }
            "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call" => {
                let mut call =
                    ToolCall { name: word(item, "type").to_owned(), ..chat::tool_call(item) };
                if let Some(name) = chat::text(item, "name") {
                    call.name = name.into_owned();
                }
                call.id = chat::text(item, "call_id").map(Cow::into_owned);
                if let Some(action) = item.get("action") {
                    call.input = chat::arguments_text(action);
                }
                self.push_parts(line, vec![RunPart::of_call(item, call)]);
            }
            "function_call_output" | "custom_tool_call_output" => {
                self.is_answer_open = false;
                let outcome = outcome(item);
                let is_cut = |content: &RunValue<'_>| {
                    content.as_str().contains("Warning: truncated output (original token count: ")
                };
                if outcome.content.as_ref().is_some_and(is_cut) {
                    self.run.gaps.push(RunGap::ResultParts);
                }
                self.run.push_outcomes(line, vec![RunPart::of_outcome(item, outcome)]);
            }
            _ => {}
        }
    }

    fn read_message(&mut self, line: Node<'d>, item: Node<'d>) {
        let Some(mut message) = chat::message(item) else { return };
        if message.role == RunRole::Assistant {
            self.push_parts(line, message.parts);
            return;
        }
        self.is_answer_open = false;
        let text = message.text().unwrap_or_default();
        message.is_of_program = match message.role {
            RunRole::User if self.typed.is_empty() => text.starts_with('<'),
            RunRole::User => !self.typed.contains(&*text),
            _ => true,
        };
        self.run.messages.push(message);
    }

    /// Adds parts to the open answer, or to a new one.
    fn push_parts(&mut self, line: Node<'d>, parts: Vec<RunPart<'d>>) {
        let open = self.run.calls.last().filter(|_| self.is_answer_open);
        if let Some(CallContent::Shared { end, .. }) = open.map(|call| &call.content) {
            self.run.messages[*end].parts.extend(parts);
        } else {
            let call = self.run.push_answer(RunMessage::new(line, RunRole::Assistant, parts));
            call.model.clone_from(&self.model);
            self.is_answer_open = true;
        }
        if let Some(call) = self.run.calls.last_mut() {
            call.ended = chat::text(line, "timestamp");
        }
    }
}

/// Reads the output of a tool, which has its exit code in the text: in a line of its own, or as JSON of older versions.
fn outcome(item: Node<'_>) -> ToolOutcome<'_> {
    let content = item.get("output").map(RunValue::read);
    let text = content.as_ref().map_or("", RunValue::as_str);
    let mut head = text.lines().take_while(|line| *line != "Output:");
    let code = head.find_map(|line| line.strip_prefix("Process exited with code "));
    let of_json = || {
        let json: serde_json::Value = serde_json::from_str(text).ok()?;
        Some(json.get("metadata")?.get("exit_code")?.as_i64()? != 0)
    };
    let is_error = match code {
        Some(code) => code.trim() != "0",
        None => text.starts_with('{') && of_json().unwrap_or_default(),
    };
    ToolOutcome::given(chat::text(item, "call_id"), content, is_error)
}
