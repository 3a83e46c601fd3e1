//! Runs of LangSmith. Frameworks write a run for each of their steps; those of models and of tools count.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::chat::{items, text, word};
use super::message::{RunValue, ToolOutcome};
use super::trace::{ToolSpan, TraceReader};
use super::traced_value::{answer, sent, tools, value_text};
use super::{AgentRun, CallContent, RunCall, RunTokens};
use document::foreign::{is_run, runs as exported};
use document::{Node, NodeKind};

/// Child runs at a greater depth are not read.
const MAX_DEPTH: usize = 100;

/// Returns the runs of an export, each with its outermost run as its value.
pub fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut nodes: Vec<(Node<'_>, Option<usize>)> = Vec::new();
    let mut open: Vec<(Node<'_>, Option<usize>, usize)> = exported(root)
        .into_iter()
        .filter(|run| is_run(*run))
        .rev()
        .map(|run| (run, None, 0))
        .collect();
    while let Some((node, parent, depth)) = open.pop() {
        let index = nodes.len();
        nodes.push((node, parent));
        if depth < MAX_DEPTH {
            let children: Vec<Node<'_>> = items(node, "child_runs").collect();
            open.extend(children.into_iter().rev().map(|child| (child, Some(index), depth + 1)));
        }
    }
    let positions: HashMap<&str, usize> =
        (0..).zip(&nodes).map(|(index, (node, _))| (word(*node, "id"), index)).collect();
    let parent = |index: usize| {
        let (node, parent) = nodes[index];
        parent.or_else(|| positions.get(word(node, "parent_run_id")).copied())
    };
    let parents: HashSet<usize> = (0..nodes.len()).filter_map(parent).collect();
    let mut traces: Vec<RunTrace<'_>> = Vec::new();
    let mut trace_of: HashMap<usize, usize> = HashMap::new();
    for (index, (node, _)) in nodes.iter().enumerate() {
        let above = std::iter::successors(Some(index), |index| parent(*index));
        // Runs may name each other as their parents.
        let outermost = above.take(MAX_DEPTH).last().unwrap_or(index);
        let trace = *trace_of.entry(outermost).or_insert_with(|| {
            traces.push(RunTrace::new(nodes[outermost].0));
            traces.len() - 1
        });
        traces[trace].read(*node, index == outermost, !parents.contains(&index));
    }
    traces.into_iter().map(RunTrace::finish).collect()
}

struct RunTrace<'d> {
    reader: TraceReader<'d>,
    /// Runs without a run below them that are of no model and no tool.
    steps: Vec<Node<'d>>,
}

impl<'d> RunTrace<'d> {
    fn new(node: Node<'d>) -> Self {
        let id = ["trace_id", "id"].iter().find_map(|key| node.get(key)?.as_str());
        Self { reader: TraceReader::new(node, id.unwrap_or_default()), steps: Vec::new() }
    }

    fn read(&mut self, node: Node<'d>, is_outermost: bool, is_leaf: bool) {
        self.reader.times.add(text(node, "start_time"), text(node, "end_time"));
        // A run without a type is of a function that is not of a framework.
        match node.get("run_type").and_then(Node::as_str).unwrap_or("tool") {
            "llm" => self.reader.push_call(call(node)),
            "tool" | "retriever" if !is_outermost => self.reader.tools.push(tool(node)),
            kind => {
                let is_step = is_leaf && !matches!(kind, "prompt" | "parser" | "embedding");
                self.steps.extend(Some(node).filter(|_| is_step && !is_outermost));
                self.reader.run.errors.extend(error(node));
            }
        }
    }

    fn finish(mut self) -> AgentRun<'d> {
        let run = &self.reader.run;
        // Functions of programs without a framework are steps as well.
        let has_answer = |call: &RunCall<'_>| run.answer(call).is_some();
        // A call of a model alone has the messages itself.
        let is_call = word(run.node, "run_type") == "llm";
        let side = |key| run.node.get(key).filter(|_| !is_call);
        let (input, output) = (side("inputs"), side("outputs"));
        if self.reader.tools.is_empty() && !run.calls.iter().any(has_answer) {
            self.reader.tools = self.steps.iter().map(|step| tool(*step)).collect();
        }
        self.reader.finish(input, output)
    }
}

