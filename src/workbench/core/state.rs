//! The state that all desks share.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use crate::format::Severity;
use crate::ops::command_step::CommandStep;
use crate::ops::file_part::FilePart;
use crate::ops::recovered::RecoveredDraft;
use crate::ops::stored_text::StoredText;
use crate::text::Span;
use crate::workbench::core::body_search::BodySearch;
use crate::workbench::core::call_commits::SelectedCommits;
use crate::workbench::core::disk_changes::Renames;
use crate::workbench::core::editing::RefusedEdit;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::inspector::{FindRequest, Inspector};
use crate::workbench::core::journal::Journal;
use crate::workbench::core::leaving::Leaving;
use crate::workbench::core::library::Library;
use crate::workbench::core::library_list::LibraryList;
use crate::workbench::core::link::Link;
use crate::workbench::core::navigation::{DeskView, Location, Navigation};
use crate::workbench::core::path_field::PathField;
use crate::workbench::core::pending_changes::PendingChanges;
use crate::workbench::core::replacing::Replacing;
use crate::workbench::core::saving::SaveRound;
use crate::workbench::core::side_by_side::SideBySide;
use crate::workbench::core::step::PendingStep;
use crate::workbench::core::unsaved::UnsavedDiffs;
use crate::workbench::core::user_settings::UserState;
use crate::workbench::core::view::{DiffLayout, InspectorTab, Overlay};
use crate::workbench::requests::{
    Desk, DocId, ProjectInfo, ReadProgress, Remembered, Sizes, WatchState,
};

/// A short message that disappears after a while or on a click.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: u64,
    pub severity: Severity,
    /// One sentence.
    pub text: String,
    /// How many times in a row it was reported while it was shown.
    pub count: usize,
    pub(in crate::workbench) until: NoticeEnd,
    /// The revision of the history in which undo reverts what it reports; `None` if it cannot be undone.
    pub undo: Option<u64>,
}

impl Notice {
    /// The document that was changed both here and on disk, if it is about one.
    pub fn conflict(&self) -> Option<DocId> {
        match self.until {
            NoticeEnd::NoConflict(doc) => Some(doc),
            NoticeEnd::Never
            | NoticeEnd::NextRequest
            | NoticeEnd::NextSettings
            | NoticeEnd::Saved(_)
            | NoticeEnd::AllSaved
            | NoticeEnd::ReportShown => None,
        }
    }

    /// Whether it offers to show the report of a crash.
    pub fn offers_report(&self) -> bool {
        self.until == NoticeEnd::ReportShown
    }

    /// Whether it is about the user's own settings.
    pub fn is_about_settings(&self) -> bool {
        self.until == NoticeEnd::NextSettings
    }

    /// The document that it offers to save, if it is about edits of one.
    pub fn unsaved(&self) -> Option<DocId> {
        match self.until {
            NoticeEnd::Saved(doc) => Some(doc),
            _ => None,
        }
    }
}

/// What makes a notice disappear, apart from time and a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workbench) enum NoticeEnd {
    /// Nothing.
    Never,
    /// The next command, place or pasted text: it only says that a request was refused.
    NextRequest,
    /// The document is not changed on disk any more, or its edits are gone.
    NoConflict(DocId),
    /// The document has no unsaved edits any more.
    Saved(DocId),
    /// No document has unsaved edits any more.
    AllSaved,
    /// The report of a crash was shown.
    ReportShown,
    /// The file with the user's own settings has changed.
    NextSettings,
}

/// Which project is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workbench) enum ProjectStart {
    /// The same paths as before.
    Again,
    /// Others, or none.
    Other,
}

/// What changed in the documents, for the desks.
#[derive(Debug, Default)]
pub(in crate::workbench) struct News {
    /// Documents that were read for the first time.
    pub(in crate::workbench) added: Vec<DocId>,
    /// Documents whose items changed on disk.
    pub(in crate::workbench) changed: Vec<DocId>,
    /// Documents whose text changed.
    pub(in crate::workbench) rewritten: Vec<DocId>,
    /// Removed documents, with their new ids where they were renamed.
    pub(in crate::workbench) removed: Renames,
}

impl News {
    pub(in crate::workbench) fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.changed.is_empty()
            && self.rewritten.is_empty()
            && self.removed.is_empty()
    }
}

