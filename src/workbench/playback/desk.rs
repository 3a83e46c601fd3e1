//! How the playback desk is shown, and how it keeps up with what it plays.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::explanation::Explanation;
use super::mending::{FileOrder, FilePlan};
use super::order::{PlayOrder, RequestsFrom};
use super::played::{PlayFinding, Played};
use super::sets::FoundSets;
use super::{ItemsToSort, PlaybackEffect, PlaybackEvent};
use crate::ops::diff::signature::SignatureDiff;
use crate::ops::playback::{Call, Rules, Verdict};
use crate::text::Source;
use crate::workbench::event::Effect;
use crate::workbench::library::DocId;
use crate::workbench::live::News;
use crate::workbench::navigation::{Desk, View};
use crate::workbench::state::Workbench;
use crate::workbench::working_copy::Revision;

/// How many items are sorted into sets on the window's own thread.
const SORTED_AT_ONCE: usize = 4096;
/// Among how many recordings a call is explained on the window's own thread.
const EXPLAINED_AT_ONCE: usize = 512;

/// How the playback desk is shown.
#[derive(Debug, Default)]
pub struct PlaybackDesk {
    pub(super) requests: Option<RequestsFrom>,
    pub(super) set: Option<Arc<str>>,
    /// The set that is served from where a log points to none.
    pub(super) fallback: Option<Arc<str>>,
    pub(super) typed: Option<(usize, Arc<str>)>,
    pub(super) rules: Rules,
    pub(super) beside: Option<Rules>,
    pub(super) call: usize,
    pub(super) recording: Option<usize>,
    pub(super) listed: Option<PlayFinding>,
    /// What would be done to files.
    pub(super) plan: Option<FilePlan>,
    /// What takes back what was done to files last, and the history of edits as it was then.
    pub(super) undo: Option<(FileOrder, u64)>,
    /// Grows with every change of what is played.
    pub(super) content: u64,
    played: Option<Arc<Played>>,
    fault: Option<Arc<str>>,
    explanation: Option<Arc<Explanation>>,
    /// The call whose explanation is on its way, and its run.
    explaining: Option<(u64, usize)>,
    signatures: Option<Shown>,
    sets: Arc<FoundSets>,
    /// The revision of the items of which the sets are, or are on their way.
    sets_of: Option<u64>,
    /// Grows with every change on disk that concerns what is played.
    touched: u64,
    /// What was ordered last, and the number of that order while its answer is awaited.
    ordered: Option<Key>,
    awaited: Option<u64>,
    number: u64,
    /// What is played is something else than before: the first wrong call of it is to be selected.
    is_new: bool,
}

/// What an order is made from.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    content: u64,
    touched: u64,
    edited: Vec<(DocId, Revision)>,
    rules: Rules,
    beside: Option<Rules>,
}

/// Two signatures, and of what they are.
#[derive(Debug)]
struct Shown {
    number: u64,
    call: usize,
    position: usize,
    diff: Arc<SignatureDiff>,
}

impl PlaybackDesk {
    /// Where requests come from; `None` before anything was chosen.
    pub fn requests(&self) -> Option<&RequestsFrom> {
        self.requests.as_ref()
    }

    /// The folder that is served from.
    pub fn set(&self) -> Option<&Arc<str>> {
        self.set.as_ref()
    }

    /// How recordings are chosen.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// How they are chosen in the run beside the first; `None` while there is none.
    pub fn beside(&self) -> Option<Rules> {
        self.beside
    }

    /// The call whose request was typed by hand.
    pub fn typed(&self) -> Option<usize> {
        Some(self.typed.as_ref()?.0)
    }

    /// What came of playing; `None` while nothing was played.
    pub fn played(&self) -> Option<&Arc<Played>> {
        self.played.as_ref()
    }

    /// Why nothing could be played.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Whether an answer is awaited.
    pub fn is_playing(&self) -> bool {
        self.awaited.is_some()
    }

    /// The selected call, counted from 0.
    pub fn call(&self) -> usize {
        self.call
    }

    /// What only is listed; `None`: everything.
    pub fn listed(&self) -> Option<PlayFinding> {
        self.listed
    }

    /// Why the selected call gets what it gets; `None` while that is worked out.
    pub fn explanation(&self) -> Option<&Arc<Explanation>> {
        let explanation = self.explanation.as_ref();
        explanation.filter(|explanation| explanation.call == self.call)
    }

    /// The signature of the selected request beside that of a recording, and the recording's position.
    pub fn signatures(&self) -> Option<(usize, &Arc<SignatureDiff>)> {
        let shown = self.signatures.as_ref()?;
        Some((shown.position, &shown.diff))
    }

    /// What would be done to files; `None` while nothing is proposed.
    pub fn plan(&self) -> Option<&FilePlan> {
        self.plan.as_ref()
    }

    /// Whether what was done to files last can be taken back.
    pub fn can_undo_files(&self) -> bool {
        self.undo.is_some()
    }

