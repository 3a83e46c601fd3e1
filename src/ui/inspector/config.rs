//! Inspector sections of Flakestorm configurations, contracts and reports.

use super::content::{Fact, RowState, RowText, Section, SectionPart, SectionRow, count};
use super::prose::preview;
use super::recording::{data_fact, prose_fact};
use super::values::{ValueLine, Values};
use calls::tape::timing::format_duration;
use document::config::FlakestormConfig;
use document::contract::{Contract, Invariant};
use document::report::{FlakestormReport, MutationResult};
use document::{Document, Node, text};
use widgets::icons;

/// Builds the sections of a configuration: its contract, its sessions, and the sources of more sessions.
pub(super) fn config(document: &Document, config: &FlakestormConfig) -> Vec<Section> {
    let facts = [
        data_fact("Version", &config.version),
        Some(Fact::prose("Sessions", &config.sessions.len().to_string())),
        Some(Fact::prose("Replay sources", &config.sources.len().to_string())),
    ];
    let sessions = config.sessions.iter().enumerate().map(|(index, session)| {
        let (title, right) = match (&session.id, &session.file) {
            (Some(_), _) => (RowText::of(&session.id, ""), "in this file"),
            (None, Some(_)) => (RowText::of(&session.file, ""), "in a separate file"),
            (None, None) => (RowText::computed("no id and no file"), ""),
        };
        let parts = session.input.iter().map(SectionPart::of).collect();
        SectionRow::new(index, session.node, title, vec![RowText::computed(right)], parts)
    });
    let sources = config.sources.iter().enumerate().map(|(index, source)| {
        let title = RowText::of(&source.kind, "no type");
        let parts = vec![SectionPart::value(document.node(source.node))];
        SectionRow::new(index, source.node, title, vec![RowText::of(&source.name, "")], parts)
    });
    let facts = Section::facts(icons::FILE_TEXT, "Configuration", "", facts);
    let contract = config.contract.iter().flat_map(|c| contract(document, c));
    [facts]
        .into_iter()
        .chain(contract)
        .chain(Section::list(icons::MESSAGES_SQUARE, "Sessions", sessions))
        .chain(Section::list(icons::FILE_CODE, "Replay sources", sources))
        .collect()
}

/// Builds the sections of a contract: the invariants that an answer must satisfy.
pub(super) fn contract(document: &Document, contract: &Contract) -> Vec<Section> {
    let facts =
        [data_fact("Name", &contract.name), prose_fact("Description", &contract.description)];
    let count = contract.invariants.len().to_string();
    let rows = contract.invariants.iter().enumerate();
    [
        Section::facts(icons::LIST_CHECKS, "Contract", "", facts),
        Section::heading(icons::LIST_CHECKS, "Invariants", count),
    ]
    .into_iter()
    .chain(rows.map(|(index, row)| invariant(document, index, row)))
    .collect()
}

fn invariant(document: &Document, index: usize, invariant: &Invariant) -> Section {
    let kind = RowText::of(&invariant.kind, "no type");
    let title = match &invariant.id {
        Some(_) => RowText::of(&invariant.id, ""),
        None => RowText::computed(kind.text.clone()),
    };
    let severity = invariant.severity.as_ref().map(|_| RowText::of(&invariant.severity, ""));
    let right = [kind].into_iter().chain(severity).collect();
    // These are in the row itself; the others depend on the type of the invariant.
    let row_keys = ["id", "type", "severity"];
    let node = document.node(invariant.node);
    let rest = node.items().filter(|item| item.key().is_none_or(|key| !row_keys.contains(&key)));
    let values = rest.fold(Values::default(), append_item);
    let part = (!values.lines.is_empty()).then(|| SectionPart::Value(String::new(), values));
    let parts = part.into_iter().collect();
    Section::Row(SectionRow::new(index, invariant.node, title, right, parts))
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
            let indent = |line: &ValueLine| ValueLine { depth: line.depth + 1, ..line.clone() };
            values.lines.extend(lines.iter().map(indent));
        }
    }
    values.more += inner.more;
    values
}

/// Builds the sections of a report: every mutated prompt and the agent's result.
pub(super) fn report(report: &FlakestormReport) -> Vec<Section> {
    let is_passed = |result: &&MutationResult| result.passed.as_ref().is_some_and(|p| p.value);
    let passed_count = report.mutations.iter().filter(is_passed).count();
    // A result that does not say whether it passed counts as failed.
    let failed_count = report.mutations.len() - passed_count;
    let facts = [
        data_fact("Started at", &report.started_at),
        data_fact("Completed at", &report.completed_at),
        Some(Fact::prose("Mutations", &format!("{passed_count} passed, {failed_count} failed"))),
    ];
    let prompts = count(report.mutations.len(), "prompt");
    let rows = report.mutations.iter().enumerate();
    [
        Section::facts(icons::FILE_TEXT, "Report", "", facts),
        Section::heading(icons::LIST_CHECKS, "Mutations", prompts),
    ]
    .into_iter()
    .chain(rows.map(|(index, result)| mutation(index, result)))
    .collect()
}

fn mutation(index: usize, result: &MutationResult) -> Section {
    let mut parts = Vec::new();
    parts.extend(result.mutated.as_ref().or(result.original_prompt.as_ref()).map(SectionPart::of));
    if let Some(response) = &result.response {
        parts.push(SectionPart::Remark("The agent answered".to_owned()));
        parts.push(SectionPart::of(response));
    }
    if let Some(error) = result.error.as_ref().filter(|error| !error.value.is_empty()) {
        parts.push(SectionPart::Remark("No answer, because of an error".to_owned()));
        parts.push(SectionPart::of(error));
    }
    for check in &result.checks {
        let kind = preview(text(&check.kind).unwrap_or("a check"));
        let (state, verdict) = match check.passed.as_ref().map(|passed| passed.value) {
            Some(true) => (RowState::Good, "holds"),
            Some(false) => (RowState::Bad, "fails"),
            None => (RowState::Doubtful, "does not say whether it holds"),
        };
        let details = text(&check.details).map(|details| format!(": {}", preview(details)));
        let words = format!("{kind} {verdict}{}", details.unwrap_or_default());
        parts.push(SectionPart::Verdict(state, words));
    }
    let title = RowText::of(&result.kind, "mutation");
    // `format_duration` takes nanoseconds.
    let duration = result.latency_ms.as_ref().map(|ms| {
        RowText::computed(format_duration(ms.value * 1e6)).with_field(&result.latency_ms)
    });
    let passed = result.passed.as_ref();
    Section::Row(SectionRow {
        state: passed.map(|passed| if passed.value { RowState::Good } else { RowState::Bad }),
        ..SectionRow::new(index, result.node, title, duration.into_iter().collect(), parts)
    })
}
