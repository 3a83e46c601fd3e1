//! Resolves conflicts of a document that was changed both here and on disk: base, theirs and ours.

use std::sync::Arc;

use crate::{Core, DeskView, Effect, Library, OnDisk, SaveMode, SideBySide, SideBySideContent};
use document::Severity;
use document::merge::{HunkKind, Merge, MergeSide};
use document::text::{Source, TextEdit, quoted};
use document::unmerged::Unmerged;
use protocol::{Compute, DocId, EngineEvent, Lane, Revision};

impl Core {
    /// Drops a comparison of versions that are out of date.
    pub(crate) fn forget_conflict(&mut self, doc: DocId) {
        if self.side.as_ref().is_some_and(|side| side.view == DeskView::Conflict(doc)) {
            self.side = None;
        }
    }

    /// Shows the three versions of a document that was changed both here and on disk.
    pub(crate) fn show_conflict(&mut self, doc: DocId) {
        let message = self.library.changed_on_disk_message(doc);
        // The view shows what the notice reported.
        self.notices.retain(|notice| notice.text != message);
        self.go(self.here().desk, DeskView::Conflict(doc));
    }

    pub(crate) fn on_merged(&mut self, doc: DocId, revision: Revision, merge: Arc<Merge>) {
        let is_current = self.library.text(doc).map(|(_, revision)| revision) == Some(revision);
        let is_on_disk = self.library.copy(doc).is_some_and(|copy| copy.is_in_conflict());
        let origin = if is_on_disk { ConflictOrigin::Disk } else { ConflictOrigin::Markers };
        let conflict_side = self.side.as_mut().filter(|side| side.view == DeskView::Conflict(doc));
        if let Some(side) = conflict_side.filter(|_| is_current) {
            let conflict = Conflict::new(merge, revision, origin);
            let first = (0..conflict.places.len()).find(|place| conflict.version(*place).is_none());
            side.content = SideBySideContent::Versions(conflict);
            side.show(first.unwrap_or(0));
            side.revision += 1;
        }
    }

    /// Merges the chosen versions, based on the current file, and saves the result.
    pub(crate) fn resolve(&mut self, doc: DocId) {
        let Some(SideBySideContent::Versions(clash)) = self.side.as_ref().map(|side| &side.content)
        else {
            return;
        };
        if clash.undecided() > 0 {
            let reason = "Choose a version for each conflict first. Press n and p to go to them.";
            self.notify(Severity::Note, reason);
            return;
        }
        let (result, revision) = (clash.result(), clash.revision);
        if clash.origin == ConflictOrigin::Markers {
            return self.resolve_markers(doc, revision, &result);
        }
        let name = format!("Merge {} with the version on disk", self.library.name_of(doc));
        self.save_resolution(doc, Some(revision), Some(result), name);
    }

    /// Replaces a text that has conflict markers by the chosen versions, and saves it.
    fn resolve_markers(&mut self, doc: DocId, revision: Revision, result: &str) {
        // The choices were made for this text.
        let text = self.library.text_with_markers(doc).filter(|(_, version)| *version == revision);
        let Some(edit) = text.and_then(|(text, _)| TextEdit::between(text.text(), result)) else {
            return;
        };
        let name = format!("Merge the versions in {}", self.library.name_of(doc));
        self.edit_text(doc, revision, edit, name);
        self.save(doc, SaveMode::Usual);
        self.close_conflict_view(doc);
    }

    /// Sets the file on disk as the new base, replaces the text unless our version is kept, and saves it.
    pub(crate) fn save_resolution(
        &mut self,
        doc: DocId,
        revision: Option<Revision>,
        text: Option<String>,
        name: String,
    ) {
        let Some(copy) = self.library.copy_mut(doc) else { return };
        let is_current = revision.is_none_or(|revision| revision == copy.revision);
        // The conflict may have ended by itself.
        let OnDisk::Changed(theirs) = copy.on_disk.clone() else { return };
        if theirs.fault().is_some() || !is_current {
            let reason = "The file on disk cannot be merged or replaced. Save your version under another name.";
            self.notify(Severity::Error, reason);
            return;
        }
        // The save replaces only this version: the one that the user has seen.
        copy.set_base(theirs);
        let revision = copy.revision;
        let edit = text.and_then(|text| TextEdit::between(copy.text.text(), &text));
        match edit {
            Some(edit) => self.edit_text(doc, revision, edit, name),
            // The text is the same, but is unsaved against another base.
            None => self.on_text_changed(doc),
        };
        self.save(doc, SaveMode::Usual);
        self.close_conflict_view(doc);
    }

