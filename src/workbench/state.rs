//! The workbench: the whole state of the application. It changes nowhere else.

use crate::workbench::Desk;
use std::sync::Arc;

use super::action::{DiffLayout, InspectorTab, Overlay};
use super::desks::{LibraryDesk, ProblemsDesk};
use super::disk_changes::{Renames, WatchState};
use super::editing::RefusedEdit;
use super::event::{Effect, EngineEvent, ProjectInfo, ReadProgress, Remembered};
use super::incident::ImportDesk;
use super::inspector::{FindRequest, Inspector, InspectorPlacement};
use super::journal::Journal;
use super::leaving::Leaving;
use super::library::{DocId, Library};
use super::link::Link;
use super::list_request::{ListKey, ListRequest};
use super::listing::LibraryListing;
use super::live::LiveDesk;
use super::navigation::{DeskView, Location, Navigation};
use super::pending_changes::PendingChanges;
use super::playback::PlaybackDesk;
use super::review::ReviewDesk;
use super::saving::SaveRound;
use super::seeds::SeedsDesk;
use super::sessions::SessionsDesk;
use super::side_by_side::{SideBySide, SideBySideContent};
use super::tapes::TapesDesk;
use super::terminal::Terminal;
use super::unsaved::UnsavedDiffs;
use crate::format::{Problem, Severity};
use crate::ops::Item;
use crate::ops::recovered::RecoveredDraft;
use crate::ops::search::Completion;
use crate::text::Span;

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
pub(super) struct News {
    /// Documents whose text changed.
    pub(super) rewritten: Vec<DocId>,
    /// Removed documents, with their new ids where they were renamed.
    pub(super) removed: Renames,
}

impl News {
    pub(super) fn is_empty(&self) -> bool {
        self.rewritten.is_empty() && self.removed.is_empty()
    }
}

/// The state that all desks share: the documents and their edits, the place in the window, and what is requested. It knows no desk.
#[derive(Debug)]
pub struct Core {
    /// What is requested and not performed yet.
    pub(super) effects: Vec<Effect>,
    /// What is requested of other desks and not carried out yet.
    pub(super) links: Vec<Link>,
    /// Changes that the desks have not seen yet.
    pub(super) news: News,
    pub library: Library,
    pub project: Option<ProjectInfo>,
    pub(super) generation: u64,
    pub progress: Option<ReadProgress>,
    pub last_progress: ReadProgress,
    pub watch_state: WatchState,
    pub(super) navigation: Navigation,
    pub list: LibraryDesk,
    pub tab: InspectorTab,
    pub reveal: Option<(DocId, Span)>,
    pub side: Option<SideBySide>,
    pub diff_layout: DiffLayout,
    pub inspector: Inspector,
    pub overlay: Option<Overlay>,
    pub(super) focus_filter: bool,
    pub(super) find_request: Option<FindRequest>,
    pub notices: Vec<Notice>,
    pub(super) next_notice: u64,
    pub remembered: Remembered,
    pub journal: Journal,
    pub(super) save_round: Option<SaveRound>,
    pub leaving: Option<Leaving>,
    pub(super) unsaved_diffs: UnsavedDiffs,
    pub refused_edit: Option<RefusedEdit>,
    pub(super) pending_changes: PendingChanges,
    pub drafts: Vec<Arc<RecoveredDraft>>,
}

/// The whole state of the application. Views read it; [`Workbench::apply`] and [`Workbench::receive`] change it.
#[derive(Debug)]
pub struct Workbench {
    pub core: Core,
    pub problems: ProblemsDesk,
    pub playback: PlaybackDesk,
    pub seeds: SeedsDesk,
    pub tapes: TapesDesk,
    pub sessions: SessionsDesk,
    pub review: ReviewDesk,
    pub live: LiveDesk,
    pub import: ImportDesk,
    pub terminal: Terminal,
}

