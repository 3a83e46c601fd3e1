//! Inspector sections of recordings and of requests without an answer.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::content::{
    ConversationTurn, FactList, FactsFooter, Fold, FoldKind, HeadingIcon, InspectorFact,
    InspectorSection, OfferedTool, PrefixedToolName, PromptCard, PromptNode, SectionHeading,
    SectionPart, ToolCallPart, Tools, count,
};
use super::file_context::FileContext;
use super::prose::{Prose, preview};
use super::values::Values;
use calls::first_words;
use calls::prompt::NodePrompt;
use calls::source::{MovedSource, SourceFinding, SourceState};
use calls::tape::timing::format_duration;
use check::change::fix_of;
use document::edit::{Edit, JsonValue};
use document::recording::{
    AnswerShape, Message, MessageBlock, RecordedAnswer, Recording, Request, ToolUse,
};
use document::text::{thousands, visible};
use document::{Document, Field, NodeId, RuleId, Severity, text};
use workbench::{Action, ProblemsAction, TerminalAction};

/// Maximum number of files offered as the new place of a renamed source.
const MAX_RENAMES: usize = 4;

/// Builds the sections of a recorded call: its answer, the prompt, and below rows that show it the rest.
pub(super) fn recording(
    document: &Document,
    recording: &Recording,
    context: &FileContext<'_>,
) -> Vec<InspectorSection> {
    let mut sections = Vec::new();
    let mut of_source = source_banner(recording, context);
    if let Some(InspectorSection::Banner(banner)) = &mut of_source {
        // A warning about a source has its own icon.
        banner.is_of_source = true;
    }
    sections.extend(of_source);
    if recording.shape == AnswerShape::Flat {
        sections.push(InspectorSection::banner(
            Severity::Error,
            "The answer is not wrapped.",
            "Players read it from “response.response”. They load this recording without an error and then return \
             “undefined”.",
            fix_buttons(RuleId::ResponseNotWrapped, context),
        ));
    }
    sections.extend(conversation(document));
    sections.extend(signature(context));
    sections.extend(source(recording, context).folded(FoldKind::Source));
    sections.extend(facts(recording, context).folded(FoldKind::Facts));
    sections
}

/// Returns the button of a rule's fix, if it has one for this file.
fn fix_buttons(rule: RuleId, context: &FileContext<'_>) -> Vec<(Cow<'static, str>, Action)> {
    let fix = fix_of(rule).filter(|fix| fix.change(context.item).is_some());
    let action = Action::from(ProblemsAction::Fix(rule, Some(context.id)));
    fix.map(|fix| (fix.label(1).into(), action)).into_iter().collect()
}

/// Builds the answer and the prompt of a recording or a request, then the other messages, the offered tools and the system
/// prompt, which are folded.
pub(super) fn conversation(document: &Document) -> Vec<InspectorSection> {
    let mut sections = Vec::new();
    let Some(request) = document.body.request() else { return sections };
    let answer = document.body.answer();
    let called = answer.into_iter().flat_map(RecordedAnswer::tools).collect();
    sections.extend(answer.map(|answer| answer_section(document, request, answer)));
    let of = request.messages.len();
    if let Some(at) = prompt_index(request)
        && let Some(message) = request.messages.get(at)
    {
        sections.push(prompt(document, message, (at, of), &called));
        let after = if answer.is_some() { "between" } else { "after" };
        for (kind, range, place) in
            [(FoldKind::Before, 0..at, "before"), (FoldKind::Between, at + 1..of, after)]
        {
            sections.extend(folded_messages(document, request, (kind, range, place)));
        }
    }
    if !request.tools.is_empty() {
        sections.extend(tools(document, request, &called).folded(FoldKind::Tools));
    }
    if let (Some(mut turn), Some(prompt)) =
        (system_prompt(document, request), &request.system_prompt)
    {
        // If the prompt repeats a message, the note already says so.
        if turn.heading.note.is_empty() {
            turn.heading.note = preview(&first_words(&prompt.value));
        }
        sections.extend(InspectorSection::Turn(turn).folded(FoldKind::System));
    }
    sections
}

