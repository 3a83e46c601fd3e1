//! Inspector sections of a file of calls: the list of them, or the one that is selected.

use super::content::{
    ConversationTurn, FactList, FoldKind, HeadingIcon, InspectorFact, InspectorSection, RowText,
    SectionHeading, SectionPart, SectionRow, count, preview,
};
use super::conversation::read_only;
use super::data::{FileContext, banner};
use super::recording;
use crate::format::call::{CallFailure, ModelCall};
use crate::format::{Document, NodeId, Severity, text};
use crate::ops::CallRow;
use crate::ops::calls::call_at;
use crate::ops::tape::timing::format_duration;
use crate::text::thousands;

/// Builds the list of the calls in a file.
pub(super) fn list(document: &Document, rows: &[CallRow]) -> Vec<InspectorSection> {
    if rows.is_empty() {
        return Vec::new();
    }
    let note = count(rows.len(), "call");
    let heading = SectionHeading::new(HeadingIcon::Model, "Calls of models", note);
    // The file may have changed since its rows were read.
    let rows = rows
        .iter()
        .filter(|row| document.tree.find(row.node).is_some());
    let rows = (1..).zip(rows).map(|(number, row)| {
        let failure = row.failure.map(describe_failure);
        let model = row.model.as_deref().map(preview);
        let right = failure.into_iter().chain(model);
        InspectorSection::Row(SectionRow {
            node: row.node,
            state: None,
            lead: format!("{number}"),
            title: RowText::computed(preview(row.summary.label())),
            right: right.map(RowText::computed).collect(),
            parts: Vec::new(),
        })
    });
    [InspectorSection::Heading(heading)]
        .into_iter()
        .chain(rows)
        .collect()
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
        let title = format!("{}.", describe_failure(failure));
        sections.push(banner(Severity::Note, &title, "", Vec::new()));
    }
    let mut conversation = recording::conversation(&call.document);
    for section in &mut conversation {
        place(section, call.node);
    }
    sections.extend(conversation);
    let note = format!("{} of {}", number + 1, rows.len());
    let facts = InspectorSection::Facts(FactList {
        heading: SectionHeading::new(HeadingIcon::Stream, "Call", note),
        facts: facts(call, context),
        footer: None,
    });
    sections.extend(facts.folded(FoldKind::Facts));
    Some(sections)
}

fn describe_failure(failure: CallFailure) -> String {
    match failure {
        CallFailure::Status(status) => format!("HTTP status {status}"),
        CallFailure::NoAnswer => "No answer".to_owned(),
    }
}

fn facts(call: &ModelCall<'_>, context: &FileContext<'_>) -> Vec<InspectorFact> {
    let known = &call.facts;
    let prose = |name: &str, value: Option<&str>| Some(InspectorFact::prose(name, value?));
    let data = |name: &str, value: Option<&str>| Some(InspectorFact::data(name, value?));
    let http = known.http.as_ref();
    let request = http.map(|http| format!("{} {}", http.method, http.url));
    let status = http.map(|http| http.status.to_string());
    let tokens = |count: Option<u64>| count.map(|count| thousands(count as usize));
    let tokens = [
        ("Input tokens", tokens(known.input_tokens)),
        ("Output tokens", tokens(known.output_tokens)),
    ];
    let answer = call.answer();
    let parameters = known.parameters.iter();
    let facts = [
        prose("Provider", known.provider.as_deref()),
        prose("API", known.api),
        data("Model", known.model.as_deref()),
        data("Request", request.as_deref()),
        data("Status", status.as_deref()),
        data(
            "Stop reason",
            answer.and_then(|answer| text(&answer.stop_reason)),
        ),
        data("Started at", known.started_at.as_deref()),
        prose(
            "Duration",
            known.duration_nanos.map(format_duration).as_deref(),
        ),
    ];
    let facts = facts.into_iter().flatten();
    let tokens = tokens.iter();
    facts
        .chain(tokens.filter_map(|(name, count)| prose(name, count.as_deref())))
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
            fold.right.clear();
            fold.node = None;
        }
        InspectorSection::Row(_) | InspectorSection::Heading(_) | InspectorSection::Banner(_) => {}
    }
}

fn place_turn(turn: &mut ConversationTurn, node: NodeId) {
    *turn = ConversationTurn {
        node: Some(node),
        ..read_only(turn.clone())
    };
    for part in &mut turn.parts {
        if let SectionPart::Call(call) = part {
            call.node = node;
        }
    }
}