impl Core {
    fn new(remembered: Remembered) -> Self {
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

    /// Selects the item if it is the only one.
    fn select_only(&mut self) {
        match self.library.len() {
            1 if self.list.selected.is_none() => self.select(DocId::new(0)),
            _ => {}
        }
    }

    fn on_comparison(&mut self, view: DeskView, finding: Result<SideBySideContent, String>) {
        if let Some(side) = self.side.as_mut().filter(|side| side.view == view) {
            side.content =
                finding.unwrap_or_else(|reason| SideBySideContent::Failed(reason.into()));
            side.revision += 1;
        }
    }

    /// Requests an effect.
    pub(super) fn request(&mut self, effect: impl Into<Option<Effect>>) {
        self.effects.extend(effect.into());
    }

    /// Shows a notice. Replaces an earlier notice with the same text.
    pub(super) fn notify(&mut self, severity: Severity, text: impl Into<String>) {
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
    pub(super) fn or_notify<T>(&mut self, result: Result<T, String>) -> Option<T> {
        let notify = |reason| self.notify(Severity::Error, format!("{reason}."));
        result.map_err(notify).ok()
    }

    /// Requests something of another desk.
    pub(super) fn link(&mut self, link: Link) {
        self.links.push(link);
    }

    /// Makes the listing again if its inputs have changed.
    ///
    /// A short listing is made at once. A long one is requested, and the previous one is shown until it is ready: the window
    /// never waits for it. While files are being read, the listing is updated in growing steps, so that a hundred thousand
    /// items are sorted a dozen times, not once for every few that arrive.
    fn sync_list(&mut self) -> Option<Effect> {
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
            self.on_completions(request.key, completions);
        }
        None
    }

    /// Stores a listing, unless another one is expected by now.
    fn on_listing(&mut self, key: ListKey, listing: Result<LibraryListing, String>) {
        if self.list.awaited == Some(key) {
            self.list.awaited = None;
            self.list.built = key;
            if let Some(listing) = self.or_notify(listing) {
                self.list.listing = listing;
            }
        }
    }

    fn on_completions(&mut self, key: ListKey, completions: Vec<Completion>) {
        if self.list.options_revision == key.1 {
            self.list.completions = completions;
            self.list.typed = None;
        }
    }
}

impl Workbench {
    /// Creates a workbench with nothing open and the stored state.
    pub fn new(remembered: Remembered) -> Self {
        Self {
            core: Core::new(remembered),
            problems: ProblemsDesk::default(),
            playback: PlaybackDesk::default(),
            seeds: SeedsDesk::default(),
            tapes: TapesDesk::default(),
            sessions: SessionsDesk::default(),
            review: ReviewDesk::default(),
            live: LiveDesk::default(),
            import: ImportDesk::default(),
            terminal: Terminal::default(),
        }
    }

    /// Handles an event of the engine. Events of an older scan are ignored.
    pub fn receive(&mut self, event: EngineEvent) -> Vec<Effect> {
        self.on_event(event);
        self.settle()
    }

    fn on_event(&mut self, event: EngineEvent) {
        match event {
            EngineEvent::ScanStarted {
                generation,
                project,
            } => {
                self.stop_queues_of_other_project(&project);
                self.start_project(generation, project);
            }
            EngineEvent::ItemsFound { generation, items } if generation == self.core.generation => {
                self.on_items_found(items);
            }
            EngineEvent::DiskChanged(generation, news) if generation == self.core.generation => {
                self.on_disk_change(news);
            }
            EngineEvent::Progressed {
                generation,
                progress,
            } if generation == self.core.generation => {
                self.core.progress = Some(progress);
                self.core.last_progress = progress;
            }
            EngineEvent::ItemsChecked { generation, items }
                if generation == self.core.generation =>
            {
                self.core.library.replace(items);
            }
            EngineEvent::ScanEnded {
                generation,
                progress,
                cancelled,
            } if generation == self.core.generation => {
                self.core.progress = None;
                self.core.last_progress = progress;
                self.core.list.reselect = None;
                if cancelled {
                    self.core.notify(
                        Severity::Note,
                        "Reading was stopped. Files that were already read stay open.",
                    );
                }
                self.core.select_only();
            }
            EngineEvent::Listed(key, listing) => self.core.on_listing(key, listing),
            EngineEvent::Completed(key, completions) => self.core.on_completions(key, completions),
            EngineEvent::Opened(id, result) => self.core.on_document_opened(id, result),
            EngineEvent::Compared {
                left,
                right,
                result,
            } => {
                let finding = result.map(SideBySideContent::Recordings);
                self.core
                    .on_comparison(DeskView::Compare { left, right }, finding);
            }
            EngineEvent::SourceFound(doc, result) => {
                self.core
                    .on_comparison(DeskView::Source(doc), result.map(SideBySideContent::Source));
            }
            EngineEvent::ChangePlanned(generation, planned)
                if generation == self.core.generation =>
            {
                self.on_change_planned(planned);
            }
            EngineEvent::Parsed(doc, revision, parsed) => {
                let effect = self.core.on_parsed(doc, revision, parsed);
                self.core.request(effect);
            }
            EngineEvent::ChangesFound(doc, revision, diff) => {
                self.core.on_changes_found(doc, revision, diff);
            }
            EngineEvent::Merged(doc, revision, merge) => self.core.on_merged(doc, revision, merge),
            EngineEvent::Saved(doc, result) => self.core.on_saved(doc, result),
            EngineEvent::SavedAs {
                doc,
                path,
                text,
                to,
                result,
            } => self.core.on_saved_as(doc, &path, text, to, result),
            EngineEvent::Seeds(event) => self.on_seeds_event(event),
            EngineEvent::Sessions(event) => self.on_sessions_event(event),
            EngineEvent::Tapes(event) => self.on_tapes_event(event),
            EngineEvent::Live(event) => self.on_live_event(event),
            EngineEvent::Review(event) => self.on_review_event(event),
            EngineEvent::Import(event) => self.on_import_event(event),
            EngineEvent::DraftsFound(left) => self.core.on_drafts_found(left),
            EngineEvent::Located(id, doc) => self.core.on_draft_located(id, doc),
            EngineEvent::Playback(event) => self.on_playback_event(event),
            EngineEvent::Terminal(run, event) => self.on_terminal_event(run, event),
            EngineEvent::Failed(text) => self.core.notify(Severity::Error, text),
            _ => {}
        }
    }