/// The state that all desks share: the documents and their edits, the place in the window, and what is requested. It knows no desk.
#[derive(Debug)]
pub struct Core {
    /// What is requested and not performed yet.
    pub(in crate::workbench) effects: Vec<Effect>,
    /// What is requested of other desks and not carried out yet.
    pub(in crate::workbench) links: Vec<Link>,
    /// Changes that the desks have not seen yet.
    pub(in crate::workbench) news: News,
    pub library: Library,
    pub project: Option<ProjectInfo>,
    pub(in crate::workbench) generation: u64,
    pub progress: Option<ReadProgress>,
    pub last_progress: ReadProgress,
    /// Whether the project changed as a whole while edits were unsaved, which a scan would lose.
    pub(in crate::workbench) scan_awaits_saving: bool,
    pub watch_state: WatchState,
    pub(in crate::workbench) navigation: Navigation,
    pub list: LibraryList,
    /// The search in the content of files, for the filter of the list.
    pub bodies: BodySearch,
    /// The commits of the selected file.
    pub commits: SelectedCommits,
    pub tab: InspectorTab,
    pub reveal: Option<(DocId, Span)>,
    /// A place that is shown when the text of its document is read.
    pub(in crate::workbench) next_reveal: Option<(DocId, FilePart)>,
    pub side: Option<SideBySide>,
    pub diff_layout: DiffLayout,
    pub inspector: Inspector,
    /// The widths that the user has set.
    pub sizes: Sizes,
    pub overlay: Option<Overlay>,
    /// Overlays that are shown when the open one is closed, in this order.
    pub(in crate::workbench) waiting_overlays: VecDeque<Overlay>,
    /// The field for a path, which is shown as [`Overlay::Path`].
    pub path_field: PathField,
    pub focus_filter: bool,
    pub find_request: Option<FindRequest>,
    pub notices: Vec<Notice>,
    pub(in crate::workbench) next_notice: u64,
    pub remembered: Remembered,
    /// The folders of the samples that were opened.
    pub(in crate::workbench) samples: Vec<PathBuf>,
    pub journal: Journal,
    /// What the command line has written in the project and can be undone, the last first; as of when the history was opened.
    pub command_steps: Vec<CommandStep>,
    /// Whether the last of them could not be undone.
    pub is_undo_refused: bool,
    pub(in crate::workbench) save_round: Option<SaveRound>,
    pub leaving: Option<Leaving>,
    pub unsaved_diffs: UnsavedDiffs,
    /// The planned change that waits for a decision.
    pub step: Option<PendingStep>,
    /// The form that replaces something in many files, which is shown as [`Overlay::Replace`].
    pub replacing: Replacing,
    pub refused_edit: Option<RefusedEdit>,
    pub(in crate::workbench) pending_changes: PendingChanges,
    pub drafts: Vec<Arc<RecoveredDraft>>,
    /// The latest lines of the log, as of when it was shown.
    pub log: Option<StoredText>,
    /// The report of a crash, offered by this window.
    pub crash_report: Option<StoredText>,
    /// The user's own settings.
    pub user: UserState,
}

impl Core {
    pub(in crate::workbench) fn new(remembered: Remembered) -> Self {
        Self {
            effects: Vec::new(),
            links: Vec::new(),
            news: News::default(),
            library: Library::default(),
            project: None,
            generation: 0,
            progress: None,
            last_progress: ReadProgress::default(),
            scan_awaits_saving: false,
            watch_state: WatchState::default(),
            navigation: Navigation::new(),
            list: LibraryList::default(),
            bodies: BodySearch::default(),
            commits: SelectedCommits::default(),
            tab: InspectorTab::default(),
            reveal: None,
            next_reveal: None,
            side: None,
            diff_layout: DiffLayout::default(),
            inspector: Inspector::new(),
            sizes: Sizes::new(),
            overlay: None,
            waiting_overlays: VecDeque::new(),
            path_field: PathField::default(),
            focus_filter: false,
            find_request: None,
            notices: Vec::new(),
            next_notice: 0,
            remembered,
            samples: Vec::new(),
            journal: Journal::default(),
            command_steps: Vec::new(),
            is_undo_refused: false,
            save_round: None,
            leaving: None,
            unsaved_diffs: UnsavedDiffs::default(),
            step: None,
            replacing: Replacing::default(),
            refused_edit: None,
            pending_changes: PendingChanges::default(),
            drafts: Vec::new(),
            log: None,
            crash_report: None,
            user: UserState::default(),
        }
    }

