//! Files of spans: OpenTelemetry as JSON (OTLP), rows of Logfire, spans of Phoenix.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::AgentRun;
use super::attributes::Attributes;
use super::chat::{items, text, values, word};
use super::span::{Record, Span, runs};
use document::foreign::ForeignFormat;
use document::json::{self, JsonLayout};
use document::text::Source;
use document::{Document, DocumentBody, Node, NodeKind, read};

/// Reads spans, and records of logs in the same file by the ids of their spans.
pub(super) fn otlp(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let documents = values(root, "");
    let all = |resources, scopes: [&'static str; 2], entries| {
        let resources = documents.iter().flat_map(move |document| items(*document, resources));
        let scopes = resources
            .flat_map(move |resource| scopes.into_iter().flat_map(move |key| items(resource, key)));
        scopes.flat_map(move |scope| items(scope, entries)).collect::<Vec<_>>()
    };
    let spans = all("resourceSpans", ["scopeSpans", "instrumentationLibrarySpans"], "spans");
    let mut spans: Vec<Span<'_>> = spans.into_iter().map(otlp_span).collect();
    let positions: HashMap<(&str, &str), usize> =
        (0..).zip(&spans).map(|(index, span)| ((span.trace, span.id), index)).collect();
    let mut alone = positions.clone();
    for record in all("resourceLogs", ["scopeLogs", "instrumentationLibraryLogs"], "logRecords") {
        let attributes = attributes_of(record);
        let event = attributes.first(&["event.name"]).or_else(|| record.get("eventName"));
        let name = event.and_then(Node::as_str).unwrap_or_default();
        if !name.starts_with("gen_ai.") {
            continue;
        }
        let key = (word(record, "traceId"), word(record, "spanId"));
        // Without the file of the spans, the messages of a span are a call.
        let index = *alone.entry(key).or_insert_with(|| {
            spans.push(Span { kind: Some("LLM"), ..otlp_span(record) });
            spans.len() - 1
        });
        let span = &mut spans[index];
        if !positions.contains_key(&key) {
            span.ended = text(record, "timeUnixNano");
        }
        add_record(span, record, name, record.get("body"));
    }
    runs(spans)
}

/// Joins files of OpenTelemetry that hold parts of the same traces, such as the spans and the records of logs: each group becomes one
/// document with a value a line. Other files stay as they are.
pub fn joined_files(files: Vec<(String, Document)>) -> Vec<(String, Document)> {
    type TraceGroup = (HashSet<String>, Vec<(String, Document)>);
    let mut groups: Vec<TraceGroup> = Vec::new();
    for (name, file) in files {
        let traces = trace_ids(&file);
        match groups.iter_mut().find(|(ids, _)| !ids.is_disjoint(&traces)) {
            Some((ids, parts)) => {
                ids.extend(traces);
                parts.push((name, file));
            }
            None => groups.push((traces, vec![(name, file)])),
        }
    }
    groups.into_iter().flat_map(|(_, parts)| joined(parts)).collect()
}

/// Returns the ids of the traces in a file; none of another format.
fn trace_ids(file: &Document) -> HashSet<String> {
    let is_otlp = matches!(&file.body, DocumentBody::Foreign(foreign) if foreign.format == ForeignFormat::Otlp);
    let nodes = file.tree.nodes().filter(|node| is_otlp && node.key() == Some("traceId"));
    let ids = nodes.filter_map(Node::as_str).filter(|id| !id.is_empty());
    ids.map(str::to_owned).collect()
}

fn joined(parts: Vec<(String, Document)>) -> Option<(String, Document)> {
    if parts.len() < 2 {
        return parts.into_iter().next();
    }
    let names = parts[1..].iter().filter_map(|(name, _)| name.rsplit('/').next());
    let names: Vec<&str> = [&*parts[0].0].into_iter().chain(names).collect();
    let roots = parts.iter().flat_map(|(_, file)| file.tree.root());
    let lines = roots
        .flat_map(|root| values(root, ""))
        .map(|value| json::write(value, JsonLayout::Compact));
    let text = lines.collect::<Vec<_>>().join("\n");
    Some((names.join(" and "), read(Source::new(text), "joined.jsonl")))
}

fn attributes_of(node: Node<'_>) -> Attributes<'_> {
    let mut attributes = Attributes::default();
    node.get("attributes").into_iter().for_each(|list| attributes.add(list));
    attributes
}

/// Adds an event to its span: a message, or attributes of the span that are not stored with it.
fn add_record<'d>(span: &mut Span<'d>, node: Node<'d>, name: &'d str, body: Option<Node<'d>>) {
    if name == "gen_ai.choice" || name.ends_with(".message") {
        span.records.push(Record { name, node, body });
    } else if let Some(list) = node.get("attributes") {
        span.attributes.add(list);
    }
}

