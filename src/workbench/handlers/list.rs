//! Commands for lists and their selection.

use std::sync::Arc;

use super::dispatch::{
    HandlerOrReason, action, action_after, handler, handler_after, handler_if, require,
};
use crate::core::command::declared::by_section::List;
use crate::{
    Action, Command, DeskView, FormatAction, GridStep, Overlay, PAGE_ROWS, PlaybackAction,
    SeedsAction, SourceAction, SourceTab, StepDirection, TriageAction, Workbench,
};
use calls::Item;
use calls::source::SourceState;
use check::change::Change;
use document::FileKind;
use document::foreign::Foreign;
use document::text::Place;
use protocol::{Desk, DocId, Grouping, SourceRow, is_renamed_to};

impl Workbench {
    /// Lists what matches this filter only.
    fn show_only(&mut self, filter: &str) {
        self.core.go(Desk::Library, DeskView::List);
        self.act(Action::ShowVerdict(None));
        self.act(Action::SetFilter(filter.to_owned()));
    }

    pub(super) fn list_handler(&self, command: List) -> HandlerOrReason {
        use StepDirection::{Next, Previous};
        let has_project = self.core.project.is_some();
        let is_open = require(!self.core.library.is_empty(), "nothing is open");
        let step = |step, rows| handler_after(self.needs_rows(), move |w| w.step(step, rows));
        let step_all = |step| handler_after(self.needs_rows(), move |w| w.step_all(step));
        let show_only = |filter| handler_after(is_open, move |w| w.show_only(filter));
        let group = |order| {
            let order = if self.core.list.grouping == order { Grouping::None } else { order };
            action_after(self.needs_library(), Action::GroupBy(order))
        };
        let show_source = |tab| self.on_source(move |doc| SourceAction::Show(doc, tab).into());
        let act_on_finding = |number| {
            let finding = self.findings().into_iter().nth(number);
            action(Action::ActOnFinding(finding.ok_or("there is no such finding")?.kind))
        };
        match command {
            List::FocusFilter => handler_if(has_project, "nothing is open", Self::focus_filter),
            List::OpenView => {
                handler_if(has_project, "nothing is open", |it| it.core.open_view = true)
            }
            List::ClearFilter => {
                let is_filtered =
                    !self.core.list.filter.is_empty() || self.core.list.verdict.is_some();
                handler_if(is_filtered, "there is no filter", |bench| {
                    bench.act(Action::ShowVerdict(None));
                    bench.act(Action::SetFilter(String::new()));
                })
            }
            List::NextRow => step(Next, 1),
            List::PreviousRow => step(Previous, 1),
            List::NextPage => step(Next, PAGE_ROWS),
            List::PreviousPage => step(Previous, PAGE_ROWS),
            List::NextColumn => self.column_handler(Next),
            List::PreviousColumn => self.column_handler(Previous),
            List::FirstRow => step_all(Previous),
            List::LastRow => step_all(Next),
            List::OpenSelected => handler_after(self.needs_openable(), Self::open_selected),
            List::MarkSelected => {
                let (doc, _) = self.needs_selected()?;
                action(Action::ToggleMark(doc))
            }
            List::Unfold => {
                let can_unfold = self.core.shows(Desk::Library) && self.core.can_unfold();
                handler_if(can_unfold, "select a set or a file of calls first", |bench| {
                    let is_unfolded =
                        bench.core.list.selected.is_some_and(|doc| bench.core.is_unfolded(doc));
                    bench.core.unfold_selected(!is_unfolded);
                })
            }
            List::FirstFinding => act_on_finding(0),
            List::SecondFinding => act_on_finding(1),
            List::ThirdFinding => act_on_finding(2),
            List::ShowStale => show_only("status:stale"),
            List::ShowProblems => show_only("status:problems"),
            List::ShowUnstamped => show_only("status:unstamped"),
            List::GroupByFolder => group(Grouping::Folder),
            List::GroupByStatus => group(Grouping::Status),
            List::Stamp => {
                let recordings = self.chosen_recordings();
                require(!recordings.is_empty(), "select a recording first")?;
                action(Action::Batch(Change::Stamp, recordings))
            }
            List::StampListed => handler_after(is_open, |bench| {
                bench.core.plan_batch(Change::Stamp, bench.core.listed_recordings(None));
            }),
            List::PlaySet => {
                let is_here = self.core.shows(Desk::Playback);
                let folder = match &self.playback.set {
                    Some(set) if is_here => Arc::clone(set),
                    _ if is_here => self.chosen_playable().map_err(|_| "choose a set first")?,
                    _ => self.chosen_playable()?,
                };
                action(PlaybackAction::PlaySet(folder))
            }
            List::CheckSet => action(PlaybackAction::CheckSet(self.chosen_playable()?)),
            List::ServeFromSet => action(PlaybackAction::ServeFrom(self.chosen_set()?)),
            List::ReadLog if !has_project => handler(|bench| {
                let title = "Open the folder with the recordings of the log";
                bench.pick_folder_then(title, Command::ReadLog);
            }),
            List::ReadLog => handler_after(is_open, |w| w.toggle_overlay(Overlay::FailureLog)),
            List::ShowMap => show_source(SourceTab::Map),
            List::ShowSourceRecordings => show_source(SourceTab::Recordings),
            List::TriageRun if !has_project => handler(|bench| {
                let title = "Open the folder with the recordings of the run";
                bench.pick_folder_then(title, Command::TriageRun);
            }),
            List::TriageRun => action(TriageAction::PickLogs),
            List::NewSeed => action_after(self.needs_seeds(), SeedsAction::New),
            List::CopySeed => action_after(self.needs_seeds(), SeedsAction::CopyCalls),
            List::RepathSource => {
                let row = self.source_subject().ok_or("select a source first")?;
                require(row.renamed > 0, "the source was not renamed")?;
                let [place] = &row.places.keys().collect::<Vec<_>>()[..] else {
                    // Only a person can choose one of several, which the page offers.
                    return action(Action::CompareSource(row.first));
                };
                let (place, change) = (Arc::clone(place), Change::RewritePath(Arc::clone(place)));
                Self::batch(change, move |source| is_renamed_to(source, &place))
            }
            List::RestampSource => {
                let row = self.source_subject().ok_or("select a source first")?;
                require(row.restampable > 0, "none of its recordings can be restamped")?;
                Self::batch(Change::Restamp, SourceState::can_be_restamped)
            }
            List::DescribeFormat => {
                let (doc, item) = self.needs_selected()?;
                let is_unnamed = match item.foreign {
                    Some(foreign) => foreign.format.is_of_any_recorder(),
                    None => item.kind == FileKind::Unknown,
                };
                require(is_unnamed, "its format is known")?;
                action(Action::Format(FormatAction::Describe(doc)))
            }
            List::ExcludeFile => {
                let (doc, item) = self.needs_selected()?;
                let is_of_shape = |foreign: Foreign| {
                    foreign.format.is_of_any_recorder() && item.kind == FileKind::Cassette
                };
                let reason = "select a recording of an unknown recorder first";
                require(item.foreign.is_some_and(is_of_shape), reason)?;
                action(Action::Format(FormatAction::Exclude(doc)))
            }
            List::CopyPath => {
                let (_, item) = self.needs_selected()?;
                action(Action::Copy(item.path.to_string()))
            }
            List::CopyLink => {
                self.needs_selected()?;
                handler(Self::copy_link)
            }
            List::OpenInEditor => {
                let has_editor = self.core.user.settings.editor.is_some();
                require(has_editor, "set your editor in settings.toml first")?;
                self.needs_selected()?;
                handler(Self::open_in_editor)
            }
        }
    }