    /// Leaves the conflict view of a document that no longer has a conflict.
    pub(crate) fn close_conflict_view(&mut self, doc: DocId) {
        if self.here().view == DeskView::Conflict(doc) {
            self.go(self.here().desk, DeskView::List);
        }
    }
}

impl SideBySide {
    /// Chooses a version at a place, and goes to the next undecided one.
    pub(crate) fn choose(&mut self, place: usize, version: MergeSide) {
        let SideBySideContent::Versions(conflict) = &mut self.content else { return };
        let Some(choice) = conflict.choices.get_mut(place) else { return };
        *choice = Some(version);
        let open = (0..conflict.places.len()).find(|place| conflict.version(*place).is_none());
        self.revision += 1;
        self.show(open.unwrap_or(place));
    }
}

impl Library {
    /// The text of a document with conflict markers, and its revision.
    pub(crate) fn text_with_markers(&self, doc: DocId) -> Option<(&Source, Revision)> {
        let text = self.text(doc);
        text.filter(|(text, _)| Unmerged::read(text.text()).is_some())
    }

    /// Requests the versions of a document; `None` if there is only one.
    pub(crate) fn merge_versions(&self, doc: DocId) -> Option<Effect> {
        let other_texts = match self.copy(doc) {
            Some(copy) if copy.is_in_conflict() => match &copy.on_disk {
                OnDisk::Changed(theirs) => Some((copy.base.clone(), theirs.clone())),
                OnDisk::AsRead | OnDisk::Gone => None,
            },
            _ => {
                self.text_with_markers(doc)?;
                None
            }
        };
        let (ours, revision) = self.text(doc)?;
        let item = self.share_edited(doc)?;
        let (ours, work) =
            (ours.clone(), format!("merging the versions of {}", quoted(item.root_path())));
        Some(Effect::run(Compute::new(Lane::Texts, work, move || {
            let merge = match &other_texts {
                Some((base, theirs)) => Merge::new(base, theirs, &ours),
                None => match Unmerged::read(ours.text()) {
                    Some(versions) => Merge::new(&versions.base, &versions.theirs, &versions.ours),
                    // Never reached: the request was made because this text has markers.
                    None => Merge::new(&ours, &ours, &ours),
                },
            };
            EngineEvent::Merged(doc, revision, Arc::new(merge))
        })))
    }

    /// The message about a file that changed on disk while it has unsaved edits here.
    pub(crate) fn changed_on_disk_message(&self, doc: DocId) -> String {
        let name = self.name_of(doc);
        format!("{name} changed on disk and has unsaved edits here. Nothing was overwritten.")
    }
}

/// Origin of the versions of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConflictOrigin {
    /// It was changed both here and on disk.
    Disk,
    /// The document contains them between conflict markers.
    Markers,
}

/// The three versions of a document, and the choices so far.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// Base, theirs and ours, hunk by hunk.
    pub merge: Arc<Merge>,
    /// The revision of our text, or of the text with the markers.
    pub revision: Revision,
    /// Their origin.
    pub origin: ConflictOrigin,
    /// The user's choice for each hunk that differs, in the order of [`Conflict::places`].
    pub(crate) choices: Vec<Option<MergeSide>>,
    /// The positions in [`Merge::hunks`] of the hunks that differ.
    pub places: Vec<usize>,
}

impl Conflict {
    /// Creates a conflict without choices.
    pub fn new(merge: Arc<Merge>, revision: Revision, origin: ConflictOrigin) -> Self {
        let hunks = merge.hunks.iter().enumerate();
        let places: Vec<usize> =
            hunks.filter(|(_, hunk)| hunk.kind != HunkKind::Same).map(|(index, _)| index).collect();
        Self { choices: vec![None; places.len()], places, merge, revision, origin }
    }

    /// The version used at a place (counted from 0): the user's choice, else the automatic merge; `None` if the user has
    /// to decide.
    pub fn version(&self, place: usize) -> Option<MergeSide> {
        self.choices
            .get(place)
            .copied()
            .flatten()
            .or_else(|| self.merge.hunks.get(*self.places.get(place)?)?.version())
    }

    /// Number of places that the user still has to decide.
    pub fn undecided(&self) -> usize {
        (0..self.places.len()).filter(|place| self.version(*place).is_none()).count()
    }

