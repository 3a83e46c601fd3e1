//! The state that all desks share: documents and their edits, the place in the window, notices, and what is requested. It knows no desk.

pub(crate) mod batch;
pub(crate) mod body_search;
pub(crate) mod change_preview;
pub(crate) mod command;
pub(crate) mod describing;
pub(crate) mod dialog;
pub(crate) mod disk_changes;
pub(crate) mod editing;
pub(crate) mod effect;
pub(crate) mod inspector;
pub(crate) mod journal;
pub(crate) mod latest;
pub(crate) mod leaving;
pub(crate) mod library;
pub(crate) mod library_list;
pub(crate) mod link;
pub(crate) mod navigation;
pub(crate) mod notices;
pub(crate) mod path_field;
pub(crate) mod pending_changes;
pub(crate) mod provenance;
pub(crate) mod recovery;
pub(crate) mod replacing;
pub(crate) mod resolving;
pub(crate) mod saving;
pub(crate) mod showing;
pub(crate) mod side_by_side;
pub(crate) mod source;
pub(crate) mod step;
pub(crate) mod stored_texts;
pub(crate) mod strip_player;
#[cfg(any(test, feature = "testing"))]
mod testing;
pub(crate) mod transport;
pub(crate) mod unsaved;
pub(crate) mod user_settings;
mod value_choices;
pub(crate) mod value_draft;
pub(crate) mod value_drafts;
pub(crate) mod view;
pub(crate) mod visible_range;
pub(crate) mod working_copy;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use crate::{
    BodySearch, ChangePreview, Describing, DeskView, DiffLayout, Effect, FindRequest, Inspector,
    InspectorTab, Journal, Leaving, Library, LibraryList, LibraryProvenance, Link, Location,
    Navigation, Notice, Overlay, PathField, PendingChanges, PendingStep, Renames, Replacing,
    SaveRound, SelectedCommits, ShownMedia, SideBySide, SourceTab, UnsavedDiffs, UserState,
    ValueDrafts,
};
use author::command_step::CommandStep;
use author::recovered::RecoveredDraft;
use author::stored_text::StoredText;
use calls::file_part::FilePart;
use document::Severity;
use document::text::Span;
use protocol::{Desk, DocId, ProjectInfo, ReadProgress, Remembered, Sizes, WatchState};

/// Relation of an opened project to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProjectStart {
    /// The same paths as before.
    Again,
    /// Others, or none.
    Other,
}

/// Changes of the documents, for the desks.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// Documents that were read for the first time.
    pub(crate) added: Vec<DocId>,
    /// Documents whose items changed on disk.
    pub(crate) changed: Vec<DocId>,
    /// Documents whose text changed.
    pub(crate) rewritten: Vec<DocId>,
    /// Removed documents, with their new ids where they were renamed.
    pub(crate) removed: Renames,
}

impl News {
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.changed.is_empty()
            && self.rewritten.is_empty()
            && self.removed.is_empty()
    }
}

/// The state that all desks share: the documents and their edits, the place in the window, and what is requested. It knows no desk.
#[derive(Debug, Default)]
pub struct Core {
    /// Effects that are requested and not performed yet.
    pub(crate) effects: Vec<Effect>,
    /// Requests to other desks that are not carried out yet.
    pub(crate) links: Vec<Link>,
    /// Changes that the desks have not seen yet.
    pub(crate) news: News,
    pub library: Library,
    pub project: Option<ProjectInfo>,
    pub(crate) generation: u64,
    pub progress: Option<ReadProgress>,
    pub last_progress: ReadProgress,
    /// Whether the project changed as a whole while edits were unsaved, which a scan would lose.
    pub(crate) scan_awaits_saving: bool,
    pub watch_state: WatchState,
    pub(crate) navigation: Navigation,
    pub list: LibraryList,
    /// The search in the content of files, for the filter of the list.
    pub bodies: BodySearch,
    /// The commits of the selected file.
    pub commits: SelectedCommits,
    /// The origins of files, as far as they were read.
    pub provenance: LibraryProvenance,
    /// The change that is shown before it is made.
    pub change_preview: ChangePreview,
    /// The pictures and sounds of the call that is shown.
    pub media: ShownMedia,
    pub tab: InspectorTab,
    pub reveal: Option<(DocId, Span)>,
    /// A place that is shown when the text of its document is read.
    pub(crate) next_reveal: Option<(DocId, FilePart)>,
    pub side: Option<SideBySide>,
    pub diff_layout: DiffLayout,
    /// The tab of the page of a source.
    pub source_tab: SourceTab,
    pub inspector: Inspector,
    /// The widths that the user has set.
    pub sizes: Sizes,
    pub overlay: Option<Overlay>,
    /// Overlays that are shown when the open one is closed, in this order.
    pub(crate) waiting_overlays: VecDeque<Overlay>,
    /// The field for a path, which is shown as [`Overlay::Path`].
    pub path_field: PathField,
    pub focus_filter: bool,
    pub open_view: bool,
    pub find_request: Option<FindRequest>,
    pub notices: Vec<Notice>,
    pub(crate) next_notice: u64,
    pub remembered: Remembered,
    /// The folders of the samples that were opened.
    pub(crate) samples: Vec<PathBuf>,
    pub journal: Journal,
    /// Steps of the command line in the project that can be undone, the last first; as of when the history was opened.
    pub command_steps: Vec<CommandStep>,
    /// Whether the last of them could not be undone.
    pub is_undo_refused: bool,
    pub(crate) save_round: Option<SaveRound>,
    pub leaving: Option<Leaving>,
    pub unsaved_diffs: UnsavedDiffs,
    /// The planned change that waits for a decision.
    pub step: Option<PendingStep>,
    /// The form that describes a format, which is shown as [`Overlay::DescribeFormat`].
    pub describing: Describing,
    /// The form that replaces something in many files, which is shown as [`Overlay::Replace`].
    pub replacing: Replacing,
    /// The values being edited in the inspector.
    pub value_drafts: ValueDrafts,
    pub(crate) pending_changes: PendingChanges,
    pub drafts: Vec<Arc<RecoveredDraft>>,
    /// The latest lines of the log, as of when it was shown.
    pub log: Option<StoredText>,
    /// The report of a crash, offered by this window.
    pub crash_report: Option<StoredText>,
    /// The user's own settings.
    pub user: UserState,
}

