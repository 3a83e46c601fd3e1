//! Inspector sections of replay sessions.

use super::content::{
    ConversationTurn, HeadingIcon, InspectorFact, InspectorSection, RowState, RowText,
    SectionHeading, SectionRow,
};
use super::prose::preview;
use super::recording::{data_fact, prose_fact, text_part};
use super::tape;
use document::session::{Session, ToolResponse};
use document::{Document, NodeKind, text};

/// Builds the sections of a session: the input, the tool responses, and the contract.
pub(super) fn session(document: &Document, session: &Session) -> Vec<InspectorSection> {
    let mut sections = Vec::new();
    sections.push(facts(session, "Session"));
    if let Some(input) = &session.input {
        sections.push(InspectorSection::Turn(ConversationTurn {
            is_main: false,
            heading: SectionHeading::new(HeadingIcon::User, "Input", ""),
            right: document.node(input.node).pointer(),
            node: Some(input.node),
            parts: vec![text_part(input.node, &input.value)],
        }));
    }
    if let Some(context) = session.context {
        sections.extend(tape::history(document.node(context), "context"));
    }
    if !session.tool_responses.is_empty() {
        let note = session.tool_responses.len().to_string();
        sections.push(InspectorSection::Heading(SectionHeading::new(
            HeadingIcon::Tool,
            "Tool responses",
            note,
        )));
        let rows = session.tool_responses.iter().enumerate();
        sections.extend(rows.map(|(index, response)| tool_response(document, index, response)));
    }
    sections
}

/// Returns the one-line fields of a session.
pub(super) fn facts(session: &Session, title: &str) -> InspectorSection {
    let mut facts: Vec<InspectorFact> = [
        data_fact("Id", &session.id),
        data_fact("File", &session.file),
        prose_fact("Name", &session.name),
        prose_fact("Expected failure", &session.expected_failure),
        data_fact("Captured at", &session.captured_at),
        data_fact("Source", &session.source),
    ]
    .into_iter()
    .flatten()
    .collect();
    facts.push(match text(&session.contract) {
        Some(contract) => InspectorFact::data("Contract", contract).with_field(&session.contract),
        None => InspectorFact {
            remark: "used when none is named".to_owned(),
            ..InspectorFact::data("Contract", "default")
        },
    });
    InspectorSection::facts(HeadingIcon::Session, title, "", facts)
}

fn tool_response(document: &Document, index: usize, response: &ToolResponse) -> InspectorSection {
    let status = response.status.as_ref().map(|status| status.value);
    let latency = response.latency_ms.as_ref().map(|latency| latency.value);
    let mut right: Vec<RowText> = Vec::new();
    right.extend(status.map(|status| {
        let text = match status {
            0 => "no answer".to_owned(),
            status => status.to_string(),
        };
        RowText::computed(text).with_field(&response.status)
    }));
    right.extend(latency.map(|ms| {
        let text = match usize::try_from(ms) {
            Ok(ms) => format!("{} ms", document::text::thousands(ms)),
            Err(_) => format!("{ms} ms"),
        };
        RowText::computed(text).with_field(&response.latency_ms)
    }));
    // Flakestorm accepts a text, an object or null, and refuses a session with other responses.
    let refused = response.response.is_some_and(|(_, kind)| {
        !matches!(kind, NodeKind::String | NodeKind::Object | NodeKind::Null)
    });
    let state = match (refused, status) {
        (true, _) => Some(RowState::Bad),
        // 0 stands for no answer at all; from 400 on it is an error of HTTP.
        (false, Some(0 | 400..)) => Some(RowState::Doubtful),
        _ => None,
    };
    let part = response.response.map(|(node, _)| tape::value_part(document.node(node)));
    let title = text(&response.tool).map_or_else(|| "no tool named".to_owned(), preview);
    InspectorSection::Row(SectionRow {
        node: response.node,
        state,
        lead: (index + 1).to_string(),
        title: RowText::computed(title).with_field(&response.tool),
        right,
        parts: part.into_iter().collect(),
    })
}
