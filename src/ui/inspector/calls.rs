//! Inspector sections of a file of calls: the list of them, or the one that is selected.

use std::sync::Arc;

use super::content::{
    BodyLayers, ConversationTurn, FoldKind, InspectorFact, InspectorSection, RowState, RowText,
    SectionHeading, SectionPart, SectionRow, count,
};
use super::edit::MAX_BYTES;
use super::file_context::FileContext;
use super::prose::preview;
use super::recording;
use calls::CallRow;
use calls::reading::call_at;
use calls::tape::timing::format_duration;
use check::{AccountNotes, rule};
use document::call::{BodyContent, BodyForm, HttpBody, ModelCall};
use document::text::{thousands, visible, visible_lines};
use document::{Document, Node, NodeId, Problem, Severity, text};
use widgets::icons;
use workbench::Action;

/// Builds the list of the calls in a file.
pub(super) fn list(document: &Document, rows: &[CallRow]) -> Vec<InspectorSection> {
    if rows.is_empty() {
        return Vec::new();
    }
    // A call without HTTP was recognized by its shape, which only calls of models have.
    let is_of_models = rows.iter().all(|row| row.api.is_some() || row.http.is_none());
    let title = if is_of_models { "Calls of models" } else { "Calls" };
    let heading = InspectorSection::heading(icons::SPARKLES, title, count(rows.len(), "call"));
    // The file may have changed since its rows were read.
    let rows = rows.iter().filter(|row| document.tree.find(row.node).is_some());
    let rows = rows.enumerate().map(|(index, row)| {
        let title = RowText::computed(preview(row.summary.label()));
        let model = row.model.as_deref().map(|model| RowText::computed(preview(model)));
        let right = model.into_iter().collect();
        InspectorSection::Row(SectionRow::new(index, row.node, title, right, Vec::new()))
    });
    [heading].into_iter().chain(rows).collect()
}

/// Builds the sections of one call, by its number from 0: what is known of it, and its conversation. `None` if there is none.
pub(super) fn one(
    document: &Document,
    number: usize,
    context: &FileContext<'_>,
) -> Option<Vec<InspectorSection>> {
    let rows = &context.item.calls;
    let call = &call_at(document, rows.get(number)?.node)?;
    let mut sections = Vec::new();
    if let Some(failure) = call.failure() {
        let title = format!("{failure}.");
        sections.push(InspectorSection::banner(Severity::Note, &title, "", Vec::new()));
    }
    sections.extend(problems(document, number, context));
    let mut conversation = recording::conversation(&call.document);
    for section in &mut conversation {
        place(section, call.node);
    }
    sections.extend(conversation);
    sections.extend(http_sections(document, call));
    let note = format!("{} of {}", number + 1, rows.len());
    let facts = InspectorSection::facts(icons::ACTIVITY, "Call", note, facts(call, context));
    sections.extend(facts.folded(FoldKind::Facts));
    Some(sections)
}

/// Builds a banner for each problem of a call: those in its value, and those of all calls that are matched alike.
fn problems(document: &Document, index: usize, context: &FileContext<'_>) -> Vec<InspectorSection> {
    let rows = &context.item.calls;
    let span_of = |row: &CallRow| document.tree.find(row.node).map(Node::span);
    let Some(row) = rows.get(index).filter(|row| row.http.is_some()) else { return Vec::new() };
    let is_in = |row: &CallRow, problem: &Problem| {
        let start = problem.span.start as usize;
        span_of(row).is_some_and(|span| span.range().contains(&start))
    };
    let is_alike = |problem: &Problem| {
        let calls = problem.calls.as_ref();
        calls.is_some_and(|calls| calls.numbers.contains(&index))
    };
    let problems = context.item.problems.iter();
    problems
        .filter(|problem| is_in(row, problem) || is_alike(problem))
        // These notes concern nearly every call; only the tab with the problems lists them.
        .filter(|problem| !AccountNotes::is_one(problem))
        .map(|problem| {
            // A banner has one font, and would show backticks as they are.
            let title = format!("{}.", visible(&problem.message).replace('`', ""));
            let help = problem.help.as_deref().unwrap_or(rule(problem.rule).fix);
            let actions = vec![("Show the place".into(), Action::Reveal(context.id, problem.span))];
            InspectorSection::banner(problem.severity, &title, &help.replace('`', ""), actions)
        })
        .collect()
}

