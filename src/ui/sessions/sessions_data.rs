//! Data of the sessions desk, built from the workbench.

use std::collections::HashMap;
use std::sync::Arc;

use author::session::{ResponseFix, SessionEdit, session_at};
use calls::Item;
use document::edit::JsonValue;
use document::session::Session;
use document::text::{Span, visible};
use document::{Document, Node, NodeKind, Problem, RuleId, Severity, json};
use protocol::{Revision, SessionId};
use widgets::code::CodeData;
use widgets::editor::EditorData;
use workbench::{FormCursor, SessionState, Workbench};

/// Maximum number of characters that a row shows of a response.
const MAX_LINE_CHARS: usize = 160;

/// A field of the form.
#[derive(Debug)]
pub(super) struct FieldSpec {
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    /// The meaning, as a sentence.
    pub(super) meaning: &'static str,
    pub(super) is_required: bool,
}

const fn field(key: &'static str, name: &'static str, meaning: &'static str) -> FieldSpec {
    FieldSpec { key, name, meaning, is_required: false }
}

pub(super) const ID: FieldSpec = FieldSpec {
    is_required: true,
    ..field("id", "Id", "Required. Identifies this session. Results are listed by it.")
};
pub(super) const NAME: FieldSpec = field("name", "Name", "The name of the incident.");
pub(super) const INPUT: FieldSpec = FieldSpec {
    is_required: true,
    ..field("input", "Input", "Required. The exact input of the agent.")
};
pub(super) const EXPECTED_FAILURE: FieldSpec = field(
    "expected_failure",
    "Expected failure",
    "A description of what went wrong. The contract decides whether it happens again.",
);
pub(super) const CAPTURED_AT: FieldSpec =
    field("captured_at", "Captured at", "When the incident happened, as ISO 8601.");
pub(super) const SOURCE: FieldSpec =
    field("source", "Source", "The origin of the session. Defaults to manual.");
pub(super) const CONTEXT: FieldSpec = field(
    "context",
    "Context",
    "The conversation before the input. Over HTTP, the runner sends only the input.",
);

/// The fields that can have the cursor.
const SPECS: [&FieldSpec; 7] =
    [&ID, &NAME, &INPUT, &EXPECTED_FAILURE, &CAPTURED_AT, &SOURCE, &CONTEXT];

/// Data of the selected session. Rebuilt when its text, its parse result or its list item changes.
#[derive(Default)]
pub(super) struct SessionData {
    key: Option<(SessionId, u64)>,
    pub(super) item: Option<Arc<Item>>,
    pub(super) document: Option<Arc<Document>>,
    /// Revision of the parsed text.
    pub(super) revision: Revision,
    pub(super) text: Option<EditorData>,
    /// Index of the most severe problem of each spot.
    problems: HashMap<FormCursor, usize>,
    /// The tool responses with problems, in order.
    flagged: Vec<usize>,
}

/// A problem of a spot of the form.
#[derive(Debug, PartialEq)]
pub(super) struct FieldProblem {
    pub(super) severity: Severity,
    /// A sentence.
    pub(super) message: String,
    /// Fixes, each with its label.
    pub(super) fixes: Vec<(&'static str, SessionEdit)>,
}

impl SessionData {
    /// Synchronizes with the workbench.
    pub(super) fn update(&mut self, workbench: &Workbench) {
        let (library, desk) = (&workbench.core.library, &workbench.sessions);
        let revision = library.documents_revision();
        let key = desk.selected.as_ref().map(|id| (id.clone(), revision));
        let item = desk.selected.as_ref().and_then(|id| library.share(id.doc));
        let is_same_item = match (&item, &self.item) {
            (Some(new), Some(old)) => Arc::ptr_eq(new, old),
            // Without an item, the problems in it are gone, too.
            (new, old) => new.is_none() == old.is_none(),
        };
        if self.key == key && is_same_item {
            return;
        }
        // Checked after the key, so that an unchanged session costs nothing.
        let SessionState::Ready(document, revision) = workbench.sessions.state(&workbench.core)
        else {
            *self = Self::default();
            return;
        };
        let (Some((id, _)), Some(item)) = (&key, &item) else { return };
        self.text = library.text(id.doc).map(|text| {
            let code = CodeData::new(&document, &item.problems);
            // Taken over, because parsing and layout of unchanged lines are reused.
            let old_data = self.text.take();
            EditorData::new(id.doc, item.file_name(), text, code, old_data.as_ref())
        });
        (self.problems, self.flagged) = by_spot(&id.pointer, &item.problems);
        self.item = Some(Arc::clone(item));
        self.document = Some(document);
        self.revision = revision;
        self.key = key;
    }

