//! The workbench: the whole state of the application. It changes nowhere else.

use std::path::PathBuf;

use crate::desks::with_desks;
use crate::{
    Action, AuditAction, Command, Core, DeskAction, DeskState, DeskView, Effect, FindRequest,
    HistoryMode, ImportAction, InspectorPlacement, Link, NewTapeAction, News, PlaybackAction,
    SessionsAction, SideBySideContent, TapesAction, TriageAction,
};
use calls::Item;
use check::change::Change;
use document::Severity;
use protocol::{
    Desk, DiskChange, DocId, EngineEvent, IncidentSource, NewTapeSource, PlannedChange,
    ProjectInfo, Remembered, RequestsSource, RunSource, SampleStop, SessionId, UnpackedSamples,
    WriteReview,
};

macro_rules! workbench {
    ($($field:ident: $variant:ident($state:ident, $action:ident) [$($pattern:tt)*];)*) => {
        /// The whole state of the application. Views read it; [`Workbench::apply`] and [`Workbench::receive`] change it.
        #[derive(Debug)]
        pub struct Workbench {
            pub core: Core,
            /// The action that follows when these paths are read, unless others are opened instead.
            pub(super) after_open: Option<(Vec<PathBuf>, Action)>,
            $(pub $field: super::$state,)*
        }

        impl Workbench {
            /// Creates a workbench with nothing open and the stored state.
            pub fn new(remembered: Remembered) -> Self {
                Self {
                    core: Core::new(remembered),
                    after_open: None,
                    $($field: super::$state::default(),)*
                }
            }

            pub(super) fn act_on_desk(&mut self, action: DeskAction) {
                match action {
                    $(DeskAction::$variant(action) => self.$field.act(&mut self.core, action),)*
                }
            }

            /// Returns all desks, in the order in which they are updated.
            fn desks(&mut self) -> (impl Iterator<Item = &mut dyn DeskState>, &mut Core) {
                ([$(&mut self.$field as &mut dyn DeskState),*].into_iter(), &mut self.core)
            }

            /// Returns the desk whose own view is shown; `None` in the library and side by side.
            pub(super) fn shown_desk(&self) -> Option<&dyn DeskState> {
                let location = self.core.here();
                $(if matches!((location.view, location.desk), $($pattern)*) {
                    return Some(&self.$field);
                })*
                None
            }

            /// Returns the desk whose own view is shown, with the core to call it with.
            pub(super) fn shown_desk_mut(&mut self) -> Option<(&mut dyn DeskState, &mut Core)> {
                let location = self.core.here();
                $(if matches!((location.view, location.desk), $($pattern)*) {
                    return Some((&mut self.$field, &mut self.core));
                })*
                None
            }
        }
    };
}

with_desks!(workbench);

/// Actions of the views, done once as they are painted next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewRequests {
    /// Moves the focus to the filter of the desk.
    pub focus_filter: bool,
    /// Opens the menu of how the desk shows its content.
    pub open_view: bool,
    pub find: Option<FindRequest>,
    /// Opens the body of the selected call.
    pub edit_decoded: bool,
}

impl Workbench {
    /// Handles an event of the engine. Events of an older scan are ignored.
    pub fn receive(&mut self, event: EngineEvent) -> Vec<Effect> {
        self.on_event(event);
        self.settle()
    }

