//! Sessions of Claude Code: an event a line. Each block of an answer is a line of its own, with the id of the message and its usage again;
//! sub-agents are in other files, or between the lines of their session.

use std::collections::HashMap;

use super::chat::{self, word};
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue};
use super::{AgentRun, CallContent, RunGap, RunTokens};
use document::Node;

/// Beginnings of texts that the program writes in the place of the user.
const PROGRAM_MARKS: [&str; 7] = [
    "<command-name>",
    "<command-message>",
    "<local-command-stdout>",
    "<local-command-caveat>",
    "<system-reminder>",
    "<task-notification>",
    "[Request interrupted by user",
];

pub(super) fn runs(root: Node<'_>) -> Vec<AgentRun<'_>> {
    let mut session = ClaudeReader { root, runs: Vec::new(), run_of_line: HashMap::new() };
    root.items().for_each(|line| session.read(line));
    session.runs.into_iter().map(|(_, run)| run).collect()
}

struct ClaudeReader<'d> {
    root: Node<'d>,
    /// The runs, with the ids of their answers and the positions of these among the calls.
    runs: Vec<(HashMap<&'d str, usize>, AgentRun<'d>)>,
    /// The run of each line, by its id and by the id of a sub-agent.
    run_of_line: HashMap<&'d str, usize>,
}

impl<'d> ClaudeReader<'d> {
    fn read(&mut self, line: Node<'d>) {
        let is_answer = match word(line, "type") {
            "assistant" => true,
            "user" => false,
            _ => return,
        };
        let Some(message) = line.get("message") else { return };
        let run = self.run_of(line);
        let (answers, run) = &mut self.runs[run];
        run.add_id("session", line.get("sessionId").and_then(Node::as_str));
        run.note_time(line.get("timestamp"));
        let is_true = |key| line.get(key).and_then(Node::as_bool) == Some(true);
        if is_true("isApiErrorMessage") {
            let text = message.get("content").map(RunValue::read);
            if let Some(RunValue::Text(text)) = text {
                run.push_failure(line, text);
            }
        } else if is_answer {
            read_answer(run, answers, line, message);
        } else {
            if is_true("isCompactSummary") {
                run.compact();
            }
            let is_of_program = is_true("isMeta") || is_true("isCompactSummary");
            read_user(run, line, message, is_of_program);
        }
    }

    /// Returns the position of the run of a line; that of a sub-agent begins with a line that has no earlier one.
    fn run_of(&mut self, line: Node<'d>) -> usize {
        let is_of_sub_agent = line.get("isSidechain").and_then(Node::as_bool) == Some(true);
        let id = |key| line.get(key).and_then(Node::as_str);
        let keys = match (is_of_sub_agent, id("agentId")) {
            (false, _) => [Some(""), None],
            (true, Some(agent)) => [Some(agent), None],
            (true, None) => [None, id("parentUuid")],
        };
        let known = keys.into_iter().flatten().find_map(|key| self.run_of_line.get(key));
        let run = known.copied().unwrap_or_else(|| {
            self.runs.push((HashMap::new(), AgentRun::new(self.root)));
            self.runs.len() - 1
        });
        let names = [keys[0], id("uuid").filter(|_| is_of_sub_agent)];
        self.run_of_line.extend(names.into_iter().flatten().map(|name| (name, run)));
        run
    }
}

fn read_answer<'d>(
    run: &mut AgentRun<'d>,
    answers: &mut HashMap<&'d str, usize>,
    line: Node<'d>,
    message: Node<'d>,
) {
    let parts = chat::content(message);
    let id = message.get("id").and_then(Node::as_str);
    let known = id.and_then(|id| answers.get(id)).copied();
    let call = match known.map(|index| &run.calls[index].content) {
        Some(CallContent::Shared { end, .. }) => {
            run.messages[*end].parts.extend(parts);
            known.unwrap_or_default()
        }
        _ => {
            run.push_answer(RunMessage::new(line, RunRole::Assistant, parts));
            let index = run.calls.len() - 1;
            answers.extend(id.map(|id| (id, index)));
            index
        }
    };
    let call = &mut run.calls[call];
    call.model = chat::text(message, "model").or_else(|| call.model.take());
    call.stop = chat::text(message, "stop_reason").or_else(|| call.stop.take());
    // What was written while the answer grew has the numbers so far.
    let inputs: [&[&str]; 3] =
        [&["input_tokens"], &["cache_creation_input_tokens"], &["cache_read_input_tokens"]];
    call.tokens =
        RunTokens::sum(message.get("usage"), &inputs, &[&["output_tokens"]]).or(call.tokens);
    call.ended = chat::text(line, "timestamp").or_else(|| call.ended.take());
}

fn read_user<'d>(run: &mut AgentRun<'d>, line: Node<'d>, message: Node<'d>, is_of_program: bool) {
    let parts = chat::content(message);
    let is_cut = |part: &RunPart<'_>| match &part.content {
        PartContent::ToolOutcome(outcome) => {
            let text = outcome.content.as_ref().map_or("", RunValue::as_str);
            text.starts_with("<persisted-output>")
        }
        _ => false,
    };
    if parts.iter().any(is_cut) {
        run.gaps.push(RunGap::ResultParts);
    }
    let role = if parts.iter().any(RunPart::is_outcome) { RunRole::Tool } else { RunRole::User };
    let mut message = RunMessage::new(line, role, parts);
    let text = message.text().unwrap_or_default();
    message.is_of_program =
        is_of_program || PROGRAM_MARKS.iter().any(|mark| text.trim_start().starts_with(mark));
    run.messages.push(message);
}
