//! Reads the versions of a machine and the recordings made from it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::disk::guard::catch;
use crate::disk::history::source_versions;
use crate::disk::parallel::map_parallel;
use crate::disk::project::Project;
use crate::disk::root::to_sentence;
use calls::Item;
use calls::source::match_recorded;
use check::node_uncovered;
use document::text::Source;
use document::{Problem, RuleId};
use machine::{CallAtNode, Machine, MachineMap, MachineVersion};

/// The most versions that are read, the newest ones.
const MAX_VERSIONS: usize = 100;
/// The most recordings of all versions together that are compared.
const MAX_COMPARISONS: usize = 1_000_000;

/// An item with the number by which the project reads it.
pub type NumberedItem<'a> = (usize, &'a Arc<Item>);

/// Groups recordings by the machine that they were made from: by its path from the project root. Those of a machine are in the order
/// of their paths.
pub fn group_by_machine<'a>(
    items: impl Iterator<Item = NumberedItem<'a>>,
) -> BTreeMap<Arc<str>, Vec<NumberedItem<'a>>> {
    let mut groups: BTreeMap<Arc<str>, Vec<NumberedItem<'a>>> = BTreeMap::new();
    for (number, item) in items {
        let source = item.source.as_ref();
        if let Some(file) = source.and_then(|source| source.found.present()) {
            groups.entry(file.path.clone()).or_default().push((number, item));
        }
    }
    for recordings in groups.values_mut() {
        recordings.sort_by(|(_, a), (_, b)| a.root_path().cmp(b.root_path()));
    }
    groups
}

impl Project {
    /// Returns the problems of machines with tasks that no recording covers, each with the number of its item. Reads nothing if the rule
    /// is off. Blocks.
    pub fn uncovered_nodes<'a>(
        &self,
        items: impl Iterator<Item = NumberedItem<'a>>,
    ) -> Vec<(usize, Problem)> {
        let rule = RuleId::NodeUncovered;
        let level = |number| self.level_of(number, rule, rule.default_level());
        let items = items.filter(|(number, _)| level(*number).is_some());
        let mut problems = Vec::new();
        for (path, recordings) in group_by_machine(items) {
            let (number, first) = recordings[0];
            let map = self.machine_map(&path, &recordings, &AtomicBool::new(false));
            let machine = map.ok().and_then(|mut map| map.versions.pop());
            let problem = machine.and_then(|machine| node_uncovered::judge(first, &path, &machine));
            if let (Some(problem), Some(severity)) = (problem, level(number)) {
                problems.push((number, Problem { severity, ..problem }));
            }
        }
        problems
    }

    /// Reads a machine with its versions in the history, and the recordings made from it, and compares them. A recording that can no longer be read
    /// is one that names no node. Blocks; stops soon after `cancel` is set.
    ///
    /// # Errors
    ///
    /// A message without a full stop, if the machine cannot be read or drawn.
    pub fn machine_map(
        &self,
        path: &str,
        recordings: &[NumberedItem<'_>],
        cancel: &AtomicBool,
    ) -> Result<MachineMap, String> {
        let (first, _) = recordings.first().ok_or("The machine has no recordings")?;
        let bytes = self
            .read_beneath(*first, path)
            .map_err(|refusal| format!("{path}: {}", to_sentence(refusal)))?;
        let read = |bytes: &[u8]| Arc::new(Machine::read(&Source::from_bytes(bytes.to_vec())));
        let limit = (MAX_COMPARISONS / recordings.len()).clamp(2, MAX_VERSIONS);
        // The pack reader is not hardened against hostile input. A machine without a history has one version.
        let history = self
            .opened_path(*first)
            .and_then(|opened| catch(|| source_versions(opened, path, limit, cancel).ok()).ok()?)
            .unwrap_or_default();
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let mut versions: Vec<MachineVersion> = Vec::new();
        for version in history.versions {
            versions.push(MachineVersion {
                commit: Some(version.commit),
                machine: read(&version.text),
                older: version.older,
            });
            texts.push(version.text);
        }
        // The last version is the one on disk, whether it is committed or not.
        let is_head = history.head.is_some_and(|head| texts[head] == bytes);
        if !is_head || history.head != texts.len().checked_sub(1) {
            let head = history.head.filter(|_| is_head);
            versions.push(MachineVersion {
                commit: head.and_then(|head| versions[head].commit.clone()),
                machine: read(&bytes),
                older: history.head.into_iter().collect(),
            });
            texts.push(bytes);
        }
        let mut by_hash: HashMap<Arc<str>, Option<Arc<Machine>>> = HashMap::new();
        let mut find = |hash: &Arc<str>| {
            // Many recordings have the same hash, and to find its version many texts are hashed.
            let machine = by_hash.entry(Arc::clone(hash)).or_insert_with(|| {
                let version = texts
                    .iter()
                    .zip(&versions)
                    .rev()
                    .find(|(text, _)| match_recorded(text, hash).is_some());
                let snapshot = || self.snapshot(hash).map(|snapshot| read(&snapshot.bytes));
                version.map(|(_, version)| Arc::clone(&version.machine)).or_else(snapshot)
            });
            machine.clone()
        };
        let calls: Vec<_> = map_parallel("Reading", recordings, cancel, |(number, item)| {
            let document = self.read(*number, item).ok();
            let recording = document.as_ref().and_then(|d| d.body.recording());
            recording.map(CallAtNode::new).unwrap_or_default()
        })
        .into_iter()
        .zip(recordings)
        .map(|(call, (_, item))| {
            let source = item.source.as_ref();
            (call, source.and_then(|source| source.recorded_hash.as_ref()).and_then(&mut find))
        })
        .collect();
        let map = MachineMap::new(&versions, &calls);
        map.ok_or_else(|| format!("{path} has no nodes, or too many to draw"))
    }
}