impl Core {
    pub(crate) fn new(remembered: Remembered) -> Self {
        Self { remembered, ..Self::default() }
    }

    /// Drops what belongs to the project that was open. What the user set stays if the same paths are opened again.
    pub(crate) fn start_project(&mut self, generation: u64, project: ProjectInfo) -> ProjectStart {
        let is_same = |p: &ProjectInfo| p.opened == project.opened && p.root == project.root;
        let start = if self.project.as_ref().is_some_and(is_same) {
            ProjectStart::Again
        } else {
            ProjectStart::Other
        };
        let list = std::mem::take(&mut self.list);
        (self.navigation, self.list) = match start {
            ProjectStart::Again => {
                // By path, since the library is cleared below and the ids with it.
                let selected = list.selected.and_then(|doc| self.library.get(doc));
                let path = selected.map(|item| Arc::clone(&item.path));
                (Navigation::at_desk(self.here().desk), list.reopened(path))
            }
            ProjectStart::Other => match self.remembered_view(&project.opened) {
                Some(view) => {
                    self.sizes.clone_from(&view.sizes);
                    (Navigation::at_desk(view.desk), list.emptied().shown_as(view))
                }
                None => (Navigation::default(), list.emptied()),
            },
        };
        self.generation = generation;
        self.library.clear();
        self.bodies = self.bodies.restarted();
        self.library.opened_folder.clone_from(&project.folder);
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
        self.value_drafts.forget_pending();
        self.step = None;
        self.replacing.reset();
        self.describing = Describing::default();
        self.waiting_overlays.clear();
        // The step was about documents that are closed now.
        self.overlay = self.overlay.take().filter(|open| *open != Overlay::Step);
        // Drafts of the same project were offered already.
        if start == ProjectStart::Other {
            self.offer_drafts();
        }
        start
    }

    /// Requests an effect.
    pub(crate) fn request(&mut self, effect: impl Into<Option<Effect>>) {
        self.effects.extend(effect.into());
    }

    /// Whether the project has a command to regenerate recordings; else the default command can be copied.
    pub fn can_regenerate(&self) -> bool {
        let project = self.project.as_ref();
        project.is_some_and(|project| project.regenerate.is_some())
    }

    /// Shows an overlay that the user did not request just now: as soon as no other one is open.
    pub(crate) fn show_when_free(&mut self, overlay: Overlay) {
        if self.overlay != Some(overlay) && !self.waiting_overlays.contains(&overlay) {
            self.waiting_overlays.push_back(overlay);
        }
        self.show_waiting_overlay();
    }

    /// Shows the next overlay that waited for the open one to be closed.
    pub(crate) fn show_waiting_overlay(&mut self) {
        while self.overlay.is_none()
            && let Some(next) = self.waiting_overlays.pop_front()
        {
            // All edits may have been saved while the overlay waited.
            let is_obsolete = next == Overlay::Unsaved && self.library.unsaved().next().is_none();
            self.overlay = (!is_obsolete).then_some(next);
            self.unsaved_diffs = UnsavedDiffs::default();
        }
    }

    /// Closes a dialog that waits for what cannot be computed, and reports why.
    pub(crate) fn close_failed(&mut self, overlay: Overlay, reason: &str) {
        // The user may have opened another one meanwhile.
        self.overlay = self.overlay.take().filter(|open| *open != overlay);
        self.notify(Severity::Error, format!("{reason}."));
    }

    /// Requests something of another desk.
    pub(crate) fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    /// The current location.
    pub fn here(&self) -> Location {
        self.navigation.here
    }

    /// Whether the list of a desk is shown.
    pub(crate) fn shows(&self, desk: Desk) -> bool {
        self.here() == Location { desk, view: DeskView::List }
    }
}
