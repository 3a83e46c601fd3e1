//! Test helpers for rules: they check small files and format the problems.

use std::sync::Arc;

use super::{CheckFacts, CheckedDocument, check_document, check_project, judge_document};
use calls::reading::listed_calls;
use calls::source::{PresentSource, SourceFinding, SourceState};
use calls::{Item, ItemFacts, Pool, summarise};
use document::ValueMark;
use document::commit::CommitId;
use document::text::{Place, Source, Span, visible};
use document::{FileKind, Problem, RuleId, read};

/// Checks a file and formats the problems of one rule.
pub(super) fn found(rule: RuleId, file_name: &str, text: &str) -> Vec<String> {
    shown(rule, &with_facts(file_name, text, &CheckFacts::default()))
}

pub(super) fn with_facts(file_name: &str, text: &str, facts: &CheckFacts) -> Vec<Problem> {
    check_document(&read(Source::new(text), file_name), facts)
}

/// Formats problems, one line each: level, place, pointer, message.
pub(super) fn shown(rule: RuleId, problems: &[Problem]) -> Vec<String> {
    problems.iter().filter(|problem| problem.rule == rule).map(line).collect()
}

pub(super) fn shown_with_help(rule: RuleId, problems: &[Problem]) -> String {
    problems.iter().filter(|problem| problem.rule == rule).map(line_with_help).collect()
}

fn line(problem: &Problem) -> String {
    let Problem { severity, place, pointer, message, .. } = problem;
    let pointer = visible(pointer);
    format!("{severity} {place} {pointer} {message}")
}

fn line_with_help(problem: &Problem) -> String {
    let help = problem.help.as_deref().unwrap_or("no help");
    format!("{}\n  {}\n", line(problem), help.replace('\n', "\n  "))
}

/// Checks small files together and formats the problems of one rule.
pub(super) fn project(rule: RuleId, files: &[(&str, String)]) -> String {
    let pool = Pool::default();
    let item = |(path, text): &(&str, String)| {
        let document = read(Source::new(text.as_str()), path);
        let CheckedDocument { problems, secrets } =
            judge_document(&document, &listed_calls(&document), &CheckFacts::default());
        let bytes = text.len() as u64;
        summarise((*path).into(), path, bytes, &document, problems, None, &pool)
            .with_secrets(secrets)
    };
    let items: Vec<Item> = files.iter().map(item).collect();
    judged(rule, &items)
}

/// Judges items among each other; one line a problem, after its file.
pub(super) fn judged(rule: RuleId, items: &[Item]) -> String {
    judge(rule, items, line)
}

pub(super) fn judged_with_help(rule: RuleId, items: &[Item]) -> String {
    judge(rule, items, line_with_help)
}

fn judge(rule: RuleId, items: &[Item], show: fn(&Problem) -> String) -> String {
    let problems = check_project(items.iter().enumerate());
    let rule_problems = problems.iter().filter(|(_, problem)| problem.rule == rule);
    let lines: Vec<String> = rule_problems
        .map(|(index, problem)| format!("{}: {}", items[*index].path, show(problem)))
        .collect();
    lines.join("\n")
}

/// A source that is there now, with the text "a -> b;\n".
pub(crate) fn present(path: &str, at_root: bool) -> Arc<PresentSource> {
    Arc::new(PresentSource::from_bytes(path, b"a -> b;\n", at_root))
}

/// A commit whose name begins like this.
pub(crate) fn commit(start: &str) -> Arc<CommitId> {
    Arc::new(CommitId { id: format!("{start:0<40}").into(), seconds: 0 })
}

/// A recording with a source in this state, recorded under a hash of 64 times `7`; named `machines/a.dygram` at 20:17.
pub(crate) fn at_source(path: &str, finding: SourceFinding) -> Item {
    let is_stamped = finding != SourceFinding::Unstamped;
    let mark = |line| {
        is_stamped.then_some(ValueMark { span: Span::default(), place: Place { line, column: 17 } })
    };
    let source = SourceState {
        file: is_stamped.then(|| "machines/a.dygram".into()),
        recorded_hash: is_stamped.then(|| "7".repeat(64).into()),
        file_mark: mark(20),
        hash_mark: mark(21),
        found: finding,
        affected: None,
        because: None,
        breaks_at: None,
    };
    Item::from(ItemFacts {
        kind: FileKind::Recording,
        source: Some(source.into()),
        ..ItemFacts::new(path)
    })
}

/// Returns a wrapped recording with one message.
pub(super) fn recording(context: &str, tools: &str, content: &str, more_fields: &str) -> String {
    format!(
        r#"{{ "request": {{ "type": "llm_invocation_request", "requestId": "req-1", "timestamp": "2025-12-05T19:07:42.176Z",
  "context": {context},
  "messages": [ {{ "role": "user", "content": "go" }} ],
  "tools": {tools} }},
"response": {{ "type": "llm_invocation_response", "requestId": "req-1", "timestamp": "2025-12-05T19:07:42.300Z",
  "response": {{ "content": {content},
  "stop_reason": "end_turn" }} }},
"recordedAt": "2025-12-05T19:07:42.457Z"{more_fields} }}"#
    )
}

/// Returns a tape with these models in `meta` and in its request.
pub(super) fn tape(meta_model: &str, request_model: &str, stream: &str) -> String {
    format!(
        r#"{{ "meta": {{ "model": "{meta_model}", "recordedAt": "2026-01-18T16:00:00Z" }},
"request": {{ "model": "{request_model}", "contents": "[]", "config": {{}} }},
"stream": {stream} }}"#
    )
}