    /// The sets of the project.
    pub fn sets(&self) -> &FoundSets {
        &self.sets
    }

    /// The selected call, if there is one.
    pub fn selected(&self) -> Option<&Call> {
        self.played.as_ref()?.run.calls.get(self.call)
    }

    /// The calls that are listed, in order; `None`: all of them.
    pub fn calls(&self) -> Option<&[usize]> {
        self.played.as_ref()?.calls_of(self.listed?)
    }

    /// The position of the recording that is beside the request: the chosen one, else the one that answers rightly, else
    /// the nearest miss.
    pub fn position(&self) -> Option<usize> {
        let served = self.selected()?.index();
        let is_right = matches!(
            self.selected()?.verdict,
            Verdict::Right | Verdict::FirstOf(_) | Verdict::Undefined
        );
        let nearest = || {
            let explanation = self.explanation()?;
            Some(explanation.misses.nearest.first()?.index)
        };
        self.recording
            .or_else(|| served.filter(|_| is_right))
            .or_else(nearest)
            .or(served)
    }

    /// The same desk when its project is read again: what was played is played again.
    pub(in crate::workbench) fn kept(&mut self) -> Self {
        Self {
            requests: self.requests.take(),
            set: self.set.take(),
            fallback: self.fallback.take(),
            typed: self.typed.take(),
            call: self.call,
            content: self.content,
            number: self.number,
            ..self.fresh()
        }
    }

    /// A desk for another project: nothing of before but how recordings are chosen.
    pub(in crate::workbench) fn fresh(&self) -> Self {
        Self {
            rules: self.rules,
            number: self.number,
            ..Self::default()
        }
    }

    /// Something else is to be played.
    pub(super) fn begin_anew(&mut self) {
        self.content += 1;
        self.is_new = true;
    }

    /// Lists everything again.
    pub(in crate::workbench) fn list_all(&mut self) {
        self.listed = None;
    }

    /// Notes that files in this folder changed on disk.
    pub(in crate::workbench) fn touch(&mut self, folder: &str) {
        let is_set = self.set.as_deref() == Some(folder);
        let is_asked = match &self.requests {
            Some(RequestsFrom::Folder(asked)) => **asked == *folder,
            Some(RequestsFrom::Machine(_)) => true,
            _ => false,
        };
        if is_set || is_asked {
            self.touched += 1;
        }
    }

    fn key(&self, edited: Vec<(DocId, Revision)>) -> Key {
        Key {
            content: self.content,
            touched: self.touched,
            edited,
            rules: self.rules,
            beside: self.beside,
        }
    }
}

impl Workbench {
    /// How the playback desk is shown.
    pub fn playback_desk(&self) -> &PlaybackDesk {
        &self.playback
    }

    /// Sees to it that what is shown is what would be played now. Does nothing while the desk is not shown.
    pub(in crate::workbench) fn follow_playback(&mut self) -> Vec<Effect> {
        let here = self.here();
        if (here.desk, here.view) != (Desk::Playback, View::List) || self.progress.is_some() {
            return Vec::new();
        }
        let effects = [
            self.follow_sets(),
            self.follow_order(),
            self.follow_explanation(),
        ];
        self.follow_signatures();
        effects
            .into_iter()
            .flatten()
            .map(Effect::Playback)
            .collect()
    }

    fn follow_sets(&mut self) -> Option<PlaybackEffect> {
        let revision = self.library.items_revision();
        if self.playback.sets_of.replace(revision) == Some(revision) {
            return None;
        }
        let items = self.library.items();
        if items.len() > SORTED_AT_ONCE {
            let items = ItemsToSort(items.clone());
            return Some(PlaybackEffect::FindSets(revision, items));
        }
        self.playback.sets = Arc::new(FoundSets::of(items));
        None
    }

    /// Orders anew where what is played has changed. While files change all the time, one order is carried out after the
    /// other; when the user chooses something else, the one before is not wanted any more.
    fn follow_order(&mut self) -> Option<PlaybackEffect> {
        let desk = &self.playback;
        let requests = desk.requests.clone()?;
        let finds_set = matches!(requests, RequestsFrom::Log { .. } | RequestsFrom::Path(_));
        if !finds_set && desk.set.is_none() {
            return None;
        }
        let unsaved = self.library.unsaved();
        let key = desk.key(unsaved.map(|(doc, copy)| (doc, copy.revision())).collect());
        let before = desk.ordered.as_ref();
        if before == Some(&key) {
            return None;
        }
        let same_choice = before.is_some_and(|before| {
            (before.content, before.rules, before.beside) == (key.content, key.rules, key.beside)
        });
        if desk.awaited.is_some() && same_choice {
            return None;
        }
        let same_files = before.is_some_and(|before| {
            (before.content, before.touched, &before.edited)
                == (key.content, key.touched, &key.edited)
        });
        let known = desk
            .played
            .as_ref()
            .filter(|_| same_files && desk.awaited.is_none());
        let known = known.map(|played| Arc::clone(&played.stock));
        let texts = self.library.unsaved();
        let edited: Vec<(DocId, Source)> = texts
            .map(|(doc, copy)| (doc, copy.text().clone()))
            .collect();
        let desk = &mut self.playback;
        desk.number += 1;
        desk.awaited = Some(desk.number);
        desk.ordered = Some(key);
        Some(PlaybackEffect::Play(Box::new(PlayOrder {
            number: desk.number,
            items: self.library.items().clone(),
            edited,
            requests,
            set: desk.set.clone(),
            fallback: desk.fallback.clone(),
            typed: desk.typed.clone(),
            rules: desk.rules,
            is_new: desk.is_new,
            beside: desk.beside,
            known,
        })))
    }

