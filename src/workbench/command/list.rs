//! Commands for lists and their selection.

use super::declared::by_section::List;
use super::running::{Can, Deed, after, need, nothing, when};
use crate::workbench::action::{Action, Overlay, Step};
use crate::workbench::batch::Batch;
use crate::workbench::desks::Quick;
use crate::workbench::event::Effect;
use crate::workbench::incident::ImportState;
use crate::workbench::listing::Grouping;
use crate::workbench::navigation::{Desk, View};
use crate::workbench::seeds::{SeedsAction, Towards};
use crate::workbench::sources::SourceAction;
use crate::workbench::state::Workbench;
use crate::workbench::stepping::PAGE;

impl Workbench {
    pub(super) fn list_deed(&self, command: List) -> Can {
        let is_open = !self.library.is_empty();
        match command {
            List::FocusFilter => when(is_open, "nothing is open", Self::focus_filter),
            List::ClearFilter => {
                let is_filtered = !self.list.filter.is_empty() || self.list.quick != Quick::All;
                when(is_filtered, "there is no filter", |it| {
                    it.list.quick = Quick::All;
                    it.apply(Action::SetFilter(String::new()))
                })
            }
            List::NextRow => after(self.needs_rows(), |it| it.step(Step::Next, 1)),
            List::PreviousRow => after(self.needs_rows(), |it| it.step(Step::Previous, 1)),
            List::NextPage => after(self.needs_rows(), |it| it.step(Step::Next, PAGE)),
            List::PreviousPage => after(self.needs_rows(), |it| it.step(Step::Previous, PAGE)),
            List::NextColumn => self.column_deed(
                |it| {
                    it.step_chunk(Step::Next);
                    nothing()
                },
                |it| it.apply(Action::Seeds(SeedsAction::Move(Towards::Right))),
            ),
            List::PreviousColumn => self.column_deed(
                |it| {
                    it.step_chunk(Step::Previous);
                    nothing()
                },
                |it| it.apply(Action::Seeds(SeedsAction::Move(Towards::Left))),
            ),
            List::FirstRow => after(self.needs_rows(), |it| it.step_all(Step::Previous)),
            List::LastRow => after(self.needs_rows(), |it| it.step_all(Step::Next)),
            List::OpenSelected => after(self.needs_openable(), Self::open_selected),
            List::MarkSelected => after(self.needs_selected(), |it| {
                it.on_subject(|it, id| it.apply(Action::ToggleMark(id)))
            }),
            List::ShowStale => when(is_open, "nothing is open", |it| it.show_quick(Quick::Stale)),
            List::ShowProblems => when(is_open, "nothing is open", |it| {
                it.show_quick(Quick::Problems)
            }),
            List::ShowUnstamped => when(is_open, "nothing is open", |it| {
                it.show_quick(Quick::Unstamped)
            }),
            List::GroupByFolder => after(self.needs_library(), |it| it.group(Grouping::Folder)),
            List::GroupByStatus => after(self.needs_library(), |it| it.group(Grouping::Status)),
            List::Stamp => {
                let has_recordings = !self.chosen_recordings().is_empty();
                when(has_recordings, "select a recording first", |it| {
                    it.batch(Batch::Stamp, it.chosen_recordings())
                })
            }
            List::StampListed => when(is_open, "nothing is open", |it| {
                it.batch(Batch::Stamp, it.listed_recordings())
            }),
            List::CheckSet => {
                let is_chosen = self.chosen_set().is_some();
                when(
                    is_chosen,
                    "select a recording first",
                    Self::check_chosen_set,
                )
            }
            List::ServeFromSet => {
                let is_chosen = self.chosen_set().is_some();
                when(
                    is_chosen,
                    "select a recording first",
                    Self::serve_from_chosen_set,
                )
            }
            List::ReadLog => when(is_open, "nothing is open", |it| {
                it.toggle_overlay(Overlay::FailureLog)
            }),
            List::NewSeed => after(self.needs_seeds(), |it| {
                it.apply(Action::Seeds(SeedsAction::New))
            }),
            List::CopySeed => after(self.needs_seeds(), |it| {
                it.apply(Action::Seeds(SeedsAction::CopyCalls))
            }),
            List::RepathSource => {
                let row = self.source_subject().ok_or("select a source first")?;
                when(row.renamed > 0, "the source was not renamed", |it| {
                    it.on_source(SourceAction::Repath)
                })
            }
            List::RestampSource => {
                let row = self.source_subject().ok_or("select a source first")?;
                let can_restamp = row.restampable > 0;
                when(
                    can_restamp,
                    "none of its recordings can be restamped",
                    |it| it.on_source(SourceAction::Restamp),
                )
            }
            List::CopyPath => after(self.needs_selected(), Self::copy_path),
        }
    }

    /// The handler of a horizontal step: from chunk to chunk on a tape, else from seed to seed.
    fn column_deed(&self, on_tape: Deed, on_seeds: Deed) -> Can {
        if self.shows_tapes() {
            when(self.tapes.reel().is_some(), "no tape is shown", on_tape)
        } else {
            after(self.needs_seeds(), on_seeds)
        }
    }

    fn needs_rows(&self) -> Result<(), &'static str> {
        if self.shows_review() {
            self.can_decide()
        } else if self.shows_queue() {
            self.needs_asking()
        } else {
            need(!self.library.is_empty(), "nothing is open")
        }
    }

    fn needs_asking(&self) -> Result<(), &'static str> {
        let queue = &self.live.queue;
        let is_waiting = queue.selected().is_some() || queue.waiting() > 0;
        need(is_waiting, "no requests are waiting")
    }

    fn needs_selected(&self) -> Result<(), &'static str> {
        need(self.selected().is_some(), "select an item first")
    }

    fn needs_library(&self) -> Result<(), &'static str> {
        let here = self.here();
        let is_shown = (here.view, here.desk) == (View::List, Desk::Library);
        need(is_shown, "the library is not shown")
    }

    fn needs_seeds(&self) -> Result<(), &'static str> {
        let here = self.here();
        let is_shown = (here.view, here.desk) == (View::List, Desk::Seeds);
        need(is_shown, "the seeds are not shown")
    }

    fn needs_openable(&self) -> Result<(), &'static str> {
        if self.shows_import() {
            let is_ready = matches!(self.import.state(), ImportState::Ready);
            need(is_ready, "there are no drafts yet")
        } else if self.shows_queue() {
            self.needs_asking()
        } else if self.shows_sources() {
            need(self.source_subject().is_some(), "select a source first")
        } else if self.shows_live() {
            Ok(())
        } else {
            self.needs_selected()
        }
    }

    fn focus_filter(&mut self) -> Vec<Effect> {
        self.filter_wanted = true;
        let desk = match self.here().desk {
            Desk::Seeds => Desk::Seeds,
            Desk::Library
            | Desk::Playback
            | Desk::Tapes
            | Desk::Sessions
            | Desk::Review
            | Desk::Live
            | Desk::Problems => Desk::Library,
        };
        if self.shows_sources() {
            return Vec::new();
        }
        self.go(desk, View::List)
    }

    fn copy_path(&mut self) -> Vec<Effect> {
        let item = self.subject().and_then(|id| self.library.get(id));
        let path = item.map(|item| item.path.to_string());
        path.map_or_else(Vec::new, |path| self.copy(path))
    }
}
