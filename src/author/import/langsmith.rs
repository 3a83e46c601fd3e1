//! Runs of LangSmith, one or a list: each root run is a session, its child runs are what the tools answered.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;

use super::session_draft::{AgentAnswer, SessionDraft, provenance, value_of};
use super::{ImportInput, Imported, is_null, text_of};
use document::edit::JsonValue;
use document::foreign::{is_run, is_runs, runs};
use document::text::{Source, counted, quoted};
use document::time::{milliseconds, parse_time};
use document::{Document, Node, NodeKind, Problem};

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

/// Returns whether it is one run a line.
pub(super) fn is_lines(document: &Document) -> bool {
    document.tree.fault().is_some()
        && lines(document).is_some_and(|lines| lines.tree.root().is_some_and(is_runs))
}

/// Returns a file of one JSON value a line, as a list.
fn lines(document: &Document) -> Option<Document> {
    let text = document.source().text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_map = |line: &&str| line.trim_start().starts_with('{') && line.trim_end().ends_with('}');
    // A single line is plain JSON.
    if lines.len() < 2 || !lines.iter().all(is_map) {
        return None;
    }
    let read = document::read(Source::new(format!("[{}]", lines.join(",\n"))), "runs.json");
    read.tree.fault().is_none().then_some(read)
}

pub(super) fn drafts(input: ImportInput<'_>, filter: &Filter) -> Result<Imported, String> {
    if let Some(listed) = lines(input.document) {
        return Ok(of_tree(ImportInput { document: &listed, ..input }, filter));
    }
    if let Some(Problem { place, message, .. }) = input.document.tree.fault() {
        return Err(format!("The file cannot be read completely: {place}: {message}"));
    }
    Ok(of_tree(input, filter))
}

fn of_tree(input: ImportInput<'_>, filter: &Filter) -> Imported {
    let mut imported = Imported::default();
    let Some(root) = input.document.tree.root() else { return imported };
    let all = runs(root);
    let family = RunTree::new(&all);
    for run in all.into_iter().filter(|run| is_run(*run) && !family.has_parent(*run)) {
        if filter.takes(run) {
            imported.drafts.push(draft(input, run, &family));
        } else {
            imported.skipped += 1;
        }
    }
    imported
}

/// Parents and children of the runs of a flat list.
struct RunTree<'t> {
    children: HashMap<&'t str, Vec<Node<'t>>>,
    ids: HashMap<&'t str, ()>,
}