    fn follow_explanation(&mut self) -> Option<PlaybackEffect> {
        let desk = &mut self.playback;
        let played = desk.played.as_ref()?;
        let wanted = (played.number, desk.call);
        if desk.explaining == Some(wanted) || desk.call >= played.run.calls.len() {
            return None;
        }
        desk.explaining = Some(wanted);
        if played.run.set.recordings.len() > EXPLAINED_AT_ONCE {
            return Some(PlaybackEffect::Explain(Arc::clone(played), desk.call));
        }
        desk.explanation = Some(Arc::new(Explanation::new(played, desk.call)));
        None
    }

    fn follow_signatures(&mut self) {
        let desk = &mut self.playback;
        let (Some(played), Some(position)) = (desk.played.clone(), desk.position()) else {
            desk.signatures = None;
            return;
        };
        let (number, call) = (played.number, desk.call);
        let is_shown =
            |shown: &Shown| (shown.number, shown.call, shown.position) == (number, call, position);
        if desk.signatures.as_ref().is_some_and(is_shown) {
            return;
        }
        let asked = played.run.calls.get(call).map(|call| &call.asked.party);
        let recorded = played.run.set.recordings.get(position);
        desk.signatures = asked.zip(recorded).map(|(asked, recorded)| Shown {
            number,
            call,
            position,
            diff: Arc::new(SignatureDiff::new(asked.clone(), recorded.party.clone())),
        });
    }

    /// Takes what the desk waits for. What it doesn't wait for any more is dropped.
    pub(in crate::workbench) fn receive_playback(&mut self, event: PlaybackEvent) -> Vec<Effect> {
        match event {
            PlaybackEvent::Played(number, result) if self.playback.awaited == Some(number) => {
                self.playback.awaited = None;
                self.playback.take(result);
            }
            PlaybackEvent::SetsFound(revision, sets) => {
                if self.playback.sets_of == Some(revision) {
                    self.playback.sets = sets;
                }
            }
            PlaybackEvent::Explained(played, explanation) => {
                let is_shown = self.playback.played.as_ref();
                if is_shown.is_some_and(|shown| Arc::ptr_eq(shown, &played)) {
                    self.playback.explanation = Some(explanation);
                }
            }
            PlaybackEvent::FilesChanged(order, changed) => self.files_changed(order, changed),
            PlaybackEvent::Picked(path) => return self.play_path(path),
            PlaybackEvent::Played(..) => {}
        }
        Vec::new()
    }
}

impl PlaybackDesk {
    /// What was played as a log says is how it is played from now on.
    fn adopt(&mut self, rules: Rules) {
        self.rules = rules;
        if let Some(ordered) = &mut self.ordered {
            ordered.rules = rules;
        }
    }

    fn take(&mut self, result: Result<Arc<Played>, String>) {
        let is_new = std::mem::take(&mut self.is_new);
        self.explaining = None;
        let played = match result {
            Ok(played) => played,
            Err(reason) => {
                self.fault = Some(reason.into());
                self.played = None;
                return;
            }
        };
        self.fault = None;
        self.adopt(played.run.rules);
        let last = played.run.calls.len().saturating_sub(1);
        self.call = match is_new {
            true => played.wrong.first().copied().unwrap_or_default(),
            false => self.call.min(last),
        };
        if is_new || played.calls_of(PlayFinding::Differs).is_none() {
            self.listed = None;
        }
        self.recording = None;
        self.explanation = None;
        // What a log points to is from now on what is served from.
        self.set
            .get_or_insert_with(|| Arc::clone(&played.run.set.folder));
        self.played = Some(played);
    }
}

impl Workbench {
    /// Notes which folders changed on disk, before the change is taken.
    pub(in crate::workbench) fn touch_playback(&mut self, news: &News) {
        let known = |doc: &DocId| self.library.get(*doc).map(|item| item.folder().to_owned());
        let folders: BTreeSet<String> = match news {
            News::Changed(items) | News::Seen(items) => items
                .iter()
                .map(|(_, item)| item.folder().to_owned())
                .collect(),
            News::Rewritten(docs) => docs.iter().filter_map(known).collect(),
            News::Removed(gone) => gone.iter().filter_map(|gone| known(&gone.doc)).collect(),
            _ => return,
        };
        for folder in folders {
            self.playback.touch(&folder);
        }
    }
}
