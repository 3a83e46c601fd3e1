//! The recordings of one set: the first input of the user and the tool responses, in the order of the calls.

use std::collections::BTreeSet;

use super::report::{file_name, slug};
use super::session_draft::{AgentAnswer, SessionDraft, provenance};
use super::{ImportInput, ImportOptions, Imported, finish};
use calls::reading::{all_calls, calls};
use document::call::ModelCall;
use document::edit::JsonValue;
use document::recording::{Message, MessageBlock, RecordedAnswer, Recording};
use document::time::milliseconds;
use document::{FileKind, Node, NodeId, NodeKind, text};

/// Makes one draft of the recordings of a set, which come in the order in which the player takes them.
///
/// # Errors
///
/// The reason that there is nothing to import, as a sentence without a full stop.
pub fn drafts_of_set(
    inputs: &[ImportInput<'_>],
    options: &ImportOptions,
) -> Result<Imported, String> {
    let calls = inputs.iter().flat_map(|input| {
        let calls = calls(input.document).into_iter();
        calls.filter_map(|call| ImportedRecording::new(*input, call))
    });
    let calls: Vec<ImportedRecording<'_>> = calls.collect();
    let Some(first) = calls.first() else { return Err(without_answer(inputs)) };
    let mut draft = SessionDraft::default();
    set_input(&mut draft, &calls);
    let mut previous_call: Option<&ImportedRecording<'_>> = None;
    let mut open: Vec<String> = Vec::new();
    for call in &calls {
        let known_count = previous_call.map_or(0, |previous| previous.continued_by(call));
        call.push_results(&mut draft, previous_call, known_count, &mut open);
        previous_call = Some(call);
    }
    if !open.is_empty() {
        let open = open.join(", ");
        draft.notes.push(format!("These calls have no recorded result and are skipped: {open}"));
    }
    describe(&mut draft, &calls, first);
    let mut imported = Imported { drafts: vec![draft], ..Imported::default() };
    finish(&mut imported, options);
    Ok(imported)
}

/// Returns why calls that are no recordings make no session, as a sentence without a full stop.
fn without_answer(inputs: &[ImportInput<'_>]) -> String {
    let calls: Vec<_> = inputs.iter().flat_map(|input| all_calls(input.document)).collect();
    let statuses: BTreeSet<u16> =
        // A call without a status did not fail.
        calls.iter().map(|call| call.facts.http.as_ref().map_or(0, |http| http.status)).collect();
    if statuses.first().is_none_or(|first| *first < 400) {
        return "There is no recording to import".to_owned();
    }
    let statuses: Vec<String> = statuses.iter().map(u16::to_string).collect();
    format!("It holds only failed calls (status {})", statuses.join(", "))
}

/// One recording of the set.
struct ImportedRecording<'a> {
    input: ImportInput<'a>,
    call: ModelCall<'a>,
    recording: Recording,
}

impl<'a> ImportedRecording<'a> {
    fn new(input: ImportInput<'a>, call: ModelCall<'a>) -> Option<Self> {
        let recording = call.document.body.recording()?.clone();
        Some(Self { input, call, recording })
    }

    fn messages(&self) -> &[Message] {
        &self.recording.request.messages
    }

    fn raw(&self, message: &Message) -> &str {
        self.call.document.node(message.node).raw()
    }

    /// Marks a value of the draft as read from one of the recording: from the place of the call, if that is only a part of the file.
    fn mark_read(&self, draft: &mut SessionDraft, pointer: &str, node: NodeId) {
        let node = if self.call.is_file() { node } else { self.call.node };
        draft.mark_read(pointer, self.input.file, self.input.document.node(node));
    }

    /// Returns how many messages of a later call this one already had: all of its own, if that call continues this one.
    fn continued_by(&self, later: &ImportedRecording<'_>) -> usize {
        let (mine, theirs) = (self.messages(), later.messages());
        // Clients repeat the conversation so far in each request, byte for byte.
        let same = |(a, b): (&Message, &Message)| self.raw(a) == later.raw(b);
        if theirs.len() > mine.len() && mine.iter().zip(theirs).all(same) { mine.len() } else { 0 }
    }

    /// Takes the results in the messages behind the first `known_count`. `open` holds the names of calls without a result.
    fn push_results(
        &self,
        draft: &mut SessionDraft,
        previous: Option<&ImportedRecording<'_>>,
        known_count: usize,
        open: &mut Vec<String>,
    ) {
        let mut names: Vec<(&str, &str)> = Vec::new();
        for (index, message) in self.messages().iter().enumerate() {
            for block in &message.blocks {
                match block {
                    MessageBlock::ToolUse(call) => {
                        names.extend(text(&call.id).zip(text(&call.name)));
                    }
                    MessageBlock::ToolResult { node, id, content } if index >= known_count => {
                        // The latest, since some servers number the calls of each answer from 0.
                        let call = names.iter().rev().find(|(name, _)| Some(*name) == text(id));
                        let result = GivenResult {
                            node: self.call.document.node(*node),
                            content: content.map(|node| self.call.document.node(node)),
                        };
                        let tool = call.map_or("unknown", |(_, name)| *name);
                        self.push(draft, tool, &result, previous);
                        if let Some(at) = open.iter().rposition(|name| name == tool) {
                            open.remove(at);
                        }
                    }
                    _ => {}
                }
            }
        }
        let tools = self.recording.answer.iter().flat_map(RecordedAnswer::tools);
        open.extend(tools.map(str::to_owned));
    }

    fn push(
        &self,
        draft: &mut SessionDraft,
        tool: &str,
        result: &GivenResult<'_>,
        previous: Option<&ImportedRecording<'_>>,
    ) {
        let at = draft.session.tool_responses.len();
        let latency = previous.and_then(|previous| previous.until(self));
        let response = draft.push_response(tool, result.response());
        response.latency_ms = latency;
        if result.is_error() {
            response.status = Some(500);
        }
        let pointer = format!("/tool_responses/{at}");
        self.mark_read(draft, &pointer, result.node.id());
        if latency.is_some() {
            let how = "From the answer that called it to the next request";
            draft.mark_generated(format!("{pointer}/latency_ms"), how);
        }
        if result.is_error() {
            let how = "500 for a result that is marked as an error";
            draft.mark_generated(format!("{pointer}/status"), how);
        }
    }

    /// Returns how long the tool of this call took, if it called one alone.
    fn until(&self, later: &ImportedRecording<'_>) -> Option<i64> {
        let answer = self.recording.answer.as_ref()?;
        let calls = answer.blocks.iter().filter(|block| matches!(block, MessageBlock::ToolUse(_)));
        let from = text(&answer.timestamp).or(text(&self.recording.recorded_at))?;
        let to = text(&later.recording.request.timestamp)?;
        // The time of each of several tools that were called together is not known.
        (calls.count() == 1).then(|| milliseconds(from, to)).flatten()
    }
}

/// Result of a tool.
struct GivenResult<'a> {
    node: Node<'a>,
    content: Option<Node<'a>>,
}

