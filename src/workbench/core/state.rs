//! The state that all desks share.

use std::path::PathBuf;
use std::sync::Arc;

use crate::format::{Problem, Severity};
use crate::ops::recovered::RecoveredDraft;
use crate::ops::regenerate::Template;
use crate::ops::search::Completion;
use crate::text::Span;
use crate::workbench::core::disk_changes::{Renames, WatchState};
use crate::workbench::core::editing::RefusedEdit;
use crate::workbench::core::effect::{Effect, Remembered};
use crate::workbench::core::inspector::{FindRequest, Inspector};
use crate::workbench::core::journal::Journal;
use crate::workbench::core::leaving::Leaving;
use crate::workbench::core::library::{DocId, Library};
use crate::workbench::core::library_list::LibraryDesk;
use crate::workbench::core::link::Link;
use crate::workbench::core::list_request::{ListKey, ListRequest};
use crate::workbench::core::listing::LibraryListing;
use crate::workbench::core::navigation::{Desk, DeskView, Location, Navigation};
use crate::workbench::core::pending_changes::PendingChanges;
use crate::workbench::core::saving::SaveRound;
use crate::workbench::core::side_by_side::SideBySide;
use crate::workbench::core::unsaved::UnsavedDiffs;
use crate::workbench::core::view::{DiffLayout, InspectorTab, Overlay};

/// The open project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectInfo {
    /// The name of the project root's folder.
    pub name: String,
    /// The branch that is checked out, if there is a repository.
    pub branch: Option<String>,
    /// The path of the project root, for messages.
    pub root: String,
    /// The opened paths, as given.
    pub opened: Vec<PathBuf>,
    /// The command that re-records, if `retake.toml` has one.
    pub regenerate: Option<Template>,
    /// The diff tool in `retake.toml`.
    pub difftool: Option<String>,
}

impl ProjectInfo {
    /// Whether the same paths are open as in another project.
    pub(in crate::workbench) fn is_same_as(&self, other: &Self) -> bool {
        self.opened == other.opened && self.root == other.root
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Number of files read.
    pub read: usize,
    /// Files known so far; grows while folders are still being listed.
    pub known: usize,
    pub bytes: u64,
    /// Files and folders that were listed but not opened, each with a reason.
    pub not_opened: usize,
}

/// How many items are listed on the window's thread, which takes one or two milliseconds.
const LISTED_AT_ONCE: usize = 4096;

/// One problem of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProblemId {
    pub doc: DocId,
    /// The problem's position among the item's.
    pub index: usize,
}