    pub(super) fn start_project(&mut self, generation: u64, project: ProjectInfo) {
        self.core.generation = generation;
        let before = self.core.project.replace(project);
        self.forget_proposals(before.as_ref());
        let is_again = before.is_some_and(|before| self.core.has_opened(&before));
        (self.core.navigation, self.core.list, self.problems) = if is_again {
            self.desks_after_reload()
        } else {
            self.reset_desks()
        };
        self.playback = if is_again {
            self.playback.after_reload()
        } else {
            self.playback.reset()
        };
        self.seeds = if is_again {
            self.seeds.after_reload()
        } else {
            SeedsDesk::default()
        };
        self.tapes = self.tapes.after_reload();
        self.sessions = self.sessions.after_reload();
        self.review = self.review.after_reload();
        self.import.fetch.stop();
        self.core.library.clear();
        self.core.progress = Some(ReadProgress::default());
        self.core.last_progress = ReadProgress::default();
        self.core.watch_state = WatchState::default();
        self.core.reveal = None;
        self.core.side = None;
        self.core.journal.clear();
        self.core.save_round = None;
        self.core.pending_changes = PendingChanges::default();
    }

    /// The state of the desks for another project: only the sort order and the grouping are kept.
    fn reset_desks(&self) -> (Navigation, LibraryDesk, ProblemsDesk) {
        let list = LibraryDesk {
            sort: self.core.list.sort,
            grouping: self.core.list.grouping,
            ..LibraryDesk::default()
        };
        (Navigation::new(), list, ProblemsDesk::default())
    }

    /// Updates lists after changes. Called once per frame, before painting.
    pub fn refresh(&mut self) -> Vec<Effect> {
        self.sync();
        self.settle()
    }

    /// Carries out what the last action, event or frame requested of other desks, and returns the effects.
    pub(super) fn settle(&mut self) -> Vec<Effect> {
        loop {
            let news = std::mem::take(&mut self.core.news);
            if !news.is_empty() {
                self.on_news(&news);
            }
            let links = std::mem::take(&mut self.core.links);
            if links.is_empty() {
                return std::mem::take(&mut self.core.effects);
            }
            for link in links {
                self.follow(link);
            }
        }
    }

    fn on_news(&mut self, news: &News) {
        self.on_seed_files_rewritten(&news.rewritten);
        self.on_problems_removed(&news.removed);
    }

    fn follow(&mut self, link: Link) {
        match link {
            Link::Run(command) => self.run(command),
            Link::CloseProject => self.close_project(),
        }
    }

    fn sync(&mut self) {
        let effect = self.core.sync_list();
        self.core.effects.extend(effect);
        self.sync_sources();
        self.sync_problems();
        let effect = self.sync_seeds();
        self.core.request(effect);
        self.sync_tapes();
        self.sync_sessions();
        self.sync_review();
        self.show_saved();
        let effect = self.sync_import();
        self.core.request(effect);
        self.sync_contract();
        let effect = self.core.sync_view();
        self.core.request(effect);
        self.core.sync_unsaved();
        self.sync_playback();
        self.sync_queue();
    }
}

/// Getters for the views.
impl Core {
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