    /// Drops what belongs to the project that was open. What the user set stays if the same paths are opened again.
    pub(in crate::workbench) fn start_project(
        &mut self,
        generation: u64,
        project: ProjectInfo,
    ) -> ProjectStart {
        let before = self.project.as_ref();
        let start = if before.is_some_and(|before| before.is_same_as(&project)) {
            ProjectStart::Again
        } else {
            ProjectStart::Other
        };
        let list = std::mem::take(&mut self.list);
        (self.navigation, self.list) = match start {
            ProjectStart::Again => {
                let selected = list.selected.and_then(|doc| self.library.get(doc));
                let path = selected.map(|item| Arc::clone(&item.path));
                (Navigation::at_desk(self.here().desk), list.reopened(path))
            }
            ProjectStart::Other => match self.remembered_view(&project.opened) {
                Some(view) => {
                    self.sizes.clone_from(&view.sizes);
                    (Navigation::at_desk(view.desk), list.emptied().shown_as(view))
                }
                None => (Navigation::new(), list.emptied()),
            },
        };
        self.generation = generation;
        self.library.clear();
        self.bodies = self.bodies.restarted();
        self.library.show_below(&project.folder);
        self.project = Some(project);
        self.progress = Some(ReadProgress::default());
        self.last_progress = ReadProgress::default();
        self.scan_awaits_saving = false;
        self.watch_state = WatchState::default();
        self.reveal = None;
        self.next_reveal = None;
        self.side = None;
        self.journal.clear();
        self.save_round = None;
        self.pending_changes = PendingChanges::default();
        self.step = None;
        self.replacing.reset();
        self.waiting_overlays.clear();
        self.overlay = self.overlay.take().filter(|open| *open != Overlay::Step);
        if start == ProjectStart::Other {
            self.offer_drafts();
        }
        start
    }

    /// Requests an effect.
    pub(in crate::workbench) fn request(&mut self, effect: impl Into<Option<Effect>>) {
        self.effects.extend(effect.into());
    }

    /// Shows a notice. Replaces an earlier notice with the same text, and counts it.
    pub(in crate::workbench) fn notify(&mut self, severity: Severity, text: impl Into<String>) {
        self.notify_until(NoticeEnd::Never, severity, text.into());
    }

    /// Shows a notice about the latest step of the history, with a button that undoes it.
    pub(in crate::workbench) fn notify_undoable(&mut self, severity: Severity, text: String) {
        self.push_notice(severity, text, Some(self.journal.revision));
    }

    pub(super) fn push_notice(&mut self, severity: Severity, text: String, undo: Option<u64>) {
        self.notify(severity, text);
        if let Some(notice) = self.notices.last_mut() {
            notice.undo = undo;
        }
    }

    /// Shows why a request is refused, until the next request.
    pub(in crate::workbench) fn refuse(&mut self, severity: Severity, text: impl Into<String>) {
        self.notify_until(NoticeEnd::NextRequest, severity, text.into());
    }

    pub(in crate::workbench) fn notify_until(
        &mut self,
        until: NoticeEnd,
        severity: Severity,
        text: String,
    ) {
        match severity {
            Severity::Error => log::error!("{text}"),
            Severity::Warning => log::warn!("{text}"),
            Severity::Note => log::debug!("{text}"),
        }
        let before = self.notices.iter().position(|notice| notice.text == text);
        let count = before.map_or(0, |index| self.notices.remove(index).count);
        self.notices.push(Notice {
            id: self.next_notice,
            severity,
            text,
            count: count + 1,
            until,
            undo: None,
        });
        self.next_notice += 1;
    }

    /// Returns the numbers of the notices that a new request makes obsolete.
    pub(in crate::workbench) fn refusals(&self) -> Vec<u64> {
        let notices = self.notices.iter();
        let refusals = notices.filter(|notice| notice.until == NoticeEnd::NextRequest);
        refusals.map(|notice| notice.id).collect()
    }

