//! Inspector sections of recordings and of requests without an answer.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::content::{
    Fact, FactList, FactsFooter, Fold, FoldKind, Heading, MediaSpot, OfferedTool, PrefixedToolName,
    PromptCard, PromptNode, Section, SectionPart, ToolCallPart, Tools, Turn, count,
};
use super::findings;
use super::inspector_data::FileItem;
use super::prose::{Prose, preview};
use super::values::Values;
use calls::media::format_of_base64;
use calls::prompt::NodePrompt;
use calls::source::{MovedSource, SourceFinding, SourceState};
use calls::tape::timing::format_duration;
use calls::{ItemStatus, first_words};
use check::change::{Change, fix_of};
use document::edit::{Edit, JsonValue};
use document::recording::{
    AnswerShape, Message, MessageBlock, RecordedAnswer, Recording, Request, ToolUse,
};
use document::text::{thousands, visible};
use document::{Document, Field, Node, NodeId, Problem, RuleId, Severity, text};
use widgets::icons;
use workbench::{Action, LiveAction, ProblemsAction, QueueAction, TerminalAction};

/// Maximum number of files offered as the new place of a renamed source.
const MAX_RENAMES: usize = 4;

/// Builds the sections of a recorded call: its answer, the prompt, and below rows that show it the rest.
pub(super) fn recording(
    document: &Document,
    recording: &Recording,
    file: &FileItem<'_>,
) -> Vec<Section> {
    let mut sections = Vec::from_iter(source_banner(recording, file));
    if let Some(Section::Banner(banner)) = sections.first_mut()
        && banner.severity == Severity::Warning
    {
        // A warning about a source has its own icon.
        banner.icon = icons::CLOCK_ALERT;
    }
    if recording.shape == AnswerShape::Flat {
        sections.push(Section::banner(
            Severity::Error,
            "The answer is not wrapped.",
            "Players read it from “response.response”. They load this recording without an error and then return \
             “undefined”.",
            fix_buttons(RuleId::ResponseNotWrapped, file),
        ));
    }
    let is_bannered = |problem: &Problem| {
        let is_about_source = problem.rule.as_str().starts_with("source-");
        is_about_source || problem.rule == RuleId::ResponseNotWrapped
    };
    sections.extend(findings::banners(file, |problem| !is_bannered(problem)));
    sections.extend(conversation(document));
    sections.extend(signature(file));
    sections.extend(source(recording, file).folded(FoldKind::Source));
    sections.extend(facts(recording, file).folded(FoldKind::Facts));
    sections
}

/// Returns the button of a rule's fix, if it has one for this file.
fn fix_buttons(rule: RuleId, file: &FileItem<'_>) -> Vec<(Cow<'static, str>, Action)> {
    let fix = fix_of(rule).filter(|fix| fix.change(file.item).is_some());
    let action = Action::from(ProblemsAction::Fix(rule, Some(file.id)));
    fix.map(|fix| (fix.label(1).into(), action)).into_iter().collect()
}

/// Builds the prompt and the answer of a recording or a request with what is between them, then the other messages, the offered
/// tools and the system prompt, which are folded. The prompt of a node is long and known, so the answer is above it.
pub(super) fn conversation(document: &Document) -> Vec<Section> {
    let mut sections = Vec::new();
    let Some(request) = document.body.request() else { return sections };
    let answer = document.body.answer();
    let called_names = answer.into_iter().flat_map(RecordedAnswer::tools).collect();
    let answer_section = answer.map(|answer| answer_section(document, request, answer));
    let total = request.messages.len();
    let index = prompt_index(request);
    let message = index.and_then(|index| request.messages.get(index));
    let prompt = index
        .zip(message)
        .map(|(index, message)| prompt(document, request, (message, index), &called_names));
    let folded = |kind, range, place| folded_messages(document, request, (kind, range, place));
    let last_place = if answer.is_some() { "between" } else { "after" };
    let between = index
        .map(|index| folded(FoldKind::Between, index + 1..total, last_place))
        .into_iter()
        .flatten();
    if matches!(prompt, Some(Section::Prompt(_))) {
        sections.extend(answer_section.into_iter().chain(prompt).chain(between));
    } else {
        sections.extend(prompt.into_iter().chain(between).chain(answer_section));
    }
    sections
        .extend(index.into_iter().flat_map(|index| folded(FoldKind::Before, 0..index, "before")));
    if !request.tools.is_empty() {
        sections.extend(tools(document, request, &called_names).folded(FoldKind::Tools));
    }
    if let (Some(mut turn), Some(prompt)) =
        (system_prompt(document, request), &request.system_prompt)
    {
        // If the prompt repeats a message, the note already says so.
        if turn.heading.note.is_empty() {
            turn.heading.note = preview(&first_words(&prompt.value));
        }
        sections.extend(Section::Turn(turn).folded(FoldKind::System));
    }
    sections
}

