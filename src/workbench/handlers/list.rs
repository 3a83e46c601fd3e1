//! Commands for lists and their selection.

use std::sync::Arc;

use super::dispatch::{CommandHandler, HandlerOrReason, handler_after, handler_if, require};
use crate::action::Action;
use crate::core::command::Command;
use crate::core::command::declared::by_section::List;
use crate::core::navigation::{DeskView, PAGE, StepDirection};
use crate::core::view::Overlay;
use crate::desks::map::MapAction;
use crate::desks::playback::PlaybackAction;
use crate::desks::problems::sources::SourceAction;
use crate::desks::seeds::{GridStep, SeedsAction};
use crate::desks::triage::TriageAction;
use crate::state::Workbench;
use check::change::Change;
use document::FileKind;
use document::text::Place;
use protocol::{Desk, DocId, Grouping, SourceName, SourceRow};

impl Workbench {
    /// Lists what matches this filter only.
    fn show_only(&mut self, filter: &str) {
        self.core.go(Desk::Library, DeskView::List);
        self.act(Action::ShowStatus(None));
        self.act(Action::SetFilter(filter.to_owned()));
    }

    pub(super) fn list_handler(&self, command: List) -> HandlerOrReason {
        let is_open = !self.core.library.is_empty();
        match command {
            List::FocusFilter => {
                let has_filter = self.core.project.is_some();
                handler_if(has_filter, "nothing is open", Self::focus_filter)
            }
            List::ClearFilter => {
                let is_filtered =
                    !self.core.list.filter.is_empty() || self.core.list.status.is_some();
                handler_if(is_filtered, "there is no filter", |it| {
                    it.act(Action::ShowStatus(None));
                    it.act(Action::SetFilter(String::new()));
                })
            }
            List::NextRow => handler_after(self.needs_rows(), |it| it.step(StepDirection::Next, 1)),
            List::PreviousRow => {
                handler_after(self.needs_rows(), |it| it.step(StepDirection::Previous, 1))
            }
            List::NextPage => handler_after(self.needs_rows(), |it| {
                it.step(StepDirection::Next, PAGE);
            }),
            List::PreviousPage => handler_after(self.needs_rows(), |it| {
                it.step(StepDirection::Previous, PAGE);
            }),
            List::NextColumn => self.column_handler(
                |it| {
                    it.tapes.step_chunk(StepDirection::Next);
                },
                |it| it.act(Action::from(SeedsAction::Move(GridStep::Right))),
                |it| it.core.unfold_selected(true),
                |it| it.map.step_version(StepDirection::Next),
                |it| it.step_strip(StepDirection::Next),
            ),
            List::PreviousColumn => self.column_handler(
                |it| {
                    it.tapes.step_chunk(StepDirection::Previous);
                },
                |it| it.act(Action::from(SeedsAction::Move(GridStep::Left))),
                |it| it.core.unfold_selected(false),
                |it| it.map.step_version(StepDirection::Previous),
                |it| it.step_strip(StepDirection::Previous),
            ),
            List::FirstRow => {
                handler_after(self.needs_rows(), |it| it.step_all(StepDirection::Previous))
            }
            List::LastRow => {
                handler_after(self.needs_rows(), |it| it.step_all(StepDirection::Next))
            }
            List::OpenSelected => handler_after(self.needs_openable(), Self::open_selected),
            List::MarkSelected => handler_after(self.needs_selected(), |it| {
                it.on_subject(|it, id| it.act(Action::ToggleMark(id)));
            }),
            // A handler captures nothing, so each number has its own.
            List::FirstFinding => self.finding_handler(0, |it| it.act_on_finding_at(0)),
            List::SecondFinding => self.finding_handler(1, |it| it.act_on_finding_at(1)),
            List::ThirdFinding => self.finding_handler(2, |it| it.act_on_finding_at(2)),
            List::ShowStale => handler_if(is_open, "nothing is open", |it| {
                it.show_only("status:stale");
            }),
            List::ShowProblems => handler_if(is_open, "nothing is open", |it| {
                it.show_only("status:problems");
            }),
            List::ShowUnstamped => handler_if(is_open, "nothing is open", |it| {
                it.show_only("status:unstamped");
            }),
            List::GroupByFolder => handler_after(self.needs_library(), |it| {
                it.toggle_grouping(Grouping::Folder);
            }),
            List::GroupByStatus => handler_after(self.needs_library(), |it| {
                it.toggle_grouping(Grouping::Status);
            }),
            List::Stamp => {
                let has_recordings = !self.chosen_recordings().is_empty();
                handler_if(has_recordings, "select a recording first", |it| {
                    it.core.plan_batch(Change::Stamp, it.chosen_recordings());
                })
            }
            List::StampListed => handler_if(is_open, "nothing is open", |it| {
                it.core.plan_batch(Change::Stamp, it.core.listed_recordings(None));
            }),
            List::CheckSet => {
                handler_after(self.needs_set(), |it| it.on_set(PlaybackAction::CheckSet))
            }
            List::ServeFromSet => {
                handler_after(self.needs_set(), |it| it.on_set(PlaybackAction::ServeFrom))
            }
            List::ReadLog if self.core.project.is_none() => Ok(|it| {
                it.pick_folder_then(
                    "Open the folder with the recordings of the log",
                    Command::ReadLog,
                );
            }),
            List::ReadLog => handler_if(is_open, "nothing is open", |it| {
                it.toggle_overlay(Overlay::FailureLog);
            }),
            List::ShowMap => handler_if(!self.core.library.is_empty(), "nothing is open", |it| {
                it.act(Action::from(MapAction::Show));
            }),
            List::TriageRun if self.core.project.is_none() => Ok(|it| {
                it.pick_folder_then(
                    "Open the folder with the recordings of the run",
                    Command::TriageRun,
                );
            }),
            List::TriageRun => Ok(|it| it.triage.act(&mut it.core, TriageAction::PickLogs)),
            List::NewSeed => handler_after(self.needs_seeds(), |it| {
                it.act(Action::from(SeedsAction::New));
            }),
            List::CopySeed => handler_after(self.needs_seeds(), |it| {
                it.act(Action::from(SeedsAction::CopyCalls));
            }),
            List::RepathSource => {
                let row = self.source_subject().ok_or("select a source first")?;
                handler_if(row.renamed > 0, "the source was not renamed", |it| {
                    it.on_source(SourceAction::Repath);
                })
            }
            List::RestampSource => {
                let row = self.source_subject().ok_or("select a source first")?;
                let can_restamp = row.restampable > 0;
                handler_if(can_restamp, "none of its recordings can be restamped", |it| {
                    it.on_source(SourceAction::Restamp);
                })
            }
            List::CopyPath => handler_after(self.needs_selected(), Self::copy_path),
            List::CopyLink => handler_after(self.needs_selected(), Self::copy_link),
            List::OpenInEditor => {
                let has_editor = self.core.user.settings.editor.is_some();
                let need = require(has_editor, "set your editor in settings.toml first")
                    .and_then(|()| self.needs_selected());
                handler_after(need, Self::open_in_editor)
            }
        }
    }