impl<'t> RunTree<'t> {
    fn new(runs: &[Node<'t>]) -> Self {
        let id = |run: &Node<'t>, key| run.get(key).and_then(Node::as_str);
        let mut family = Self { children: HashMap::new(), ids: HashMap::new() };
        family.ids.extend(runs.iter().filter_map(|run| Some((id(run, "id")?, ()))));
        for run in runs {
            if let Some(parent) = id(run, "parent_run_id") {
                family.children.entry(parent).or_default().push(*run);
            }
        }
        family
    }

    fn has_parent(&self, run: Node<'t>) -> bool {
        let parent = run.get("parent_run_id").and_then(Node::as_str);
        parent.is_some_and(|parent| self.ids.contains_key(parent))
    }

    /// Returns the runs directly beneath one, in the order in which they began.
    fn children(&self, run: Node<'t>) -> Vec<Node<'t>> {
        // Exports nest child runs; the API lists them flat, each with the id of its parent.
        let inner = run.get("child_runs").into_iter().flat_map(Node::items);
        let listed = run.get("id").and_then(Node::as_str).and_then(|id| self.children.get(id));
        let mut children: Vec<Node<'t>> =
            inner.chain(listed.into_iter().flatten().copied()).collect();
        let began =
            |run: &Node<'_>| run.get("start_time").and_then(Node::as_str).and_then(parse_time);
        // If a time is missing, the order of the file says more than the other times.
        if children.iter().all(|run| began(run).is_some()) {
            children.sort_by_key(began);
        }
        children
    }

    /// Finds the calls beneath a run, each before those beneath it: tools at any depth. Calls to models, and what only
    /// holds others together, are none.
    fn calls(&self, run: Node<'t>, below: Option<&'t str>, depth: usize, runs: &mut ChildRuns<'t>) {
        for child in self.children(run) {
            let text = |key| child.get(key).and_then(Node::as_str);
            // Flakestorm makes a tool response of every child run, whatever its type.
            let kind = text("run_type").unwrap_or("tool");
            let children = self.children(child).len();
            match kind {
                "llm" | "prompt" | "parser" | "embedding" => runs.skip(kind),
                "chain" if children > 0 && depth < MAX_DEPTH => runs.skip(kind),
                _ => runs.calls.push(ToolRun { run: child, below }),
            }
            if children > 0 && depth < MAX_DEPTH {
                let name = text("name").unwrap_or("a run without a name");
                self.calls(child, Some(name), depth + 1, runs);
            } else {
                runs.too_deep += children;
            }
        }
    }

    /// Returns the runs that become tool responses: calls of tools, or if there is none, the child runs themselves.
    fn child_runs(&self, run: Node<'t>) -> ChildRuns<'t> {
        let mut child_runs = ChildRuns::default();
        self.calls(run, None, 0, &mut child_runs);
        // A graph has steps that hold nothing, such as its prompts and conditions.
        let kind = |call: &ToolRun<'t>| call.run.get("run_type").and_then(Node::as_str);
        if child_runs.calls.iter().any(|call| kind(call) == Some("tool")) {
            let all = child_runs.calls.len();
            let is_step = |call: &ToolRun<'t>| call.below.is_some() && kind(call) == Some("chain");
            child_runs.calls.retain(|call| !is_step(call));
            (child_runs.calls.len()..all).for_each(|_| child_runs.skip("chain"));
        }
        if child_runs.calls.is_empty() {
            child_runs = ChildRuns::default();
            for child in self.children(run) {
                self.calls(child, None, 1, &mut child_runs);
                child_runs.calls.push(ToolRun { run: child, below: None });
            }
        }
        child_runs
    }
}

/// Child runs at a greater depth are skipped.
// The search is recursive.
const MAX_DEPTH: usize = 50;

/// The child runs of a root run.
#[derive(Default)]
struct ChildRuns<'t> {
    calls: Vec<ToolRun<'t>>,
    /// Number of skipped runs of each type.
    skipped: BTreeMap<&'t str, usize>,
    /// Number of runs that are not searched, because they are too deep.
    too_deep: usize,
}

impl<'t> ChildRuns<'t> {
    fn skip(&mut self, kind: &'t str) {
        *self.skipped.entry(kind).or_default() += 1;
    }

    /// Returns what is skipped and why, as notes.
    fn notes(&self) -> impl Iterator<Item = String> {
        let types: Vec<String> = self.skipped.iter().map(|(k, c)| format!("{c} {k}")).collect();
        let number = |count| counted(count, "child run", "child runs");
        let skipped = (!types.is_empty()).then(|| {
            format!(
                "{} skipped, because only tools become responses: {}",
                number(self.skipped.values().sum()),
                types.join(", ")
            )
        });
        let deep = (self.too_deep > 0)
            .then(|| format!("{} skipped below depth {MAX_DEPTH}", number(self.too_deep)));
        skipped.into_iter().chain(deep)
    }
}

/// A call of a tool within a run.
struct ToolRun<'t> {
    run: Node<'t>,
    /// The name of the run that it is beneath, unless that is the root run.
    below: Option<&'t str>,
}

fn draft<'t>(input: ImportInput<'t>, run: Node<'t>, family: &RunTree<'t>) -> SessionDraft {
    let mut draft = SessionDraft::default();
    let mut take = |node: Option<Node<'_>>, pointer: &str| {
        draft.mark_read(pointer, input.file, node?);
        node?.as_str().map(str::to_owned)
    };
    let id = take(text_of(run, "id"), "/id");
    // Flakestorm takes a name as it is, also if it is only white space.
    let name = run.get("name").filter(|name| name.as_str().is_some());
    let name = take(name, "/name");
    let captured_at = take(text_of(run, "start_time"), "/captured_at");
    let expected_failure = take(text_of(run, "error"), "/expected_failure");
    draft.session.id = id.unwrap_or_default();
    draft.session.name = name;
    draft.session.captured_at = captured_at;
    draft.session.expected_failure = expected_failure;
    draft.set_source("langsmith", "Fixed for LangSmith runs");
    if let Some(requested) = run.get("inputs") {
        set_input(&mut draft, input, requested);
    }
    let child_runs = family.child_runs(run);
    let calls = &child_runs.calls;
    let nested = (1..).zip(calls).filter(|(_, call)| call.below.is_some());
    let nested: Vec<String> = nested.map(|(number, _)| number.to_string()).collect();
    for call in calls {
        push_call(&mut draft, input, call);
    }
    match &nested[..] {
        [] => {}
        [one] => draft.notes.push(format!(
            "Tool response {one} is from a nested run, which Flakestorm's own import skips"
        )),
        many => draft.notes.push(format!(
            "Tool responses {} are from nested runs, which Flakestorm's own import skips",
            many.join(", ")
        )),
    }
    draft.notes.extend(child_runs.notes());
    let latency_ms = latency(run);
    // The messages before the last one are in the session already.
    let last_message = run.get("outputs").and_then(last_message);
    let members = [
        ("run_id", value_of(run, "id")),
        ("status", value_of(run, "status")),
        ("latency_ms", latency_ms.and_then(|number| JsonValue::parse(&number.to_string()).ok())),
        match &last_message {
            Some(text) => ("response", Some(JsonValue::text(text))),
            None => ("outputs", value_of(run, "outputs")),
        },
    ];
    let at = draft.session.context.len();
    draft.session.context.push(provenance("langsmith_run", &members));
    draft.mark_read(format!("/context/{at}"), input.file, run);
    if let Some(words) = run.get("outputs").and_then(answer_text) {
        draft.answer = Some(AgentAnswer { text: words, latency_ms: latency_ms.map(|n| n as f64) });
    }
    draft
}

