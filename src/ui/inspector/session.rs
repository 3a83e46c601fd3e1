//! Inspector sections of replay sessions.

use super::content::{
    Fact, Facts, Heading, Part, Row, RowState, Section, Sign, Told, Turn, preview,
};
use super::recording::{named, worded, words};
use super::tape;
use super::values::Values;
use crate::format::session::{Session, ToolResponse};
use crate::format::{Document, NodeKind, text};

/// Builds the sections of a session: the input, the tool responses, and the contract.
pub(super) fn session(document: &Document, session: &Session) -> Vec<Section> {
    let mut sections = Vec::new();
    sections.push(facts(session, "Session"));
    if let Some(input) = &session.input {
        sections.push(Section::Turn(Turn {
            heading: Heading::new(Sign::User, "Input", ""),
            right: document.node(input.node).pointer(),
            node: Some(input.node),
            parts: vec![words(input.node, &input.value)],
        }));
    }
    if let Some(context) = session.context {
        sections.extend(tape::history(document.node(context), "context"));
    }
    if !session.tool_responses.is_empty() {
        let note = session.tool_responses.len().to_string();
        sections.push(Section::Heading(Heading::new(
            Sign::Tool,
            "Tool responses",
            note,
        )));
        let rows = session.tool_responses.iter().enumerate();
        sections.extend(rows.map(|(index, response)| tool_response(document, index, response)));
    }
    sections
}

/// Returns the one-line fields of a session.
pub(super) fn facts(session: &Session, title: &str) -> Section {
    let mut facts: Vec<Fact> = [
        named("Id", &session.id),
        named("File", &session.file),
        worded("Name", &session.name),
        worded("Expected failure", &session.expected_failure),
        named("Captured at", &session.captured_at),
        named("Source", &session.source),
    ]
    .into_iter()
    .flatten()
    .collect();
    facts.push(match text(&session.contract) {
        Some(contract) => Fact::data("Contract", contract).of(&session.contract),
        None => Fact {
            remark: "used when none is named".to_owned(),
            ..Fact::data("Contract", "default")
        },
    });
    Section::Facts(Facts {
        heading: Heading::new(Sign::Session, title, ""),
        facts,
        foot: None,
    })
}

fn tool_response(document: &Document, index: usize, response: &ToolResponse) -> Section {
    let status = response.status.as_ref().map(|status| status.value);
    let latency = response.latency_ms.as_ref().map(|latency| latency.value);
    let mut right: Vec<Told> = Vec::new();
    right.extend(status.map(|status| {
        let text = match status {
            0 => "no answer".to_owned(),
            status => status.to_string(),
        };
        Told::words(text).of(&response.status)
    }));
    right.extend(latency.map(|ms| {
        let text = match usize::try_from(ms) {
            Ok(ms) => format!("{} ms", crate::ops::diff::thousands(ms)),
            Err(_) => format!("{ms} ms"),
        };
        Told::words(text).of(&response.latency_ms)
    }));
    let refused = response.response.is_some_and(|(_, kind)| {
        !matches!(kind, NodeKind::String | NodeKind::Object | NodeKind::Null)
    });
    let state = match (refused, status) {
        (true, _) => Some(RowState::Bad),
        (false, Some(0 | 400..)) => Some(RowState::Odd),
        _ => None,
    };
    let part = response.response.map(|(node, _)| {
        let node = document.node(node);
        match node.as_str() {
            Some(text) => words(node.id(), text),
            None => Part::Value(String::new(), Values::of(node)),
        }
    });
    let title = text(&response.tool).map_or_else(|| "no tool named".to_owned(), preview);
    Section::Row(Row {
        node: response.node,
        state,
        lead: (index + 1).to_string(),
        title: Told::words(title).of(&response.tool),
        right,
        parts: part.into_iter().collect(),
    })
}