    /// The merged text; ours where nothing is chosen.
    pub fn result(&self) -> String {
        let mut place = 0;
        let hunks = self.merge.hunks.iter().map(|hunk| {
            let version = match hunk.kind {
                // The versions have the same text here.
                HunkKind::Same => MergeSide::Ours,
                _ => {
                    place += 1;
                    self.version(place - 1).unwrap_or(MergeSide::Ours)
                }
            };
            self.merge.text(hunk, version)
        });
        hunks.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, doc};
    use crate::{Action, Command};

    const BASE: &str = "a: 1\nb: 1\nc: 1\nd: 1\n";

    /// A document whose `a` was changed here and whose other values changed on disk.
    fn changed_on_both_sides(theirs: &str) -> Bench {
        let mut bench = Bench::open(&[("x.yaml", BASE)]);
        bench.type_over(doc(0), "a: 1", "a: 2");
        bench.write_outside(doc(0), theirs);
        bench
    }

    #[test]
    fn a_save_never_overwrites_what_others_wrote() {
        let theirs = BASE.replace("d: 1", "d: 3");
        let mut bench = Bench::open(&[("x.yaml", BASE)]);
        bench.type_over(doc(0), "a: 1", "a: 2");
        // The change on disk was not reported yet.
        bench.disk.insert(doc(0), theirs.clone());
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(0)], theirs);
        assert_eq!(bench.workbench.core.here().view, DeskView::Conflict(doc(0)));
        assert_eq!(bench.unsaved(), [0]);
    }

    #[test]
    fn changes_that_do_not_touch_are_merged_and_undo_brings_ours_back() {
        let mut bench = changed_on_both_sides(&BASE.replace("d: 1", "d: 3"));
        bench.act(Action::ShowConflict(doc(0)));
        bench.act(Action::Resolve(doc(0)));
        assert_eq!(bench.disk[&doc(0)], "a: 2\nb: 1\nc: 1\nd: 3\n");
        assert_eq!(bench.workbench.core.here().view, DeskView::List);
        assert_eq!(bench.unsaved(), [0; 0]);
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), BASE.replace("a: 1", "a: 2"));
    }

    #[test]
    fn a_conflict_must_be_decided_before_saving() {
        let mut bench = changed_on_both_sides(&BASE.replace("a: 1", "a: 3"));
        bench.press(Command::Save);
        assert_eq!(bench.workbench.core.here().view, DeskView::Conflict(doc(0)));
        bench.act(Action::Resolve(doc(0)));
        assert_eq!(bench.disk[&doc(0)], BASE.replace("a: 1", "a: 3"));
        bench.act(Action::Choose(0, MergeSide::Ours));
        bench.act(Action::Resolve(doc(0)));
        assert_eq!(bench.disk[&doc(0)], BASE.replace("a: 1", "a: 2"));
    }

    #[test]
    fn theirs_or_ours_can_be_taken_whole_and_nothing_is_lost() {
        let theirs = BASE.replace("a: 1", "a: 3");
        let mut bench = changed_on_both_sides(&theirs);
        bench.act(Action::Revert(doc(0)));
        assert_eq!(bench.text(doc(0)), theirs);
        assert_eq!(bench.unsaved(), [0; 0]);
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), BASE.replace("a: 1", "a: 2"));

        bench.write_outside(doc(0), "a: 4\n");
        bench.act(Action::KeepOurs(doc(0)));
        assert_eq!(bench.disk[&doc(0)], BASE.replace("a: 1", "a: 2"));
    }

    #[test]
    fn a_read_that_a_save_overtook_is_ignored() {
        let mut bench = Bench::open(&[("x.yaml", BASE)]);
        bench.type_over(doc(0), "a: 1", "a: 2");
        bench.workbench.core.check_disk(doc(0));
        assert_eq!(std::mem::take(&mut bench.workbench.core.effects).len(), 1);
        let document = Arc::new(document::read(document::text::Source::new(BASE), "x.yaml"));
        bench.press(Command::Save);
        bench.receive(protocol::EngineEvent::Opened(doc(0), Ok(document)));
        assert_eq!(bench.text(doc(0)), BASE.replace("a: 1", "a: 2"));
        assert_eq!(bench.steps().len(), 1);
    }

    #[test]
    fn a_conflict_that_ends_by_itself_closes_its_view() {
        let mut bench = changed_on_both_sides(&BASE.replace("a: 1", "a: 3"));
        bench.act(Action::ShowConflict(doc(0)));
        bench.write_outside(doc(0), BASE);
        bench.act(Action::EndTyping);
        assert_eq!(bench.workbench.core.here().view, DeskView::List);
    }
}