    /// Returns the id of the session.
    pub(super) fn id(&self) -> Option<&SessionId> {
        self.key.as_ref().map(|(id, _)| id)
    }

    /// Returns the session; `None` if the text is no longer a session.
    pub(super) fn session(&self) -> Option<&Session> {
        session_at(self.document.as_ref()?, &self.id()?.pointer)
    }

    /// Returns the number of tool responses.
    pub(super) fn responses(&self) -> usize {
        self.session().map_or(0, |s| s.tool_responses.len())
    }

    /// Returns the JSON Pointer of a field of the session.
    pub(super) fn pointer(&self, key: &str) -> String {
        let session = self.id().map_or("", |id| &id.pointer);
        format!("{session}/{key}")
    }

    /// Returns the JSON Pointer of a tool response.
    pub(super) fn response_pointer(&self, row: usize) -> String {
        self.pointer(&format!("tool_responses/{row}"))
    }

    /// Returns the value at a JSON Pointer.
    pub(super) fn node(&self, pointer: &str) -> Option<Node<'_>> {
        self.document.as_deref()?.tree.at_pointer(pointer)
    }

    /// Returns a tool response.
    pub(super) fn response(&self, row: usize) -> Option<Node<'_>> {
        let node = self.session()?.tool_responses.get(row)?.node;
        Some(self.document.as_deref()?.tree.node(node))
    }

    /// Returns how many tool responses before `end` have problems.
    pub(super) fn flagged_before(&self, end: usize) -> usize {
        self.flagged.partition_point(|row| *row < end)
    }

    /// Returns the problem of a spot of the form.
    pub(super) fn problem_at(&self, spot: FormCursor) -> Option<FieldProblem> {
        let index = *self.problems.get(&spot)?;
        let problem = self.item.as_deref()?.problems.get(index)?;
        Some(self.describe(problem))
    }

    /// Returns the first problem of the session that no spot of the form shows.
    pub(super) fn other_problem(&self) -> Option<FieldProblem> {
        let session = &self.id()?.pointer;
        let is_other = |problem: &&Problem| {
            let place = problem.pointer.strip_prefix(&**session);
            let is_inside = place.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            // Notes are off.
            is_inside
                && problem.severity > Severity::Note
                && spot_of(session, &problem.pointer).is_none()
        };
        Some(self.describe(self.item.as_deref()?.problems.iter().find(is_other)?))
    }

    /// Returns whether the problem of a tool response is that its tool has an empty name.
    pub(super) fn is_unnamed(&self, row: usize) -> bool {
        let spot = FormCursor::Response(row);
        let problems = self.item.as_deref().map(|item| &item.problems);
        let problem = problems.and_then(|p| p.get(*self.problems.get(&spot)?));
        let tool = format!("{}/tool", self.response_pointer(row));
        let node = self.node(&tool);
        // A new row has an empty name on purpose; any other problem of it counts.
        problem.is_some_and(|p| *p.pointer == *tool)
            && node.and_then(Node::as_str).is_some_and(str::is_empty)
    }

    /// Returns the bytes of a spot of the form.
    pub(super) fn span(&self, spot: FormCursor) -> Option<Span> {
        let node = match spot {
            FormCursor::Field(key) => self.node(&self.pointer(key))?,
            FormCursor::Response(row) => self.response(row)?,
        };
        let span = node.span();
        // With the key, since the highlighted place should say which field it is.
        Some(Span::new(node.key_span().unwrap_or(span).range().start, span.range().end))
    }

    fn describe(&self, problem: &Problem) -> FieldProblem {
        let pointer = &*problem.pointer;
        let kind = self.node(pointer).map(Node::kind);
        let response = pointer.strip_suffix("/response");
        let (words, fixes) = match (problem.rule, kind, response) {
            (RuleId::ToolResponseType, Some(kind), Some(response)) => (
                format!("Expected text, an object or null, found {}.", kind.name()),
                suggested_fixes(response),
            ),
            (RuleId::YamlTyping, Some(kind), _) => (
                format!("YAML 1.1 reads {}", kind.name()),
                vec![("Quote", SessionEdit::Quote(pointer.to_owned()))],
            ),
            _ => (visible(&problem.message).into_owned(), Vec::new()),
        };
        FieldProblem { severity: problem.severity, message: words, fixes }
    }
}

