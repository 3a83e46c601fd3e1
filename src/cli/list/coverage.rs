//! Coverage of machines by their recordings.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;

use crate::blame::BlamedCommitJson;
use crate::output::{Output, OutputStyle, shown};
use crate::report_error;
use calls::Item;
use engine::{NumberedItem, Project, group_by_machine};
use machine::{CoveredShare, EdgeState, MachineMap, MapVersion, NodeState};

/// The machines of recordings.
#[derive(Default)]
pub(super) struct MachineCoverages {
    pub(super) machines: Vec<CoveredMachine>,
    /// Whether one could not be read.
    pub(super) has_failed: bool,
}

/// A machine, and what the recordings of it cover now.
pub(super) struct CoveredMachine {
    path: Arc<str>,
    /// Its recordings, in their order on the map.
    recordings: Vec<Arc<Item>>,
    map: MachineMap,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct MachineCoverageJson<'a> {
    /// Its path from the project root.
    machine: &'a str,
    recordings: usize,
    /// Nodes at which a model is called.
    tasks: CoverageCount,
    /// Edges that a model may choose.
    edges: CoverageCount,
    nodes: Vec<CoveredNodeJson<'a>>,
    links: Vec<CoveredLinkJson<'a>>,
    /// The versions in the history, the oldest first; the last is the one on disk.
    versions: Vec<MachineVersionJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct MachineVersionJson<'a> {
    /// The commit that changed the machine.
    commit: BlamedCommitJson<'a>,
    /// How many recordings match what this version requests, and how many do not.
    matches: usize,
    breaks: usize,
    /// The paths of the recordings that stopped matching with it.
    broke: Vec<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct CoverageCount {
    covered: usize,
    total: usize,
}

/// A node that is a task or has recordings.
#[derive(Serialize, JsonSchema)]
struct CoveredNodeJson<'a> {
    node: &'a str,
    task: bool,
    recordings: usize,
    /// How many of them do not match any more.
    breaks: usize,
}

/// An edge that a model may choose.
#[derive(Serialize, JsonSchema)]
struct CoveredLinkJson<'a> {
    from: &'a str,
    to: &'a str,
    label: &'a str,
    /// How often the answers of recordings use it.
    uses: usize,
}

/// Reads the machines of these recordings. Those that cannot be read are reported, and left out.
pub(super) fn read(project: &Project, items: &[NumberedItem<'_>]) -> MachineCoverages {
    let mut coverages = MachineCoverages::default();
    for (path, recordings) in group_by_machine(items.iter().copied()) {
        match project.machine_map(&path, &recordings, &AtomicBool::new(false)) {
            Ok(map) => coverages.machines.push(CoveredMachine {
                path,
                recordings: recordings.iter().map(|(_, item)| Arc::clone(item)).collect(),
                map,
            }),
            Err(reason) => {
                // The other machines are still listed.
                coverages.has_failed = true;
                report_error(&shown(&reason));
            }
        }
    }
    coverages
}

impl CoveredMachine {
    fn row(&self) -> Option<MachineCoverageJson<'_>> {
        let version = self.now()?;
        let count = |part: CoveredShare| CoverageCount { covered: part.covered, total: part.total };
        // A recording of which it is unknown whether it matches is not counted.
        let breaks = |call: &&usize| version.calls[**call].matches == Some(false);
        let nodes = self.nodes().map(|node| CoveredNodeJson {
            node: &node.qualified,
            task: node.is_task,
            recordings: node.recordings.len(),
            breaks: node.recordings.iter().filter(breaks).count(),
        });
        let links = self.links().map(|([from, to], state)| CoveredLinkJson {
            from,
            to,
            label: &state.label,
            uses: state.uses,
        });
        Some(MachineCoverageJson {
            machine: &self.path,
            recordings: version.calls.len(),
            tasks: count(version.tasks),
            edges: count(version.edge_share),
            nodes: nodes.collect(),
            links: links.collect(),
            versions: self.map.versions.iter().map(|v| self.version(v)).collect(),
        })
    }

    fn version<'a>(&'a self, version: &'a MapVersion) -> MachineVersionJson<'a> {
        let broken_items = version.broke.iter().filter_map(|index| self.recordings.get(*index));
        MachineVersionJson {
            commit: BlamedCommitJson::new(version.commit.as_deref()),
            matches: version.matches,
            breaks: version.breaks,
            broke: broken_items.map(|item| &*item.path).collect(),
        }
    }

    /// The version on disk.
    fn now(&self) -> Option<&MapVersion> {
        self.map.versions.last()
    }

    /// Tasks, and other nodes with recordings.
    fn nodes(&self) -> impl Iterator<Item = &NodeState> {
        let nodes = self.now().into_iter().flat_map(|version| &version.nodes).flatten();
        nodes.filter(|node| node.is_task || !node.recordings.is_empty())
    }

    /// The edges that a model may choose, with the names of their ends.
    fn links(&self) -> impl Iterator<Item = ([&str; 2], &EdgeState)> {
        let version = self.now().into_iter();
        let edges = version.flat_map(|version| {
            self.map.edges.iter().zip(&version.edges).map(move |edge| (version, edge))
        });
        edges.filter_map(|(version, (edge, state))| {
            let name = |i: usize| version.nodes[i].as_ref().map_or("", |node| &*node.qualified);
            // An edge that the machine takes by itself needs no recording.
            let state = state.as_ref().filter(|state| state.is_offered)?;
            Some(([name(edge.from), name(edge.to)], state))
        })
    }
}

pub(super) fn rows(machines: &[CoveredMachine]) -> Vec<MachineCoverageJson<'_>> {
    machines.iter().filter_map(CoveredMachine::row).collect()
}

/// Prints for each machine how much is covered, and what is not.
pub(super) fn print(output: &mut Output, machines: &[CoveredMachine]) -> io::Result<()> {
    for machine in machines {
        let Some(version) = machine.now() else { continue };
        let path = shown(&machine.path);
        let path = output.styled(OutputStyle::Strong, &path);
        let share = |p: CoveredShare, noun: &str| format!("{} of {} {noun}", p.covered, p.total);
        let (tasks, edges) = (share(version.tasks, "tasks"), share(version.edge_share, "edges"));
        output.line("")?;
        output.line(&format!("{path}: {tasks}, {edges}"))?;
        // Only what is missing: the rest is in the numbers above.
        for node in machine.nodes().filter(|node| node.recordings.is_empty()) {
            output.line(&format!("  no recording of task {}", shown(&node.qualified)))?;
        }
        for ([source, target], state) in machine.links().filter(|(_, state)| state.uses == 0) {
            let label = match &*state.label {
                "" => String::new(),
                label => format!(" ({})", shown(label)),
            };
            let [source, target] = [source, target].map(|name| shown(name).into_owned());
            output.line(&format!("  no recording of edge {source} to {target}{label}"))?;
        }
    }
    Ok(())
}
