//! The map of a machine: its recordings on its nodes and edges, in each of its versions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::core::effect::Effect;
use crate::core::latest::Latest;
use crate::core::link::Link;
use crate::core::navigation::{DeskView, StepDirection};
use crate::core::{Core, ProjectStart};
use crate::desks::DeskState;
use machine::map_picture::draw_map;
use machine::picture::{Picture, PictureTheme};
use machine::{MachineMap, MapVersion};
use protocol::{Desk, DocId, MapKey, ReadMap, ReadMapResult, machine_of};

/// An action on the map.
#[derive(Clone, Debug, PartialEq)]
pub enum MapAction {
    /// Shows the machine of the selected recording, or of the source that is shown, else the last one.
    Show,
    /// Shows the list of the library.
    ShowList,
    /// Shows this machine, by its path from the project root.
    ChooseMachine(Arc<str>),
    /// Selects a node, or none.
    SelectNode(Option<usize>),
    /// Shows a version, counted from the oldest.
    ShowVersion(usize),
    /// Shows the source of a recording as it was and now.
    CompareSource(DocId),
    /// Shows the command that records these recordings again.
    Regenerate(Vec<DocId>),
}

/// Totals of a machine.
#[derive(Debug, Default)]
pub struct MachineTotals {
    pub recordings: usize,
    /// The folders of its recordings.
    pub sets: BTreeSet<Box<str>>,
}

/// The state of the map.
#[derive(Debug, Default)]
pub struct MapDesk {
    /// The machines of the recordings, by their paths from the project root.
    pub machines: BTreeMap<Arc<str>, MachineTotals>,
    /// The machine that is chosen, by its path from the project root.
    pub machine: Option<Arc<str>>,
    found: Latest<MapKey, ReadMapResult>,
    /// The version that is shown, counted from the oldest; `None` for the newest.
    version: Option<usize>,
    pub node: Option<usize>,
    /// The revision of the items of which the machines are.
    listed: Option<u64>,
}

impl DeskState for MapDesk {
    fn subject(&self, core: &Core) -> Option<DocId> {
        core.list.selected
    }

    fn sync(&mut self, core: &mut Core) {
        if core.here().view != DeskView::Map {
            return;
        }
        let revision = core.library.items_revision;
        if self.listed != Some(revision) {
            self.listed = Some(revision);
            self.machines.clear();
            for (_, item) in core.library.iter() {
                if let Some(path) = machine_of(item) {
                    let totals = self.machines.entry(Arc::clone(path)).or_default();
                    totals.recordings += 1;
                    totals.sets.insert(item.folder().into());
                }
            }
            let is_known = |path: &Arc<str>| self.machines.contains_key(path);
            if !self.machine.as_ref().is_some_and(is_known) {
                // Of several with the same number, the first.
                let largest =
                    self.machines.iter().rev().max_by_key(|(_, totals)| totals.recordings);
                self.machine = largest.map(|(path, _)| Arc::clone(path));
            }
        }
        let Some(machine) = self.machine.clone() else { return };
        let key = MapKey::new(core.generation, machine, revision);
        if self.found.want(&key) {
            core.request(Effect::run(ReadMap { key, items: core.library.items.clone() }));
        }
    }

    fn has_rows(&self) -> bool {
        self.shown_version().is_some_and(|version| step_targets(version).next().is_some())
    }

    /// Moves through the nodes that have recordings.
    fn step(&mut self, _core: &mut Core, step: StepDirection, rows: usize) {
        let Some(version) = self.shown_version() else { return };
        let nodes: Vec<usize> = step_targets(version).collect();
        let position = nodes.iter().position(|node| Some(*node) == self.node);
        self.node = nodes.get(step.target_in(position, rows, nodes.len())).copied();
    }

    fn close(&mut self, core: &mut Core) -> bool {
        // The innermost first: the node is selected within the map.
        self.node.take().is_some() || core.inspector.close()
    }

