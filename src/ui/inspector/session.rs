//! Inspector sections of replay sessions.

use super::content::{
    ConversationTurn, InspectorFact, InspectorSection, RowState, RowText, SectionHeading,
    SectionPart, SectionRow,
};
use super::recording::{data_fact, prose_fact};
use super::tape;
use document::session::{Session, ToolResponse};
use document::{Document, NodeKind};
use widgets::icons;

/// Builds the sections of a session: the input, the tool responses, and the contract.
pub(super) fn session(document: &Document, session: &Session) -> Vec<InspectorSection> {
    let mut sections = vec![facts(session)];
    sections.extend(session.input.as_ref().map(|input| {
        let heading = SectionHeading::new(icons::USER, "Input", "");
        let node = document.node(input.node);
        let parts = vec![SectionPart::of(input)];
        InspectorSection::Turn(ConversationTurn::new(heading, Some(node), parts))
    }));
    if let Some(context) = session.context {
        sections.extend(tape::history(document.node(context), "context"));
    }
    if !session.tool_responses.is_empty() {
        let count = session.tool_responses.len().to_string();
        sections.push(InspectorSection::heading(icons::WRENCH, "Tool responses", count));
        let rows = session.tool_responses.iter().enumerate();
        sections.extend(rows.map(|(index, response)| tool_response(document, index, response)));
    }
    sections
}

/// Returns the one-line fields of a session.
fn facts(session: &Session) -> InspectorSection {
    let contract = data_fact("Contract", &session.contract).unwrap_or_else(|| InspectorFact {
        remark: "used when none is named".to_owned(),
        ..InspectorFact::data("Contract", "default")
    });
    let facts = [
        data_fact("Id", &session.id),
        data_fact("File", &session.file),
        prose_fact("Name", &session.name),
        prose_fact("Expected failure", &session.expected_failure),
        data_fact("Captured at", &session.captured_at),
        data_fact("Source", &session.source),
        Some(contract),
    ];
    InspectorSection::facts(icons::MESSAGES_SQUARE, "Session", "", facts)
}

fn tool_response(document: &Document, index: usize, response: &ToolResponse) -> InspectorSection {
    let status = response.status.as_ref().map(|status| status.value);
    let status_text = status.map(|status| {
        let text = match status {
            0 => "no answer".to_owned(),
            status => status.to_string(),
        };
        RowText::computed(text).with_field(&response.status)
    });
    let latency = response.latency_ms.as_ref().map(|latency| {
        let text = match usize::try_from(latency.value) {
            Ok(ms) => format!("{} ms", document::text::thousands(ms)),
            Err(_) => format!("{} ms", latency.value),
        };
        RowText::computed(text).with_field(&response.latency_ms)
    });
    // Flakestorm accepts a text, an object or null, and refuses a session with other responses.
    let is_refused = response.response.is_some_and(|(_, kind)| {
        !matches!(kind, NodeKind::String | NodeKind::Object | NodeKind::Null)
    });
    let state = match (is_refused, status) {
        (true, _) => Some(RowState::Bad),
        // 0 stands for no answer at all; from 400 on it is an error of HTTP.
        (false, Some(0 | 400..)) => Some(RowState::Doubtful),
        _ => None,
    };
    let title = RowText::of(&response.tool, "no tool named");
    let right = status_text.into_iter().chain(latency).collect();
    let part = response.response.map(|(node, _)| tape::value_part(document.node(node)));
    let row = SectionRow::new(index, response.node, title, right, part.into_iter().collect());
    InspectorSection::Row(SectionRow { state, ..row })
}
