//! Runs of LangSmith: each outermost run is a session.

use jiff::Timestamp;

use super::session_draft::{SessionDraft, provenance, value_of};
use super::{ImportInput, Imported, is_null, runs, text_of};
use calls::agent_run::{AgentRun, langsmith_runs};
use document::edit::JsonValue;
use document::time::{milliseconds, parse_time};
use document::{Node, Problem};

/// Conditions for runs to be taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// By how they ended.
    pub status: RunStatus,
    /// That began then or later.
    pub from: Option<Timestamp>,
    /// That began before.
    pub until: Option<Timestamp>,
    /// That took so long, or longer.
    pub min_latency_ms: Option<i64>,
    /// That took so long, or less.
    pub max_latency_ms: Option<i64>,
}

/// Status at the end of a run, as in Flakestorm's `filter`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunStatus {
    /// In any way.
    #[default]
    All,
    Error,
    /// Without an error, which is how Flakestorm interprets `warning`.
    Warning,
}

impl Filter {
    /// Returns whether a run is taken.
    pub(crate) fn takes(&self, run: Node<'_>) -> bool {
        let status = match self.status {
            RunStatus::All => true,
            RunStatus::Error => has_error(run),
            RunStatus::Warning => !has_error(run),
        };
        let began = text_of(run, "start_time").and_then(|text| parse_time(text.as_str()?));
        let is_in_range = |began: Timestamp| {
            self.from.is_none_or(|f| began >= f) && self.until.is_none_or(|until| began < until)
        };
        let in_range = match (began, self.from.is_some() || self.until.is_some()) {
            (Some(began), _) => is_in_range(began),
            // Without a start, it is not known whether a run is in the range.
            (None, has_range) => !has_range,
        };
        // A run that has not ended counts as 0 ms, so a minimum leaves it out.
        let took = || latency(run).unwrap_or_default();
        let long_enough = || self.min_latency_ms.is_none_or(|least| took() >= least);
        let short_enough = || self.max_latency_ms.is_none_or(|most| took() <= most);
        status && in_range && long_enough() && short_enough()
    }
}

fn has_error(run: Node<'_>) -> bool {
    let says = run.get("status").and_then(Node::as_str) == Some("error");
    says || run.get("error").is_some_and(|error| !is_null(&error))
}

fn latency(run: Node<'_>) -> Option<i64> {
    milliseconds(run.get("start_time")?.as_str()?, run.get("end_time")?.as_str()?)
}

pub(super) fn drafts(input: ImportInput<'_>, filter: &Filter) -> Result<Imported, String> {
    if let Some(Problem { place, message, .. }) = input.document.tree.fault() {
        return Err(format!("The file cannot be read completely: {place}: {message}"));
    }
    let mut imported = Imported::default();
    for run in input.document.tree.root().map(langsmith_runs).unwrap_or_default() {
        if filter.takes(run.node) {
            imported.drafts.push(draft(input, &run));
        } else {
            imported.skipped += 1;
        }
    }
    Ok(imported)
}

fn draft(input: ImportInput<'_>, run: &AgentRun<'_>) -> SessionDraft {
    let mut draft = runs::draft(input, run, "langsmith_run");
    let node = run.node;
    let mut take = |node: Option<Node<'_>>, pointer: &str| {
        draft.mark_read(pointer, input.file, node?);
        node?.as_str().map(str::to_owned)
    };
    let id = take(text_of(node, "id"), "/id");
    // Flakestorm takes a name as it is, also if it is only white space.
    let name = take(node.get("name").filter(|name| name.as_str().is_some()), "/name");
    let captured_at = take(text_of(node, "start_time"), "/captured_at");
    draft.session.id = id.unwrap_or(draft.session.id);
    draft.session.name = name;
    draft.session.captured_at = captured_at;
    draft.set_source("langsmith", "Fixed for LangSmith runs");
    if draft.session.input.is_empty()
        && let Some(inputs) = node.get("inputs").filter(|inputs| !inputs.is_empty())
    {
        draft.session.input = JsonValue::from_node(inputs).json().to_owned();
        draft.mark_read("/input", input.file, inputs);
        let note = "The run has no `input`, so all of its inputs are used, as JSON";
        draft.notes.push(note.to_owned());
    }
    let latency_ms = latency(node);
    if let Some(answer) = &mut draft.answer {
        answer.latency_ms = latency_ms.map(|milliseconds| milliseconds as f64);
    }
    let members = [
        ("run_id", value_of(node, "id")),
        ("status", value_of(node, "status")),
        ("latency_ms", latency_ms.and_then(|number| JsonValue::parse(&number.to_string()).ok())),
        // The messages before the answer are in the session already.
        match &draft.answer {
            Some(answer) => ("response", Some(JsonValue::text(&answer.text))),
            None => ("outputs", value_of(node, "outputs")),
        },
    ];
    if let Some(origin) = draft.session.context.last_mut() {
        *origin = provenance("langsmith_run", &members);
    }
    draft.mark_read(format!("/context/{}", draft.session.context.len() - 1), input.file, node);
    draft
}

/// Returns the words of a message: its content, or the texts of its blocks.
pub(super) fn content(message: Node<'_>) -> Option<String> {
    let content = message.get("content")?;
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let texts: Vec<&str> = content.items().filter_map(|b| b.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
