//! The fixes of a cause in all of its sets: edits of texts as one step, and changes of files.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::reading::is_in;
use super::{TriageAction, TriageDesk};
use crate::{Core, DialogKind, Effect, Link};
use document::Severity;
use play::playback::fixes::REGENERATE;
use play::triage::Cause;
use protocol::{CauseFix, DocId, RunSource, SharedRun, TriagedRun, WriteRunPage};

impl TriageDesk {
    /// Returns what fixes the selected cause now.
    pub fn cause_fix(&self) -> Option<&CauseFix> {
        let fix = self.triaged.as_ref()?.fixes.get(self.cause)?;
        (!fix.is_empty()).then_some(fix)
    }

    /// Returns what fixes all causes now.
    pub fn all_fix(&self) -> Option<&CauseFix> {
        let fix_all = &self.triaged.as_ref()?.all;
        (!fix_all.is_empty()).then_some(fix_all)
    }

    pub(super) fn fix_cause(&mut self, core: &mut Core) {
        self.fixes_all = false;
        if let Some(fix) = self.cause_fix() {
            propose(core, fix);
        }
    }

    pub(super) fn fix_all(&mut self, core: &mut Core) {
        // Without edits, the changes of files need not wait for them.
        self.fixes_all = self.all_fix().is_some_and(|fix| !fix.edits.is_empty());
        if let Some(fix) = self.all_fix() {
            propose(core, fix);
        }
    }

    /// Shows the changes of files after the edits of all causes were saved.
    pub(super) fn follow_edits(&mut self, core: &mut Core) {
        let Some(run) = self.triaged.clone().filter(|_| self.fixes_all) else { return };
        let fix_all = &run.all;
        let is_concerned = |doc| is_in(&self.folders, &core.library, doc);
        if fix_all.edits.is_empty() && core.library.unsaved().any(|(doc, _)| is_concerned(doc)) {
            // The files are still being saved.
            return;
        }
        self.fixes_all = false;
        // Not over what the user has opened meanwhile.
        if fix_all.edits.is_empty() && !fix_all.steps.is_empty() && core.overlay.is_none() {
            propose(core, fix_all);
        }
    }

    pub(super) fn regenerate(&self, core: &mut Core) {
        let Some(run) = &self.triaged else { return };
        if !core.can_regenerate() {
            return core.copy(REGENERATE.to_owned());
        }
        let paths = self.recordings(run);
        let items = core.library.items.iter();
        let docs: Vec<DocId> = items
            .filter(|(_, item)| paths.contains(item.root_path()))
            .map(|(doc, _)| doc)
            .collect();
        core.link(Link::Regenerate(docs));
    }

    /// Returns the recordings to look at for the failures of the selected cause.
    fn recordings<'r>(&self, run: &'r TriagedRun) -> BTreeSet<&'r str> {
        let failures = self.failures().iter().map(|index| &run.triage.failures[*index]);
        let results = failures.filter_map(|failure| failure.result.as_ref().ok());
        results.filter_map(|result| result.diagnosis.recording.as_deref()).collect()
    }

    /// Returns the number of recordings that recording the selected cause again makes; `None` if it needs no new ones.
    pub fn to_record(&self) -> Option<usize> {
        let (run, group) = (self.triaged.as_ref()?, self.group()?);
        // Recordings that git restored answer again, so no new recording is needed.
        // The window records only recordings again; for cassettes there is a command to copy.
        let is_of_cassette = matches!(group.cause, Cause::Cassette(_));
        let is_needed = group.cause.needs_recording()
            && !is_of_cassette
            && !run.progress.is_all_restored(group)
            || group.cause == Cause::RecordingBroken;
        (is_needed && !self.is_solved(self.cause)).then(|| self.recordings(run).len())
    }

    /// Opens a dialog to choose the file of the page. Without `log`, the run that is shown is shared.
    pub(crate) fn share(&self, core: &mut Core, log: Option<RunSource>) {
        let name = match (&log, &self.run) {
            (Some(log), _) => log.name(),
            (None, Some(run)) => run.name.clone(),
            (None, None) => return,
        };
        let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let name: String = name.chars().map(|c| if is_name(c) { c } else { '-' }).collect();
        let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
        let proposal = DialogKind::Save(format!("{stem}.html").into());
        let write = move |path| TriageAction::WritePage(path, log.clone());
        core.request(Effect::pick("Share the run as a page", proposal, write));
    }

    pub(super) fn write_page(&self, core: &mut Core, path: PathBuf, log: Option<RunSource>) {
        let run = match (log, &self.run, &self.triaged) {
            (Some(log), ..) => SharedRun::Log(log),
            (None, Some(run), Some(triage)) => {
                SharedRun::Shown(Arc::clone(run), Arc::clone(&triage.triage))
            }
            (None, ..) => return,
        };
        core.request(Effect::run(WriteRunPage {
            path,
            run,
            items: core.library.items.clone(),
            edited: core.library.unsaved_texts(),
        }));
    }

    pub(super) fn on_written(core: &mut Core, result: Result<String, String>) {
        if let Some(path) = core.or_notify(result) {
            let text = format!("Saved {path}. It opens in any browser and in Retake.");
            core.notify(Severity::Note, text);
        }
    }
}

/// Shows the changes of a fix: those of texts, or if there are none, those of files.
fn propose(core: &mut Core, fix: &CauseFix) {
    match (fix.change(), &fix.moves) {
        (Some(change), _) => core.plan_batch(change, fix.docs.clone()),
        (None, Some(moves)) => core.link(Link::ProposeFiles {
            sentence: moves.sentence.clone(),
            folders: fix.folders.clone(),
            steps: fix.steps.clone(),
        }),
        (None, None) => core.notify(Severity::Note, "Nothing to change."),
    }
}
