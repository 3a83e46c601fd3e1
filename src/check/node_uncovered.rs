//! `node-uncovered`: a task of a machine has no recording.

use calls::Item;
use document::text::{listed, quoted, visible};
use document::{Problem, RuleId};
use machine::MapVersion;

rule! {
    /// A machine calls a model at this node, and none of the recordings made from the machine is of it: no test plays that part. It is
    /// reported at the first recording of the machine, for all its nodes together.
    ///
    /// The rule is off unless `retake.toml` or `--rule` sets its level. Only `retake check` reports it, and only of the whole project: not when
    /// staged or changed files are checked. The window shows such tasks on the map.
    NodeUncovered {
        title: "A task of a machine has no recording",
        fix: "Record a run that reaches it.",
        before: "Two tasks, recordings of one" => "task classify { prompt: \"…\"; }\ntask refund { prompt: \"…\"; }",
        after: "Recordings of both" => "recordings/triage/turn-1.json\nrecordings/triage/turn-2.json",
    }
}

/// Returns the problem of a machine, for its first recording; `None` if all its tasks have recordings.
pub fn judge(first: &Item, machine: &str, version: &MapVersion) -> Option<Problem> {
    let uncovered_nodes =
        version.nodes.iter().flatten().filter(|node| node.is_task && node.recordings.is_empty());
    let names: Vec<String> = uncovered_nodes.map(|node| quoted(&node.qualified)).collect();
    if names.is_empty() {
        return None;
    }
    let message = format!(
        "{} of {} has no recording: {} of {} tasks are covered",
        listed(&names),
        visible(machine),
        version.tasks.covered,
        version.tasks.total
    );
    let mark = first.source.as_ref().and_then(|source| source.file_mark).unwrap_or_default();
    Some(mark.problem(RuleId::NodeUncovered, "/sourceMetadata/sourceFile", message))
}
