//! Flakestorm's main configuration, `flakestorm.yaml`.

use super::contract::Contract;
use super::field::Field;
use super::session::Session;
use super::tree::NodeId;

/// What Retake reads of a configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// `version`, as written.
    pub version: Option<Field<String>>,
    /// The one contract it defines.
    pub contract: Option<Contract>,
    /// `replays.sessions`: inline, or by `file`.
    pub sessions: Vec<Session>,
    /// `replays.sources`: where sessions are imported from.
    pub sources: Vec<ReplaySource>,
}

/// An element of `replays.sources`.
#[derive(Clone, Debug)]
pub struct ReplaySource {
    /// The mapping.
    pub node: NodeId,
    /// `langsmith` or `langsmith_run`.
    pub kind: Option<Field<String>>,
    /// `project`, or `run_id` for a single run.
    pub name: Option<Field<String>>,
}
