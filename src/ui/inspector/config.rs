//! Inspector sections of Flakestorm configurations, contracts and reports.

use super::content::{
    Fact, Facts, Heading, Part, Row, RowState, Section, Sign, Told, count, preview,
};
use super::data::format_duration;
use super::recording::{named, worded, words};
use super::values::{ValueLine, Values};
use crate::format::config::FlakestormConfig;
use crate::format::contract::{Contract, Invariant};
use crate::format::report::{FlakestormReport, MutationResult};
use crate::format::{Document, Node, NodeId, text};

/// Builds the sections of a configuration: its contract, its sessions, and the sources of more sessions.
pub(super) fn config(document: &Document, config: &FlakestormConfig) -> Vec<Section> {
    let facts = [
        named("Version", &config.version),
        Some(Fact::words("Sessions", &config.sessions.len().to_string())),
        Some(Fact::words(
            "Replay sources",
            &config.sources.len().to_string(),
        )),
    ];
    let mut sections = vec![Section::Facts(Facts {
        heading: Heading::new(Sign::File, "Configuration", ""),
        facts: facts.into_iter().flatten().collect(),
        foot: None,
    })];
    sections.extend(config.contract.iter().flat_map(|it| contract(document, it)));
    if !config.sessions.is_empty() {
        let note = config.sessions.len().to_string();
        sections.push(Section::Heading(Heading::new(
            Sign::Session,
            "Sessions",
            note,
        )));
    }
    for (index, session) in config.sessions.iter().enumerate() {
        let (title, right) = match (text(&session.id), text(&session.file)) {
            (Some(id), _) => (Told::words(preview(id)).of(&session.id), "in this file"),
            (None, Some(file)) => {
                let file = Told::words(preview(file)).of(&session.file);
                (file, "in a separate file")
            }
            (None, None) => (Told::words("no id and no file".to_owned()), ""),
        };
        let right = vec![Told::words(right.to_owned())];
        let input = session
            .input
            .as_ref()
            .map(|input| words(input.node, &input.value));
        let parts = input.into_iter().collect();
        sections.push(Section::Row(row(index, session.node, title, right, parts)));
    }
    if !config.sources.is_empty() {
        let note = config.sources.len().to_string();
        sections.push(Section::Heading(Heading::new(
            Sign::Source,
            "Replay sources",
            note,
        )));
    }
    for (index, source) in config.sources.iter().enumerate() {
        let title = text(&source.kind).map_or_else(|| "no type".to_owned(), preview);
        let title = Told::words(title).of(&source.kind);
        let right = text(&source.name).map(preview).unwrap_or_default();
        let right = vec![Told::words(right).of(&source.name)];
        let parts = vec![Part::Value(
            String::new(),
            Values::of(document.node(source.node)),
        )];
        sections.push(Section::Row(row(index, source.node, title, right, parts)));
    }
    sections
}

/// Builds the sections of a contract: the invariants that an answer must satisfy.
pub(super) fn contract(document: &Document, contract: &Contract) -> Vec<Section> {
    let facts = [
        named("Name", &contract.name),
        worded("Description", &contract.description),
    ];
    let mut sections = vec![
        Section::Facts(Facts {
            heading: Heading::new(Sign::Checks, "Contract", ""),
            facts: facts.into_iter().flatten().collect(),
            foot: None,
        }),
        Section::Heading(Heading::new(
            Sign::Checks,
            "Invariants",
            contract.invariants.len().to_string(),
        )),
    ];
    let rows = contract.invariants.iter().enumerate();
    sections.extend(rows.map(|(index, it)| invariant(document, index, it)));
    sections
}

fn invariant(document: &Document, index: usize, invariant: &Invariant) -> Section {
    let kind = text(&invariant.kind).map_or_else(|| "no type".to_owned(), preview);
    let severity = text(&invariant.severity).map(preview);
    let title = match text(&invariant.id) {
        Some(id) => Told::words(preview(id)).of(&invariant.id),
        None => Told::words(kind.clone()),
    };
    let mut right = vec![Told::words(kind).of(&invariant.kind)];
    right.extend(severity.map(|severity| Told::words(severity).of(&invariant.severity)));
    let known = ["id", "type", "severity"];
    let node = document.node(invariant.node);
    let rest = node
        .items()
        .filter(|item| item.key().is_none_or(|key| !known.contains(&key)));
    let mut values = Values::default();
    for item in rest {
        values = joined(values, item);
    }
    let parts = if values.lines.is_empty() {
        Vec::new()
    } else {
        vec![Part::Value(String::new(), values)]
    };
    Section::Row(row(index, invariant.node, title, right, parts))
}