    fn finding_handler(&self, number: usize, handler: CommandHandler) -> HandlerOrReason {
        let is_there = number < self.findings().len();
        handler_if(is_there, "there is no such finding", handler)
    }

    /// The handler of a horizontal step: from chunk to chunk on a tape, from call to call on a strip, else from seed to seed.
    fn column_handler(
        &self,
        on_tape: CommandHandler,
        on_seeds: CommandHandler,
        on_calls: CommandHandler,
        on_map: CommandHandler,
        on_strip: CommandHandler,
    ) -> HandlerOrReason {
        if self.core.here().view == DeskView::Map {
            return handler_if(self.map.map().is_some(), "no map is shown", on_map);
        }
        if self.shows_strip() {
            Ok(on_strip)
        } else if self.core.shows(Desk::Tapes) {
            handler_if(self.tapes.prepared().is_some(), "no tape is shown", on_tape)
        } else if self.core.shows(Desk::Library) {
            let reason = "select a file of calls first";
            handler_if(self.core.selects_calls(), reason, on_calls)
        } else {
            let need = self.needs_seeds().and_then(|()| self.needs_rows());
            handler_after(need, on_seeds)
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

    fn needs_pending_request(&self) -> Result<(), &'static str> {
        let queue = &self.live.queue;
        let is_waiting = queue.selected().is_some() || queue.waiting() > 0;
        require(is_waiting, "no requests are waiting")
    }

    fn needs_selected(&self) -> Result<(), &'static str> {
        require(self.selected().is_some(), "select an item first")
    }