    /// Whether the import is shown.
    pub fn shows_import(&self) -> bool {
        self.here().view == DeskView::Import
    }

    /// A problem by its id.
    pub fn problem(&self, id: ProblemId) -> Option<&Problem> {
        self.library.get(id.doc)?.problems.get(id.index)
    }

    /// Whether the inspector is shown.
    pub fn shows_inspector(&self) -> bool {
        self.inspector.is_shown()
    }

    /// Sets the placement of the inspector.
    pub fn set_inspector_placement(&mut self, room: InspectorPlacement) {
        self.inspector.placement = room;
    }

    /// Returns true once after the filter was requested to get the focus.
    pub fn take_focus_filter(&mut self) -> bool {
        std::mem::take(&mut self.focus_filter)
    }

    /// Returns the search request for the shown text, once.
    pub fn take_find_request(&mut self) -> Option<FindRequest> {
        self.find_request.take()
    }
}

impl Workbench {
    /// The item that commands apply to.
    pub fn selected(&self) -> Option<&Item> {
        self.core.library.get(self.subject()?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::format::{FileKind, RuleId};
    use crate::ops::source::{PresentSource, SourceFinding, SourceState};
    use crate::workbench::{
        Action, Command, CompareItems, CompareSourceVersions, Desk, LibraryRow, QuickFilter,
    };

    /// A workbench after a scan of these items.
    fn opened(items: Vec<Item>) -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let project = ProjectInfo {
            name: "desk".to_owned(),
            ..ProjectInfo::default()
        };
        workbench.receive(EngineEvent::ScanStarted {
            generation: 1,
            project,
        });
        let items = items.into_iter().map(Arc::new).collect();
        workbench.receive(EngineEvent::ItemsFound {
            generation: 1,
            items,
        });
        let progress = ReadProgress::default();
        workbench.receive(EngineEvent::ScanEnded {
            generation: 1,
            progress,
            cancelled: false,
        });
        workbench.refresh();
        workbench
    }

    fn recording(path: &str, recorded_at: &str) -> Item {
        Item {
            kind: FileKind::Recording,
            recorded_at: Some(recorded_at.into()),
            ..Item::new(path)
        }
    }

    fn stale(path: &str) -> Item {
        let present = Arc::new(PresentSource::from_bytes("a.dygram", b"now", true));
        let hash = Some("0".repeat(64).into());
        let source = SourceState::new(Some("a.dygram".into()), hash, SourceFinding::Stale(present));
        Item {
            source: Some(source),
            ..recording(path, "2026-01-01T00:00:00Z")
        }
    }

    fn problem(rule: RuleId) -> Problem {
        Problem::whole_file(rule, "wrong")
    }

    /// The rows as text: a heading by its name, an item by its path, the selected one marked.
    fn rows(workbench: &Workbench) -> Vec<String> {
        let row = |row: &LibraryRow| match row {
            LibraryRow::Group(group) => format!("[{} {}]", group.name, group.count),
            LibraryRow::Item(id) => {
                let mark = if workbench.core.list.selected == Some(*id) {
                    ">"
                } else {
                    ""
                };
                format!(
                    "{mark}{}",
                    workbench
                        .core
                        .library
                        .get(*id)
                        .map_or("gone", |item| &item.path)
                )
            }
        };
        workbench.core.list.listing.rows.iter().map(row).collect()
    }

    fn press(workbench: &mut Workbench, command: Command) -> Vec<Effect> {
        let effects = workbench.apply(Action::Run(command));
        workbench.refresh();
        effects
    }

    #[test]
    fn the_latest_is_first_and_stepping_reads_each_selected_file_once() {
        let mut workbench = opened(vec![
            recording("a.json", "2025"),
            recording("b.json", "2026"),
        ]);
        assert_eq!(rows(&workbench), ["b.json", "a.json"]);

        assert_eq!(
            press(&mut workbench, Command::NextRow),
            [workbench.core.read_file(DocId::new(1)).unwrap()]
        );
        assert_eq!(
            press(&mut workbench, Command::NextRow),
            [workbench.core.read_file(DocId::new(0)).unwrap()]
        );
        assert_eq!(press(&mut workbench, Command::PreviousRow), []);
        assert_eq!(rows(&workbench), [">b.json", "a.json"]);
    }

    #[test]
    fn a_selection_survives_another_sort_and_a_grouping() {
        let mut workbench = opened(vec![
            recording("x/a.json", "2025"),
            recording("y/b.json", "2026"),
        ]);
        press(&mut workbench, Command::NextRow);
        let _ = workbench.apply(Action::SortBy(crate::workbench::LibraryColumn::Id));
        workbench.refresh();
        assert_eq!(rows(&workbench), ["x/a.json", ">y/b.json"]);
        press(&mut workbench, Command::GroupByFolder);
        assert_eq!(
            rows(&workbench),
            ["[x 1]", "x/a.json", "[y 1]", ">y/b.json"]
        );
    }

    #[test]
    fn a_stale_recording_opens_side_by_side_and_esc_leads_back() {
        let mut workbench = opened(vec![stale("a.json")]);
        press(&mut workbench, Command::NextRow);
        let id = DocId::new(0);
        let find_source = |workbench: &Workbench| {
            Effect::run(CompareSourceVersions::new(&workbench.core.library, id).unwrap())
        };
        assert_eq!(
            press(&mut workbench, Command::OpenSelected),
            [find_source(&workbench)]
        );
        assert_eq!(workbench.core.here().view, DeskView::Source(id));
        assert_eq!(
            press(&mut workbench, Command::Close),
            [Effect::cancel::<CompareItems>()]
        );
        assert_eq!(workbench.core.here().view, DeskView::List);
        assert_eq!(
            press(&mut workbench, Command::Back),
            [find_source(&workbench)]
        );
    }

    #[test]
    fn a_response_that_is_no_longer_expected_is_ignored() {
        let mut workbench = opened(vec![stale("a.json")]);
        let id = DocId::new(0);
        let _ = workbench.apply(Action::CompareSource(id));
        press(&mut workbench, Command::Close);
        workbench.receive(EngineEvent::SourceFound(id, Err("late".to_owned())));
        assert!(workbench.core.side.is_none());

        workbench.receive(EngineEvent::ItemsFound {
            generation: 0,
            items: vec![Arc::new(Item::new("old.json"))],
        });
        assert_eq!(workbench.core.library.len(), 1);
    }

    #[test]
    fn stepping_through_problems_goes_from_file_to_file_and_round() {
        let broken = |path, rules: &[RuleId]| Item {
            problems: rules.iter().copied().map(problem).collect(),
            ..recording(path, "2026")
        };
        // Files arrive in any order.
        let mut workbench = opened(vec![
            broken("b.json", &[RuleId::SeedEmpty]),
            recording("fine.json", "2026"),
            broken("a.json", &[RuleId::Syntax, RuleId::MissingField]),
        ]);
        let mut visit = |command| {
            press(&mut workbench, command);
            workbench.problems.rule
        };
        for rule in [
            RuleId::Syntax,
            RuleId::MissingField,
            RuleId::SeedEmpty,
            RuleId::Syntax,
        ] {
            assert_eq!(visit(Command::NextProblem), Some(rule));
        }
        for rule in [RuleId::SeedEmpty, RuleId::MissingField] {
            assert_eq!(visit(Command::PreviousProblem), Some(rule));
        }
        assert_eq!(workbench.core.here().desk, Desk::Problems);
    }

    #[test]
    fn quick_choices_narrow_the_list_and_their_counts_stay() {
        let mut workbench = opened(vec![stale("a.json"), recording("b.json", "2026")]);
        press(&mut workbench, Command::ShowStale);
        assert_eq!(rows(&workbench), ["a.json"]);
        assert_eq!(workbench.core.list.listing.totals.all, 2);
        let _ = workbench.apply(Action::SetQuickFilter(QuickFilter::All));
        workbench.refresh();
        assert_eq!(rows(&workbench).len(), 2);
    }

    #[test]
    fn a_command_that_cannot_be_used_says_why() {
        let mut workbench = Workbench::new(Remembered::default());
        assert_eq!(
            Command::CompareSource.enabled(&workbench),
            Err("select a recording first")
        );
        press(&mut workbench, Command::Reload);
        assert_eq!(workbench.core.notices[0].text, "Reload: nothing is open.");
    }

    #[test]
    fn what_was_opened_leads_the_recent_list() {
        let mut workbench = Workbench::new(Remembered::default());
        for path in ["a", "b", "a"] {
            let _ = workbench.apply(Action::Open(vec![path.into()]));
        }
        let recent: Vec<_> = workbench
            .core
            .remembered
            .recent
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        assert_eq!(recent, ["a", "b"]);
    }
}
