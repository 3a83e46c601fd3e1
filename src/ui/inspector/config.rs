//! Inspector sections of Flakestorm configurations, contracts and reports.

use super::content::{
    HeadingIcon, InspectorFact, InspectorSection, RowState, RowText, SectionHeading, SectionPart,
    SectionRow, count,
};
use super::prose::preview;
use super::recording::{data_fact, prose_fact, text_part};
use super::values::{ValueLine, Values};
use calls::tape::timing::format_duration;
use document::config::FlakestormConfig;
use document::contract::{Contract, Invariant};
use document::report::{FlakestormReport, MutationResult};
use document::{Document, Node, NodeId, text};

/// Builds the sections of a configuration: its contract, its sessions, and the sources of more sessions.
pub(super) fn config(document: &Document, config: &FlakestormConfig) -> Vec<InspectorSection> {
    let facts = [
        data_fact("Version", &config.version),
        Some(InspectorFact::prose("Sessions", &config.sessions.len().to_string())),
        Some(InspectorFact::prose("Replay sources", &config.sources.len().to_string())),
    ];
    let mut sections = vec![InspectorSection::facts(
        HeadingIcon::File,
        "Configuration",
        "",
        facts.into_iter().flatten(),
    )];
    sections.extend(config.contract.iter().flat_map(|it| contract(document, it)));
    if !config.sessions.is_empty() {
        let note = config.sessions.len().to_string();
        sections.push(InspectorSection::Heading(SectionHeading::new(
            HeadingIcon::Session,
            "Sessions",
            note,
        )));
    }
    for (index, session) in config.sessions.iter().enumerate() {
        let (title, right) = match (text(&session.id), text(&session.file)) {
            (Some(id), _) => {
                (RowText::computed(preview(id)).with_field(&session.id), "in this file")
            }
            (None, Some(file)) => {
                let file = RowText::computed(preview(file)).with_field(&session.file);
                (file, "in a separate file")
            }
            (None, None) => (RowText::computed("no id and no file".to_owned()), ""),
        };
        let right = vec![RowText::computed(right.to_owned())];
        let input = session.input.as_ref().map(|input| text_part(input.node, &input.value));
        let parts = input.into_iter().collect();
        sections.push(InspectorSection::Row(row(index, session.node, title, right, parts)));
    }
    if !config.sources.is_empty() {
        let note = config.sources.len().to_string();
        sections.push(InspectorSection::Heading(SectionHeading::new(
            HeadingIcon::Source,
            "Replay sources",
            note,
        )));
    }
    for (index, source) in config.sources.iter().enumerate() {
        let title = text(&source.kind).map_or_else(|| "no type".to_owned(), preview);
        let title = RowText::computed(title).with_field(&source.kind);
        let right = text(&source.name).map(preview).unwrap_or_default();
        let right = vec![RowText::computed(right).with_field(&source.name)];
        let parts =
            vec![SectionPart::Value(String::new(), Values::from_node(document.node(source.node)))];
        sections.push(InspectorSection::Row(row(index, source.node, title, right, parts)));
    }
    sections
}

/// Builds the sections of a contract: the invariants that an answer must satisfy.
pub(super) fn contract(document: &Document, contract: &Contract) -> Vec<InspectorSection> {
    let facts =
        [data_fact("Name", &contract.name), prose_fact("Description", &contract.description)];
    let mut sections = vec![
        InspectorSection::facts(HeadingIcon::Checks, "Contract", "", facts.into_iter().flatten()),
        InspectorSection::Heading(SectionHeading::new(
            HeadingIcon::Checks,
            "Invariants",
            contract.invariants.len().to_string(),
        )),
    ];
    let rows = contract.invariants.iter().enumerate();
    sections.extend(rows.map(|(index, it)| invariant(document, index, it)));
    sections
}

fn invariant(document: &Document, index: usize, invariant: &Invariant) -> InspectorSection {
    let kind = text(&invariant.kind).map_or_else(|| "no type".to_owned(), preview);
    let severity = text(&invariant.severity).map(preview);
    let title = match text(&invariant.id) {
        Some(id) => RowText::computed(preview(id)).with_field(&invariant.id),
        None => RowText::computed(kind.clone()),
    };
    let mut right = vec![RowText::computed(kind).with_field(&invariant.kind)];
    right.extend(
        severity.map(|severity| RowText::computed(severity).with_field(&invariant.severity)),
    );
    // These fields are in the row itself; the others depend on the type of the invariant.
    let known = ["id", "type", "severity"];
    let node = document.node(invariant.node);
    let rest = node.items().filter(|item| item.key().is_none_or(|key| !known.contains(&key)));
    let mut values = Values::default();
    for item in rest {
        values = append_item(values, item);
    }
    let parts = if values.lines.is_empty() {
        Vec::new()
    } else {
        vec![SectionPart::Value(String::new(), values)]
    };
    InspectorSection::Row(row(index, invariant.node, title, right, parts))
}