/// Returns the index of the message that is shown as the prompt: the last one that is the prompt of a node, else the last
/// one of the user that has a text, else the last one.
fn prompt_index(request: &Request) -> Option<usize> {
    let messages = &request.messages;
    let is_prompt =
        // Anthropic's API sends the results of tools as messages of the user, too.
        |message: &Message| text(&message.role) == Some("user") && message.texts().any(|t| !t.trim().is_empty());
    let node_index = messages.iter().rposition(|m| node_prompt(m).is_some());
    let user_index = || messages.iter().rposition(is_prompt);
    node_index.or_else(user_index).or_else(|| messages.len().checked_sub(1))
}

/// Returns the parts of the first text of a message that is the prompt of a node.
fn node_prompt(message: &Message) -> Option<NodePrompt<'_>> {
    message.texts().find_map(NodePrompt::parse)
}

fn prompt(
    document: &Document,
    request: &Request,
    (message, index): (&Message, usize),
    called_names: &HashSet<&str>,
) -> Section {
    let mut turn = message_turn(document, request, message, index);
    turn.is_main = true;
    turn.parts.push(media_spot(&message.blocks, false));
    match node_prompt(message) {
        Some(prompt) => {
            turn.heading.title = "Prompt".to_owned();
            Section::Prompt(Box::new(prompt_card(turn, &prompt, called_names)))
        }
        None => Section::Turn(turn),
    }
}

/// Takes the prompt of a node apart. Its full text is not folded, because a key shows it.
fn prompt_card(mut turn: Turn, prompt: &NodePrompt<'_>, called: &HashSet<&str>) -> PromptCard {
    for part in &mut turn.parts {
        if let SectionPart::Prose(prose) = part {
            prose.folded = prose.text.len();
        }
    }
    let sections = prompt.own.iter().map(|section| {
        let (heading, text) = section.unquoted();
        (visible(heading).into_owned(), Prose::new(None, &text))
    });
    PromptCard { turn, node: PromptNode::new(prompt, called), own: sections.collect() }
}

/// Builds a row that shows some of the messages, and these messages.
fn folded_messages(
    document: &Document,
    request: &Request,
    (kind, range, place): (FoldKind, Range<usize>, &str),
) -> Vec<Section> {
    let messages = request.messages.get(range.clone()).unwrap_or_default();
    if messages.is_empty() {
        return Vec::new();
    }
    let title = format!("{} {place}", count(messages.len(), "message"));
    let heading = Heading::new(icons::MESSAGES_SQUARE, &title, summarise_messages(messages));
    let fold = Section::Fold(Fold { kind, heading, sections: messages.len() });
    let turns = range
        .zip(messages)
        .map(|(index, message)| Section::Turn(message_turn(document, request, message, index)));
    [fold].into_iter().chain(turns).collect()
}

