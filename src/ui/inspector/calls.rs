//! Inspector sections of one call of a file.

use super::content::{
    BodyLayers, Fact, FoldKind, Heading, RowState, Section, SectionPart, Turn, count,
};
use super::inspector_data::FileItem;
use super::{findings, other_files, recording};
use calls::reading::call_at;
use calls::tape::timing::format_duration;
use document::call::{BodyContent, BodyForm, HttpBody, HttpExchange, ModelCall};
use document::text::{thousands, visible_lines};
use document::{Document, NodeId, Problem, Severity, text};
use widgets::icons;

/// Builds the sections of one call, by its number from 0: its problems, its conversation, and what is known of it. `None` if there is none.
pub(super) fn one(document: &Document, number: usize, file: &FileItem<'_>) -> Option<Vec<Section>> {
    let rows = &file.item.calls;
    let row = rows.get(number)?;
    let call = &call_at(document, row.node)?;
    let is_of_call = |problem: &Problem| {
        row.http.is_some()
            && match &problem.calls {
                Some(calls) => calls.numbers.contains(&number),
                None => row.has_problem(problem) || problem.pointer.is_empty(),
            }
    };
    let mut sections = findings::banners(file, is_of_call);
    if let Some(failure) = call.failure().filter(|_| sections.is_empty()) {
        let title = format!("{failure}.");
        sections.push(Section::banner(Severity::Note, &title, "", Vec::new()));
    }
    let mut conversation = recording::conversation(&call.document);
    for section in &mut conversation {
        place(section, call.node);
    }
    let http = call.facts.http.as_ref();
    let mut response_body = http.and_then(|http| http.response_body.as_ref());
    let answers = conversation.iter_mut().filter_map(Section::answer_mut);
    if let (Some(body), Some(answer)) = (response_body, answers.last()) {
        answer.parts.push(SectionPart::Layers(layers_of(call.node, body, true)));
        response_body = None;
    }
    sections.extend(conversation);
    sections.extend(
        http.into_iter().flat_map(|http| http_sections(document, (call.node, http), response_body)),
    );
    let note = format!("{} of {}", number + 1, rows.len());
    let facts = Section::facts(icons::ACTIVITY, "Call", note, facts(call, file));
    sections.extend(facts.folded(FoldKind::Facts));
    Some(sections)
}

/// Builds the sections of the HTTP side of a call: events, headers and bodies. The answer has the layers of its body, where there is one.
fn http_sections(
    document: &Document,
    (call, http): (NodeId, &HttpExchange),
    response_body: Option<&HttpBody>,
) -> Vec<Section> {
    let mut sections = Vec::new();
    if let Some(lengths) = http.response_body.as_ref().and_then(event_lengths) {
        let heading = Heading::new(icons::ACTIVITY, "Stream", count(lengths.len(), "event"));
        let parts = vec![SectionPart::Events(lengths)];
        sections.push(Section::turn(heading, None, parts));
    }
    let (sent_headers, received_headers) = (&http.request_headers, &http.response_headers);
    if !sent_headers.is_empty() || !received_headers.is_empty() {
        let fact = |remark: &str, (name, value): &(String, String)| Fact {
            remark: remark.to_owned(),
            ..Fact::data(name, value)
        };
        let received_facts = received_headers.iter().map(|header| fact("received", header));
        let sent_facts = sent_headers.iter().map(|header| fact("sent", header));
        let note = format!("{} sent, {} received", sent_headers.len(), received_headers.len());
        let facts = received_facts.chain(sent_facts);
        let headers = Section::facts(icons::TABLE_PROPERTIES, "Headers", note, facts);
        sections.extend(headers.folded(FoldKind::Headers));
    }
    let bodies = [
        ("Body", FoldKind::ReceivedBody, response_body),
        ("Request body", FoldKind::SentBody, http.request_body.as_ref()),
    ];
    for (title, kind, body) in bodies {
        let body = body.map(|body| body_section(document, title, (call, body)));
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
fn body_section(document: &Document, title: &str, (call, body): (NodeId, &HttpBody)) -> Section {
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
    parts.insert(0, SectionPart::Layers(layers_of(call, body, false)));
    let heading = Heading::new(icons::FILE_ARCHIVE, title, note);
    let turn = Turn::new(heading, None, parts);
    Section::Turn(Turn { node: Some(body.node), ..turn })
}

fn layers_of(call: NodeId, body: &HttpBody, is_of_answer: bool) -> BodyLayers {
    let layers = body.layers.iter().map(|layer| layer.as_str());
    BodyLayers {
        call,
        node: body.node,
        names: layers.chain([body.form.as_str()]).collect(),
        bytes: body.bytes().map(<[u8]>::len),
        is_of_answer,
        is_text: !matches!(body.content, BodyContent::Bytes(_))
            && body.form != BodyForm::Empty
            && !body.is_inside,
    }
}

fn facts(call: &ModelCall<'_>, file: &FileItem<'_>) -> Vec<Fact> {
    let call_facts = &call.facts;
    let prose = |name: &str, value: Option<&str>| Some(Fact::prose(name, value?));
    let data = |name: &str, value: Option<&str>| Some(Fact::data(name, value?));
    let http = call_facts.http.as_ref();
    let request = http.map(|http| format!("{} {}", http.method, http.url));
    let status = http.map(|http| http.status.to_string());
    let tokens = |count: Option<u64>| count.map(|count| thousands(count as usize));
    let answer = call.answer();
    let mut rows = file.item.calls.iter();
    // The row also has what only the path of the file says.
    let provider = rows.find(|row| row.node == call.node).and_then(|row| row.provider.as_deref());
    let facts = [
        prose("Provider", provider.or(call_facts.provider.as_deref())),
        prose("API", call_facts.api),
        data("Model", call_facts.model.as_deref()),
        data("Request", request.as_deref()),
        data("Status", status.as_deref()),
        data("Key", call_facts.key.as_deref()),
        data("Test", call_facts.test.as_deref()),
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
        .chain(parameters.map(|(name, value)| Fact::data(name, value)))
        .chain(other_files::configured(file.item))
        .chain([file.file_fact()])
        .collect()
}

/// Gives what was built from a converted call the place of the call in the file. Its values cannot be edited: they are not
/// written in the file in this form.
fn place(section: &mut Section, node: NodeId) {
    match section {
        Section::Turn(turn) => place_turn(turn, node),
        Section::Prompt(card) => place_turn(&mut card.turn, node),
        Section::Tools(tools) => {
            for tool in &mut tools.tools {
                tool.node = node;
                if let Some(schema) = &mut tool.schema {
                    schema.node = None;
                }
            }
        }
        Section::Facts(list) => list.facts.iter_mut().for_each(|fact| fact.node = None),
        Section::Fold(_) | Section::Row(_) | Section::Heading(_) | Section::Banner(_) => {}
    }
}

fn place_turn(turn: &mut Turn, node: NodeId) {
    *turn = Turn { node: Some(node), ..turn.clone().read_only() };
    for part in &mut turn.parts {
        if let SectionPart::Call(call) = part {
            call.node = node;
        }
    }
}