/// Sets the input: `input` as Flakestorm reads it, else one of the usual names, else the last message of the user.
fn set_input(draft: &mut SessionDraft, input: ImportInput<'_>, inputs: Node<'_>) {
    const NAMES: [&str; 7] =
        ["input", "question", "query", "prompt", "user_input", "text", "message"];
    // Flakestorm takes an `input` as it is, also if it is only white space.
    let input_text =
        inputs.get("input").filter(|node| node.as_str().is_some_and(|text| !text.is_empty()));
    let input_node = input_text.or_else(|| NAMES.iter().find_map(|name| text_of(inputs, name)));
    if let Some(node) = input_node {
        draft.session.input = node.as_str().unwrap_or_default().to_owned();
        draft.mark_read("/input", input.file, node);
    }
    let list_node = ["messages", "chat_history", "input"].iter().find_map(|key| inputs.get(key));
    let list = list_node.filter(|node| node.kind() == NodeKind::Array);
    let messages: Vec<Node<'_>> = list.into_iter().flat_map(Node::items).collect();
    let last = match input_node {
        Some(_) => None,
        None => messages.iter().rposition(|m| is_from_user(*m) && content(*m).is_some()),
    };
    let end = last.unwrap_or(messages.len());
    for turn in messages[..end].iter().filter(|message| message.kind() == NodeKind::Object) {
        let at = draft.session.context.len();
        draft.session.context.push(JsonValue::from_node(*turn));
        draft.mark_read(format!("/context/{at}"), input.file, *turn);
    }
    if let Some(message) = last.and_then(|last| messages.get(last)) {
        draft.session.input = content(*message).unwrap_or_default();
        draft.mark_read("/input", input.file, *message);
    }
    if draft.session.input.is_empty() && !inputs.is_empty() {
        draft.session.input = JsonValue::from_node(inputs).json().to_owned();
        draft.mark_read("/input", input.file, inputs);
        let note = "The run has no `input`, so all of its inputs are used, as JSON";
        draft.notes.push(note.to_owned());
    }
}

