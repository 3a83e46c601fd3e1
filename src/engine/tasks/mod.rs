//! The engine's tasks: what it does for each [`Request`](protocol::Request), as [`Work`]. A file has the tasks of one topic.
//!
//! A new task is a request in the workbench, a function here, and its line in [`Engine::run`](super::Engine::run).

pub(super) mod audit;
pub(super) mod change_files;
pub(super) mod contracts;
pub(super) mod documents;
pub(super) mod drafts;
pub(super) mod formats;
pub(super) mod incident;
pub(super) mod judge_sets;
pub(super) mod library;
pub(super) mod new_tape;
pub(super) mod plan_change;
pub(super) mod plan_replace;
pub(super) mod play;
pub(super) mod queue_answers;
pub(super) mod review;
mod set_reader;
pub(super) mod show_pair;
pub(super) mod side_by_side;
pub(super) mod tapes;
pub(super) mod triage;
pub(super) mod window;
pub(super) mod write_review;

#[cfg(test)]
mod tests;

use crate::run::Work;
use protocol::Compute;

pub(super) fn compute(job: Compute) -> Work {
    let lane = job.lane;
    Work::failing(lane, job, |job, _| Some((job.run)(None)), |job, reason| (job.run)(Some(reason)))
}
