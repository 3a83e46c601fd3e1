//! A report of Flakestorm: one draft for each mutation that failed, with the input that was sent.

use super::session_draft::{AgentAnswer, SessionDraft, provenance, value_of};
use super::{ImportInput, Imported};
use document::edit::JsonValue;
use document::report::{FlakestormReport, MutationResult};
use document::{Field, text};

pub(super) fn drafts(input: ImportInput<'_>, report: &FlakestormReport) -> Imported {
    let mut imported = Imported::default();
    for result in &report.mutations {
        if has_failed(result) {
            imported.drafts.push(draft(input, report, result));
        } else {
            imported.skipped += 1;
        }
    }
    imported
}

fn is_set_to(field: &Option<Field<bool>>, value: bool) -> bool {
    field.as_ref().is_some_and(|field| field.value == value)
}

/// Returns what the report says; where it does not say so, whether a check or the call failed.
fn has_failed(result: &MutationResult) -> bool {
    match &result.passed {
        Some(passed) => !passed.value,
        None => result.error.is_some() || result.checks.iter().any(|c| is_set_to(&c.passed, false)),
    }
}

fn draft(input: ImportInput<'_>, report: &FlakestormReport, case: &MutationResult) -> SessionDraft {
    let document = input.document;
    let mut draft = SessionDraft::default();
    // Flakestorm's own export takes the original prompt, and loses the text that failed.
    let requested = case.mutated.as_ref().or(case.original_prompt.as_ref());
    if let Some(requested) = requested {
        draft.session.input = requested.value.clone();
        draft.mark_read("/input", input.file, document.node(requested.node));
    }
    if case.mutated.is_none() {
        let note = "The report does not contain the mutated text, so the original is used";
        draft.notes.push(note.to_owned());
    }
    let kind = text(&case.kind).unwrap_or("mutation");
    let original = text(&case.original_prompt).unwrap_or_default();
    // Flakestorm's own export restarts its ids at `export-0` in every report.
    let parts = [kind, original, &draft.session.input.clone()];
    draft.identify(&format!("flakestorm-{}", slug(kind)), &parts);
    draft.session.name = Some(draft_name(kind, original));
    draft.mark_generated("/name", "The mutation's type and the original prompt");
    draft.set_source("flakestorm_export", "Fixed for reports");
    if let Some(started) = &report.started_at {
        draft.session.captured_at = Some(started.value.clone());
        draft.mark_read("/captured_at", input.file, document.node(started.node));
    }
    let (words, first) = failure(case);
    if let Some(first) = first {
        draft.session.expected_failure = Some(words);
        draft.mark_read("/expected_failure", input.file, document.node(first));
    }
    keep_origin(&mut draft, input, case);
    if let Some(response) = &case.response {
        let latency_ms = case.latency_ms.as_ref().map(|number| number.value);
        draft.answer = Some(AgentAnswer { text: response.value.clone(), latency_ms });
    }
    draft
}

/// Keeps what a session has no field for: the original prompt above all.
fn keep_origin(draft: &mut SessionDraft, input: ImportInput<'_>, result: &MutationResult) {
    let node = input.document.node(result.node);
    let original = result.original_prompt.as_ref();
    let id = result.id.as_ref();
    let members = [
        ("file", Some(JsonValue::text(file_name(input.file)))),
        ("original_prompt", original.map(|text| JsonValue::text(&text.value))),
        ("mutation_id", id.map(|text| JsonValue::text(&text.value))),
        ("mutation_type", result.kind.as_ref().map(|text| JsonValue::text(&text.value))),
        ("response", value_of(node, "response")),
        ("latency_ms", value_of(node, "latency_ms")),
        ("error", value_of(node, "error")),
    ];
    draft.session.context.push(provenance("flakestorm_report", &members));
    draft.mark_read("/context/0", input.file, node);
    if let Some(original) = original {
        let node = input.document.node(original.node);
        draft.mark_read("/context/0/original_prompt", input.file, node);
    }
}

/// Returns the checks that failed, and the error; with the first of their places.
fn failure(result: &MutationResult) -> (String, Option<document::NodeId>) {
    let failed = result.checks.iter().filter(|check| is_set_to(&check.passed, false));
    let mut first = None;
    let mut words: Vec<String> = Vec::new();
    for check in failed {
        first = first.or(Some(check.node));
        let kind = text(&check.kind).unwrap_or("check");
        words.push(match text(&check.details) {
            Some(details) if !details.is_empty() => format!("{kind}: {details}"),
            _ => kind.to_owned(),
        });
    }
    if let Some(error) = &result.error {
        first = first.or(Some(error.node));
        words.push(format!("error: {}", error.value));
    }
    (words.join("; "), first)
}

fn draft_name(kind: &str, original: &str) -> String {
    const MAX_NAME_CHARS: usize = 60;
    let short: String =
        original.lines().next().unwrap_or_default().chars().take(MAX_NAME_CHARS).collect();
    let ellipsis = if short.len() < original.len() { "…" } else { "" };
    format!("{}: {short}{ellipsis}", kind.replace('_', " "))
}

/// Returns a word that is valid in an id and in a file name.
pub(super) fn slug(kind: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' }
    };
    kind.chars().map(plain).take(40).collect()
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
