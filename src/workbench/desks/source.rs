//! The source of a recording: its versions, the map of its machine, and the recordings made from it.

use std::sync::Arc;

use crate::{Core, DeskState, DeskView, Effect, Latest, ProjectStart, SourceTab, StepDirection};
use machine::map_picture::draw_map;
use machine::picture::{Picture, PictureTheme};
use machine::{MachineMap, MapVersion, NodeState};
use protocol::{DocId, MapKey, ReadMap, ReadMapResult, machine_of};

/// An action on the page of a source.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceAction {
    /// Shows a tab of the source of a recording.
    Show(DocId, SourceTab),
    /// Selects a node of the map, or none.
    SelectNode(Option<usize>),
    /// Shows a version on the map, counted from the oldest.
    ShowVersion(usize),
    /// Selects one of the recordings.
    Select(DocId),
}

/// The state of the page.
#[derive(Debug, Default)]
pub struct SourceDesk {
    /// The machine on the map, by its path from the project root.
    machine: Option<Arc<str>>,
    found: Latest<MapKey, ReadMapResult>,
    /// The version that is shown, counted from the oldest; `None` for the newest.
    version: Option<usize>,
    pub node: Option<usize>,
    /// The selected recording.
    selected: Option<DocId>,
    /// The tab that is shown, as the core has it.
    tab: SourceTab,
}

impl DeskState for SourceDesk {
    fn subject(&self, core: &Core) -> Option<DocId> {
        let DeskView::Source(doc) = core.here().view else { return None };
        Some(self.selected.filter(|_| self.tab == SourceTab::Recordings).unwrap_or(doc))
    }

    fn sync(&mut self, core: &mut Core) {
        let DeskView::Source(doc) = core.here().view else { return };
        self.tab = core.source_tab;
        let Some(view) = core.library.get(doc).and_then(machine_of).cloned() else {
            self.machine = None;
            return;
        };
        if self.machine.as_ref() != Some(&view) {
            self.machine = Some(Arc::clone(&view));
            (self.version, self.node) = (None, None);
        }
        // Another source has other recordings.
        if self.selected.is_none_or(|doc| core.library.get(doc).and_then(machine_of) != Some(&view))
        {
            self.selected = Some(doc);
        }
        let key = MapKey::new(core.generation, view, core.library.items_revision);
        if self.found.want(&key) {
            core.request(Effect::run(ReadMap { key, items: core.library.items.clone() }));
        }
    }

    fn has_rows(&self) -> bool {
        match self.tab {
            SourceTab::Map => {
                self.shown_version().is_some_and(|v| step_targets(v).next().is_some())
            }
            SourceTab::ThenAndNow | SourceTab::Recordings => true,
        }
    }

    /// Goes to another change, node or recording.
    fn step(&mut self, core: &mut Core, step: StepDirection, rows: usize) {
        match self.tab {
            SourceTab::ThenAndNow => {
                if let Some(side) = &mut core.side {
                    side.show(step.target(side.change, rows));
                }
            }
            SourceTab::Map => {
                let Some(version) = self.shown_version() else { return };
                let nodes: Vec<usize> = step_targets(version).collect();
                let position = nodes.iter().position(|node| Some(*node) == self.node);
                self.node = nodes.get(step.target_in(position, rows, nodes.len())).copied();
            }
            SourceTab::Recordings => {
                let Some(side) = &core.side else { return };
                let docs: Vec<DocId> = side.source.affected.docs().collect();
                let position = docs.iter().position(|doc| Some(*doc) == self.selected);
                self.selected = docs.get(step.target_in(position, rows, docs.len())).copied();
            }
        }
    }

    /// On the map, goes to the next version that breaks recordings.
    fn step_change(&mut self, core: &mut Core, step: StepDirection) {
        if self.tab != SourceTab::Map {
            return core.step_change(step);
        }
        let Some(map) = self.map() else { return };
        let breaking = map.versions.iter().enumerate().filter(|(_, text)| !text.broke.is_empty());
        let mut breaking = breaking.map(|(index, _)| index);
        let shown = self.version();
        let next = match step {
            StepDirection::Next => breaking.find(|index| *index > shown),
            StepDirection::Previous => breaking.rfind(|index| *index < shown),
        };
        self.version = next.or(self.version);
    }

