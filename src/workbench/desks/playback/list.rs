//! The list of sets and cassettes that can be played, worst first, while nothing is played.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{PlaybackAction, PlaybackDesk};
use crate::{Core, Effect, StepDirection};
use document::text::{counted, natural_order};
use play::playback::{PlaybackRules, ResultStatus};
use protocol::{
    Desk, DocId, FoundSets, JudgeSets, JudgedSet, JudgedSets, RequestsSource, Revision,
};

/// A set or a cassette that can be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playable {
    /// The folder or the file, from the project root.
    pub path: Arc<str>,
    pub is_cassette: bool,
    /// The status of each call; `None` for one that is of no model. Empty while the set is judged.
    pub calls: Box<[Option<ResultStatus>]>,
    pub status: ResultStatus,
    /// The problem in a few words; else empty.
    pub problem: String,
}

/// The list, and what it was made from.
#[derive(Debug, Default)]
pub(super) struct PlayableList {
    rows: Vec<Playable>,
    /// The revision of the items, the number of verdicts, the filter, and whether cassettes are listed.
    made_of: Option<(Option<u64>, u64, String, bool)>,
    pub(super) filter: String,
    /// The row that keys act on, by its path.
    cursor: Option<Arc<str>>,
}

impl PlaybackDesk {
    /// Whether what to play is chosen, because nothing is played.
    pub fn is_choosing(&self) -> bool {
        let is_awaited = self.requests.is_some() && self.is_playing();
        self.played().is_none() && !is_awaited
    }

    /// Whether requests wait for the set that answers them.
    pub fn awaits_set(&self) -> bool {
        !matches!(self.requests, None | Some(RequestsSource::SetItself))
    }

    /// The rows that pass the filter.
    pub fn playables(&self) -> &[Playable] {
        &self.list.rows
    }

    /// The filter of the list.
    pub fn filter(&self) -> &str {
        &self.list.filter
    }

    /// The path of the row that keys act on.
    pub fn cursor(&self) -> Option<&Arc<str>> {
        self.list.cursor.as_ref()
    }

    /// Whether something can be chosen to play.
    pub fn has_choice(&self) -> bool {
        self.chosen().is_some()
    }

    /// The row that Enter plays.
    pub(crate) fn chosen(&self) -> Option<&Playable> {
        let rows = self.playables();
        let at_cursor = rows.iter().find(|row| Some(&row.path) == self.cursor());
        at_cursor.or(rows.first()).filter(|_| self.is_choosing())
    }

    /// Lists what can be played if that may have changed.
    pub(super) fn sync_list(&mut self) {
        let has_cassettes = !self.awaits_set();
        let filter = self.list.filter.clone();
        let made_of = Some((self.sets_of, self.verdicts.received, filter, has_cassettes));
        if self.list.made_of == made_of {
            return;
        }
        let words = self.list.filter.to_lowercase();
        let passes = |row: &Playable| {
            let path = row.path.to_lowercase();
            words.split_whitespace().all(|word| path.contains(word))
        };
        let sets = self.sets.with_recordings().map(|set| self.playable_set(&set.folder));
        let cassettes = playable_cassettes(&self.sets).filter(|_| has_cassettes);
        let mut rows: Vec<Playable> = sets.chain(cassettes).filter(passes).collect();
        rows.sort_by(|a, b| {
            let status = |row: &Playable| Reverse(row.status);
            status(a).cmp(&status(b)).then_with(|| natural_order(&a.path, &b.path))
        });
        self.list.rows = rows;
        self.list.made_of = made_of;
    }

    fn playable_set(&self, folder: &Arc<str>) -> Playable {
        let state = self.judged(folder).map(|set| &set.verdict);
        let status = state.map_or(ResultStatus::Good, |state| state.status);
        Playable {
            path: Arc::clone(folder),
            is_cassette: false,
            calls: state.iter().flat_map(|state| state.calls.iter().copied().map(Some)).collect(),
            status,
            problem: state
                .filter(|_| status != ResultStatus::Good)
                .map_or_else(String::new, |state| state.label.clone()),
        }
    }

    /// Plays a row of the list: its own calls, or the requests that wait for a set.
    pub(super) fn choose(&mut self, core: &mut Core, path: Arc<str>) {
        self.list.cursor = Some(Arc::clone(&path));
        if self.awaits_set() {
            self.act(core, PlaybackAction::ServeFrom(path));
        } else {
            self.act(core, PlaybackAction::PlaySet(path));
        }
    }

    pub(super) fn step_cursor(&mut self, step: StepDirection, rows: usize) {
        let list = self.playables();
        let row = list.iter().position(|row| Some(&row.path) == self.cursor());
        let target = match row {
            Some(row) => step.target(row, rows).min(list.len().saturating_sub(1)),
            None => 0,
        };
        self.list.cursor = list.get(target).map(|row| Arc::clone(&row.path));
    }

    /// Goes back from what is played to the list. Returns whether anything was played.
    pub(super) fn leave(&mut self) -> bool {
        let was_played = self.requests.take().is_some();
        if was_played {
            self.list.cursor = self.set.take();
            self.fallback = None;
            self.fault = None;
            self.playing = Default::default();
        }
        was_played
    }

    /// Whether a path is that of a cassette.
    pub(super) fn is_cassette(&self, path: &str) -> bool {
        self.sets.cassettes.iter().any(|cassette| *cassette.path == *path)
    }

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

fn playable_cassettes(sets: &FoundSets) -> impl Iterator<Item = Playable> {
    sets.cassettes.iter().map(|cassette| {
        let doubtful = Some(ResultStatus::Doubtful);
        let count = cassette.calls.iter().filter(|status| **status == doubtful).count();
        let problem = match count {
            0 => String::new(),
            count => counted(count, "depends on order", "depend on order"),
        };
        Playable {
            path: Arc::clone(&cassette.path),
            is_cassette: true,
            calls: cassette.calls.clone(),
            status: if count > 0 { ResultStatus::Doubtful } else { ResultStatus::Good },
            problem,
        }
    })
}

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
