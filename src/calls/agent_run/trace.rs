//! Parts that all traces have in common: spans that are not in order of time, and requests that repeat the conversation.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::chat::arguments_text;
use super::message::{PartContent, RunMessage, RunPart, RunRole, ToolOutcome};
use super::{AgentRun, CallContent, RunCall};
use crate::api::ToolCall;
use document::Node;
use document::time::{milliseconds, parse_time};

/// A tool that ran, as a span shows it.
#[derive(Clone, Debug)]
pub struct ToolSpan<'d> {
    pub node: Node<'d>,
    pub call: ToolCall,
    pub outcome: ToolOutcome<'d>,
    /// As written.
    pub started: Option<Cow<'d, str>>,
    /// As written.
    pub ended: Option<Cow<'d, str>>,
}

/// The first start and the last end of the spans of a run, as written.
#[derive(Debug, Default)]
pub(super) struct Times<'d> {
    pub(super) started: Option<Cow<'d, str>>,
    pub(super) ended: Option<Cow<'d, str>>,
}

impl<'d> Times<'d> {
    pub(super) fn add(&mut self, started: Option<Cow<'d, str>>, ended: Option<Cow<'d, str>>) {
        if started.is_some() && time_key(started.as_deref()) < time_key(self.started.as_deref()) {
            self.started = started;
        }
        let is_later = |ended: &str| {
            self.ended.is_none() || time_key(Some(ended)) > time_key(self.ended.as_deref())
        };
        if ended.as_deref().is_some_and(is_later) {
            self.ended = ended;
        }
    }
}

/// A trace while its spans are read.
#[derive(Debug)]
pub(super) struct TraceReader<'d> {
    pub(super) run: AgentRun<'d>,
    pub(super) tools: Vec<ToolSpan<'d>>,
    pub(super) times: Times<'d>,
}

impl<'d> TraceReader<'d> {
    /// Begins a trace at a value, with its id.
    pub(super) fn new(node: Node<'d>, id: &'d str) -> Self {
        let mut run = AgentRun::new(node);
        run.add_id("trace", Some(id).filter(|id| !id.is_empty()));
        Self { run, tools: Vec::new(), times: Times::default() }
    }

    /// Adds a call of a model with its error.
    pub(super) fn push_call(&mut self, call: RunCall<'d>) {
        self.run.errors.extend(call.error.clone().filter(|error| !error.is_empty()));
        self.run.calls.push(call);
    }

    /// Completes the run, with what its outermost span was given and returned.
    pub(super) fn finish(
        mut self,
        input: Option<Node<'d>>,
        output: Option<Node<'d>>,
    ) -> AgentRun<'d> {
        self.run.finish_with_outermost(self.tools, input, output);
        (self.run.started, self.run.ended) = (self.times.started, self.times.ended);
        self.run
    }
}

/// Values by a key, in the order in which their keys came.
#[derive(Debug)]
pub(super) struct Grouped<'d, T> {
    positions: HashMap<&'d str, usize>,
    values: Vec<T>,
}

impl<'d, T> Grouped<'d, T> {
    pub(super) fn new() -> Self {
        Self { positions: HashMap::new(), values: Vec::new() }
    }

    /// Returns the value of a key, which is made if it is new.
    pub(super) fn entry(&mut self, key: &'d str, new: impl FnOnce() -> T) -> &mut T {
        let index = *self.positions.entry(key).or_insert_with(|| {
            self.values.push(new());
            self.values.len() - 1
        });
        &mut self.values[index]
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = T> {
        self.values.into_iter()
    }
}

impl<'d> AgentRun<'d> {
    /// Completes a run whose calls have requests of their own: sorts them, takes the longest conversation of one of them as that of the run
    /// and the tools of all as its tools, and notes what the spans of tools show.
    pub(super) fn finish_trace(&mut self, mut tools: Vec<ToolSpan<'d>>) {
        // An error is repeated by each span around it.
        let mut texts = HashSet::new();
        self.errors.retain(|error| texts.insert(error.clone()));
        for call in self.calls.iter_mut().filter(|call| call.error.is_some()) {
            if let CallContent::Own { answer, .. } = &mut call.content {
                // Some libraries write an empty one for a call that failed.
                answer.take_if(|answer| {
                    answer.text().is_none() && answer.tool_calls().next().is_none()
                });
            }
        }
        self.calls.sort_by_cached_key(|call| time_key(call.started.as_deref()));
        tools.sort_by_cached_key(|tool| time_key(tool.started.as_deref()));
        let conversations = self.calls.iter().filter_map(|call| match &call.content {
            CallContent::Own { sent, answer } => Some((sent, answer)),
            CallContent::Shared { .. } => None,
        });
        // Of two as long, the later one has seen more.
        let longest =
            conversations.max_by_key(|(sent, answer)| sent.len() + usize::from(answer.is_some()));
        if let Some((sent, answer)) = longest.filter(|_| self.messages.is_empty()) {
            self.messages = sent.iter().chain(answer).cloned().collect();
        }
        let mut names = HashSet::new();
        for tool in self.calls.iter().flat_map(|call| call.tools.iter().flatten()) {
            if names.insert(tool.name.clone()) {
                self.tools.get_or_insert_default().push(tool.clone());
            }
        }
        let mut pairs = self.tool_pairs();
        for span in tools {
            let is_same = |pair: &ToolPair| match self.part(pair.call) {
                PartContent::ToolCall(call) => span.is_of(call),
                _ => false,
            };
            let pair = pairs.iter().position(is_same).map(|index| pairs.remove(index));
            self.note_tool(pair, span);
        }
    }