/// Builds the sections of the HTTP side of a call: events, headers and bodies.
fn http_sections(document: &Document, call: &ModelCall<'_>) -> Vec<InspectorSection> {
    let Some(http) = &call.facts.http else { return Vec::new() };
    let mut sections = Vec::new();
    let response_body = http.response_body.as_ref();
    if let Some(lengths) = response_body.and_then(event_lengths) {
        let heading = SectionHeading::new(icons::ACTIVITY, "Stream", count(lengths.len(), "event"));
        let parts = vec![SectionPart::Events(lengths)];
        sections.push(InspectorSection::Turn(ConversationTurn::new(heading, None, parts)));
    }
    let (sent_headers, received_headers) = (&http.request_headers, &http.response_headers);
    if !sent_headers.is_empty() || !received_headers.is_empty() {
        let fact = |remark: &str, (name, value): &(String, String)| InspectorFact {
            remark: remark.to_owned(),
            ..InspectorFact::data(name, value)
        };
        let received_facts = received_headers.iter().map(|header| fact("received", header));
        let sent_facts = sent_headers.iter().map(|header| fact("sent", header));
        let note = format!("{} sent, {} received", sent_headers.len(), received_headers.len());
        let facts = received_facts.chain(sent_facts);
        let headers = InspectorSection::facts(icons::TABLE_PROPERTIES, "Headers", note, facts);
        sections.extend(headers.folded(FoldKind::Headers));
    }
    let bodies = [
        ("Body", FoldKind::ReceivedBody, response_body),
        ("Request body", FoldKind::SentBody, http.request_body.as_ref()),
    ];
    for (title, kind, body) in bodies {
        let body = body.map(|body| body_section(document, title, body));
        sections.extend(body.into_iter().flat_map(|body| body.folded(kind)));
    }
    sections
}

/// Returns the length of each event of a stream, without what all have; `None` if the body is none.
fn event_lengths(body: &HttpBody) -> Option<Vec<usize>> {
    let text = body.text().filter(|_| body.form == BodyForm::Events)?;
    // Server-sent events: lines with other fields have no content.
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let lengths: Vec<usize> = events.map(str::len).collect();
    let min_length = lengths.iter().min().copied().unwrap_or_default();
    // The JSON around the text is the same in all events and would make all bars look alike.
    let lengths: Vec<usize> = lengths.iter().map(|length| length - min_length).collect();
    (!lengths.is_empty()).then_some(lengths)
}