/// Returns the tools that messages call, each once, or the first words of the first text.
fn summarise_messages(messages: &[Message]) -> String {
    const MAX_NAMES: usize = 4;
    let mut names: Vec<&str> = Vec::new();
    for block in messages.iter().flat_map(|message| &message.blocks) {
        if let MessageBlock::ToolUse(call) = block
            && let Some(name) = text(&call.name)
            // One more than is shown, to know whether there are more.
            && names.len() <= MAX_NAMES
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    let dots = if names.len() > MAX_NAMES { ", …" } else { "" };
    names.truncate(MAX_NAMES);
    if !names.is_empty() {
        return format!("{}{dots}", preview(&names.join(", ")));
    }
    let mut texts = messages.iter().flat_map(Message::texts).map(first_words);
    texts.find(|words| !words.is_empty()).map(|words| preview(&words)).unwrap_or_default()
}

/// Builds the sections of a request without an answer.
pub(super) fn request(document: &Document, request: &Request, file: &FileItem<'_>) -> Vec<Section> {
    let title = "This request has no answer yet.";
    // An answered request is no longer in the queue.
    let is_pending = file.item.status() == ItemStatus::Pending;
    let answer = LiveAction::Queue(QueueAction::WatchFile(file.id));
    let actions = is_pending.then(|| ("Answer it".into(), Action::from(answer)));
    let actions = Vec::from_iter(actions);
    let mut sections = vec![Section::banner(Severity::Note, title, "", actions)];
    sections.extend(conversation(document));
    sections.extend(signature(file));
    let facts = Section::facts(icons::FILE_TEXT, "Request", "", request_facts(request));
    sections.extend(facts.folded(FoldKind::Facts));
    sections
}

fn system_prompt(document: &Document, request: &Request) -> Option<Turn> {
    let prompt = request.system_prompt.as_ref().filter(|prompt| !is_blank(prompt))?;
    let mut messages = request.messages.iter();
    let note = messages
        .position(|message| message.texts().any(|text| text == prompt.value))
        .map(|index| format!("same text as message {}", index + 1));
    let part = match &note {
        Some(note) => SectionPart::Remark(format!("The {note}.")),
        None => SectionPart::of(prompt),
    };
    let heading = Heading::new(icons::SETTINGS, "System prompt", note.unwrap_or_default());
    Some(Turn::new(heading, Some(document.node(prompt.node)), vec![part]))
}

/// Returns the icon and the title of a message by its role, or `missing` without one.
pub(super) fn role_look(role: Option<&str>, missing: &str) -> (&'static str, String) {
    match role {
        Some("user") => (icons::USER, "User".to_owned()),
        // Gemini says `model`; OpenAI says `developer` for system prompts and `function` in its older tool calls.
        Some("assistant" | "model") => (icons::SPARKLES, "Model".to_owned()),
        Some("system" | "developer") => (icons::SETTINGS, "System".to_owned()),
        Some("tool" | "function") => (icons::WRENCH, "Tool".to_owned()),
        Some(other) => (icons::SETTINGS, preview(other)),
        None => (icons::SETTINGS, missing.to_owned()),
    }
}

fn message_turn(document: &Document, request: &Request, message: &Message, index: usize) -> Turn {
    let (icon, title) = role_look(text(&message.role), "No role");
    let note = format!("message {} of {}", index + 1, request.messages.len());
    let parts = parts(document, request, &message.blocks);
    Turn::new(Heading::new(icon, &title, note), Some(document.node(message.node)), parts)
}

fn answer_section(document: &Document, request: &Request, answer: &RecordedAnswer) -> Section {
    let mut answer_parts = Vec::new();
    if let Some(reasoning) = answer.reasoning.as_ref().filter(|field| !is_blank(field)) {
        answer_parts.push(SectionPart::Remark("Reasoning, as the recorder noted it".to_owned()));
        answer_parts.push(SectionPart::of(reasoning));
    }
    answer_parts.extend(parts(document, request, &answer.blocks));
    if answer.blocks.is_empty() {
        answer_parts.push(SectionPart::Remark("This answer is empty.".to_owned()));
    }
    answer_parts.push(media_spot(&answer.blocks, true));
    let reason = text(&answer.stop_reason).map(|reason| format!("stop reason {}", preview(reason)));
    // The answer has no duration of its own, but both times are of the same recorder.
    let times = text(&request.timestamp).zip(text(&answer.timestamp));
    let duration =
        times.and_then(|(requested_at, answered_at)| duration_between(requested_at, answered_at));
    Section::Turn(Turn {
        is_main: true,
        heading: Heading::new(icons::SPARKLES, "Answer", reason.unwrap_or_default()),
        right: duration.unwrap_or_default(),
        node: Some(answer.node),
        parts: answer_parts,
    })
}

fn parts(document: &Document, request: &Request, blocks: &[MessageBlock]) -> Vec<SectionPart> {
    let with_caption = |caption: String, node: NodeId| {
        vec![SectionPart::Value(caption, Values::from_node(document.node(node)))]
    };
    let part = |block: &MessageBlock| match block {
        MessageBlock::Text(text) => vec![SectionPart::of(text)],
        MessageBlock::ToolUse(call) => vec![SectionPart::Call(tool_call(document, call))],
        MessageBlock::ToolResult { node, id, content } => {
            let caption = match text(id).map(|id| (id, tool_of(request, id))) {
                Some((_, Some(tool))) => format!("{} returned", preview(tool)),
                // With Gemini, the id is the name of the tool.
                Some((id, None)) => format!("Result of {}", preview(id)),
                None => "Result of a call without an id".to_owned(),
            };
            // A result without content is shown as its whole block.
            let node = content.unwrap_or(*node);
            match document.node(node).as_str() {
                Some(text) => {
                    vec![SectionPart::Remark(caption), SectionPart::from_text(Some(node), text)]
                }
                None => with_caption(caption, node),
            }
        }
        // An API may keep the text to itself and send a signature.
        MessageBlock::Reasoning { text, .. } if is_blank(text) => {
            vec![SectionPart::Remark("Reasoning without text".to_owned())]
        }
        MessageBlock::Reasoning { text, .. } => {
            vec![SectionPart::Remark("Reasoning".to_owned()), SectionPart::of(text)]
        }
        // Drawn at the end of the message.
        MessageBlock::Image { .. } => Vec::new(),
        MessageBlock::Other { node, .. } if has_medium(document.node(*node)) => Vec::new(),
        MessageBlock::Other { node, kind } => match kind {
            Some(kind) => with_caption(format!("Block of type {}", preview(kind)), *node),
            None => with_caption("Block without a type".to_owned(), *node),
        },
    };
    blocks.iter().flat_map(part).collect()
}

/// Returns whether a block holds a picture or a sound, which as Base64 says nothing.
fn has_medium(block: Node<'_>) -> bool {
    block.tree().nodes_at(block.positions()).any(|node| {
        let text = node.as_str().filter(|text| text.len() >= MIN_MEDIUM_BYTES);
        text.is_some_and(|text| format_of_base64(text).is_some())
    })
}

/// Least length of Base64 that is drawn: signatures of formats are also in short ids.
const MIN_MEDIUM_BYTES: usize = 64;

/// Returns the place of the media of a side, after its text.
fn media_spot(blocks: &[MessageBlock], is_answer: bool) -> SectionPart {
    let is_picture = |block: &&MessageBlock| matches!(block, MessageBlock::Image { .. });
    let named_pictures = blocks.iter().filter(is_picture).count();
    SectionPart::Media(MediaSpot { is_answer, named_pictures })
}

/// Returns the name of the tool that a call with this id uses.
fn tool_of<'a>(request: &'a Request, id: &str) -> Option<&'a str> {
    let blocks = request.messages.iter().flat_map(|message| &message.blocks);
    let calls = blocks.filter_map(|block| match block {
        MessageBlock::ToolUse(call) => Some(call),
        _ => None,
    });
    calls.filter(|call| text(&call.id) == Some(id)).find_map(|call| text(&call.name))
}