/// A short message that disappears after a while or on a click.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: u64,
    pub severity: Severity,
    /// One sentence.
    pub text: String,
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
    pub watch_state: WatchState,
    pub(in crate::workbench) navigation: Navigation,
    pub list: LibraryDesk,
    pub tab: InspectorTab,
    pub reveal: Option<(DocId, Span)>,
    pub side: Option<SideBySide>,
    pub diff_layout: DiffLayout,
    pub inspector: Inspector,
    pub overlay: Option<Overlay>,
    pub focus_filter: bool,
    pub find_request: Option<FindRequest>,
    pub notices: Vec<Notice>,
    pub(in crate::workbench) next_notice: u64,
    pub remembered: Remembered,
    pub journal: Journal,
    pub(in crate::workbench) save_round: Option<SaveRound>,
    pub leaving: Option<Leaving>,
    pub unsaved_diffs: UnsavedDiffs,
    pub refused_edit: Option<RefusedEdit>,
    pub(in crate::workbench) pending_changes: PendingChanges,
    pub drafts: Vec<Arc<RecoveredDraft>>,
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
            watch_state: WatchState::default(),
            navigation: Navigation::new(),
            list: LibraryDesk::default(),
            tab: InspectorTab::default(),
            reveal: None,
            side: None,
            diff_layout: DiffLayout::default(),
            inspector: Inspector::new(),
            overlay: None,
            focus_filter: false,
            find_request: None,
            notices: Vec::new(),
            next_notice: 0,
            remembered,
            journal: Journal::default(),
            save_round: None,
            leaving: None,
            unsaved_diffs: UnsavedDiffs::default(),
            refused_edit: None,
            pending_changes: PendingChanges::default(),
            drafts: Vec::new(),
        }
    }

    /// Requests an effect.
    pub(in crate::workbench) fn request(&mut self, effect: impl Into<Option<Effect>>) {
        self.effects.extend(effect.into());
    }

    /// Shows a notice. Replaces an earlier notice with the same text.
    pub(in crate::workbench) fn notify(&mut self, severity: Severity, text: impl Into<String>) {
        let text = text.into();
        self.notices.retain(|notice| notice.text != text);
        self.notices.push(Notice {
            id: self.next_notice,
            severity,
            text,
        });
        self.next_notice += 1;
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

    /// Closes a dialog that waits for what cannot be computed, and reports why.
    pub(in crate::workbench) fn close_failed(&mut self, overlay: Overlay, reason: &str) {
        self.overlay = self.overlay.take().filter(|open| *open != overlay);
        self.notify(Severity::Error, format!("{reason}."));
    }

    /// Requests something of another desk.
    pub(in crate::workbench) fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    /// Makes the listing again if its inputs have changed.
    ///
    /// A short listing is made at once. A long one is requested, and the previous one is shown until it is ready: the window
    /// never waits for it. While files are being read, the listing is updated in growing steps, so that a hundred thousand
    /// items are sorted a dozen times, not once for every few that arrive.
    pub(in crate::workbench) fn sync_list(&mut self) -> Option<Effect> {
        let (items, choice) = (self.library.items_revision, self.list.options_revision);
        let built = self.list.built;
        let arriving = self.progress.is_some() && built.1 == choice;
        let awaited = self
            .list
            .awaited
            .is_some_and(|(_, awaited)| awaited == choice);
        let listed = self.list.listing.item_count();
        let is_soon = arriving && self.library.len() < listed + listed / 2;
        if built == (items, choice) || awaited || is_soon {
            return None;
        }
        let has_orders = built.0 == items;
        let request = ListRequest {
            key: (items, choice),
            items: self.library.items.clone(),
            options: self.list.listing_options(),
            orders: has_orders.then(|| self.list.listing.orders.clone()),
            typed: self.list.typed.clone(),
        };
        self.list.awaited = Some(request.key);
        if self.library.len() > LISTED_AT_ONCE {
            return Some(Effect::run(request));
        }
        self.on_listing(request.key, Ok(request.list()));
        if let Some(completions) = request.complete() {
            self.list.on_completions(request.key, completions);
        }
        None
    }

    /// Stores a listing, unless another one is expected by now.
    pub(in crate::workbench) fn on_listing(
        &mut self,
        key: ListKey,
        listing: Result<LibraryListing, String>,
    ) {
        if self.list.awaited == Some(key) {
            self.list.awaited = None;
            self.list.built = key;
            if let Some(listing) = self.or_notify(listing) {
                self.list.listing = listing;
            }
        }
    }

    /// The current location.
    pub fn here(&self) -> Location {
        self.navigation.here
    }

    /// Whether the list of a desk is shown.
    pub(in crate::workbench) fn shows(&self, desk: Desk) -> bool {
        self.here()
            == Location {
                desk,
                view: DeskView::List,
            }
    }
}

impl Library {
    /// A problem by its id.
    pub fn problem(&self, id: ProblemId) -> Option<&Problem> {
        self.get(id.doc)?.problems.get(id.index)
    }
}

impl LibraryDesk {
    pub(in crate::workbench) fn on_completions(
        &mut self,
        key: ListKey,
        completions: Vec<Completion>,
    ) {
        if self.options_revision == key.1 {
            self.completions = completions;
            self.typed = None;
        }
    }
}