    fn on_event(&mut self, event: EngineEvent) {
        match event {
            // These are events of an earlier scan.
            EngineEvent::ItemsFound { generation, .. }
            | EngineEvent::DiskChanged(generation, _)
            | EngineEvent::Progressed { generation, .. }
            | EngineEvent::ItemsChecked { generation, .. }
            | EngineEvent::ScanEnded { generation, .. }
            | EngineEvent::ChangePlanned(generation, _)
                if generation != self.core.generation => {}
            EngineEvent::ScanStarted { generation, project } => {
                // The rules of the queues belong to the project that was open.
                if self.core.project.as_ref().is_none_or(|p| p.root != project.root) {
                    self.live.queue.stop_all(&mut self.core);
                }
                self.start_project(generation, project);
            }
            EngineEvent::SamplesUnpacked(samples) => self.on_samples(samples),
            EngineEvent::ItemsFound { items, .. } => self.core.on_items_found(items),
            EngineEvent::DiskChanged(_, change) => self.on_disk_change(change),
            EngineEvent::Progressed { progress, .. } => {
                self.core.progress = Some(progress);
                self.core.last_progress = progress;
            }
            EngineEvent::ItemsChecked { items, .. } => self.core.library.replace(items),
            EngineEvent::ScanEnded { progress, cancelled, .. } => {
                self.core.progress = None;
                self.core.last_progress = progress;
                // No more files come, so that no later one is selected.
                self.core.list.reselect = None;
                if cancelled {
                    self.core.notify(
                        Severity::Note,
                        "Reading was stopped. Files that were already read stay open.",
                    );
                }
                // A single file leaves nothing to choose.
                if self.core.library.len() == 1 && self.core.list.selected.is_none() {
                    self.core.select(DocId::new(0));
                }
                let open_paths = self.core.project.as_ref().map(|p| &p.opened);
                if let Some((paths, next_action)) = self.after_open.take()
                    // Other paths may have been opened meanwhile.
                    && open_paths == Some(&paths)
                    && !cancelled
                {
                    self.act(next_action);
                }
            }
            EngineEvent::FirstRows(key, first) => self.core.on_first_rows(key, first),
            EngineEvent::Listed(key, listing) => self.core.on_listing(key, listing),
            EngineEvent::BodiesSearched(number, bodies) => {
                self.core.on_bodies_searched(number, bodies);
            }
            EngineEvent::Completed(key, completions) => {
                self.core.list.on_completions(key, completions);
            }
            EngineEvent::PictureDrawn(picture) => self.core.on_picture_drawn(picture),
            EngineEvent::MapRead(key, result) => self.source.on_read(&key, *result),
            EngineEvent::FixPreviewed(key, diff) => {
                self.problems.fix.receive(&key, diff);
            }
            EngineEvent::CommitsFound(key, calls) => self.core.on_commits_found(key, calls),
            EngineEvent::ProvenanceFound(number, found) => {
                self.core.on_provenance_found(number, found);
            }
            EngineEvent::ChangePreviewed(key, diff) => {
                self.core.change_preview.shown.receive(&key, diff);
            }
            EngineEvent::MediaDecoded(key, media) => {
                self.core.media.decoded.receive(&key, media);
            }
            EngineEvent::Opened(id, result) => self.core.on_document_opened(id, result),
            EngineEvent::Compared { left, right, result } => {
                let finding = result.map(SideBySideContent::Recordings);
                self.core.on_comparison(DeskView::Compare { left, right }, finding);
            }
            EngineEvent::SourceFound(doc, result) => {
                self.core
                    .on_comparison(DeskView::Source(doc), result.map(SideBySideContent::Source));
            }
            EngineEvent::ChangePlanned(_, plan) => self.on_change_planned(plan),
            EngineEvent::Parsed(doc, revision, result) => {
                self.core.on_parsed(doc, revision, result);
            }
            EngineEvent::ChangesFound(doc, revision, diff) => {
                self.core.unsaved_diffs.on_changes_found(doc, revision, diff);
            }
            EngineEvent::Merged(doc, revision, merge) => self.core.on_merged(doc, revision, merge),
            EngineEvent::Saved(doc, result) => self.core.on_saved(doc, result),
            EngineEvent::SavedAs { doc, path, text, to, result } => {
                self.core.on_saved_as(doc, &path, text, to, result);
            }
            EngineEvent::SeedsLoaded(key, seeds) => {
                self.seeds.on_loaded(&mut self.core, &key, seeds);
            }
            EngineEvent::Audited(key, result) => {
                self.audit.on_report(&mut self.core, &key, result);
            }
            EngineEvent::Sessions(event) => self.sessions.receive(&mut self.core, event),
            EngineEvent::Tapes(event) => self.tapes.receive(&mut self.core, event),
            EngineEvent::Queue(event) => self.live.queue.receive(&mut self.core, event),
            EngineEvent::Calls(event) => self.live.calls.receive(&mut self.core, event),
            EngineEvent::Review(event) => self.review.receive(&mut self.core, event),
            EngineEvent::Import(event) => self.import.receive(&mut self.core, event),
            EngineEvent::LogRead(log) => self.core.log = Some(log),
            EngineEvent::CrashFound(report) => self.core.on_crash_found(report),
            EngineEvent::DraftsFound(drafts) => self.core.on_drafts_found(drafts),
            EngineEvent::CommandSteps { steps, undone } => {
                self.core.on_command_steps(steps, undone);
            }
            EngineEvent::FormatPreviewed(key, result) => {
                self.core.on_format_previewed(&key, result);
            }
            EngineEvent::ReplacePlanned(key, result) => self.core.on_replace_planned(&key, result),
            EngineEvent::Located(id, doc) => self.core.on_draft_located(id, doc),
            EngineEvent::Playback(event) => self.playback.receive(&mut self.core, event),
            EngineEvent::Triage(event) => self.triage.receive(&mut self.core, event),
            EngineEvent::Terminal(run, event) => self.terminal.receive(&mut self.core, run, event),
            EngineEvent::PathFound(text, lookup) => self.on_path_found(&text, lookup),
            EngineEvent::UserSettings(file) => self.core.on_user_settings(file),
            EngineEvent::Failed(text) => self.core.notify(Severity::Error, text),
        }
    }