fn is_blank(field: &Field<String>) -> bool {
    field.value.trim().is_empty()
}

fn tool_call(document: &Document, call: &ToolUse) -> ToolCallPart {
    let input = call.input.map(|input| Values::from_node(document.node(input)));
    ToolCallPart {
        node: call.node,
        tool: PrefixedToolName::new(text(&call.name).unwrap_or("without a name")),
        id: text(&call.id).map(preview).unwrap_or_default(),
        input: input.unwrap_or_default(),
    }
}

fn tools(document: &Document, request: &Request, called_names: &HashSet<&str>) -> Section {
    let tools = request.tools.iter().map(|tool| {
        let name = text(&tool.name);
        OfferedTool {
            node: tool.node,
            tool: PrefixedToolName::new(name.unwrap_or("without a name")),
            description: text(&tool.description).map(preview).unwrap_or_default(),
            schema: tool.input_schema.map(|schema| Values::from_node(document.node(schema))),
            called: name.is_some_and(|name| called_names.contains(name)),
        }
    });
    let note = format!("{} offered", thousands(request.tools.len()));
    let heading = Heading::new(icons::WRENCH, "Tools", note);
    Section::Tools(Tools { heading, tools: tools.collect() })
}

fn signature(file: &FileItem<'_>) -> Vec<Section> {
    let Some(signature) = file.item.signature.as_ref() else { return Vec::new() };
    let messages = usize::try_from(signature.message_count).unwrap_or(usize::MAX);
    let note = format!(
        "{}, {}, {}",
        count(signature.tool_names.len(), "tool"),
        count(messages, "message"),
        count(signature.context_keys.len(), "context key")
    );
    let has_keys = !signature.context_keys.is_empty();
    let origin = match (file.item.signature_stored, has_keys) {
        (true, _) => "Stored in the file",
        (false, false) => "Computed from the request",
        (false, true) => {
            "Computed from the request; the shipped client leaves the context keys out"
        }
    };
    let keys = || Fact::data("Context keys", &signature.context_keys.join(", "));
    let facts = [has_keys.then(keys), Some(Fact::prose("Origin", origin))];
    let text = match file.same_signature {
        0 => None,
        1 => Some("One other recording in this set has the same signature.".to_owned()),
        number => Some(format!(
            "{} other recordings in this set have the same signature.",
            number_in_words(number)
        )),
    };
    let footer = text.map(|text| {
        let action = Action::SetFilter(same_signature_filter(file));
        Box::new(FactsFooter { text, link_label: "Show".into(), action })
    });
    let heading = Heading::new(icons::FINGERPRINT, "Signature", note);
    let facts = facts.into_iter().flatten().collect();
    Section::Facts(FactList { heading, facts, footer }).folded(FoldKind::Signature)
}