/// Returns the error of a run, without the trace of its stack.
fn error(run: Node<'_>) -> Option<Cow<'_, str>> {
    let error = value_text(run.get("error").filter(|error| error.kind() != NodeKind::Null)?);
    let end = error.find("Traceback (most recent call last)").unwrap_or(error.len());
    let text = error[..end].trim_end();
    (!text.is_empty()).then(|| Cow::Owned(text.to_owned()))
}

fn call(run: Node<'_>) -> RunCall<'_> {
    let outputs = run.get("outputs").filter(|outputs| outputs.kind() == NodeKind::Object);
    let generations = outputs.and_then(|outputs| outputs.get("generations"));
    // Most programs have a list for each of several requests.
    let first = generations.and_then(|list| list.items().next());
    let generation = first.and_then(|first| match first.kind() {
        NodeKind::Array => first.items().next(),
        _ => Some(first),
    });
    let message = generation.and_then(|generation| generation.get("message"));
    let output = || outputs?.get("output").or_else(|| outputs?.get("message")).or(outputs);
    let extra = run.get("extra");
    let parameters = extra.and_then(|extra| extra.get("invocation_params"));
    let metadata = extra.and_then(|extra| extra.get("metadata"));
    let usage = |node: Option<Node<'_>>| {
        let (input, output) =
            (["prompt_tokens", "input_tokens"], ["completion_tokens", "output_tokens"]);
        RunTokens::read(node, &input, &output)
    };
    let usage_of = |node: Option<Node<'_>>, path: &[&str]| {
        usage(path.iter().try_fold(node?, |node, key| node.get(key)))
    };
    RunCall {
        tools: parameters.and_then(tools),
        model: parameters
            .and_then(|parameters| text(parameters, "model").or(text(parameters, "model_name")))
            .or_else(|| text(metadata?, "ls_model_name")),
        stop: generation
            .and_then(|generation| text(generation.get("generation_info")?, "finish_reason")),
        tokens: usage(Some(run))
            .or_else(|| usage_of(message, &["kwargs", "usage_metadata"]))
            .or_else(|| usage_of(outputs, &["llm_output", "token_usage"]))
            .or_else(|| usage_of(outputs, &["usage"])),
        started: text(run, "start_time"),
        ended: text(run, "end_time"),
        error: error(run),
        ..RunCall::new(
            run,
            CallContent::Own {
                sent: run.get("inputs").map(sent).unwrap_or_default(),
                answer: message
                    .or_else(|| generation?.get("text"))
                    .or_else(|| output().filter(|_| generation.is_none()))
                    .and_then(answer),
            },
        )
    }
}

fn tool(run: Node<'_>) -> ToolSpan<'_> {
    let has_failed = run.get("error").is_some_and(|error| error.kind() != NodeKind::Null);
    let outputs = run.get("outputs").filter(|outputs| !outputs.is_empty() || !has_failed);
    let message = outputs.and_then(tool_message);
    let id = run.get("extra").and_then(|extra| text(extra, "tool_call_id"));
    let call_id = id.or_else(|| text(message?, "tool_call_id"));
    let error = error(run);
    let says_error = message.is_some_and(|message| word(message, "status") == "error");
    let content = match message {
        Some(message) => message.get("content"),
        None => outputs.map(|outputs| match outputs.get("output") {
            Some(output) if outputs.len() == 1 => output,
            _ => outputs,
        }),
    };
    let outcome = ToolOutcome {
        call_id,
        content: content.map(RunValue::read),
        is_error: error.is_some() || says_error || word(run, "status") == "error",
        error,
        ..ToolOutcome::default()
    };
    let span = ToolSpan::new(run, word(run, "name").into(), run.get("inputs"), outcome);
    ToolSpan { started: text(run, "start_time"), ended: text(run, "end_time"), ..span }
}

/// Returns the message of a tool that is all of its outputs, as LangGraph wraps what a tool returned.
fn tool_message(outputs: Node<'_>) -> Option<Node<'_>> {
    let only = outputs.items().next().filter(|_| outputs.len() == 1)?;
    let message = match only.kind() {
        NodeKind::Array => only.items().next().filter(|_| only.len() == 1)?,
        _ => only,
    };
    // A serialized object has its members one level deeper.
    let message = message.get("kwargs").unwrap_or(message);
    let is_message = word(message, "type") == "tool" || message.get("tool_call_id").is_some();
    (is_message && message.get("content").is_some()).then_some(message)
}