    /// Notes in the conversation what a span shows of a tool; what is not in it is added at its end.
    fn note_tool(&mut self, pair: Option<ToolPair>, span: ToolSpan<'d>) {
        let ToolSpan { node, call, mut outcome, started, ended } = span;
        let (started, ended) = (started.as_deref().map(iso_time), ended.as_deref().map(iso_time));
        outcome.duration_ms = started.zip(ended).and_then(|(from, to)| milliseconds(&from, &to));
        if let Some((message, part)) = pair.as_ref().and_then(|pair| pair.outcome) {
            let part = &mut self.messages[message].parts[part];
            if let PartContent::ToolOutcome(given) = &mut part.content {
                given.is_error |= outcome.is_error;
                // Some libraries leave an empty text out of a request.
                given.content = given.content.take().or(outcome.content);
                given.error = given.error.take().or(outcome.error);
                given.duration_ms = outcome.duration_ms;
            }
            return;
        }
        let mut push = |role, content| {
            self.messages.push(RunMessage::new(node, role, vec![RunPart { node, content }]));
        };
        if pair.is_none() {
            push(RunRole::Assistant, PartContent::ToolCall(call));
        }
        push(RunRole::Tool, PartContent::ToolOutcome(outcome));
    }

    /// Pairs the tool calls of the conversation with what they returned: the outcome with the id of the call, else the next one of the same tool,
    /// else the next one.
    pub(super) fn tool_pairs(&self) -> Vec<ToolPair> {
        let (mut pairs, mut open): (Vec<ToolPair>, Vec<usize>) = (Vec::new(), Vec::new());
        for (message_index, message) in self.messages.iter().enumerate() {
            for (part_index, part) in message.parts.iter().enumerate() {
                let place = (message_index, part_index);
                match &part.content {
                    PartContent::ToolCall(_) => {
                        open.push(pairs.len());
                        pairs.push(ToolPair { call: place, outcome: None });
                    }
                    PartContent::ToolOutcome(outcome) => {
                        if let Some(at) = self.fitting(outcome, &pairs, &open) {
                            pairs[open.remove(at)].outcome = Some(place);
                        }
                    }
                    _ => {}
                }
            }
        }
        pairs
    }

    /// Returns the position in `open` of the pair whose call an outcome answers.
    fn fitting(
        &self,
        outcome: &ToolOutcome<'_>,
        pairs: &[ToolPair],
        open: &[usize],
    ) -> Option<usize> {
        let position = |fits: &dyn Fn(&ToolCall) -> bool| {
            open.iter().position(|index| match self.part(pairs[*index].call) {
                PartContent::ToolCall(call) => fits(call),
                _ => false,
            })
        };
        position(&|call| outcome.has_id_of(call))
            .or_else(|| position(&|call| outcome.may_be_of(call)))
    }

    /// Returns a part of the conversation by the positions of its message and in that.
    pub(super) fn part(&self, (message, part): (usize, usize)) -> &PartContent<'d> {
        &self.messages[message].parts[part].content
    }
}

/// A tool call and its outcome, each by the positions of its message and in that.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolPair {
    pub(super) call: (usize, usize),
    pub(super) outcome: Option<(usize, usize)>,
}

impl<'d> ToolSpan<'d> {
    /// Creates one of a call and what it returned; an id of either is that of both.
    pub(super) fn new(
        node: Node<'d>,
        name: Cow<'d, str>,
        input: Option<Node<'_>>,
        outcome: ToolOutcome<'d>,
    ) -> Self {
        let call = ToolCall {
            id: outcome.call_id.as_deref().map(str::to_owned),
            name: name.clone().into_owned(),
            input: input.map_or_else(|| "{}".to_owned(), arguments_text),
        };
        let outcome = ToolOutcome { tool: Some(name), ..outcome };
        Self { node, call, outcome, started: None, ended: None }
    }

    /// Returns whether it shows a call of the conversation: with the same id, or without one the same tool and arguments.
    fn is_of(&self, call: &ToolCall) -> bool {
        match (&self.call.id, &call.id) {
            (Some(id), Some(other)) => id == other,
            _ => call.name == self.call.name && is_same_json(&call.input, &self.call.input),
        }
    }
}

fn is_same_json(a: &str, b: &str) -> bool {
    let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
    a == b || value(a).is_some_and(|a| Some(a) == value(b))
}

/// Returns a time by which spans are sorted: in nanoseconds, from ISO 8601 or a number since 1970 in a unit that its size shows.
fn time_key(time: Option<&str>) -> i128 {
    let Some(time) = time else { return i128::MAX };
    unix_nanos(time).or_else(|| Some(parse_time(time)?.as_nanosecond())).unwrap_or(i128::MAX)
}

/// Returns the nanoseconds since 1970 of a number of seconds, milliseconds, microseconds or nanoseconds, which its size shows.
pub(super) fn unix_nanos(time: &str) -> Option<i128> {
    let number: f64 = time.parse().ok().filter(|number: &f64| *number > 0.0)?;
    let whole: Option<i128> = time.parse().ok();
    // Each unit covers the years from 1973 to 5138.
    let factor = match number {
        n if n < 1e11 => 1_000_000_000,
        n if n < 1e14 => 1_000_000,
        n if n < 1e17 => 1_000,
        _ => 1,
    };
    Some(whole.map_or((number * f64::from(factor)) as i128, |whole| whole * i128::from(factor)))
}

/// Returns a time in ISO 8601; one that is no number stays as it is written.
pub fn iso_time(time: &str) -> Cow<'_, str> {
    let iso = unix_nanos(time).and_then(|nanos| jiff::Timestamp::from_nanosecond(nanos).ok());
    iso.map_or(Cow::Borrowed(time), |time| time.to_string().into())
}