/// Returns a filter for the recordings of this set that offer the same tools.
fn same_signature_filter(file: &FileItem<'_>) -> String {
    let set = Some(file.item.folder())
        .filter(|set| !set.is_empty())
        .map(|set| format!("path:{}", filter_value(set)));
    let names = file.item.signature.iter().flat_map(|signature| &signature.tool_names);
    let tools = names.map(|name| format!("tool:{}", filter_value(name)));
    set.into_iter().chain(tools).collect::<Vec<_>>().join(" ")
}

/// Returns a value of a filter in quotes if necessary; quotes in it are dropped.
fn filter_value(word: &str) -> String {
    if word.contains(|c: char| c.is_whitespace() || c == '"') {
        format!("\"{}\"", word.replace('"', ""))
    } else {
        word.to_owned()
    }
}

fn number_in_words(number: usize) -> String {
    // A sentence should not begin with a digit.
    const WORDS: [&str; 10] =
        ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
    WORDS.get(number).map_or_else(|| thousands(number), |word| (*word).to_owned())
}

/// Returns the actions that write the new path of a renamed source: one for each file that continues it.
fn renames(file: &FileItem<'_>, sources: &[MovedSource]) -> Vec<(Cow<'static, str>, Action)> {
    let rename = |source: &MovedSource| {
        let path = &source.now.path;
        let words = match sources {
            [_] => Cow::Borrowed("Update path"),
            _ => Cow::Owned(format!("Update path to {}", preview(path))),
        };
        // A field that DyGram writes.
        let pointer = "/sourceMetadata/sourceFile".to_owned();
        let edit = Edit::Set { pointer, value: JsonValue::text(path) };
        let (doc, base) = (file.id, file.revision);
        (words, Action::EditValue { doc, base, change: Change::Value(edit) })
    };
    sources.iter().take(MAX_RENAMES).map(rename).collect()
}