fn otlp_span(node: Node<'_>) -> Span<'_> {
    let time = |key| node.get(key).and_then(Node::scalar_text).map(Cow::Borrowed);
    let status = node.get("status");
    let code = status.and_then(|status| status.get("code")?.scalar_text());
    let is_error = matches!(code, Some("2" | "STATUS_CODE_ERROR"));
    let error = is_error.then(|| error_text(node, status.and_then(|s| text(s, "message"))));
    let mut span = Span {
        node,
        trace: word(node, "traceId"),
        id: word(node, "spanId"),
        parent: word(node, "parentSpanId"),
        started: time("startTimeUnixNano").or_else(|| time("timeUnixNano")),
        ended: time("endTimeUnixNano"),
        error,
        kind: None,
        attributes: attributes_of(node),
        records: Vec::new(),
    };
    for event in items(node, "events").filter(|event| word(*event, "name").starts_with("gen_ai.")) {
        let body = attributes_of(event).first(&["gen_ai.event.content"]);
        add_record(&mut span, event, word(event, "name"), body);
    }
    span
}

/// Returns the text of an error: of the status, else of the exception.
fn error_text<'d>(span: Node<'d>, status: Option<Cow<'d, str>>) -> Cow<'d, str> {
    let exceptions = items(span, "events").filter(|event| word(*event, "name") == "exception");
    let message = |event| attributes_of(event).text(&["exception.message"]);
    let status = status.filter(|status| !status.is_empty());
    status.or_else(|| exceptions.filter_map(message).next()).unwrap_or_default()
}

/// Reads the rows of a query, or its columns.
pub(super) fn logfire(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let columns = || items(root, "columns").map(|column| (word(column, "name"), column));
    let by_column: HashMap<&str, Vec<Node<'_>>> =
        columns().map(|(name, column)| (name, items(column, "values").collect())).collect();
    let count = by_column.values().map(Vec::len).max().unwrap_or_default();
    let rows: Vec<Node<'_>> = ["rows", "data"].iter().flat_map(|key| items(root, key)).collect();
    if rows.is_empty() && root.kind() != NodeKind::Array {
        let cell = |index: usize| {
            let by_column = &by_column;
            move |name: &str| by_column.get(name)?.get(index).copied()
        };
        return runs((0..count).filter_map(|index| logfire_span(cell(index))).collect());
    }
    let rows = if rows.is_empty() { values(root, "rows") } else { rows };
    runs(rows.into_iter().filter_map(|row| logfire_span(move |name| row.get(name))).collect())
}

/// Reads a row by the names of its columns.
fn logfire_span<'d>(cell: impl Fn(&str) -> Option<Node<'d>>) -> Option<Span<'d>> {
    let word = |name| cell(name).and_then(Node::as_str);
    let is_error = cell("is_exception").and_then(Node::as_bool).unwrap_or_default();
    let texts = ["otel_status_message", "exception_message"];
    let error = texts.iter().find_map(|name| word(name)).unwrap_or_default();
    let mut attributes = Attributes::default();
    cell("attributes").into_iter().for_each(|values| attributes.add(values));
    Some(Span {
        node: cell("span_id")?,
        trace: word("trace_id").unwrap_or_default(),
        id: word("span_id").unwrap_or_default(),
        parent: word("parent_span_id").unwrap_or_default(),
        started: word("start_timestamp").map(Cow::Borrowed),
        ended: word("end_timestamp").map(Cow::Borrowed),
        error: is_error.then_some(Cow::Borrowed(error)),
        kind: None,
        attributes,
        records: Vec::new(),
    })
}

/// Reads spans in a list, of an answer of its interface, or one a line.
pub(super) fn phoenix(root: Node<'_>) -> Vec<AgentRun<'_>> {
    runs(values(root, "data").into_iter().map(phoenix_span).collect())
}

fn phoenix_span(node: Node<'_>) -> Span<'_> {
    let id = |key| node.get("context").map_or("", |context| word(context, key));
    let is_error = word(node, "status_code") == "ERROR";
    Span {
        node,
        trace: id("trace_id"),
        id: id("span_id"),
        parent: word(node, "parent_id"),
        started: text(node, "start_time"),
        ended: text(node, "end_time"),
        error: is_error.then(|| error_text(node, text(node, "status_message"))),
        kind: node.get("span_kind").and_then(Node::as_str),
        attributes: attributes_of(node),
        records: Vec::new(),
    }
}