    fn start_project(&mut self, start: ProjectStart) {
        if start != ProjectStart::Again {
            *self = Self::default();
        }
    }
}

impl MapDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: MapAction) {
        match action {
            MapAction::Show => {
                let doc = match core.here().view {
                    DeskView::Source(doc) => Some(doc),
                    _ => core.list.selected,
                };
                let item = doc.and_then(|doc| core.library.get(doc));
                if let Some(machine) = item.and_then(machine_of) {
                    self.choose(Arc::clone(machine));
                }
                // What was opened over the list would hide the map.
                core.inspector.close();
                core.go(Desk::Library, DeskView::Map);
            }
            MapAction::ShowList => core.go(Desk::Library, DeskView::List),
            MapAction::ChooseMachine(machine) => self.choose(machine),
            MapAction::SelectNode(node) => self.node = node,
            MapAction::ShowVersion(version) => self.version = Some(version),
            MapAction::CompareSource(doc) => core.compare_source(doc),
            MapAction::Regenerate(docs) => core.link(Link::Regenerate(docs)),
        }
    }

    fn choose(&mut self, machine: Arc<str>) {
        if self.machine.as_ref() != Some(&machine) {
            self.machine = Some(machine);
            (self.version, self.node) = (None, None);
        }
    }

    /// Goes to the next or previous version.
    pub(crate) fn step_version(&mut self, step: StepDirection) {
        if let Some(last) = self.map().map(|map| map.versions.len() - 1) {
            self.version = Some(step.target(self.version(), 1).min(last));
        }
    }

    /// Shows what was read of the machine, and the newest version if their number changed.
    pub(crate) fn on_read(&mut self, key: &MapKey, result: ReadMapResult) {
        let old_count = self.map().map(|map| map.versions.len());
        if !self.found.accept(key) {
            return;
        }
        self.found.value = Some(result);
        let nodes = self.map().map_or(0, |map| map.nodes.len());
        // Nodes are positions, and the machine may have fewer of them now.
        self.node = self.node.filter(|node| *node < nodes);
        // Versions are positions, too: if their number changes, a position may mean another version.
        if old_count != self.map().map(|map| map.versions.len()) {
            self.version = None;
        }
    }

    /// The map that was read of the chosen machine, or why there is none; `None` while it is awaited.
    pub fn read(&self) -> Option<&ReadMapResult> {
        let key = self.found.key.as_ref()?;
        self.found.value.as_ref().filter(|_| Some(&key.machine) == self.machine.as_ref())
    }

    pub fn map(&self) -> Option<&MachineMap> {
        Some(&self.read()?.as_ref().ok()?.1)
    }

    /// The recordings, in their order on the map.
    pub fn recordings(&self) -> &[DocId] {
        self.read()
            .and_then(|result| result.as_ref().ok())
            .map_or(&[], |(recordings, _)| recordings)
    }

    /// Draws the version that is shown; with the name of the machine.
    pub(crate) fn picture(&self, theme: PictureTheme) -> Option<(String, Picture)> {
        let path = self.machine.as_ref()?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let picture = draw_map(self.map()?, self.version(), (name, theme))?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Some((stem.to_owned(), picture))
    }

    /// The position of the version that is shown, counted from the oldest.
    pub fn version(&self) -> usize {
        let last = self.map().map_or(0, |map| map.versions.len().saturating_sub(1));
        self.version.map_or(last, |version| version.min(last))
    }

    pub fn shown_version(&self) -> Option<&MapVersion> {
        self.map()?.versions.get(self.version())
    }
}

/// Returns the nodes that a step selects: the tasks, and those with recordings.
fn step_targets(version: &MapVersion) -> impl Iterator<Item = usize> {
    version.nodes.iter().enumerate().filter_map(|(index, node)| {
        let node = node.as_ref()?;
        (node.is_task || !node.recordings.is_empty()).then_some(index)
    })
}
