//! Inspector sections of replay sessions.

use super::content::{Fact, Heading, RowState, RowText, Section, SectionPart, SectionRow};
use super::recording::{data_fact, prose_fact};
use super::tape;
use document::session::{Session, ToolResponse};
use document::{Document, NodeKind};
use widgets::icons;

/// Builds the sections of a session: the input, the tool responses, and the contract.
pub(super) fn session(document: &Document, session: &Session) -> Vec<Section> {
    let mut sections = vec![facts(session)];
    sections.extend(session.input.as_ref().map(|input| {
        let heading = Heading::new(icons::USER, "Input", "");
        let node = document.node(input.node);
        let parts = vec![SectionPart::of(input)];
        Section::turn(heading, Some(node), parts)
    }));
    if let Some(context) = session.context {
        sections.extend(tape::history(document.node(context), "context"));
    }
    let rows = session
        .tool_responses
        .iter()
        .enumerate()
        .map(|(index, response)| tool_response(document, index, response));
    sections.extend(Section::list(icons::WRENCH, "Tool responses", rows));
    sections
}

/// Returns the one-line fields of a session.
fn facts(session: &Session) -> Section {
    let contract = data_fact("Contract", &session.contract).unwrap_or_else(|| Fact {
        remark: "used when none is named".to_owned(),
        ..Fact::data("Contract", "default")
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
    Section::facts(icons::MESSAGES_SQUARE, "Session", "", facts)
}

fn tool_response(document: &Document, index: usize, response: &ToolResponse) -> SectionRow {
    let status = response.status.as_ref().map(|status| status.value);
    let status_text = status.map(|status| {
        let text = if status == 0 { "no answer".to_owned() } else { status.to_string() };
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
    SectionRow { state, ..row }
}
