//! The fixes of a cause in all of its sets: edits of texts as one step, and changes of files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{TriageDesk, TriagedRun};
use crate::format::Severity;
use crate::ops::Item;
use crate::ops::change::{Change, FileFix};
use crate::ops::files::FileStep;
use crate::ops::playback::fixes::{Fix, REGENERATE};
use crate::ops::triage::{SetFiles, fix_title};
use crate::text::counted;
use crate::workbench::core::items::Items;
use crate::workbench::core::library::DocId;
use crate::workbench::core::link::Link;
use crate::workbench::core::state::Core;

/// What fixes a cause: first the edits of texts, then the changes of files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CauseFix {
    /// Each edit once, with the paths that it edits.
    pub edits: Vec<FileFix>,
    /// The edited documents.
    pub docs: Vec<DocId>,
    /// The changes of files, in order.
    pub steps: Vec<FileStep>,
    /// A document of each folder in which files are changed, with its row.
    pub folders: Vec<(DocId, Arc<Item>)>,
    /// The first fix that changes files.
    pub moves: Option<Fix>,
    /// The number of sets.
    pub sets: usize,
}

/// The document of each recording, by path.
pub(super) type SetDocuments = BTreeMap<Arc<str>, (DocId, Arc<Item>)>;

/// Finds the documents of all recordings.
pub(super) fn documents(sets: &BTreeMap<Arc<str>, SetFiles>, items: &Items) -> SetDocuments {
    let of_sets = items.iter().filter(|(_, item)| sets.contains_key(item.folder()));
    let documents =
        of_sets.map(|(doc, item)| (Arc::clone(&item.root_path), (doc, Arc::clone(item))));
    documents.collect()
}

impl CauseFix {
    /// Gathers the fixes of sets, given by folder.
    pub(super) fn new(
        fixes: &BTreeMap<Arc<str>, Vec<Fix>>,
        sets: &BTreeMap<Arc<str>, SetFiles>,
        documents: &SetDocuments,
    ) -> Self {
        let mut all = Self::default();
        let mut docs = BTreeSet::new();
        for (folder, fixes) in fixes {
            let Some(files) = sets.get(folder) else { continue };
            all.sets += usize::from(!fixes.is_empty());
            let (edits, moves): (Vec<&Fix>, Vec<&Fix>) =
                fixes.iter().partition(|fix| !fix.edited().is_empty());
            for fix in edits {
                let recordings = fix.edited().iter().filter_map(|at| files.set.recordings.get(*at));
                let paths: BTreeSet<Arc<str>> = recordings.map(|it| Arc::clone(&it.path)).collect();
                let known = paths.iter().filter_map(|path| documents.get(path));
                docs.extend(known.map(|(doc, _)| *doc));
                let anywhere = fix.anywhere();
                match all.edits.iter_mut().find(|it| it.fix == anywhere) {
                    Some(edit) => edit.paths.extend(paths),
                    None => all.edits.push(FileFix { fix: anywhere, paths }),
                }
            }
            let steps = files.file_steps(moves.iter().copied());
            let beside =
                files.set.recordings.first().and_then(|recorded| documents.get(&recorded.path));
            if let Some(beside) = beside.filter(|_| !steps.is_empty()) {
                all.folders.push(beside.clone());
                all.steps.extend(steps);
                all.moves = all.moves.or_else(|| moves.first().copied().cloned());
            }
        }
        all.docs = docs.into_iter().collect();
        all
    }

    /// Returns whether nothing would be changed.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.steps.is_empty()
    }

    /// Describes each of the fixes, in the imperative.
    pub fn titles(&self) -> Vec<String> {
        let edits = self.edits.iter().map(|edit| &edit.fix);
        let mut titles: Vec<String> = edits.chain(&self.moves).map(fix_title).collect();
        titles.dedup();
        titles
    }

    /// Returns how much it changes: `12 files in 3 sets`.
    pub fn extent(&self) -> String {
        let files = self.docs.len() + self.steps.len();
        format!("{} in {}", counted(files, "file", "files"), counted(self.sets, "set", "sets"))
    }

    /// Returns the edits as one change.
    fn change(&self) -> Option<Change> {
        match &self.edits[..] {
            [] => None,
            [only] => Some(Change::Fix(only.fix.clone())),
            several => Some(Change::Fixes(several.into())),
        }
    }
}

impl TriageDesk {
    /// Returns what fixes the selected cause now.
    pub fn cause_fix(&self) -> Option<&CauseFix> {
        let fix = self.triaged.as_ref()?.fixes.get(self.cause)?;
        (!fix.is_empty()).then_some(fix)
    }

    /// Returns what fixes all causes now.
    pub fn all_fix(&self) -> Option<&CauseFix> {
        let all = &self.triaged.as_ref()?.all;
        (!all.is_empty()).then_some(all)
    }

    pub(super) fn fix_cause(&mut self, core: &mut Core) {
        self.fixes_all = false;
        if let Some(fix) = self.cause_fix() {
            propose(core, fix);
        }
    }

    pub(super) fn fix_all(&mut self, core: &mut Core) {
        self.fixes_all = self.all_fix().is_some_and(|fix| !fix.edits.is_empty());
        if let Some(fix) = self.all_fix() {
            propose(core, fix);
        }
    }

    /// Shows the changes of files after the edits of all causes were saved.
    pub(super) fn follow_edits(&mut self, core: &mut Core) {
        let Some(triaged) = self.triaged.clone().filter(|_| self.fixes_all) else { return };
        let all = &triaged.all;
        let is_concerned = |doc| {
            let item = core.library.get(doc);
            item.is_some_and(|it| self.folders.contains(it.folder()))
        };
        if all.edits.is_empty() && core.library.unsaved().any(|(doc, _)| is_concerned(doc)) {
            // The files are still being saved.
            return;
        }
        self.fixes_all = false;
        if all.edits.is_empty() && !all.steps.is_empty() && core.overlay.is_none() {
            propose(core, all);
        }
    }

    /// Returns the recordings to look at for the selected cause, by their paths.
    fn evidence_paths<'a>(&self, triaged: &'a TriagedRun) -> BTreeSet<&'a Arc<str>> {
        let failures = self.failures().map(|at| &triaged.triage.failures[at]);
        let assigned = failures.filter_map(|failure| failure.result.as_ref().ok());
        let recordings = assigned.filter_map(|it| it.diagnosis.recording.as_ref());
        recordings.collect()
    }

    pub(super) fn regenerate(&self, core: &mut Core) {
        let Some(triaged) = &self.triaged else { return };
        if !core.can_regenerate() {
            return core.copy(REGENERATE.to_owned());
        }
        let paths = self.evidence_paths(triaged);
        let items = core.library.items.iter();
        let docs: Vec<DocId> =
            items.filter(|(_, item)| paths.contains(&item.root_path)).map(|(doc, _)| doc).collect();
        core.link(Link::Regenerate(docs));
    }
}

/// Shows the changes of a fix: those of texts, or if there are none, those of files.
fn propose(core: &mut Core, fix: &CauseFix) {
    match (fix.change(), &fix.moves) {
        (Some(change), _) => core.plan_batch(change, fix.docs.clone()),
        (None, Some(moves)) => core.link(Link::ProposeFiles {
            fix: moves.clone(),
            folders: fix.folders.clone(),
            steps: fix.steps.clone(),
        }),
        (None, None) => core.notify(Severity::Note, "Nothing to change."),
    }
}