/// Returns the fixes of a response whose value is not accepted.
pub(super) fn suggested_fixes(response: &str) -> Vec<(&'static str, SessionEdit)> {
    let fix = |kind| SessionEdit::FixResponse(response.to_owned(), kind);
    vec![("As text", fix(ResponseFix::AsText)), ("Wrap", fix(ResponseFix::Wrapped))]
}

/// Returns the most severe problem of each spot, and the tool responses with problems.
fn by_spot(session: &str, problems: &[Problem]) -> (HashMap<FormCursor, usize>, Vec<usize>) {
    let mut worst: HashMap<FormCursor, usize> = HashMap::new();
    // Notes are off.
    let weighty = problems.iter().enumerate().filter(|(_, p)| p.severity > Severity::Note);
    for (index, problem) in weighty {
        let Some(spot) = spot_of(session, &problem.pointer) else { continue };
        let severity_of = |index: &usize| problems.get(*index).map(|p| p.severity);
        // `None` is less than any severity, so the first problem is always taken; of equal ones the first stays.
        if worst.get(&spot).and_then(severity_of) < Some(problem.severity) {
            worst.insert(spot, index);
        }
    }
    let mut rows: Vec<usize> = worst
        .keys()
        .filter_map(|spot| match spot {
            FormCursor::Response(row) => Some(*row),
            FormCursor::Field(_) => None,
        })
        .collect();
    // The keys of a hash map have no order, and positions are found by bisection.
    rows.sort_unstable();
    (worst, rows)
}

fn spot_of(session: &str, pointer: &str) -> Option<FormCursor> {
    let mut tokens = pointer.strip_prefix(session)?.strip_prefix('/')?.split('/');
    let key = tokens.next()?;
    // A problem anywhere inside a response belongs to its row.
    if key == "tool_responses"
        && let Some(row) = tokens.next().and_then(|row| row.parse().ok())
    {
        return Some(FormCursor::Response(row));
    }
    let keys = SPECS.into_iter().map(|spec| spec.key).chain(["contract", "tool_responses"]);
    keys.into_iter().find(|k| *k == key).map(FormCursor::Field)
}

/// Formats a response as JSON on one line, shortened, so that texts and objects can be distinguished.
pub(super) fn one_line(node: Node<'_>) -> String {
    let mut text = String::new();
    push_value(&mut text, node);
    visible(&text).into_owned()
}

fn push_value(text: &mut String, node: Node<'_>) {
    // Checked at each value, so that a response of megabytes costs no more than its first line.
    if text.chars().count() > MAX_LINE_CHARS {
        return;
    }
    let (open, close) = match node.kind() {
        NodeKind::Object => ('{', '}'),
        NodeKind::Array => ('[', ']'),
        NodeKind::String => {
            let words = node.as_str().unwrap_or_default();
            // Cut before quoting: a long text would be escaped whole.
            let end =
                words.char_indices().nth(MAX_LINE_CHARS).map_or(words.len(), |(index, _)| index);
            return text.push_str(JsonValue::text(&words[..end]).json());
        }
        _ => return text.push_str(&json::text(node)),
    };
    text.push(open);
    for (index, part) in node.items().enumerate().take(MAX_LINE_CHARS) {
        if index > 0 {
            text.push_str(", ");
        }
        if let Some(key) = part.key() {
            text.push_str(&format!("{}: ", JsonValue::text(key).json()));
        }
        push_value(text, part);
    }
    text.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    #[test]
    fn responses_are_formatted_on_one_line() {
        let text = "a: {order: \"88\", paid: true}\nb: closed\nc: [1, {}]\nd: ~\n";
        let document = read(Source::new(text), "a.yaml");
        let lines: Vec<String> = document.tree.root().unwrap().items().map(one_line).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        {"order": "88", "paid": true}
        "closed"
        [1, {}]
        null
        "#);
    }

    #[test]
    fn problems_are_assigned_to_their_spots() {
        let spots = ["/id", "/tool_responses/3/tool", "/tool_responses", "/x", ""];
        let spot = |pointer: &&str| spot_of("", pointer);
        let spots: Vec<_> = spots.iter().map(spot).collect();
        assert_eq!(
            spots,
            [
                Some(FormCursor::Field("id")),
                Some(FormCursor::Response(3)),
                Some(FormCursor::Field("tool_responses")),
                None,
                None
            ]
        );
        let inline = spot_of("/replays/sessions/1", "/replays/sessions/1/input");
        assert_eq!(inline, Some(FormCursor::Field("input")));
        assert_eq!(spot_of("/replays/sessions/1", "/replays/sessions/12/input"), None);
    }
}