    fn on_samples(&mut self, samples: UnpackedSamples) {
        let incident = vec![samples.incident];
        let stop = match samples.stop {
            SampleStop::Library => Action::Run(Command::GoLibrary),
            SampleStop::Sources => Action::Run(Command::CompareSource),
            SampleStop::Import => Action::from(ImportAction::Read(IncidentSource::Files(incident))),
            SampleStop::Review => Action::Run(Command::GoReview),
            SampleStop::FailedTest => Action::from(TriageAction::Read(RunSource::Files(incident))),
        };
        self.core.samples.push(samples.project.clone());
        self.act(Action::OpenThen(vec![samples.project], Box::new(stop)));
    }

    /// Closes what is open, for another project or for the same one again.
    pub(super) fn start_project(&mut self, generation: u64, project: ProjectInfo) {
        self.terminal.forget_proposals(self.core.project.as_ref(), &project);
        let start = self.core.start_project(generation, project);
        for desk in self.desks().0 {
            desk.start_project(start);
        }
    }

    /// Updates lists after changes. Called once per frame, before painting.
    pub fn refresh(&mut self) -> Vec<Effect> {
        self.sync();
        self.settle()
    }

    /// Carries out what the last action, event or frame requested of other desks, and returns the effects.
    pub(super) fn settle(&mut self) -> Vec<Effect> {
        // Links may change documents, and request something of other desks again.
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

    /// Stores what depends on the window's width, and returns what was requested of the views since the last frame.
    pub fn begin_frame(&mut self, placement: InspectorPlacement) -> ViewRequests {
        self.core.inspector.placement = placement;
        ViewRequests {
            focus_filter: std::mem::take(&mut self.core.focus_filter),
            open_view: std::mem::take(&mut self.core.open_view),
            find: self.core.find_request.take(),
            edit_decoded: std::mem::take(&mut self.core.inspector.edits_decoded),
        }
    }

    /// Shows which scripts have no font.
    pub fn on_missing_fonts(&mut self, message: String) {
        self.core.notify(Severity::Warning, message);
    }

    /// Sets the time, in seconds since a fixed moment.
    pub fn set_time(&mut self, now: f64) {
        self.tapes.set_time(now);
        self.playback.set_time(now);
        self.live.queue.set_time(now);
    }

    fn on_news(&mut self, news: &News) {
        let (desks, core) = self.desks();
        for desk in desks {
            desk.on_news(core, news);
        }
    }

    fn follow(&mut self, link: Link) {
        match link {
            Link::WriteFiles(writes) if writes.is_empty() => {}
            Link::WriteFiles(writes) => self.core.request(Effect::run(WriteReview { writes })),
            Link::Run(command) => self.run(command),
            Link::CloseProject => self.close_project(),
            Link::Propose(prompt) => self.terminal.propose(&mut self.core, prompt),
            Link::PlayLog { name, text } => {
                self.act(Action::from(TriageAction::Read(RunSource::Text { name, text })));
            }
            Link::ReadDropped(paths) => {
                self.act(Action::from(TriageAction::Read(RunSource::Dropped(paths))));
            }
            Link::ReadLogs(paths) => {
                self.act(Action::from(TriageAction::Read(RunSource::Files(paths))));
            }
            Link::ReadAuditLogs(paths) => {
                self.act(Action::from(AuditAction::Read(RunSource::Dropped(paths))));
            }
            Link::Filter(filter) => {
                self.act(Action::ShowVerdict(None));
                self.act(Action::SetFilter(filter));
            }
            Link::DropOther(paths) => self.act(Action::from(ImportAction::DropOther(paths))),
            Link::ShowDrift(name, report) => self.live.show_drift(&mut self.core, name, report),
            Link::PlayFailure { name, text, failure } => {
                let log = RequestsSource::Log { name, text, failure };
                self.playback.play_failure(&mut self.core, log);
            }
            Link::ProposeFiles { sentence, folders, steps } => {
                self.playback.propose_files(&mut self.core, sentence, folders, steps);
            }
            Link::PlayPath(path) => self.act(Action::from(PlaybackAction::PlayPath(path))),
            Link::Paste(text) => self.act(Action::from(PlaybackAction::Paste(text))),
            Link::SelectSession(doc) => {
                self.act(Action::from(SessionsAction::Select(SessionId::file(doc))));
            }
            Link::BeginTape(text) => {
                let action = NewTapeAction::Begin(Some(NewTapeSource::Text(text)));
                self.act(Action::from(TapesAction::NewTape(action)));
            }
            Link::Regenerate(docs) => self.terminal.regenerate(&mut self.core, &docs),
            Link::ShowTape(doc) => {
                self.core.go(Desk::Tapes, DeskView::List);
                self.act(Action::from(TapesAction::Select(doc)));
            }
        }
    }

    fn sync(&mut self) {
        self.core.sync_scan();
        self.core.sync_bodies();
        self.core.sync_list();
        let (desks, core) = self.desks();
        for desk in desks {
            desk.sync(core);
        }
        self.core.sync_value_drafts();
        self.core.sync_view();
        self.core.sync_commits();
        self.core.sync_provenance();
        self.core.sync_media();
        self.core.sync_reveal();
        self.core.sync_replacing();
        self.core.sync_describing();
        self.core.sync_unsaved();
        self.core.sync_notices();
    }

    /// Whether an edit that was made is not in its text yet.
    pub fn has_pending_changes(&self) -> bool {
        self.core.pending_changes.is_some()
    }

    /// Applies what is typed in fields, as far as it is valid, since the window is closed without a question.
    pub fn apply_drafts(&mut self) {
        self.core.apply_value_drafts(Command::Quit);
        self.sessions.sync_drafts(&mut self.core, true);
    }

    /// The item that commands apply to.
    pub fn selected(&self) -> Option<&Item> {
        self.core.library.get(self.subject()?)
    }

    /// Handles a change on disk.
    fn on_disk_change(&mut self, change: DiskChange) {
        // Events of a project that was closed may still come.
        if self.core.project.is_none() {
            return;
        }
        let (desks, core) = self.desks();
        for desk in desks {
            // Before the core handles it, and removes the items that are gone.
            desk.on_disk_change(core, &change);
        }
        core.on_disk_change(change);
    }

    /// Applies a planned change, or reports why it cannot be made.
    fn on_change_planned(&mut self, plan: PlannedChange) {
        match plan.change {
            Change::Value(_) | Change::Body(_) | Change::Tape(_) => {
                self.core.on_edit_planned(plan, HistoryMode::Step);
            }
            Change::Session(_) => self.sessions.on_planned(&mut self.core, plan),
            Change::Seed(_) => self.seeds.on_planned(&mut self.core, plan),
            Change::Config(_) => self.sessions.on_config_planned(&mut self.core, plan),
            Change::Stamp
            | Change::Restamp
            | Change::RewritePath(_)
            | Change::Sign
            | Change::Fix(_)
            | Change::Fixes(_)
            | Change::Cassette(_)
            | Change::RedactMachine
            | Change::FixRule(_) => self.core.on_batch_planned(plan),
            Change::Replace(_) => self.core.on_replace_ready(plan),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Action, Command};
    use calls::ItemFacts;
    use calls::source::{PresentSource, SourceFinding, SourceState};
    use document::{FileKind, Problem, RuleId};
    use protocol::{BlockVerdict, Desk, LibraryRow, ProjectInfo, ReadProgress};

    /// A workbench after a scan of these items.
    fn opened(items: Vec<Item>) -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let project = ProjectInfo { name: "desk".to_owned(), ..ProjectInfo::default() };
        workbench.receive(EngineEvent::ScanStarted { generation: 1, project });
        let items = items.into_iter().map(Arc::new).collect();
        workbench.receive(EngineEvent::ItemsFound { generation: 1, items });
        let progress = ReadProgress::default();
        workbench.receive(EngineEvent::ScanEnded { generation: 1, progress, cancelled: false });
        workbench.refresh();
        workbench
    }

    fn recording(path: &str, recorded_at: &str) -> Item {
        Item::from(ItemFacts {
            kind: FileKind::Recording,
            recorded_at: Some(recorded_at.into()),
            ..ItemFacts::new(path)
        })
    }

    fn stale(path: &str) -> Item {
        let present_source = Arc::new(PresentSource::from_bytes("a.dygram", b"now", true));
        let hash = Some("0".repeat(64).into());
        let source =
            SourceState::new(Some("a.dygram".into()), hash, SourceFinding::Stale(present_source));
        Item::from(ItemFacts {
            source: Some(source.into()),
            ..ItemFacts::clone(&recording(path, "2026-01-01T00:00:00Z"))
        })
    }

    fn problem(rule: RuleId) -> Problem {
        Problem::whole_file(rule, "wrong")
    }

    /// The rows as text: a heading by its name, an item by its path, the selected one marked.
    fn rows(workbench: &Workbench) -> Vec<String> {
        let row = |row: &LibraryRow| match row {
            LibraryRow::Call(_, call) => format!("call {call}"),
            LibraryRow::Group(group) => format!("[{} {}]", group.name, group.count.unwrap()),
            LibraryRow::Set(set) => format!("set of {}", set.count),
            LibraryRow::Item(id) | LibraryRow::Member(id, _) => {
                let mark = if workbench.core.list.selected == Some(*id) { ">" } else { "" };
                format!(
                    "{mark}{}",
                    workbench.core.library.get(*id).map_or("gone", |item| &item.path)
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
    fn rows_are_in_order_and_stepping_reads_each_selected_file_once() {
        let mut workbench = opened(vec![recording("a.json", "2025"), recording("b.json", "2026")]);
        assert_eq!(rows(&workbench), ["a.json", "b.json"]);

        assert_eq!(
            press(&mut workbench, Command::NextRow),
            [workbench.core.library.read_file(DocId::new(0)).unwrap()]
        );
        assert_eq!(
            press(&mut workbench, Command::NextRow),
            [workbench.core.library.read_file(DocId::new(1)).unwrap()]
        );
        assert_eq!(press(&mut workbench, Command::PreviousRow), []);
        assert_eq!(rows(&workbench), [">a.json", "b.json"]);
    }

    #[test]
    fn a_selection_survives_another_sort_and_a_grouping() {
        let paths = ["x/s/a.json", "x/s/b.json", "y/t/c.json"];
        let mut workbench = opened(paths.map(|path| recording(path, path)).to_vec());
        assert_eq!(rows(&workbench), ["[x 1]", "set of 2", "[y 1]", "y/t/c.json"]);
        press(&mut workbench, Command::LastRow);
        let _ = workbench.apply(Action::SortBy(protocol::Sort::Newest));
        workbench.refresh();
        assert_eq!(rows(&workbench), ["[y 1]", ">y/t/c.json", "[x 1]", "set of 2"]);
        press(&mut workbench, Command::GroupByFolder);
        assert_eq!(rows(&workbench), [">y/t/c.json", "x/s/b.json", "x/s/a.json"]);
    }

    #[test]
    fn a_set_unfolds_into_its_recordings_and_its_worst_one_is_selected_with_it() {
        let mut workbench =
            opened(vec![recording("s/a.json", "1"), stale("s/b.json"), recording("s/c.json", "3")]);
        press(&mut workbench, Command::NextRow);
        assert_eq!(workbench.core.list.selected, Some(DocId::new(1)));
        press(&mut workbench, Command::Unfold);
        assert_eq!(rows(&workbench), ["set of 3", "s/a.json", ">s/b.json", "s/c.json"]);
        press(&mut workbench, Command::NextRow);
        press(&mut workbench, Command::Unfold);
        assert_eq!(rows(&workbench), ["set of 3"]);
        assert_eq!(workbench.core.list.selected, Some(DocId::new(2)));
    }

    #[test]
    fn a_stale_recording_opens_side_by_side_and_esc_leads_back() {
        let mut workbench = opened(vec![stale("a.json")]);
        press(&mut workbench, Command::NextRow);
        let id = DocId::new(0);
        let find_source =
            |workbench: &Workbench| Effect::run(workbench.core.library.compare_source(id).unwrap());
        assert_eq!(press(&mut workbench, Command::OpenSelected), [find_source(&workbench)]);
        assert_eq!(workbench.core.here().view, DeskView::Source(id));
        assert_eq!(
            press(&mut workbench, Command::Close),
            [Effect::Cancel(protocol::Cancellable::Comparison)]
        );
        assert_eq!(workbench.core.here().view, DeskView::List);
        assert_eq!(press(&mut workbench, Command::Back), [find_source(&workbench)]);
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
        let item_with = |path, rules: &[RuleId]| {
            recording(path, "2026").with_problems(rules.iter().copied().map(problem).collect())
        };
        // Files arrive in any order.
        let mut workbench = opened(vec![
            item_with("b.json", &[RuleId::SeedEmpty]),
            recording("fine.json", "2026"),
            item_with("a-10.json", &[RuleId::MissingField]),
            item_with("a-2.json", &[RuleId::Syntax]),
        ]);
        let mut visit = |command| {
            press(&mut workbench, command);
            workbench.problems.rule
        };
        for rule in [RuleId::Syntax, RuleId::MissingField, RuleId::SeedEmpty, RuleId::Syntax] {
            assert_eq!(visit(Command::NextProblem), Some(rule));
        }
        for rule in [RuleId::SeedEmpty, RuleId::MissingField] {
            assert_eq!(visit(Command::PreviousProblem), Some(rule));
        }
        assert_eq!(workbench.core.here().desk, Desk::Problems);
    }

    #[test]
    fn a_status_narrows_the_list_and_the_counts_stay() {
        let mut workbench = opened(vec![stale("a.json"), recording("b.json", "2026")]);
        press(&mut workbench, Command::ShowStale);
        assert_eq!(rows(&workbench), ["a.json"]);
        let _ = workbench.apply(Action::SetFilter(String::new()));
        let _ = workbench.apply(Action::ShowVerdict(Some(BlockVerdict::Right)));
        workbench.refresh();
        assert_eq!(rows(&workbench), ["b.json"]);
        assert_eq!(workbench.core.list.listing.totals.all, 2);
        press(&mut workbench, Command::ClearFilter);
        assert_eq!(rows(&workbench).len(), 2);
    }

    #[test]
    fn a_command_that_cannot_be_used_says_why() {
        let mut workbench = Workbench::new(Remembered::default());
        assert_eq!(Command::CompareSource.enabled(&workbench), Err("no recordings are open"));
        press(&mut workbench, Command::Reload);
        assert_eq!(workbench.core.notices[0].text, "Reload: nothing is open.");
    }

    #[test]
    fn opening_nothing_keeps_what_is_open() {
        let mut workbench = opened(vec![recording("a.json", "2025")]);
        assert_eq!(workbench.apply(Action::Open(Vec::new())), []);
        assert!(workbench.core.leaving.is_none());
    }

    /// Reports that these paths were opened and read.
    fn read(workbench: &mut Workbench, generation: u64, paths: &[&str]) {
        let project = ProjectInfo {
            opened: paths.iter().map(PathBuf::from).collect(),
            ..ProjectInfo::default()
        };
        workbench.receive(EngineEvent::ScanStarted { generation, project });
        workbench.receive(EngineEvent::ScanEnded {
            generation,
            progress: ReadProgress::default(),
            cancelled: false,
        });
    }

    #[test]
    fn what_follows_the_opening_of_a_folder_follows_no_other() {
        let go = |desk| Box::new(Action::Go(desk));
        let mut workbench = Workbench::new(Remembered::default());
        let review = Action::OpenThen(vec!["a".into()], go(Desk::Review));
        let _ = workbench.apply(review.clone());
        read(&mut workbench, 1, &["a"]);
        assert_eq!(workbench.core.here().desk, Desk::Review);

        let _ = workbench.apply(Action::Go(Desk::Library));
        read(&mut workbench, 2, &["a"]);
        let _ = workbench.apply(review);
        read(&mut workbench, 3, &["b"]);
        assert_eq!(workbench.core.here().desk, Desk::Library);
    }

    #[test]
    fn the_samples_are_not_remembered() {
        let mut workbench = Workbench::new(Remembered::default());
        let samples = |folder: &str| UnpackedSamples {
            project: folder.into(),
            incident: format!("{folder}/report.json").into(),
            stop: SampleStop::Review,
        };
        workbench.receive(EngineEvent::SamplesUnpacked(samples("samples")));
        read(&mut workbench, 1, &["samples"]);
        assert_eq!(workbench.core.here().desk, Desk::Review);
        let _ = workbench.apply(Action::Open(vec!["samples/recordings".into()]));
        read(&mut workbench, 2, &["samples/recordings"]);
        workbench.receive(EngineEvent::SamplesUnpacked(samples("others")));
        read(&mut workbench, 3, &["others"]);
        let _ = workbench.apply(Action::Open(vec!["samples".into()]));
        assert_eq!(workbench.core.remembered, Remembered::default());
    }

    #[test]
    fn the_window_is_remembered_without_a_project() {
        let mut workbench = Workbench::new(Remembered::default());
        let effects = workbench.apply(Action::Run(Command::Quit));
        let remember = Effect::Remember(Remembered::default());
        assert_eq!(effects, [remember, Effect::Quit]);
    }

    #[test]
    fn a_selection_that_is_not_read_yet_stays_remembered() {
        let mut workbench = opened(vec![recording("a.json", "2025"), recording("b.json", "2026")]);
        workbench.core.select(DocId::new(1));
        let mut project = workbench.core.project.clone().unwrap();
        project.opened = vec!["recordings".into()];
        workbench.core.project = Some(project.clone());
        workbench.receive(EngineEvent::ScanStarted { generation: 2, project });
        press(&mut workbench, Command::Quit);
        let view = &workbench.core.remembered.projects[0];
        assert_eq!(view.selected.as_deref(), Some("b.json"));
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