    /// Removes the notices about conflicts that are resolved, and about edits that are saved or undone.
    pub(in crate::workbench) fn sync_notices(&mut self) {
        let library = &self.library;
        let is_in_conflict = |doc| library.copy(doc).is_some_and(|copy| copy.is_in_conflict());
        self.notices.retain(|notice| notice.conflict().is_none_or(is_in_conflict));
        let is_unsaved = |doc| library.copy(doc).is_some_and(|copy| copy.is_unsaved());
        self.notices.retain(|notice| notice.unsaved().is_none_or(is_unsaved));
    }

    /// Returns what was requested, or shows a notice with the reason of the failure.
    pub(in crate::workbench) fn or_notify<T>(&mut self, result: Result<T, String>) -> Option<T> {
        let notify = |reason| self.notify(Severity::Error, format!("{reason}."));
        result.map_err(notify).ok()
    }

    /// Whether the project has a command to regenerate recordings; else the default command can be copied.
    pub fn can_regenerate(&self) -> bool {
        let project = self.project.as_ref();
        project.is_some_and(|project| project.regenerate.is_some())
    }

    /// Shows an overlay that the user did not request just now: as soon as no other one is open.
    pub(in crate::workbench) fn show_when_free(&mut self, overlay: Overlay) {
        if self.overlay != Some(overlay) && !self.waiting_overlays.contains(&overlay) {
            self.waiting_overlays.push_back(overlay);
        }
        self.show_waiting_overlay();
    }

    /// Shows the next overlay that waited for the open one to be closed.
    pub(in crate::workbench) fn show_waiting_overlay(&mut self) {
        while self.overlay.is_none()
            && let Some(next) = self.waiting_overlays.pop_front()
        {
            let is_obsolete = next == Overlay::Unsaved && self.library.unsaved().next().is_none();
            self.overlay = (!is_obsolete).then_some(next);
            self.unsaved_diffs = UnsavedDiffs::default();
        }
    }

    /// Closes a dialog that waits for what cannot be computed, and reports why.
    pub(in crate::workbench) fn close_failed(&mut self, overlay: Overlay, reason: &str) {
        self.overlay = self.overlay.take().filter(|open| *open != overlay);
        self.notify(Severity::Error, format!("{reason}."));
    }

    /// Requests something of another desk.
    pub(in crate::workbench) fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    /// The current location.
    pub fn here(&self) -> Location {
        self.navigation.here
    }

    /// Whether the list of a desk is shown.
    pub(in crate::workbench) fn shows(&self, desk: Desk) -> bool {
        self.here() == Location { desk, view: DeskView::List }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::requests::EngineEvent;
    use crate::workbench::testing::Bench;
    use crate::workbench::{Action, Command};

    /// The notices, with their counts.
    fn shown(bench: &Bench) -> Vec<String> {
        let notices = bench.workbench.core.notices.iter();
        let lines = notices.map(|notice| format!("{}× {}", notice.count, notice.text));
        lines.collect()
    }

    #[test]
    fn a_refusal_is_counted_and_goes_away_with_the_next_request() {
        let mut bench = Bench::open(&[("j.json", "{}")]);
        bench.receive(EngineEvent::Failed("A file is missing.".to_owned()));
        bench.press(Command::Revert);
        bench.press(Command::Revert);
        assert_eq!(
            shown(&bench),
            ["1× A file is missing.", "2× Revert to saved file: it has no unsaved edits."]
        );
        bench.act(Action::SetOverlay(None));
        assert_eq!(shown(&bench).len(), 2);
        bench.press(Command::GoProblems);
        assert_eq!(shown(&bench), ["1× A file is missing."]);
    }

    #[test]
    fn a_notice_about_a_conflict_goes_away_when_it_is_resolved() {
        let mut bench = Bench::open(&[("j.json", "{\"a\": 1}")]);
        let doc = DocId::new(0);
        bench.act(Action::Select(doc));
        bench.set(doc, "/a", "2");
        bench.write_outside(doc, "{\"a\": 3}");
        assert_eq!(shown(&bench).len(), 1);
        bench.press(Command::GoProblems);
        assert_eq!(shown(&bench).len(), 1);
        bench.act(Action::Revert(doc));
        assert!(shown(&bench).is_empty(), "{:?}", shown(&bench));
    }
}