/// Appends a member with its key to the lines of a value.
fn joined(mut values: Values, item: Node<'_>) -> Values {
    let key = item.key().map(preview).unwrap_or_default();
    let inner = Values::of(item);
    match inner.lines.as_slice() {
        [only] if only.key.is_empty() => values.lines.push(ValueLine {
            key,
            ..only.clone()
        }),
        lines => {
            values.lines.push(ValueLine {
                depth: 0,
                key,
                value: String::new(),
                kind: item.kind(),
            });
            let deeper = |line: &ValueLine| ValueLine {
                depth: line.depth + 1,
                ..line.clone()
            };
            values.lines.extend(lines.iter().map(deeper));
        }
    }
    values.more += inner.more;
    values
}

/// Builds the sections of a report: every mutated prompt and the agent's result.
pub(super) fn report(_: &Document, report: &FlakestormReport) -> Vec<Section> {
    let passed =
        |result: &&MutationResult| result.passed.as_ref().is_some_and(|passed| passed.value);
    let good = report.mutations.iter().filter(passed).count();
    let failed = report.mutations.len() - good;
    let facts = [
        named("Started at", &report.started_at),
        named("Completed at", &report.completed_at),
        Some(Fact::words(
            "Mutations",
            &format!("{good} passed, {failed} failed"),
        )),
    ];
    let mut sections = vec![
        Section::Facts(Facts {
            heading: Heading::new(Sign::File, "Report", ""),
            facts: facts.into_iter().flatten().collect(),
            foot: None,
        }),
        Section::Heading(Heading::new(
            Sign::Checks,
            "Mutations",
            count(report.mutations.len(), "prompt"),
        )),
    ];
    let rows = report.mutations.iter().enumerate();
    sections.extend(rows.map(|(index, it)| mutation(index, it)));
    sections
}

fn mutation(index: usize, result: &MutationResult) -> Section {
    let mut parts = Vec::new();
    let prompt = result.mutated.as_ref().or(result.original_prompt.as_ref());
    parts.extend(prompt.map(|prompt| words(prompt.node, &prompt.value)));
    if let Some(response) = &result.response {
        parts.push(Part::Remark("The agent answered".to_owned()));
        parts.push(words(response.node, &response.value));
    }
    if let Some(error) = result
        .error
        .as_ref()
        .filter(|error| !error.value.is_empty())
    {
        parts.push(Part::Remark("No answer, because of an error".to_owned()));
        parts.push(words(error.node, &error.value));
    }
    for check in &result.checks {
        let kind = text(&check.kind).map_or_else(|| "a check".to_owned(), preview);
        let (state, held) = match check.passed.as_ref().map(|passed| passed.value) {
            Some(true) => (RowState::Good, "holds"),
            Some(false) => (RowState::Bad, "fails"),
            None => (RowState::Odd, "does not say whether it holds"),
        };
        let details = text(&check.details).map(|details| format!(": {}", preview(details)));
        let found = format!("{kind} {held}{}", details.unwrap_or_default());
        parts.push(Part::Verdict(state, found));
    }
    let took = result
        .latency_ms
        .as_ref()
        .map(|ms| Told::words(format_duration(ms.value * 1e6)).of(&result.latency_ms));
    Section::Row(Row {
        state: result.passed.as_ref().map(|passed| {
            if passed.value {
                RowState::Good
            } else {
                RowState::Bad
            }
        }),
        ..row(
            index,
            result.node,
            Told::words(text(&result.kind).map_or_else(|| "mutation".to_owned(), preview))
                .of(&result.kind),
            took.into_iter().collect(),
            parts,
        )
    })
}

fn row(index: usize, node: NodeId, title: Told, right: Vec<Told>, parts: Vec<Part>) -> Row {
    Row {
        node,
        state: None,
        lead: (index + 1).to_string(),
        title,
        right,
        parts,
    }
}
