//! How the playback desk is shown.

use std::sync::Arc;

use super::explanation::Explanation;
use super::mending::{FileOrder, FilePlan};
use super::order::RequestsFrom;
use super::played::{PlayFinding, Played};
use super::sets::FoundSets;
use crate::ops::diff::signature::SignatureDiff;
use crate::ops::playback::{Call, Rules, Verdict};
use crate::workbench::library::DocId;
use crate::workbench::working_copy::Revision;

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
    pub(super) played: Option<Arc<Played>>,
    fault: Option<Arc<str>>,
    /// What was pasted last and cannot be played.
    pub(super) refusal: Option<Refusal>,
    /// How many pasted texts were refused.
    pub(super) refused: usize,
    pub(super) explanation: Option<Arc<Explanation>>,
    /// The call whose explanation is on its way, and its run.
    pub(super) explaining: Option<(u64, usize)>,
    pub(super) signatures: Option<Shown>,
    pub(super) sets: Arc<FoundSets>,
    /// The revision of the items of which the sets are, or are on their way.
    pub(super) sets_of: Option<u64>,
    /// Grows with every change on disk that concerns what is played.
    touched: u64,
    /// What was ordered last, and the number of that order while its answer is awaited.
    pub(super) ordered: Option<Key>,
    pub(super) awaited: Option<u64>,
    pub(super) number: u64,
    /// What is played is something else than before: the first wrong call of it is to be selected.
    pub(super) is_new: bool,
}

/// A pasted text that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Counts the refused texts, from 1, so that a second equal one is another.
    pub number: usize,
    /// How the text begins.
    pub begins: String,
}

/// What an order is made from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub(super) content: u64,
    pub(super) touched: u64,
    pub(super) edited: Vec<(DocId, Revision)>,
    pub(super) rules: Rules,
    pub(super) beside: Option<Rules>,
}

/// Two signatures, and of what they are.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) number: u64,
    pub(super) call: usize,
    pub(super) position: usize,
    pub(super) diff: Arc<SignatureDiff>,
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
        self.played.as_ref().filter(|_| self.refusal.is_none())
    }

    /// The pasted text that was refused, shown in place of what was played before it.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
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

    /// The same, to be kept.
    pub fn shared_sets(&self) -> &Arc<FoundSets> {
        &self.sets
    }

    /// The selected call, if there is one.
    pub fn selected(&self) -> Option<&Call> {
        self.played()?.run.calls.get(self.call)
    }

    /// The calls that are listed, in order; `None`: all of them.
    pub fn calls(&self) -> Option<&[usize]> {
        self.played()?.calls_of(self.listed?)
    }

    /// The position of the recording that is beside the request: the chosen one, else the one that answers rightly or whose
    /// tools a log names as different, else the nearest miss.
    pub fn position(&self) -> Option<usize> {
        let served = self.selected()?.index();
        let is_right = matches!(
            self.selected()?.verdict,
            Verdict::Right | Verdict::FirstOf(_) | Verdict::Undefined
        );
        let compared = self.selected()?.compared_in_log();
        let nearest = || {
            let explanation = self.explanation()?;
            Some(explanation.misses.nearest.first()?.index)
        };
        self.recording
            .or_else(|| served.filter(|_| is_right))
            .or(compared)
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
            refused: self.refused,
            ..Self::default()
        }
    }

    /// Something else is to be played.
    pub(super) fn begin_anew(&mut self) {
        self.content += 1;
        self.is_new = true;
        self.refusal = None;
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

    pub(super) fn key(&self, edited: Vec<(DocId, Revision)>) -> Key {
        Key {
            content: self.content,
            touched: self.touched,
            edited,
            rules: self.rules,
            beside: self.beside,
        }
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

    /// Takes what came of playing.
    pub(super) fn take(&mut self, result: Result<Arc<Played>, String>) {
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
        self.call = if is_new {
            played.wrong.first().copied().unwrap_or_default()
        } else {
            self.call.min(last)
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