fn source_banner(recording: &Recording, file: &FileItem<'_>) -> Option<Section> {
    let state = file.item.source.as_ref()?;
    let path = state.file.as_deref().map(preview).unwrap_or_default();
    let compare_action = (Cow::Borrowed("Then and now"), Action::CompareSource(file.id));
    let node = match text(&recording.request.current_node) {
        Some(node) => format!("at {}", preview(node)),
        None => "from it".to_owned(),
    };
    let (severity, title, text, actions) = match &state.found {
        SourceFinding::Unstamped | SourceFinding::Fresh(_) => return None,
        SourceFinding::Renamed(sources) => {
            return Some(renamed_banner(state, sources, &path, file));
        }
        SourceFinding::Stale(_) => {
            let text = match (&state.because, state.affected) {
                (Some(reason), _) => format!("{}.", without_quotes(reason)),
                (None, Some(true)) => format!(
                    "A request made {node} today offers other tools, so it finds no match here."
                ),
                (None, Some(false)) => format!("A request made {node} today still matches it."),
                (None, None) => {
                    "It is unknown whether a request made today still matches it.".to_owned()
                }
            };
            let mut actions = vec![compare_action];
            // A recording that still matches need not be made again.
            if state.affected == Some(true) {
                let action = TerminalAction::Regenerate(vec![file.id]);
                actions.push(("Record again…".into(), action.into()));
            }
            let title = "The source has changed since this was recorded.";
            (Severity::Warning, title, text, actions)
        }
        SourceFinding::LineEndings(_) => {
            let title = "The source differs only in its line endings.";
            let text = "A hash check treats it as changed. An entry in .gitattributes keeps line endings unchanged.";
            (Severity::Note, title, text.to_owned(), Vec::new())
        }
        SourceFinding::Missing(deletion) => {
            let text = match deletion.as_ref().map(|commit| commit.short()) {
                Some(commit) => {
                    format!("There is no {path} in the project: it was deleted in commit {commit}.")
                }
                None => format!("There is no {path} in the project. Was it renamed or deleted?"),
            };
            (Severity::Error, "The source does not exist.", text, Vec::new())
        }
        SourceFinding::Outside(reason) => {
            let text = format!("It was not read: {}.", preview(reason.trim_end_matches('.')));
            (Severity::Error, "The source is outside the project.", text, Vec::new())
        }
    };
    Some(Section::banner(severity, title, &text, actions))
}

fn renamed_banner(
    state: &SourceState,
    sources: &[MovedSource],
    path: &str,
    file: &FileItem<'_>,
) -> Section {
    let place = |source: &MovedSource| match &source.commit {
        Some(commit) => {
            let (path, commit) = (preview(&source.now.path), commit.short());
            format!("{path} (moved there in commit {commit})")
        }
        None => preview(&source.now.path),
    };
    let places = sources.iter().map(place).collect::<Vec<_>>().join(", ");
    let mut actions = renames(file, sources);
    if !state.found.has_changed() {
        let text = match sources {
            [_] => format!("There is no {path}; the recorded text is in {places}."),
            _ => format!("There is no {path}; it continues in {} files: {places}.", sources.len()),
        };
        return Section::banner(Severity::Note, "The source was renamed.", &text, actions);
    }
    if state.found.changed().is_some() {
        let label = Cow::Borrowed("Then and now");
        actions.insert(0, (label, Action::CompareSource(file.id)));
    }
    let reason = match &state.because {
        Some(reason) => format!(" {}.", without_quotes(reason)),
        None => String::new(),
    };
    let title = "The source was renamed and has changed since.";
    let text = format!("There is no {path}; it continues in {places}.{reason}");
    Section::banner(Severity::Warning, title, &text, actions)
}

/// Returns a sentence without backticks and without its full stop.
fn without_quotes(sentence: &str) -> String {
    visible(sentence).replace('`', "").trim_end_matches('.').to_owned()
}

