//! The run on the map of its machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PlaybackDesk;
use super::result::PlaybackResult;
use super::strip::RunView;
use crate::ops::machine::map_picture::draw_map;
use crate::ops::machine::{MachineMap, MapTrail, MapVersion, WalkStep};
use crate::ops::picture::{Picture, PictureTheme};
use crate::workbench::core::machine_map::{ReadMapResult, machine_of};
use crate::workbench::core::navigation::Desk;
use crate::workbench::core::state::Core;

/// The map of the machine of a run, and how far the run has walked on it.
#[derive(Clone, Debug, Default)]
pub struct RunMap {
    /// The machine that most recordings of the set were made from, by its path from the project root.
    pub machine: Option<Arc<str>>,
    read: Option<Arc<ReadMapResult>>,
    /// A step for each call.
    pub steps: Vec<WalkStep>,
    /// What is walked up to the selected call.
    pub trail: MapTrail,
    /// The run and the call of which these are.
    placed: Option<(u64, usize)>,
}

impl RunMap {
    /// What was read of the machine; `None` while it is awaited.
    pub fn read(&self) -> Option<&ReadMapResult> {
        self.read.as_deref()
    }

    /// The map and its newest version, on which the run is shown.
    pub fn shown(&self) -> Option<(&MachineMap, &MapVersion)> {
        let (_, map) = self.read()?.as_ref().ok()?;
        Some((map, map.versions.last()?))
    }
}

impl PlaybackDesk {
    /// Whether a run is shown on the map of its machine.
    pub fn shows_map(&self) -> bool {
        self.strip.view == RunView::Map && self.shown_strip().is_some()
    }

    /// Reads the map of the machine of the run, and follows the selected call.
    pub(super) fn sync_map(&mut self, core: &mut Core) {
        let played = self.played().cloned();
        let is_shown = core.shows(Desk::Playback) && self.shows_map();
        let Some(played) = played.filter(|_| is_shown) else {
            return;
        };
        let place = (played.number, self.call);
        let before = self.run_map.placed.replace(place);
        let is_new = before.is_none_or(|(number, _)| number != played.number);
        if is_new {
            self.run_map.machine = machine_of_run(core, &played);
        }
        let machine = self.run_map.machine.clone();
        let read = machine.and_then(|machine| core.machine_map(&machine));
        let is_same = match (&read, &self.run_map.read) {
            (Some(read), Some(known)) => Arc::ptr_eq(read, known),
            (None, None) => true,
            _ => false,
        };
        if is_same && before == Some(place) {
            return;
        }
        self.run_map.read = read;
        if is_new || !is_same {
            let calls = played.run.calls.iter();
            let nodes = calls.map(|call| call.request.node.as_deref());
            let steps = self.run_map.shown().map(|(map, version)| map.walk(version, nodes));
            self.run_map.steps = steps.unwrap_or_default();
        }
        let steps = &self.run_map.steps;
        let walked = &steps[..steps.len().min(self.call + 1)];
        let trail = self.run_map.shown().map(|(map, _)| MapTrail::new(map, walked));
        self.run_map.trail = trail.unwrap_or_default();
    }

    /// Draws the map with the run up to the selected call; with the name of the machine.
    pub(super) fn map_picture(&self, theme: PictureTheme) -> Option<(String, Picture)> {
        let run_map = &self.run_map;
        let (map, _) = run_map.shown()?;
        let path = run_map.machine.as_deref()?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let newest = map.versions.len().checked_sub(1)?;
        let picture = draw_map(map, newest, (name, theme), Some(&run_map.trail))?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Some((stem.to_owned(), picture))
    }
}

/// Returns the machine that most recordings of the set of a run were made from; of several with the same number, the first.
fn machine_of_run(core: &Core, played: &PlaybackResult) -> Option<Arc<str>> {
    let mut counts: BTreeMap<&Arc<str>, usize> = BTreeMap::new();
    for doc in played.input.docs.iter().flatten() {
        if let Some(machine) = core.library.get(*doc).and_then(machine_of) {
            *counts.entry(machine).or_default() += 1;
        }
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map(|(machine, _)| Arc::clone(machine))
}