fn is_from_user(message: Node<'_>) -> bool {
    let role = ["role", "type"].iter().find_map(|key| message.get(key)).and_then(Node::as_str);
    matches!(role, Some("user" | "human"))
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

/// Returns the words of the last message of a chat.
fn last_message(outputs: Node<'_>) -> Option<String> {
    let last = outputs.get("messages")?.items().last()?;
    content(last.get("kwargs").unwrap_or(last)).filter(|text| !text.is_empty())
}

/// Returns the text of a run's outputs.
fn answer_text(outputs: Node<'_>) -> Option<String> {
    const NAMES: [&str; 6] = ["output", "answer", "text", "result", "response", "content"];
    let text = NAMES.iter().find_map(|name| outputs.get(name)?.as_str());
    let last = || last_message(outputs).or_else(|| outputs.as_str().map(str::to_owned));
    text.map(str::to_owned).or_else(last)
}

/// Returns the message of a tool that is all of its outputs, as LangGraph wraps what a tool returned: with the id of the call and other
/// members.
fn tool_message(outputs: Node<'_>) -> Option<Node<'_>> {
    let only = outputs.items().next().filter(|_| outputs.len() == 1)?;
    let message = match only.kind() {
        NodeKind::Array => only.items().next().filter(|_| only.len() == 1)?,
        _ => only,
    };
    // A serialized object has its members one level deeper.
    let message = message.get("kwargs").unwrap_or(message);
    let is_tools = message.get("type").and_then(Node::as_str) == Some("tool");
    let is_message = is_tools || message.get("tool_call_id").is_some();
    (is_message && message.get("content").is_some()).then_some(message)
}

/// Takes a call as the owner does, without the message around what a tool returned: its outputs, and the status 0 where it has an error. The error's text becomes a comment,
/// and what is expected to fail where the run itself says nothing of that.
fn push_call(draft: &mut SessionDraft, input: ImportInput<'_>, call: &ToolRun<'_>) {
    let ToolRun { run, below } = *call;
    let at = draft.session.tool_responses.len();
    let tool =
        run.get("name").and_then(Node::as_str).filter(|tool| !tool.is_empty()).unwrap_or("unnamed");
    if tool == "unnamed" {
        let id = run.get("id").and_then(Node::as_str).unwrap_or_default();
        draft.notes.push(format!("The child run {} has no name", quoted(id)));
    }
    let pointer = format!("/tool_responses/{at}");
    let message = run.get("outputs").and_then(tool_message);
    let says_error = |node: Node<'_>| node.get("status").and_then(Node::as_str) == Some("error");
    let described = || message.filter(|message| says_error(*message))?.get("content");
    let error = run.get("error").filter(is_true).or_else(described);
    let error_text = error.map(|error| match error.as_str() {
        Some(text) => text.to_owned(),
        None => JsonValue::from_node(error).json().to_owned(),
    });
    if let (Some(error), Some(text)) = (error, &error_text)
        && draft.session.expected_failure.is_none()
    {
        draft.session.expected_failure = Some(text.clone());
        draft.mark_read("/expected_failure", input.file, error);
    }
    let nested = below.map(|name| format!("Nested in {name}"));
    let failed = error_text.map(|text| format!("Error: {text}"));
    let comments: Vec<String> = nested.into_iter().chain(failed).collect();
    let answered = message.map(|message| match content(message) {
        Some(text) => JsonValue::text(&text),
        None => value_of(message, "content").unwrap_or_else(JsonValue::null),
    });
    let response = answered.or_else(|| value_of(run, "outputs"));
    let response_draft = draft.push_response(tool, response.unwrap_or_else(JsonValue::null));
    let has_failed = error.is_some() || says_error(run);
    // Flakestorm imports runs with the same statuses: in its sessions, 0 is a call without an answer.
    response_draft.status = Some(if has_failed { 0 } else { 200 });
    response_draft.latency_ms = latency(run);
    response_draft.comment = (!comments.is_empty()).then(|| comments.join("\n"));
    draft.mark_read(pointer.as_str(), input.file, run);
    if let Some(outputs) = message.or_else(|| run.get("outputs")) {
        draft.mark_read(format!("{pointer}/response"), input.file, outputs);
    }
    if let Some(error) = error {
        draft.mark_read(format!("{pointer}/comment"), input.file, error);
    }
    draft.mark_generated(format!("{pointer}/status"), "0 for a run with an error, else 200");
    draft.mark_generated(format!("{pointer}/latency_ms"), "From the start to the end of the run");
}

/// Returns whether a value is truthy in Python.
fn is_true(node: &Node<'_>) -> bool {
    match node.kind() {
        NodeKind::Null => false,
        NodeKind::Bool => node.as_bool() == Some(true),
        NodeKind::Number => node.as_f64() != Some(0.0),
        NodeKind::Array | NodeKind::Object => !node.is_empty(),
        _ => node.as_str() != Some(""),
    }
}