fn source(recording: &Recording, file: &FileItem<'_>) -> Section {
    let Some(metadata) = recording.source.as_ref().map(|field| &field.value) else {
        let note = "not named in this file";
        return Section::facts(icons::FILE_CODE, "Source", note, [None]);
    };
    let state = file.item.source.as_deref();
    let old_hash = match text(&metadata.hash) {
        Some(hash) => hash_fact("Then", hash, "as recorded").with_field(&metadata.hash),
        None => Fact::prose("Then", "no contentHash"),
    };
    // At the root it is where the recording says.
    let present = state.and_then(|state| state.found.present()).filter(|present| !present.at_root);
    let size = metadata.file_size.as_ref().map(|size| {
        let noun = if size.value == 1.0 { "byte" } else { "bytes" };
        let size_text = format!("{} {noun}", size.value);
        Fact::data("Size then", &size_text).with_field(&metadata.file_size)
    });
    let facts = [
        data_fact("File", &metadata.file),
        Some(old_hash),
        Some(current_source_fact(state)),
        present.map(|present| Fact::data("Found at", &present.path)),
        data_fact("Machine", &metadata.machine_title),
        data_fact("Modified", &metadata.last_modified),
        size,
    ];
    let note = text(&metadata.file).map_or_else(|| "no sourceFile".to_owned(), preview);
    Section::facts(icons::FILE_CODE, "Source", note, facts)
}

fn current_source_fact(state: Option<&SourceState>) -> Fact {
    let words = match state.map(|state| &state.found) {
        None => "not checked",
        Some(SourceFinding::Fresh(present)) => return hash_fact("Now", &present.hash, "the same"),
        Some(SourceFinding::Stale(present)) => {
            return hash_fact("Now", &present.hash, "working tree");
        }
        Some(SourceFinding::LineEndings(present)) => {
            return hash_fact("Now", &present.hash, "other line endings");
        }
        Some(SourceFinding::Renamed(_)) => "renamed",
        Some(SourceFinding::Missing(Some(commit))) => &format!("deleted in {}", commit.short()),
        Some(SourceFinding::Missing(None)) => "no such file",
        Some(SourceFinding::Outside(_)) => "outside the project, not read",
        Some(SourceFinding::Unstamped) => "nothing to compare with",
    };
    Fact::prose("Now", words)
}

fn hash_fact(name: &str, hash: &str, remark: &str) -> Fact {
    // The hash is a text of the file and may contain anything.
    let short_hash = &hash[..hash.floor_char_boundary(8)];
    Fact { remark: remark.to_owned(), full: Some(hash.to_owned()), ..Fact::data(name, short_hash) }
}

fn facts(recording: &Recording, file: &FileItem<'_>) -> Section {
    let times = [
        data_fact("Recorded at", &recording.recorded_at),
        data_fact("Validated at", &recording.last_validated),
    ];
    let facts = times
        .into_iter()
        .flatten()
        .chain(request_facts(&recording.request))
        .chain([file.file_fact()]);
    Section::facts(icons::FILE_TEXT, "Recording", recording.version.as_str(), facts)
}

fn request_facts(request: &Request) -> impl Iterator<Item = Fact> {
    let keys = &request.context_keys;
    let context_keys = (!keys.is_empty()).then(|| Fact::data("Context", &keys.join(", ")));
    let facts = [
        data_fact("Request id", &request.id),
        data_fact("Requested at", &request.timestamp),
        data_fact("Machine", &request.machine_title),
        data_fact("Node", &request.current_node),
        context_keys,
    ];
    facts.into_iter().flatten()
}

/// Returns a field's text in the data font, if the field exists.
pub(super) fn data_fact(name: &str, field: &Option<Field<String>>) -> Option<Fact> {
    text(field).map(|value| Fact::data(name, value).with_field(field))
}

/// Returns a field's text in the text font, if the field exists.
pub(super) fn prose_fact(name: &str, field: &Option<Field<String>>) -> Option<Fact> {
    text(field).map(|value| Fact::prose(name, value).with_field(field))
}

/// Returns the time from one ISO 8601 instant to a later one as text, or `None` if they are invalid or in the wrong
/// order.
pub(super) fn duration_between(from: &str, to: &str) -> Option<String> {
    let parse = |time: &str| time.parse::<jiff::Timestamp>().ok();
    let nanos = parse(to)?.as_nanosecond() - parse(from)?.as_nanosecond();
    (nanos > 0).then(|| format_duration(nanos as f64))
}
