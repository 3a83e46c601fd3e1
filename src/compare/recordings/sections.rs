//! Splits two calls into sections, each with two texts.

use std::collections::{HashMap, VecDeque};

use super::{CallSection, ComparedCall, SectionKind, SectionLabel, TimeFigure};
use crate::json_lines::JsonLines;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::recording::{Message, MessageBlock, RecordedAnswer, Tool, ToolUse};
use document::text::Source;
use document::{Document, Field, Node, NodeId, text};

/// One side of a section.
#[derive(Default)]
struct CallSectionPart {
    text: String,
    note: String,
    pointer: Option<String>,
    labels: Vec<SectionLabel>,
    /// Whether the text contains values as lines.
    has_values: bool,
}

/// Splits both calls into sections: the answer, then what was requested, then the rest.
pub(super) fn all(calls: &[ComparedCall<'_>; 2]) -> Vec<CallSection> {
    let mut sections = Vec::new();
    answers(calls, &mut sections);
    messages(calls, &mut sections);
    tools(calls, &mut sections);
    context(calls, &mut sections);
    system(calls, &mut sections);
    reasoning(calls, &mut sections);
    others(calls, &mut sections);
    sections
}

/// Returns the section with the figures of time of both sides; `None` if they are the same.
pub(super) fn times(figures: [Vec<TimeFigure>; 2]) -> Option<CallSection> {
    let parts = figures.map(|figures| {
        let lines = figures.iter().map(|figure| format!("{}: {}", figure.name, figure.time));
        let text = lines.collect::<Vec<_>>().join("\n");
        let label = |(first_line, figure): (u32, TimeFigure)| SectionLabel {
            first_line,
            name: figure.name.to_owned(),
            pointer: figure.pointer,
        };
        let labels = (1..).zip(figures).map(label).collect();
        CallSectionPart { text, labels, has_values: true, ..CallSectionPart::default() }
    });
    (parts[0].text != parts[1].text).then(|| section(SectionKind::Timing, "Timing", parts))
}

fn section(
    kind: SectionKind,
    title: &'static str,
    [left, right]: [CallSectionPart; 2],
) -> CallSection {
    let outline = if kind.is_prose() { Outline::Markdown } else { Outline::Plain };
    let diff = TextDiff::new(&Source::new(left.text), &Source::new(right.text), outline);
    CallSection {
        kind,
        title,
        notes: [left.note, right.note],
        pointers: [left.pointer, right.pointer],
        is_text: kind.is_prose() && !left.has_values && !right.has_values,
        diff,
        labels: [left.labels, right.labels],
    }
}

/// Adds the system prompt, unless both sides have none or only repeat it as their first message, as recorders do.
fn system(calls: &[ComparedCall<'_>; 2], sections: &mut Vec<CallSection>) {
    let repeats = |call: &ComparedCall<'_>| {
        let Some(prompt) = system_prompt(call) else { return true };
        let prompt = &prompt.value;
        let first = call.request.messages.first();
        first.is_some_and(|message| message_text(call.document, message) == *prompt)
    };
    if calls.iter().all(repeats) {
        return;
    }
    let parts = calls.map(|call| match system_prompt(&call) {
        Some(prompt) => CallSectionPart {
            text: prompt.value.clone(),
            note: "system prompt".to_owned(),
            pointer: Some(call.document.node(prompt.node).pointer()),
            ..CallSectionPart::default()
        },
        None => CallSectionPart::default(),
    });
    sections.push(section(SectionKind::System, "System", parts));
}

/// Returns the system prompt; calls that are read as recordings have an empty one where they have none.
fn system_prompt<'a>(call: &ComparedCall<'a>) -> Option<&'a Field<String>> {
    let prompt = call.request.system_prompt.as_ref();
    prompt.filter(|prompt| !prompt.value.is_empty())
}