/// Appends a member with its key to the lines of a value.
fn append_item(mut values: Values, item: Node<'_>) -> Values {
    let key = item.key().map(preview).unwrap_or_default();
    let inner = Values::from_node(item);
    match inner.lines.as_slice() {
        // A scalar is on the line of its key.
        [only] if only.key.is_empty() => values.lines.push(ValueLine { key, ..only.clone() }),
        lines => {
            values.lines.push(ValueLine { depth: 0, key, value: String::new(), kind: item.kind() });
            let deeper = |line: &ValueLine| ValueLine { depth: line.depth + 1, ..line.clone() };
            values.lines.extend(lines.iter().map(deeper));
        }
    }
    values.more += inner.more;
    values
}

/// Builds the sections of a report: every mutated prompt and the agent's result.
pub(super) fn report(_: &Document, report: &FlakestormReport) -> Vec<InspectorSection> {
    let passed =
        |result: &&MutationResult| result.passed.as_ref().is_some_and(|passed| passed.value);
    let good = report.mutations.iter().filter(passed).count();
    // A result that does not say whether it passed counts as failed.
    let failed = report.mutations.len() - good;
    let facts = [
        data_fact("Started at", &report.started_at),
        data_fact("Completed at", &report.completed_at),
        Some(InspectorFact::prose("Mutations", &format!("{good} passed, {failed} failed"))),
    ];
    let mut sections = vec![
        InspectorSection::facts(HeadingIcon::File, "Report", "", facts.into_iter().flatten()),
        InspectorSection::Heading(SectionHeading::new(
            HeadingIcon::Checks,
            "Mutations",
            count(report.mutations.len(), "prompt"),
        )),
    ];
    sections.extend(report.mutations.iter().enumerate().map(|(index, it)| mutation(index, it)));
    sections
}

fn mutation(index: usize, result: &MutationResult) -> InspectorSection {
    let mut parts = Vec::new();
    let prompt = result.mutated.as_ref().or(result.original_prompt.as_ref());
    parts.extend(prompt.map(|prompt| text_part(prompt.node, &prompt.value)));
    if let Some(response) = &result.response {
        parts.push(SectionPart::Remark("The agent answered".to_owned()));
        parts.push(text_part(response.node, &response.value));
    }
    if let Some(error) = result.error.as_ref().filter(|error| !error.value.is_empty()) {
        parts.push(SectionPart::Remark("No answer, because of an error".to_owned()));
        parts.push(text_part(error.node, &error.value));
    }
    for check in &result.checks {
        let kind = text(&check.kind).map_or_else(|| "a check".to_owned(), preview);
        let (state, held) = match check.passed.as_ref().map(|passed| passed.value) {
            Some(true) => (RowState::Good, "holds"),
            Some(false) => (RowState::Bad, "fails"),
            None => (RowState::Doubtful, "does not say whether it holds"),
        };
        let details = text(&check.details).map(|details| format!(": {}", preview(details)));
        let found = format!("{kind} {held}{}", details.unwrap_or_default());
        parts.push(SectionPart::Verdict(state, found));
    }
    // `format_duration` takes nanoseconds.
    let took = result.latency_ms.as_ref().map(|ms| {
        RowText::computed(format_duration(ms.value * 1e6)).with_field(&result.latency_ms)
    });
    InspectorSection::Row(SectionRow {
        state: result
            .passed
            .as_ref()
            .map(|passed| if passed.value { RowState::Good } else { RowState::Bad }),
        ..row(
            index,
            result.node,
            RowText::computed(text(&result.kind).map_or_else(|| "mutation".to_owned(), preview))
                .with_field(&result.kind),
            took.into_iter().collect(),
            parts,
        )
    })
}

fn row(
    index: usize,
    node: NodeId,
    title: RowText,
    right: Vec<RowText>,
    parts: Vec<SectionPart>,
) -> SectionRow {
    SectionRow { node, state: None, lead: (index + 1).to_string(), title, right, parts }
}