    /// Opens the recordings of the selected node, or the selected recording in the library.
    fn open_selected(&mut self, core: &mut Core) {
        match self.tab {
            SourceTab::ThenAndNow => {}
            SourceTab::Map => {
                let node = self.node.and_then(|node| self.shown_version()?.nodes[node].as_ref());
                let first = node.and_then(|node| self.recordings().get(*node.recordings.first()?));
                if let Some(doc) = first {
                    self.selected = Some(*doc);
                    core.source_tab = SourceTab::Recordings;
                }
            }
            SourceTab::Recordings => {
                if let Some(doc) = self.selected {
                    core.show(doc);
                }
            }
        }
    }

    fn close(&mut self, _core: &mut Core) -> bool {
        // The innermost first: the node is selected within the map.
        self.tab == SourceTab::Map && self.node.take().is_some()
    }

    fn start_project(&mut self, start: ProjectStart) {
        if start != ProjectStart::Again {
            *self = Self::default();
        }
    }
}

impl SourceDesk {
    pub(crate) fn act(&mut self, core: &mut Core, action: SourceAction) {
        match action {
            SourceAction::Show(doc, tab) => core.show_source(doc, tab),
            SourceAction::SelectNode(node) => self.node = node,
            SourceAction::ShowVersion(version) => self.version = Some(version),
            SourceAction::Select(doc) => self.selected = Some(doc),
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
        if !self.found.receive(key, result) {
            return;
        }
        let nodes = self.map().map_or(0, |map| map.nodes.len());
        // Nodes are positions, and the machine may have fewer of them now.
        self.node = self.node.filter(|node| *node < nodes);
        // Versions are positions, too: if their number changes, a position may mean another version.
        if old_count != self.map().map(|map| map.versions.len()) {
            self.version = None;
        }
    }

    /// The map that was read of the machine, or why there is none; `None` while it is awaited.
    pub fn read(&self) -> Option<&ReadMapResult> {
        let key = self.found.key.as_ref()?;
        self.found.value.as_ref().filter(|_| Some(&key.machine) == self.machine.as_ref())
    }

    pub fn map(&self) -> Option<&MachineMap> {
        Some(&self.read()?.as_ref().ok()?.1)
    }

    /// The recordings, in their order on the map.
    pub fn recordings(&self) -> &[DocId] {
        self.read().and_then(|state| state.as_ref().ok()).map_or(&[], |(recordings, _)| recordings)
    }

    /// The machine on the map, by its path from the project root.
    pub fn machine(&self) -> Option<&Arc<str>> {
        self.machine.as_ref()
    }

    /// The selected recording.
    pub fn selected(&self) -> Option<DocId> {
        self.selected
    }

    /// Draws the version that is shown; with the name of the machine.
    pub(crate) fn picture(&self, theme: PictureTheme) -> Option<(String, Picture)> {
        let path = self.machine.as_ref()?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let picture = draw_map(self.map()?, self.version(), (name, theme))?;
        Some((name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned(), picture))
    }

    /// The position of the version that is shown, counted from the oldest.
    pub fn version(&self) -> usize {
        let last = self.map().map_or(0, |map| map.versions.len().saturating_sub(1));
        self.version.map_or(last, |version| version.min(last))
    }

    pub fn shown_version(&self) -> Option<&MapVersion> {
        self.map()?.versions.get(self.version())
    }

    /// The node of a recording in the newest version, with its position on the map.
    pub fn node_of(&self, doc: DocId) -> Option<(usize, &NodeState)> {
        let call = self.recordings().iter().position(|other| *other == doc)?;
        let version = self.map()?.versions.last()?;
        let node = version.calls[call].node?;
        Some((node, version.nodes[node].as_ref()?))
    }
}

/// Returns the nodes that a step selects: the tasks, and those with recordings.
fn step_targets(version: &MapVersion) -> impl Iterator<Item = usize> {
    version.nodes.iter().enumerate().filter_map(|(index, node)| {
        let node = node.as_ref()?;
        (node.is_task || !node.recordings.is_empty()).then_some(index)
    })
}