/// Returns the index of the message that is shown as the prompt: the last one that is the prompt of a node, else the last
/// one of the user that has a text, else the last one.
fn prompt_index(request: &Request) -> Option<usize> {
    let messages = &request.messages;
    let is_prompt =
        // Anthropic's API sends the results of tools as messages of the user, too.
        |it: &Message| text(&it.role) == Some("user") && it.texts().any(|it| !it.trim().is_empty());
    let of_node = messages
        .iter()
        .rposition(|it| node_prompt(it).is_some())
        .or_else(|| messages.iter().rposition(is_prompt));
    of_node.or_else(|| messages.len().checked_sub(1))
}

/// Returns the first text of a message that is the prompt of a node, with its parts.
fn node_prompt(message: &Message) -> Option<(&str, NodePrompt<'_>)> {
    message.texts().find_map(|text| Some((text, NodePrompt::parse(text)?)))
}

fn prompt(
    document: &Document,
    message: &Message,
    (index, of): (usize, usize),
    called: &HashSet<&str>,
) -> InspectorSection {
    let mut turn = message_turn(document, message, index, of);
    turn.is_main = true;
    if text(&message.role) == Some("user") {
        turn.heading.title = "Prompt".to_owned();
    }
    // “message 1 of 1” says nothing.
    if of == 1 {
        turn.heading.note.clear();
    }
    match node_prompt(message) {
        Some((text, prompt)) => {
            InspectorSection::Prompt(Box::new(prompt_card(turn, text, &prompt, called)))
        }
        None => InspectorSection::Turn(turn),
    }
}

/// Takes the prompt of a node apart. Its full text is not folded, because a key shows it.
fn prompt_card(
    mut turn: ConversationTurn,
    text: &str,
    prompt: &NodePrompt<'_>,
    called: &HashSet<&str>,
) -> PromptCard {
    for part in &mut turn.parts {
        if let SectionPart::Prose(prose) = part {
            prose.folded = prose.text.len();
        }
    }
    let own = prompt.own.iter().map(|section| {
        let (heading, text) = section.unquoted();
        (visible(heading).into_owned(), Prose::new(None, &text))
    });
    PromptCard {
        turn,
        lines: text.trim_end().lines().count(),
        node: PromptNode::new(prompt, called),
        own: own.collect(),
    }
}

/// Builds a row that shows some of the messages, and these messages.
fn folded_messages(
    document: &Document,
    request: &Request,
    (kind, range, place): (FoldKind, Range<usize>, &str),
) -> Vec<InspectorSection> {
    let messages = request.messages.get(range.clone()).unwrap_or_default();
    if messages.is_empty() {
        return Vec::new();
    }
    let title = format!("{} {place}", count(messages.len(), "message"));
    let fold = InspectorSection::Fold(Fold {
        kind,
        heading: SectionHeading::new(HeadingIcon::Messages, &title, summarise_messages(messages)),
        right: String::new(),
        node: None,
        sections: messages.len(),
    });
    let turns = range.zip(messages).map(|(index, message)| {
        InspectorSection::Turn(message_turn(document, message, index, request.messages.len()))
    });
    [fold].into_iter().chain(turns).collect()
}