    /// The handler of a horizontal step: from chunk to chunk on a tape, from call to call on a strip, else from seed to seed.
    fn column_handler(&self, step: StepDirection) -> HandlerOrReason {
        if self.shows_map() {
            let is_shown = self.source.map().is_some();
            handler_if(is_shown, "no map is shown", move |w| w.source.step_version(step))
        } else if self.shows_strip() {
            handler(move |w| w.playback.step_call(step, 1))
        } else if self.core.shows(Desk::Tapes) {
            let is_shown = self.tapes.prepared().is_some();
            handler_if(is_shown, "no tape is shown", move |w| w.tapes.step_chunk(step))
        } else if self.core.shows(Desk::Library) {
            let is_unfolded = step == StepDirection::Next;
            match self.core.call_beside(step) {
                Some(target) => handler(move |workbench| workbench.core.select_target(target)),
                None => handler_if(
                    self.core.can_unfold(),
                    "select a set or a file of calls first",
                    move |workbench| workbench.core.unfold_selected(is_unfolded),
                ),
            }
        } else {
            let need = self.needs_seeds().and_then(|()| self.needs_rows());
            action_after(need, SeedsAction::Move(step.pick(GridStep::Right, GridStep::Left)))
        }
    }

    fn needs_rows(&self) -> Result<(), &'static str> {
        match self.shown_desk() {
            Some(desk) => require(desk.has_rows(), "nothing is listed"),
            None if self.core.shows(Desk::Library) => {
                require(!self.core.list.listing.is_empty(), "nothing is listed")
            }
            // Side by side, a step goes to another change.
            None => self.needs_changes(),
        }
    }

    fn needs_selected(&self) -> Result<(DocId, &Item), &'static str> {
        let reason = "select an item first";
        let doc = self.subject().ok_or(reason)?;
        Ok((doc, self.core.library.get(doc).ok_or(reason)?))
    }

    fn needs_library(&self) -> Result<(), &'static str> {
        require(self.core.shows(Desk::Library), "the library is not shown")
    }

    fn needs_seeds(&self) -> Result<(), &'static str> {
        require(self.core.shows(Desk::Seeds), "the seeds are not shown")
    }

    fn needs_openable(&self) -> Result<(), &'static str> {
        if self.core.here().view == DeskView::Import {
            require(self.import.has_content(), "there are no drafts")
        } else if self.core.here().view.is_run() {
            require(self.triage.selected().is_some(), "no failure is selected")
        } else if self.shows_map() {
            require(self.source.node.is_some(), "select a node first")
        } else if self.core.shows(Desk::Playback) && self.playback.chosen().is_some() {
            Ok(())
        } else if self.core.shows(Desk::Audit) {
            require(self.audit.selected.is_some(), "select a cause or a place first")
        } else if self.live.shows_queue(&self.core) {
            let queue = &self.live.queue;
            require(queue.selected().is_some() || queue.waiting() > 0, "no requests are waiting")
        } else if self.core.shows(Desk::Live) {
            let has_file = self.live.calls.file_of_selected().is_some();
            require(has_file, "select a call with a tape or a recording first")
        } else {
            self.needs_selected().map(|_| ())
        }
    }

    /// Whether the map of a source is shown.
    pub(super) fn shows_map(&self) -> bool {
        matches!(self.core.here().view, DeskView::Source(_))
            && self.core.source_tab == SourceTab::Map
    }

    /// Returns a handler about the shown source, which is looked for only when it runs: each frame checks whether it is enabled.
    pub(super) fn on_source(&self, act: impl Fn(DocId) -> Action + 'static) -> HandlerOrReason {
        let has_sources = self.core.library.source_count > 0;
        handler_if(has_sources, "no recordings are open", move |bench| {
            bench.shown_source().into_iter().for_each(|doc| bench.act(act(doc)));
        })
    }

    /// The recording whose source is shown: the selected one, else one of the worst.
    fn shown_source(&self) -> Option<DocId> {
        let library = &self.core.library;
        let has_source = |doc: &DocId| library.get(*doc).is_some_and(|item| item.source.is_some());
        let worst = || {
            // From the items: the list of sources may still be that of fewer of them.
            let sources =
                library.iter().filter_map(|(doc, item)| Some((doc, item, item.source.as_ref()?)));
            let worst = sources.min_by_key(|(_, item, source)| (source.status(), &item.path));
            worst.map(|(doc, ..)| doc)
        };
        self.subject().filter(has_source).or_else(worst)
    }

    /// The source of the selected recording.
    fn source_subject(&self) -> Option<&SourceRow> {
        let source = self.core.library.get(self.subject()?)?.source.as_ref()?;
        self.core.list.listing.orders.sources.of_recording(source)
    }

    /// Returns a handler that changes the recordings from the source of the selected one that pass a test.
    fn batch(change: Change, test: impl Fn(&SourceState) -> bool + 'static) -> HandlerOrReason {
        handler(move |bench| {
            let recordings = bench.source_subject().map_or(&[][..], |row| &row.recordings);
            let source = |doc: &DocId| bench.core.library.get(*doc)?.source.as_deref();
            let passes = |doc: &DocId| source(doc).is_some_and(&test);
            let docs = recordings.iter().copied().filter(passes).collect();
            bench.act(Action::Batch(change, docs));
        })
    }

    fn focus_filter(&mut self) {
        self.core.focus_filter = true;
        let desk = match self.core.here().desk {
            Desk::Seeds => Desk::Seeds,
            Desk::Playback if self.playback.is_choosing() => Desk::Playback,
            _ => Desk::Library,
        };
        self.core.go(desk, DeskView::List);
    }

    /// Opens the file of the selected item where its selected problem or the shown text is.
    fn open_in_editor(&mut self) {
        let library = &self.core.library;
        let (Some(doc), Some(project)) = (self.subject(), &self.core.project) else { return };
        let Some(item) = library.get(doc) else { return };
        let file = std::path::Path::new(&project.root).join(item.root_path());
        let problem = self
            .core
            .shows(Desk::Problems)
            .then(|| self.problem_subject())
            .flatten()
            .filter(|(other, _)| *other == doc);
        let reveal_place =
            self.core.reveal.filter(|(other, _)| *other == doc).and_then(|(_, span)| {
                Some(library.document(doc)?.source().place(span.start as usize))
            });
        let place = problem.map(|(_, problem)| problem.place).or(reveal_place);
        self.core.open_editor(file, place.unwrap_or(Place::START));
    }

    /// Opens the test of a cassette; without an editor, copies its place.
    pub(crate) fn open_test(&mut self, doc: DocId) {
        let (Some(item), Some(project)) = (self.core.library.get(doc), &self.core.project) else {
            return;
        };
        let test = item.cassette.as_ref().and_then(|cassette| cassette.test.as_ref());
        let Some(origin) = test.map(|test| test.origin.clone()) else { return };
        if self.core.user.settings.editor.is_none() {
            return self.act(Action::Copy(origin.to_string()));
        }
        let file = std::path::Path::new(&project.root).join(&*origin.path);
        self.core.open_editor(file, Place { line: origin.line, ..Place::START });
    }

    /// The folder of the selected item, if it is a set, or the selected cassette.
    pub(super) fn chosen_playable(&self) -> Result<Arc<str>, &'static str> {
        match self.selected() {
            Some(item) if item.client().is_some() => Ok(item.root_path().into()),
            _ => self.chosen_set(),
        }
    }

    /// The folder of the selected item, if it is a set.
    pub(super) fn chosen_set(&self) -> Result<Arc<str>, &'static str> {
        match self.selected() {
            Some(item) if item.kind == FileKind::Cassette => {
                Err("a cassette answers only its own requests")
            }
            Some(item) if matches!(item.kind, FileKind::Recording | FileKind::Request) => {
                Ok(item.folder().into())
            }
            _ => Err("select a recording first"),
        }
    }

    /// The selected recording and the marked one.
    pub(super) fn chosen_recordings(&self) -> Vec<DocId> {
        let mark = self.core.list.marked.filter(|_| self.core.list.selected == self.subject());
        let mut docs: Vec<DocId> = self.subject().into_iter().chain(mark).collect();
        docs.dedup();
        docs.retain(|doc| self.core.library.kind(*doc) == Some(FileKind::Recording));
        docs
    }
}