impl GivenResult<'_> {
    /// Returns a text as it is; blocks as their texts; all else as it is.
    fn response(&self) -> JsonValue {
        let Some(content) = self.content else { return JsonValue::null() };
        if content.kind() != NodeKind::Array {
            return JsonValue::from_node(content);
        }
        let texts = content.items().map(|block| block.get("text").and_then(Node::as_str));
        match texts.collect::<Option<Vec<&str>>>() {
            Some(texts) if !texts.is_empty() => JsonValue::text(&texts.join("\n")),
            _ => JsonValue::from_node(content),
        }
    }

    fn is_error(&self) -> bool {
        self.node.get("is_error").and_then(Node::as_bool) == Some(true)
    }
}

/// The first words of a user in the set.
fn set_input(draft: &mut SessionDraft, calls: &[ImportedRecording<'_>]) {
    for call in calls {
        let user = call.messages().iter().find(|message| text(&message.role) == Some("user"));
        let texts = user.into_iter().flat_map(|m| &m.blocks).filter_map(|block| match block {
            MessageBlock::Text(text) => Some(text),
            _ => None,
        });
        let texts: Vec<_> = texts.collect();
        if let Some(first) = texts.first() {
            let words: Vec<&str> = texts.iter().map(|text| text.value.as_str()).collect();
            draft.session.input = words.join("\n");
            call.mark_read(draft, "/input", first.node);
            return;
        }
    }
}

fn describe(
    draft: &mut SessionDraft,
    calls: &[ImportedRecording<'_>],
    first: &ImportedRecording<'_>,
) {
    let set = set_name(first.input).unwrap_or("set");
    let responses = draft.session.value();
    draft.identify(&format!("recorded-{}", slug(set)), &[responses.json()]);
    if let Some(title) = &first.recording.request.machine_title {
        draft.session.name = Some(title.value.clone());
        first.mark_read(draft, "/name", title.node);
    }
    if let Some(recorded) = &first.recording.recorded_at {
        draft.session.captured_at = Some(recorded.value.clone());
        first.mark_read(draft, "/captured_at", recorded.node);
    }
    draft.set_source("manual", "For entry by hand");
    let mut files: Vec<&str> = calls.iter().map(|call| file_name(call.input.file)).collect();
    // Calls of one file are next to each other.
    files.dedup();
    let files: Vec<JsonValue> = files.into_iter().map(JsonValue::text).collect();
    let members = [("set", Some(JsonValue::text(set))), ("files", Some(JsonValue::list(&files)))];
    draft.session.context.push(provenance("recordings", &members));
    draft.mark_generated("/context/0", "The imported recordings");
    draft.answer = calls.iter().rev().find_map(answer);
}

/// Returns the words of an answer.
fn answer(call: &ImportedRecording<'_>) -> Option<AgentAnswer> {
    let texts: Vec<&str> = call.recording.answer.as_ref()?.texts().collect();
    (!texts.is_empty()).then(|| AgentAnswer { text: texts.join("\n"), latency_ms: None })
}

/// Returns the name of a cassette without its ending, else that of the folder.
fn set_name(input: ImportInput<'_>) -> Option<&str> {
    let name = if input.document.kind() == FileKind::Cassette {
        file_name(input.file).rsplit_once('.')?.0
    } else {
        input.file.rsplit_once('/')?.0.rsplit('/').next()?
    };
    // `./file` is in a folder whose name is not known.
    Some(name).filter(|name| !name.is_empty() && *name != ".")
}