/// Returns the tools that messages call, each once, or the first words of the first text.
fn summarise_messages(messages: &[Message]) -> String {
    const MAX_NAMES: usize = 4;
    let mut names: Vec<&str> = Vec::new();
    let blocks = || messages.iter().flat_map(|message| &message.blocks);
    for block in blocks() {
        if let MessageBlock::ToolUse(call) = block
            && let Some(name) = text(&call.name)
            // One more than is shown, to know whether there are more.
            && names.len() <= MAX_NAMES
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    names.truncate(MAX_NAMES);
    if !names.is_empty() {
        return format!("{}{more}", preview(&names.join(", ")));
    }
    let mut texts = messages.iter().flat_map(Message::texts).map(first_words);
    let words = texts.find(|words| !words.is_empty());
    words.map(|words| preview(&words)).unwrap_or_default()
}

/// Builds the sections of a request without an answer.
pub(super) fn request(
    document: &Document,
    request: &Request,
    context: &FileContext<'_>,
) -> Vec<InspectorSection> {
    let mut sections = vec![InspectorSection::banner(
        Severity::Note,
        "This request has no answer yet.",
        "",
        Vec::new(),
    )];
    sections.extend(conversation(document));
    sections.extend(signature(context));
    let facts = InspectorSection::facts(HeadingIcon::File, "Request", "", request_facts(request));
    sections.extend(facts.folded(FoldKind::Facts));
    sections
}

/// Returns the system prompt and the messages of a request, in their order.
pub(super) fn messages(document: &Document, request: &Request) -> Vec<ConversationTurn> {
    let of = request.messages.len();
    let messages = request
        .messages
        .iter()
        .enumerate()
        .map(|(index, message)| message_turn(document, message, index, of));
    system_prompt(document, request).into_iter().chain(messages).collect()
}

fn system_prompt(document: &Document, request: &Request) -> Option<ConversationTurn> {
    let prompt = request.system_prompt.as_ref().filter(|prompt| !is_blank(prompt))?;
    let mut messages = request.messages.iter();
    let same = messages
        .position(|message| message.texts().any(|text| text == prompt.value))
        .map(|index| format!("same text as message {}", index + 1));
    Some(ConversationTurn {
        is_main: false,
        heading: SectionHeading::new(
            HeadingIcon::System,
            "System prompt",
            same.clone().unwrap_or_default(),
        ),
        right: document.node(prompt.node).pointer(),
        node: Some(prompt.node),
        parts: vec![match same {
            Some(same) => SectionPart::Remark(format!("The {same}.")),
            None => prose(prompt),
        }],
    })
}

fn message_turn(
    document: &Document,
    message: &Message,
    index: usize,
    of: usize,
) -> ConversationTurn {
    let role = text(&message.role);
    let (sign, title) = match role {
        Some("user") => (HeadingIcon::User, "User".to_owned()),
        // Gemini says `model`; OpenAI says `developer` for system prompts and `function` in its older tool calls.
        Some("assistant" | "model") => (HeadingIcon::Model, "Model".to_owned()),
        Some("system" | "developer") => (HeadingIcon::System, "System".to_owned()),
        Some("tool" | "function") => (HeadingIcon::Tool, "Tool".to_owned()),
        Some(other) => (HeadingIcon::System, preview(other)),
        None => (HeadingIcon::System, "No role".to_owned()),
    };
    ConversationTurn {
        is_main: false,
        heading: SectionHeading::new(sign, &title, format!("message {} of {of}", index + 1)),
        right: document.node(message.node).pointer(),
        node: Some(message.node),
        parts: parts(document, &message.blocks),
    }
}

fn answer_section(
    document: &Document,
    request: &Request,
    answer: &RecordedAnswer,
) -> InspectorSection {
    let mut all = Vec::new();
    if let Some(reasoning) = answer.reasoning.as_ref().filter(|field| !is_blank(field)) {
        all.push(SectionPart::Remark("Reasoning, as the recorder noted it".to_owned()));
        all.push(prose(reasoning));
    }
    all.extend(parts(document, &answer.blocks));
    if answer.blocks.is_empty() {
        all.push(SectionPart::Remark("This answer is empty.".to_owned()));
    }
    let reason = text(&answer.stop_reason).map(|reason| format!("stop reason {}", preview(reason)));
    // The answer has no duration of its own, but both times are of the same recorder.
    let times = (text(&request.timestamp), text(&answer.timestamp));
    let took = match times {
        (Some(requested_at), Some(answered_at)) => duration_between(requested_at, answered_at),
        _ => None,
    };
    InspectorSection::Turn(ConversationTurn {
        is_main: true,
        heading: SectionHeading::new(HeadingIcon::Model, "Answer", reason.unwrap_or_default()),
        right: took.unwrap_or_default(),
        node: Some(answer.node),
        parts: all,
    })
}

fn parts(document: &Document, blocks: &[MessageBlock]) -> Vec<SectionPart> {
    let part = |block: &MessageBlock| match block {
        MessageBlock::Text(text) => vec![prose(text)],
        MessageBlock::ToolUse(call) => vec![SectionPart::Call(tool_call(document, call))],
        MessageBlock::ToolResult { node, id, content } => {
            let caption = match text(id) {
                Some(id) => format!("Result of {}", preview(id)),
                None => "Result of a call without an id".to_owned(),
            };
            // A result without content is shown as its whole block.
            let node = document.node(content.unwrap_or(*node));
            match node.as_str() {
                Some(text) => vec![SectionPart::Remark(caption), text_part(node.id(), text)],
                None => vec![SectionPart::Value(caption, Values::from_node(node))],
            }
        }
        // An API may keep the text to itself and send a signature.
        MessageBlock::Reasoning { text, .. } if is_blank(text) => {
            vec![SectionPart::Remark("Reasoning without text".to_owned())]
        }
        MessageBlock::Reasoning { text, .. } => {
            vec![SectionPart::Remark("Reasoning".to_owned()), prose(text)]
        }
        MessageBlock::Image { node, media } => {
            let caption = match media {
                Some(media) => format!("Image ({})", preview(media)),
                None => "Image".to_owned(),
            };
            vec![SectionPart::Value(caption, Values::from_node(document.node(*node)))]
        }
        MessageBlock::Other { node, kind } => {
            let caption = match kind {
                Some(kind) => format!("Block of type {}", preview(kind)),
                None => "Block without a type".to_owned(),
            };
            vec![SectionPart::Value(caption, Values::from_node(document.node(*node)))]
        }
    };
    blocks.iter().flat_map(part).collect()
}

fn is_blank(field: &Field<String>) -> bool {
    field.value.trim().is_empty()
}

fn prose(field: &Field<String>) -> SectionPart {
    SectionPart::from_text(Some(field.node), &field.value)
}

fn tool_call(document: &Document, call: &ToolUse) -> ToolCallPart {
    ToolCallPart {
        node: call.node,
        tool: PrefixedToolName::new(text(&call.name).unwrap_or("without a name")),
        id: text(&call.id).map(preview).unwrap_or_default(),
        input: match call.input {
            Some(input) => Values::from_node(document.node(input)),
            None => Values::default(),
        },
    }
}

fn tools(document: &Document, request: &Request, called: &HashSet<&str>) -> InspectorSection {
    let offered = request.tools.iter().map(|tool| {
        let name = text(&tool.name);
        OfferedTool {
            node: tool.node,
            tool: PrefixedToolName::new(name.unwrap_or("without a name")),
            description: text(&tool.description).map(preview).unwrap_or_default(),
            schema: tool.input_schema.map(|schema| Values::from_node(document.node(schema))),
            called: name.is_some_and(|name| called.contains(name)),
        }
    });
    InspectorSection::Tools(Tools {
        heading: SectionHeading::new(
            HeadingIcon::Tool,
            "Tools",
            format!("{} offered", thousands(request.tools.len())),
        ),
        tools: offered.collect(),
    })
}

fn signature(context: &FileContext<'_>) -> Vec<InspectorSection> {
    let Some(signature) = context.item.signature.as_ref() else { return Vec::new() };
    let keys = match signature.context_keys.len() {
        0 => "no context keys".to_owned(),
        number => count(number, "context key"),
    };
    let messages = usize::try_from(signature.message_count).unwrap_or(usize::MAX);
    let note = format!(
        "{}, {}, {keys}",
        count(signature.tool_names.len(), "tool"),
        count(messages, "message")
    );
    let mut facts = Vec::new();
    if !signature.context_keys.is_empty() {
        let names: Vec<&str> = signature.context_keys.iter().map(|key| &**key).collect();
        facts.push(InspectorFact::data("Context keys", &names.join(", ")));
    }
    let stored = if context.item.signature_stored {
        "Stored in the file"
    } else if signature.context_keys.is_empty() {
        "Computed from the request"
    } else {
        "Computed from the request; the shipped client leaves the context keys out"
    };
    facts.push(InspectorFact::prose("Origin", stored));
    let foot = match context.same_signature {
        0 => None,
        number => {
            let words = match number {
                1 => "One other recording in this set has the same signature.".to_owned(),
                _ => format!(
                    "{} other recordings in this set have the same signature.",
                    number_in_words(number)
                ),
            };
            Some(Box::new(FactsFooter {
                text: words,
                link_label: "Show".into(),
                action: Action::SetFilter(same_signature_filter(context)),
            }))
        }
    };
    let facts = InspectorSection::Facts(FactList {
        heading: SectionHeading::new(HeadingIcon::Signature, "Signature", note),
        facts,
        footer: foot,
    });
    facts.folded(FoldKind::Signature)
}

/// Returns a filter for the recordings of this set that offer the same tools.
fn same_signature_filter(context: &FileContext<'_>) -> String {
    let mut filter = String::new();
    let set = context.item.folder();
    if !set.is_empty() {
        filter.push_str(&format!("path:{}", filter_value(set)));
    }
    let names = context.item.signature.iter().flat_map(|signature| &signature.tool_names);
    for name in names {
        filter.push_str(&format!(" tool:{}", filter_value(name)));
    }
    filter.trim_start().to_owned()
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
    match WORDS.get(number) {
        Some(word) => (*word).to_owned(),
        None => document::text::thousands(number),
    }
}

/// Returns the actions that write the new path of a renamed source: one for each file that continues it.
fn renames(context: &FileContext<'_>, to: &[MovedSource]) -> Vec<(Cow<'static, str>, Action)> {
    let rename = |moved: &MovedSource| {
        let path = &moved.now.path;
        let words = match to {
            [_] => Cow::Borrowed("Update path"),
            _ => Cow::Owned(format!("Update path to {}", preview(path))),
        };
        let edit = Edit::Set {
            // A field that DyGram writes.
            pointer: "/sourceMetadata/sourceFile".to_owned(),
            value: JsonValue::text(path),
        };
        let (doc, base) = (context.id, context.revision);
        (words, Action::EditValue { doc, base, edit })
    };
    to.iter().take(MAX_RENAMES).map(rename).collect()
}

fn source_banner(recording: &Recording, context: &FileContext<'_>) -> Option<InspectorSection> {
    let state = context.item.source.as_ref()?;
    let file = state.file.as_deref().map(preview).unwrap_or_default();
    let then_and_now =
        || vec![(Cow::Borrowed("Compare source versions"), Action::CompareSource(context.id))];
    let regenerate = || {
        let action = TerminalAction::Regenerate(vec![context.id]);
        vec![(Cow::Borrowed("Regenerate…"), Action::from(action))]
    };
    let node = match text(&recording.request.current_node) {
        Some(node) => format!("at {}", preview(node)),
        None => "from it".to_owned(),
    };
    Some(match &state.found {
        SourceFinding::Unstamped | SourceFinding::Fresh(_) => return None,
        SourceFinding::Stale(_) => InspectorSection::banner(
            Severity::Warning,
            "The source has changed since this was recorded.",
            &match (&state.because, state.affected) {
                (Some(because), _) => format!("{}.", without_quotes(because)),
                (None, Some(true)) => format!(
                    "A request made {node} today offers other tools, so it finds no match here."
                ),
                (None, Some(false)) => format!("A request made {node} today still matches it."),
                (None, None) => {
                    "It is unknown whether a request made today still matches it.".to_owned()
                }
            },
            match state.affected {
                // A recording that still matches need not be made again.
                Some(true) => [then_and_now(), regenerate()].concat(),
                _ => then_and_now(),
            },
        ),
        SourceFinding::LineEndings(_) => InspectorSection::banner(
            Severity::Note,
            "The source differs only in its line endings.",
            "A hash check treats it as changed. An entry in .gitattributes keeps line endings unchanged.",
            Vec::new(),
        ),
        SourceFinding::Renamed(to) => renamed_banner(state, to, &file, context),
        SourceFinding::Missing(deleted) => InspectorSection::banner(
            Severity::Error,
            "The source does not exist.",
            &match deleted {
                Some(commit) => format!(
                    "There is no {file} in the project: it was deleted in commit {}.",
                    commit.short()
                ),
                None => format!("There is no {file} in the project. Was it renamed or deleted?"),
            },
            Vec::new(),
        ),
        SourceFinding::Outside(reason) => InspectorSection::banner(
            Severity::Error,
            "The source is outside the project.",
            &format!("It was not read: {}.", preview(reason.trim_end_matches('.'))),
            Vec::new(),
        ),
    })
}

fn renamed_banner(
    state: &SourceState,
    to: &[MovedSource],
    file: &str,
    context: &FileContext<'_>,
) -> InspectorSection {
    let place = |moved: &MovedSource| match &moved.commit {
        Some(commit) => {
            let (path, commit) = (preview(&moved.now.path), commit.short());
            format!("{path} (moved there in commit {commit})")
        }
        None => preview(&moved.now.path),
    };
    let places = to.iter().map(place).collect::<Vec<_>>().join(", ");
    let mut actions = renames(context, to);
    if !state.found.has_changed() {
        let text = match to {
            [_] => {
                format!("There is no {file}; the recorded text is in {places}.")
            }
            _ => format!("There is no {file}; it continues in {} files: {places}.", to.len()),
        };
        return InspectorSection::banner(Severity::Note, "The source was renamed.", &text, actions);
    }
    if state.found.changed().is_some() {
        let show = Cow::Borrowed("Compare source versions");
        actions.insert(0, (show, Action::CompareSource(context.id)));
    }
    let because = match &state.because {
        Some(because) => format!(" {}.", without_quotes(because)),
        None => String::new(),
    };
    InspectorSection::banner(
        Severity::Warning,
        "The source was renamed and has changed since.",
        &format!("There is no {file}; it continues in {places}.{because}"),
        actions,
    )
}

/// Returns a sentence without backticks and without its full stop.
fn without_quotes(sentence: &str) -> String {
    visible(sentence).replace('`', "").trim_end_matches('.').to_owned()
}

fn source(recording: &Recording, context: &FileContext<'_>) -> InspectorSection {
    let Some(metadata) = recording.source.as_ref().map(|field| &field.value) else {
        return InspectorSection::facts(
            HeadingIcon::Source,
            "Source",
            "not named in this file",
            Vec::new(),
        );
    };
    let state = context.item.source.as_deref();
    let mut facts = Vec::new();
    let note = match text(&metadata.file) {
        None => "no sourceFile".to_owned(),
        Some(file) => {
            facts.push(InspectorFact::data("File", file).with_field(&metadata.file));
            preview(file)
        }
    };
    match text(&metadata.hash) {
        Some(hash) => facts.push(hash_fact("Then", hash, "as recorded").with_field(&metadata.hash)),
        None => facts.push(InspectorFact::prose("Then", "no contentHash")),
    }
    facts.push(current_source_fact(state));
    if let Some(present) = state.and_then(|state| state.found.present())
        // At the root, the source is where the recording says.
        && !present.at_root
    {
        facts.push(InspectorFact::data("Found at", &present.path));
    }
    facts.extend(data_fact("Machine", &metadata.machine_title));
    facts.extend(data_fact("Modified", &metadata.last_modified));
    if let Some(size) = &metadata.file_size {
        let noun = if size.value == 1.0 { "byte" } else { "bytes" };
        let shown = format!("{} {noun}", size.value);
        facts.push(InspectorFact::data("Size then", &shown).with_field(&metadata.file_size));
    }
    InspectorSection::facts(HeadingIcon::Source, "Source", note, facts)
}

fn current_source_fact(state: Option<&SourceState>) -> InspectorFact {
    let Some(state) = state else { return InspectorFact::prose("Now", "not checked") };
    match &state.found {
        SourceFinding::Fresh(present) => hash_fact("Now", &present.hash, "the same"),
        SourceFinding::Stale(present) => hash_fact("Now", &present.hash, "working tree"),
        SourceFinding::LineEndings(present) => {
            hash_fact("Now", &present.hash, "other line endings")
        }
        SourceFinding::Renamed(_) => InspectorFact::prose("Now", "renamed"),
        SourceFinding::Missing(Some(commit)) => {
            InspectorFact::prose("Now", &format!("deleted in {}", commit.short()))
        }
        SourceFinding::Missing(None) => InspectorFact::prose("Now", "no such file"),
        SourceFinding::Outside(_) => InspectorFact::prose("Now", "outside the project, not read"),
        SourceFinding::Unstamped => InspectorFact::prose("Now", "nothing to compare with"),
    }
}

fn hash_fact(name: &str, hash: &str, remark: &str) -> InspectorFact {
    // The hash is a text of the file and may contain anything.
    let short = &hash[..hash.floor_char_boundary(8)];
    InspectorFact {
        remark: remark.to_owned(),
        full: Some(hash.to_owned()),
        ..InspectorFact::data(name, short)
    }
}

fn facts(recording: &Recording, context: &FileContext<'_>) -> InspectorSection {
    let mut facts = Vec::new();
    facts.extend(data_fact("Recorded at", &recording.recorded_at));
    facts.extend(data_fact("Validated at", &recording.last_validated));
    facts.extend(request_facts(&recording.request));
    facts.push(context.file_fact());
    InspectorSection::facts(HeadingIcon::File, "Recording", recording.version.as_str(), facts)
}

fn request_facts(request: &Request) -> Vec<InspectorFact> {
    let named_facts = [
        data_fact("Request id", &request.id),
        data_fact("Requested at", &request.timestamp),
        data_fact("Machine", &request.machine_title),
        data_fact("Node", &request.current_node),
    ];
    let mut facts: Vec<InspectorFact> = named_facts.into_iter().flatten().collect();
    if !request.context_keys.is_empty() {
        facts.push(InspectorFact::data("Context", &request.context_keys.join(", ")));
    }
    facts
}

/// Returns a field's text in the data font, if the field exists.
pub(super) fn data_fact(name: &str, field: &Option<Field<String>>) -> Option<InspectorFact> {
    text(field).map(|value| InspectorFact::data(name, value).with_field(field))
}

/// Returns a field's text in the text font, if the field exists.
pub(super) fn prose_fact(name: &str, field: &Option<Field<String>>) -> Option<InspectorFact> {
    text(field).map(|value| InspectorFact::prose(name, value).with_field(field))
}

/// Creates a part from the text of a node.
pub(super) fn text_part(node: NodeId, text: &str) -> SectionPart {
    SectionPart::from_text(Some(node), text)
}

/// Returns the time from one ISO 8601 instant to a later one as text, or `None` if they are invalid or in the wrong
/// order.
pub(super) fn duration_between(from: &str, to: &str) -> Option<String> {
    let parse = |time: &str| time.parse::<jiff::Timestamp>().ok();
    let nanos = parse(to)?.as_nanosecond() - parse(from)?.as_nanosecond();
    (nanos > 0).then(|| format_duration(nanos as f64))
}