/// Builds the section of a body: its layers, its sizes and the beginning of its content.
fn body_section(document: &Document, title: &str, body: &HttpBody) -> InspectorSection {
    /// The most bytes of a body that are shown here; all of it is in the file.
    const MAX_BODY_BYTES: usize = 8 << 10;
    let (decoded_bytes, mut parts) = match &body.content {
        BodyContent::Text(text) => {
            let text = text.text();
            let beginning = &text[..text.floor_char_boundary(MAX_BODY_BYTES)];
            let mut parts = vec![match body.form {
                BodyForm::Json => SectionPart::from_text(None, beginning),
                _ => SectionPart::Data(visible_lines(beginning)),
            }];
            if beginning.len() < text.len() {
                let rest = count(text.len() - beginning.len(), "byte");
                parts.push(SectionPart::Remark(format!("{rest} more")));
            }
            (Some(text.len()), parts)
        }
        BodyContent::Bytes(bytes) => {
            (Some(bytes.len()), vec![SectionPart::Remark("These bytes are not text.".to_owned())])
        }
        BodyContent::Tree(node) => (None, vec![SectionPart::value(document.node(*node))]),
    };
    let note = match (body.sent_bytes, decoded_bytes) {
        (Some(sent_bytes), Some(decoded_bytes)) if sent_bytes != decoded_bytes => {
            format!("{}, decoded {}", count(sent_bytes, "byte"), thousands(decoded_bytes))
        }
        (Some(bytes), _) | (None, Some(bytes)) => count(bytes, "byte"),
        (None, None) => String::new(),
    };
    if let Some(fault) = body.fault {
        let words = format!("It cannot be decoded: {fault}.");
        parts.insert(0, SectionPart::Verdict(RowState::Bad, words));
    }
    let layers = body.layers.iter().map(|layer| layer.as_str());
    let names: Vec<&str> = layers.chain([body.form.as_str()]).collect();
    // A longer body can be edited only in the text of the file, like any value of this size.
    let content = body.text().filter(|text| text.len() <= MAX_BYTES);
    let layers = BodyLayers { node: body.node, names, content: content.map(Arc::from) };
    parts.insert(0, SectionPart::Layers(layers));
    let heading = SectionHeading::new(icons::FILE_ARCHIVE, title, note);
    let turn = ConversationTurn::new(heading, None, parts);
    InspectorSection::Turn(ConversationTurn { node: Some(body.node), ..turn })
}

fn facts(call: &ModelCall<'_>, context: &FileContext<'_>) -> Vec<InspectorFact> {
    let call_facts = &call.facts;
    let prose = |name: &str, value: Option<&str>| Some(InspectorFact::prose(name, value?));
    let data = |name: &str, value: Option<&str>| Some(InspectorFact::data(name, value?));
    let http = call_facts.http.as_ref();
    let request = http.map(|http| format!("{} {}", http.method, http.url));
    let status = http.map(|http| http.status.to_string());
    let tokens = |count: Option<u64>| count.map(|count| thousands(count as usize));
    let answer = call.answer();
    let facts = [
        prose("Provider", call_facts.provider.as_deref()),
        prose("API", call_facts.api),
        data("Model", call_facts.model.as_deref()),
        data("Request", request.as_deref()),
        data("Status", status.as_deref()),
        data("Stop reason", answer.and_then(|answer| text(&answer.stop_reason))),
        data("Started at", call_facts.started_at.as_deref()),
        prose("Duration", call_facts.duration_nanos.map(format_duration).as_deref()),
        prose("Input tokens", tokens(call_facts.input_tokens).as_deref()),
        prose("Output tokens", tokens(call_facts.output_tokens).as_deref()),
    ];
    let parameters = call_facts.parameters.iter();
    facts
        .into_iter()
        .flatten()
        .chain(parameters.map(|(name, value)| InspectorFact::data(name, value)))
        .chain([context.file_fact()])
        .collect()
}

/// Gives what was built from a converted call the place of the call in the file. Its values cannot be edited: they are not
/// written in the file in this form.
fn place(section: &mut InspectorSection, node: NodeId) {
    match section {
        InspectorSection::Turn(turn) => place_turn(turn, node),
        InspectorSection::Prompt(card) => place_turn(&mut card.turn, node),
        InspectorSection::Tools(tools) => {
            for tool in &mut tools.tools {
                tool.node = node;
                if let Some(schema) = &mut tool.schema {
                    schema.node = None;
                }
            }
        }
        InspectorSection::Facts(list) => list.facts.iter_mut().for_each(|fact| fact.node = None),
        InspectorSection::Fold(fold) => {
            // The pointer belongs to the converted call, not to the file.
            fold.right.clear();
            fold.node = None;
        }
        InspectorSection::Row(_) | InspectorSection::Heading(_) | InspectorSection::Banner(_) => {}
    }
}

fn place_turn(turn: &mut ConversationTurn, node: NodeId) {
    *turn = ConversationTurn { node: Some(node), ..turn.clone().read_only() };
    for part in &mut turn.parts {
        if let SectionPart::Call(call) = part {
            call.node = node;
        }
    }
}