    fn needs_library(&self) -> Result<(), &'static str> {
        let here = self.core.here();
        let is_shown = (here.view, here.desk) == (DeskView::List, Desk::Library);
        require(is_shown, "the library is not shown")
    }

    fn needs_seeds(&self) -> Result<(), &'static str> {
        let here = self.core.here();
        let is_shown = (here.view, here.desk) == (DeskView::List, Desk::Seeds);
        require(is_shown, "the seeds are not shown")
    }

    fn needs_openable(&self) -> Result<(), &'static str> {
        if self.core.here().view == DeskView::Import {
            let has_drafts = self.import.has_drafts();
            require(has_drafts, "there are no drafts")
        } else if self.core.here().view == DeskView::Triage {
            require(self.triage.selected().is_some(), "no failure is selected")
        } else if self.core.here().view == DeskView::Map {
            Err("a map has nothing to open")
        } else if self.live.shows_queue(&self.core) {
            self.needs_pending_request()
        } else if self.problems.shows_sources(&self.core) {
            require(self.source_subject().is_some(), "select a source first")
        } else if self.core.shows(Desk::Live) {
            let has_file = self.live.calls.file_of_selected().is_some();
            require(has_file, "select a call with a tape or a recording first")
        } else {
            self.needs_selected()
        }
    }

    pub(super) fn source_subject(&self) -> Option<&SourceRow> {
        self.problems.source_subject(&self.core, self.subject())
    }

    pub(super) fn on_source(&mut self, action: fn(SourceName) -> SourceAction) {
        let subject = self.subject();
        self.problems.on_source(&mut self.core, subject, action);
    }

    fn focus_filter(&mut self) {
        self.core.focus_filter = true;
        let desk = match self.core.here().desk {
            Desk::Seeds => Desk::Seeds,
            _ => Desk::Library,
        };
        // The list of sources has a filter of its own.
        if self.problems.shows_sources(&self.core) {
            return;
        }
        self.core.go(desk, DeskView::List);
    }

    /// Opens the file of the selected item where its selected problem or the shown text is.
    fn open_in_editor(&mut self) {
        let library = &self.core.library;
        let (Some(doc), Some(project)) = (self.subject(), &self.core.project) else { return };
        let Some(item) = library.get(doc) else { return };
        let file = std::path::Path::new(&project.root).join(&*item.root_path);
        let problem = self
            .core
            .shows(Desk::Problems)
            .then(|| self.problem_subject())
            .flatten()
            .filter(|(of, _)| *of == doc);
        let shown = self.core.reveal.filter(|(of, _)| *of == doc).and_then(|(_, span)| {
            let source = library.document(doc)?.source();
            Some(source.place(span.start as usize))
        });
        let place = problem.map(|(_, problem)| problem.place).or(shown);
        self.core.open_editor(file, place.unwrap_or(Place::START));
    }

    fn copy_path(&mut self) {
        let item = self.subject().and_then(|id| self.core.library.get(id));
        let path = item.map(|item| item.path.to_string());
        if let Some(path) = path {
            self.core.copy(path);
        }
    }
}

impl Workbench {
    /// The folder of the selected item, if it is a set.
    pub(super) fn chosen_set(&self) -> Option<Arc<str>> {
        let item = self.selected()?;
        let is_call = matches!(item.kind, FileKind::Recording | FileKind::Request);
        is_call.then(|| item.folder().into())
    }

    pub(super) fn needs_set(&self) -> Result<(), &'static str> {
        if self.selected().is_some_and(|item| item.kind == FileKind::Cassette) {
            return Err("cassettes are played by their own client");
        }
        require(self.chosen_set().is_some(), "select a recording first")
    }

    fn on_set(&mut self, action: fn(Arc<str>) -> PlaybackAction) {
        if let Some(folder) = self.chosen_set() {
            self.playback.act(&mut self.core, action(folder));
        }
    }

    /// The selected recording and the marked one.
    pub(super) fn chosen_recordings(&self) -> Vec<DocId> {
        let marked = self.core.list.marked.filter(|_| self.core.list.selected == self.subject());
        let mut docs: Vec<DocId> = self.subject().into_iter().chain(marked).collect();
        docs.dedup();
        let is_recording = |id: &DocId| {
            let item = self.core.library.get(*id);
            item.is_some_and(|item| item.kind == FileKind::Recording)
        };
        docs.retain(is_recording);
        docs
    }
}
