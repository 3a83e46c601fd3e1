//! The verdict on each set, played in hybrid mode with the first requests of its machine if that can be read completely, else with
//! its own requests. What a test requests is not known: it also depends on the answers.

use std::sync::Arc;

use super::{PlaybackAction, PlaybackDesk};
use crate::core::Core;
use crate::core::effect::Effect;
use play::playback::PlaybackRules;
use protocol::{Desk, DocId, JudgeSets, JudgedSet, JudgedSets, RequestsSource, Revision};

/// The inputs of all verdicts.
#[derive(Debug, PartialEq, Eq)]
struct VerdictKey {
    /// The revision of the items.
    items: u64,
    /// The edited texts.
    edited: Vec<(DocId, Revision)>,
    /// Number of times that files were written.
    written: u64,
}

/// The verdicts that the playback desk has, and what they were requested for.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    judged: Arc<JudgedSets>,
    /// The number of the last request.
    number: u64,
    /// Inputs that it was made for.
    requested: Option<VerdictKey>,
    written: u64,
    /// Number of times that verdicts came or became invalid.
    pub(super) received: u64,
}

impl Verdicts {
    /// Returns the same without verdicts. The answers of earlier requests are dropped.
    pub(super) fn reset(&self) -> Self {
        Self { number: self.number, received: self.received + 1, ..Self::default() }
    }

    /// Notes that files in this folder were written, which does not always change their items.
    pub(super) fn mark_written(&mut self, folder: &str) {
        self.written += 1;
        if let Some(set) = Arc::make_mut(&mut self.judged).get_mut(folder) {
            set.files = None;
        }
    }

    pub(super) fn receive(&mut self, number: u64, sets: Vec<(Arc<str>, JudgedSet)>) {
        if number == self.number {
            Arc::make_mut(&mut self.judged).extend(sets);
            self.received += 1;
        }
    }

    /// Requests the verdicts if a set may have changed, once everything has been read and while they are shown.
    pub(super) fn sync(&mut self, core: &Core) -> Option<Effect> {
        // A set that is not read completely would get a wrong verdict.
        if core.progress.is_some() || !core.shows(Desk::Playback) {
            return None;
        }
        let key = Some(VerdictKey {
            items: core.library.items_revision,
            edited: core.library.unsaved_revisions(),
            written: self.written,
        });
        if self.requested == key || core.library.items.is_empty() {
            return None;
        }
        self.requested = key;
        self.number += 1;
        let copies = core.library.unsaved();
        Some(Effect::run(JudgeSets {
            number: self.number,
            items: core.library.items.clone(),
            edited: copies.map(|(doc, copy)| (doc, copy.revision, copy.text.clone())).collect(),
            judged: Arc::clone(&self.judged),
        }))
    }
}

impl PlaybackDesk {
    /// The verdict on a set; `None` while it is not known.
    pub fn judged(&self, folder: &str) -> Option<&JudgedSet> {
        self.verdicts.judged.get(folder)
    }

    /// Plays a set in the same way as its verdict.
    pub(super) fn play_set(&mut self, core: &mut Core, folder: Arc<str>) {
        // If the desk was never shown, the sets are not known yet.
        self.sync_sets(core);
        if self.is_cassette(&folder) {
            return self.act(core, PlaybackAction::CheckSet(folder));
        }
        let machine = match self.judged(&folder) {
            Some(set) => set.machine.clone(),
            None => self.sets.machine_of(&folder).map(|machine| Arc::clone(&machine.path)),
        };
        self.set = Some(folder);
        self.rules = PlaybackRules::default();
        let requests = machine.map_or(RequestsSource::SetItself, RequestsSource::Machine);
        self.act(core, PlaybackAction::PlayHybrid(requests));
    }
}