fn messages(calls: &[ComparedCall<'_>; 2], sections: &mut Vec<CallSection>) {
    let counts = calls.map(|call| call.request.messages.len());
    for index in 0..counts[0].max(counts[1]) {
        let parts = calls.map(|call| match call.request.messages.get(index) {
            Some(message) => {
                let count = call.request.messages.len();
                // Most messages are the user's, so only another role is named.
                let other_role = text(&message.role).filter(|role| *role != "user");
                let role = other_role.map(|role| format!(", {role}")).unwrap_or_default();
                CallSectionPart {
                    text: message_text(call.document, message),
                    note: format!("message {} of {count}{role}", index + 1),
                    pointer: Some(message_pointer(call.document, message)),
                    has_values: !matches!(message.blocks.as_slice(), [MessageBlock::Text(_)]),
                    labels: Vec::new(),
                }
            }
            None => CallSectionPart::default(),
        });
        sections.push(section(SectionKind::Message, "Request", parts));
    }
}

fn message_pointer(document: &Document, message: &Message) -> String {
    match message.blocks.as_slice() {
        [MessageBlock::Text(field)] => document.node(field.node).pointer(),
        _ => document.node(message.node).pointer() + "/content",
    }
}

/// Returns the text of a message, with its other blocks as data.
fn message_text(document: &Document, message: &Message) -> String {
    if let [MessageBlock::Text(field)] = message.blocks.as_slice() {
        return field.value.clone();
    }
    let mut all = String::new();
    for block in &message.blocks {
        if !all.is_empty() && !all.ends_with('\n') {
            all.push('\n');
        }
        let mut value = |name: &str, node: &NodeId| {
            all.push_str(&lines(|lines| lines.member(name, document.node(*node))));
        };
        match block {
            MessageBlock::Text(field) => all.push_str(&field.value),
            MessageBlock::ToolUse(call) => {
                let name = text(&call.name).unwrap_or("a tool without a name");
                let mut lines = LabelledLines::default();
                lines.lines.line(&format!("Tool call: {name}"));
                members(&mut lines, document, call.input);
                all.push_str(&lines.lines.into_text());
            }
            MessageBlock::ToolResult { content, .. } => {
                all.push_str("Tool result:\n");
                match content.map(|id| document.node(id)) {
                    Some(node) => match node.as_str() {
                        Some(string) => all.push_str(string),
                        None => all.push_str(&lines(|lines| lines.member("content", node))),
                    },
                    None => all.push_str("none"),
                }
            }
            MessageBlock::Reasoning { node, text } => {
                all.push_str(&reasoning_lines(document, *node, text));
            }
            MessageBlock::Image { node } => value("image", node),
            MessageBlock::Other { node, kind } => value(kind.as_deref().unwrap_or("block"), node),
        }
    }
    all
}

/// Returns what the model thought, with the other members of its block. Its type and the name of its text are words of one API, which files of
/// others do not have.
fn reasoning_lines(document: &Document, block: NodeId, text: &Field<String>) -> String {
    lines(|lines| {
        lines.member("reasoning", document.node(text.node));
        for item in document.node(block).items() {
            match item.key() {
                Some("type" | "thinking") | None => {}
                Some(key) => lines.member(key, item),
            }
        }
    })
}

/// Lines of JSON, with the places of the members that they show.
#[derive(Default)]
struct LabelledLines {
    lines: JsonLines,
    labels: Vec<SectionLabel>,
}

impl LabelledLines {
    fn member(&mut self, name: &str, node: Node<'_>) {
        self.labels.push(SectionLabel {
            first_line: self.lines.len() + 1,
            name: name.to_owned(),
            pointer: node.pointer(),
        });
        self.lines.member(name, node);
    }

    fn into_part(self, note: &str, pointer: Option<String>) -> CallSectionPart {
        CallSectionPart {
            text: self.lines.into_text(),
            note: note.to_owned(),
            pointer,
            labels: self.labels,
            has_values: true,
        }
    }
}

fn lines(write: impl FnOnce(&mut JsonLines)) -> String {
    let mut lines = JsonLines::default();
    write(&mut lines);
    lines.into_text()
}

/// Writes the members of an object (or any value) line by line, and returns where each starts.
fn members(lines: &mut LabelledLines, document: &Document, value: Option<NodeId>) {
    let Some(node) = value.map(|id| document.node(id)) else { return };
    if node.kind() != document::NodeKind::Object {
        return lines.member("value", node);
    }
    for item in node.items() {
        lines.member(item.key().unwrap_or_default(), item);
    }
}

fn context(calls: &[ComparedCall<'_>; 2], sections: &mut Vec<CallSection>) {
    let parts = calls.map(|call| {
        let Some(id) = call.request.context else { return CallSectionPart::default() };
        let mut lines = LabelledLines::default();
        members(&mut lines, call.document, Some(id));
        lines.into_part("origin of the request", Some(call.document.node(id).pointer()))
    });
    if parts[0].text != parts[1].text {
        sections.push(section(SectionKind::Context, "Context", parts));
    }
}

/// Adds definitions of offered tools that differ, each paired with the one of the same name, else with the one that has its
/// place or is the only other one without a partner: it was renamed.
fn tools(calls: &[ComparedCall<'_>; 2], sections: &mut Vec<CallSection>) {
    let [left, right] = calls;
    // Names may repeat: the first of a name is paired with the first, and so on.
    let mut indices: HashMap<Option<&str>, VecDeque<usize>> = HashMap::new();
    for (at, tool) in right.request.tools.iter().enumerate() {
        indices.entry(text(&tool.name)).or_default().push_back(at);
    }
    let mut pairs: Vec<[Option<usize>; 2]> = Vec::new();
    for (at, tool) in left.request.tools.iter().enumerate() {
        pairs.push([Some(at), indices.get_mut(&text(&tool.name)).and_then(VecDeque::pop_front)]);
    }
    // A map has no order, so the rest is sorted in the order of the request.
    let mut rest: Vec<usize> = indices.into_values().flatten().collect();
    rest.sort_unstable();
    let lone = pairs.iter().filter(|pair| pair[1].is_none()).count();
    let is_only = lone == 1 && rest.len() == 1;
    for pair in pairs.iter_mut().filter(|pair| pair[1].is_none()) {
        let place = rest.iter().position(|at| is_only || pair[0] == Some(*at));
        pair[1] = place.map(|place| rest.remove(place));
    }
    pairs.extend(rest.into_iter().map(|at| [None, Some(at)]));
    for [old, new] in pairs {
        let tools = [(left, old), (right, new)].map(|(c, a)| Some((c, c.request.tools.get(a?)?)));
        let mut parts = tools.map(|tool| match tool {
            Some((call, tool)) => tool_part(call.document, tool),
            None => CallSectionPart::default(),
        });
        if parts[0].text == parts[1].text {
            continue;
        }
        for (part, tool) in parts.iter_mut().zip(tools) {
            if let Some((_, tool)) = tool {
                part.note = text(&tool.name).unwrap_or("without a name").to_owned();
            }
        }
        sections.push(section(SectionKind::Tool, "Offered tool", parts));
    }
}

fn tool_part(document: &Document, tool: &Tool) -> CallSectionPart {
    let mut lines = LabelledLines::default();
    let node = document.node(tool.node);
    for item in node.items().filter(|item| item.key() != Some("name")) {
        lines.member(item.key().unwrap_or_default(), item);
    }
    lines.into_part("", Some(node.pointer()))
}

/// Returns the answers, each with its document.
fn recorded_answers<'a>(
    calls: &[ComparedCall<'a>; 2],
) -> [Option<(&'a Document, &'a RecordedAnswer)>; 2] {
    calls.map(|call| Some((call.document, call.recording?.answer.as_ref()?)))
}

fn reasoning(calls: &[ComparedCall<'_>; 2], sections: &mut Vec<CallSection>) {
    let parts = recorded_answers(calls).map(|found| {
        let reasoning = found.and_then(|(document, answer)| {
            let reasoning = answer.reasoning.as_ref()?;
            (!reasoning.value.is_empty()).then(|| CallSectionPart {
                text: reasoning.value.clone(),
                note: "noted by the recorder".to_owned(),
                pointer: Some(document.node(reasoning.node).pointer()),
                ..CallSectionPart::default()
            })
        });
        reasoning.unwrap_or_default()
    });
    if parts.iter().any(|part| !part.text.is_empty()) {
        sections.push(section(SectionKind::Reasoning, "Reasoning", parts));
    }
}

fn answers(calls: &[ComparedCall<'_>; 2], sections: &mut Vec<CallSection>) {
    let found = recorded_answers(calls);
    if found.iter().all(Option::is_none) {
        return;
    }
    let parts = found.map(|f| f.map_or_else(CallSectionPart::default, |(d, a)| answer_part(d, a)));
    sections.push(section(SectionKind::Answer, "Answer", parts));

    let [left, right] =
        found.map(|found| found.map_or_else(Vec::new, |(_, answer)| tool_uses(answer)));
    for pair in pair_calls(&left, &right) {
        let parts = std::array::from_fn(|side| match (found[side], pair[side]) {
            (Some((document, _)), Some(call)) => call_part(document, call),
            _ => CallSectionPart::default(),
        });
        sections.push(section(SectionKind::ToolCall, "Tool call", parts));
    }
}

fn answer_part(document: &Document, answer: &RecordedAnswer) -> CallSectionPart {
    let mut part = CallSectionPart {
        note: text(&answer.stop_reason).unwrap_or_default().to_owned(),
        pointer: Some(document.node(answer.node).pointer() + "/content"),
        ..CallSectionPart::default()
    };
    let mut first = true;
    for block in &answer.blocks {
        let (content, pointer) = match block {
            MessageBlock::Text(field) => (field.value.clone(), document.node(field.node).pointer()),
            MessageBlock::ToolUse(_) => continue,
            MessageBlock::Reasoning { node, text } => {
                part.has_values = true;
                (reasoning_lines(document, *node, text), document.node(*node).pointer())
            }
            MessageBlock::ToolResult { node, .. }
            | MessageBlock::Image { node }
            | MessageBlock::Other { node, .. } => {
                part.has_values = true;
                let node = document.node(*node);
                (lines(|lines| lines.member("block", node)), node.pointer())
            }
        };
        if first {
            part.pointer = Some(pointer);
        } else if !part.text.ends_with('\n') {
            part.text.push('\n');
        }
        first = false;
        part.text.push_str(&content);
    }
    part
}

fn tool_uses(answer: &RecordedAnswer) -> Vec<&ToolUse> {
    let uses = answer.blocks.iter().filter_map(|block| match block {
        MessageBlock::ToolUse(call) => Some(call),
        _ => None,
    });
    uses.collect()
}

/// Pairs calls with the same name in order; the rest between them is paired in order, too.
fn pair_calls<'a>(left: &[&'a ToolUse], right: &[&'a ToolUse]) -> Vec<[Option<&'a ToolUse>; 2]> {
    let [l, r]: [Vec<Option<&str>>; 2] =
        [left, right].map(|calls| calls.iter().map(|call| text(&call.name)).collect());
    let mut pairs = Vec::new();
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &l, &r) {
        let (mut old, mut new) = (op.old_range(), op.new_range());
        while !old.is_empty() || !new.is_empty() {
            pairs.push([old.next().map(|at| left[at]), new.next().map(|at| right[at])]);
        }
    }
    pairs
}

/// Formats a tool call: its name on the first line, its input below.
fn call_part(document: &Document, call: &ToolUse) -> CallSectionPart {
    let mut lines = LabelledLines::default();
    let name = call.name.as_ref();
    lines.lines.line(name.map_or("without a name", |name| &name.value));
    members(&mut lines, document, call.input);
    let at = name.map_or(call.node, |name| name.node);
    lines.into_part(text(&call.id).unwrap_or_default(), Some(document.node(at).pointer()))
}

/// Adds fields that no other section shows: of the file, the request, the response, and what players read of it.
fn others(calls: &[ComparedCall<'_>; 2], sections: &mut Vec<CallSection>) {
    let parts = calls.map(|call| {
        let mut lines = LabelledLines::default();
        let mut add = |prefix: &str, node: Option<Node<'_>>, known_keys: &[&str]| {
            for item in node.into_iter().flat_map(Node::items) {
                let key = item.key().unwrap_or_default();
                if !known_keys.contains(&key) {
                    lines.member(&format!("{prefix}{key}"), item);
                }
            }
        };
        let request = call.document.node(call.request.node);
        let known_keys =
            ["type", "requestId", "timestamp", "context", "messages", "tools", "systemPrompt"];
        add("request.", Some(request), &known_keys);
        if call.recording.is_some() {
            let root = call.document.tree.root();
            let response = root.and_then(|root| root.get("response"));
            let known_keys = [
                "type",
                "requestId",
                "timestamp",
                "reasoning",
                "response",
                "content",
                "stop_reason",
            ];
            add("response.", response, &known_keys);
            let inner = response.and_then(|response| response.get("response"));
            add("response.response.", inner, &["content", "stop_reason"]);
            // Signatures have rows of their own, and these times are listed as ignored.
            add("", root, &["request", "response", "recordedAt", "signature", "lastValidated"]);
        }
        lines.into_part("", None)
    });
    if parts[0].text != parts[1].text {
        sections.push(section(SectionKind::Other, "Other fields", parts));
    }
}
