//! Steps through lists and changes with the arrow keys, `j` and `k`, `n` and `p`.

use super::action::{Action, Step};
use super::event::Effect;
use super::inspector::Room;
use super::library::DocId;
use super::listing::{self};
use super::navigation::{Desk, View};
use super::seeds::{SeedsAction, Towards};
use super::sources::SourceAction;
use super::state::Workbench;

/// The number of rows of a page, for the page keys.
pub(super) const PAGE: isize = 20;

impl Workbench {
    /// Moves the selection by some rows: items, problems or changes. A page of problems is all problems of a rule.
    pub(super) fn step(&mut self, step: Step, rows: isize) -> Vec<Effect> {
        let here = self.here();
        match (here.view, here.desk) {
            (View::List, Desk::Library) => self.step_row(match step {
                Step::Next => rows,
                Step::Previous => -rows,
            }),
            (View::List, Desk::Playback) => {
                self.step_call(step, rows.unsigned_abs());
                Vec::new()
            }
            (View::List, Desk::Seeds) => {
                let rows = match step {
                    Step::Next => rows,
                    Step::Previous => -rows,
                };
                self.apply(Action::Seeds(SeedsAction::Move(Towards::Rows(rows))))
            }
            (View::List, Desk::Sessions) => self.step_session(match step {
                Step::Next => rows,
                Step::Previous => -rows,
            }),
            (View::List, Desk::Tapes) => self.step_tape(match step {
                Step::Next => rows,
                Step::Previous => -rows,
            }),
            (View::List, Desk::Review) => {
                self.review.step(step, rows.unsigned_abs());
                Vec::new()
            }
            (View::List, Desk::Live) => {
                self.step_live(step, rows.unsigned_abs());
                Vec::new()
            }
            (View::List, Desk::Problems) if self.shows_sources() => {
                self.step_source(step, rows.unsigned_abs())
            }
            (View::List, Desk::Problems) if rows == PAGE => self.step_rule(step),
            (View::List, Desk::Problems) => self.step_place(step),
            (View::Import, _) => self.step_draft(step, rows.unsigned_abs()),
            (View::Compare { .. } | View::ThenAndNow(_) | View::Conflict(_), _) => {
                self.step_change(step);
                Vec::new()
            }
        }
    }

    /// Goes to the first or last row.
    pub(super) fn step_all(&mut self, step: Step) -> Vec<Effect> {
        let here = self.here();
        match (here.view, here.desk, step) {
            (View::List, Desk::Library, Step::Next) => self.step_to(|ends| ends.1),
            (View::List, Desk::Library, Step::Previous) => self.step_to(|ends| ends.0),
            (View::List, Desk::Playback, step) => {
                self.step_to_last_call(step);
                Vec::new()
            }
            (View::List, Desk::Seeds, Step::Next) => {
                self.apply(Action::Seeds(SeedsAction::Move(Towards::Last)))
            }
            (View::List, Desk::Seeds, Step::Previous) => {
                self.apply(Action::Seeds(SeedsAction::Move(Towards::First)))
            }
            (View::List, Desk::Sessions, step) => self.step_to_end_of_sessions(step),
            (View::List, Desk::Tapes, _) => {
                self.step_to_end_of_tape(step);
                Vec::new()
            }
            (View::List, Desk::Review, _) => {
                self.review.step_to_end(step);
                Vec::new()
            }
            (View::List, Desk::Live, _) => {
                self.step_live(step, usize::MAX);
                Vec::new()
            }
            (View::List, Desk::Problems, _) if self.shows_sources() => {
                self.step_source(step, usize::MAX)
            }
            (View::List, Desk::Problems, _) => self.step_to_end(step),
            (View::Import, ..) => self.step_draft(step, usize::MAX),
            (View::Compare { .. } | View::ThenAndNow(_) | View::Conflict(_), ..) => {
                if let Some(side) = &mut self.side {
                    side.show(match step {
                        Step::Next => side.changes().saturating_sub(1),
                        Step::Previous => 0,
                    });
                }
                Vec::new()
            }
        }
    }

    pub(super) fn open_selected(&mut self) -> Vec<Effect> {
        if self.shows_import() {
            return self.ask_to_save_sessions();
        }
        if self.shows_sources() {
            return self.on_source(SourceAction::ThenAndNow);
        }
        if self.shows_queue() {
            self.enter_answer();
            return Vec::new();
        }
        if self.shows_sessions() {
            return self.open_response();
        }
        if self.shows_live() {
            return self.open_in_live();
        }
        if self.shows_tapes() || self.shows_review() {
            return self.subject().map_or_else(Vec::new, |id| self.show(id));
        }
        let here = self.here();
        if (here.view, here.desk) == (View::List, Desk::Seeds) {
            return match self.seeds.selected() {
                Some(seed) => self.apply(Action::Seeds(SeedsAction::Open(seed))),
                None => Vec::new(),
            };
        }
        let problem = self
            .problems
            .problem
            .filter(|_| here.desk == Desk::Problems);
        if let Some(id) = problem.filter(|_| here.view == View::List)
            && let Some(span) = self.problem(id).map(|problem| problem.span)
        {
            return self.apply(Action::Reveal(id.doc, span));
        }
        if (here.desk, here.view) == (Desk::Playback, View::List) {
            return self.open_served();
        }
        // A docked inspector that was not visible yet is opened first.
        if self.inspector.room == Room::Over && !self.inspector.is_shown() {
            self.inspector.show();
            return Vec::new();
        }
        self.inspector.show();
        let stale = |id: &DocId| self.library.get(*id).is_some_and(listing::is_stale);
        match self.subject().filter(stale) {
            Some(id) => self.apply(Action::ThenAndNow(id)),
            None => Vec::new(),
        }
    }

    pub(super) fn step_change(&mut self, step: Step) {
        if (self.here().desk, self.here().view) == (Desk::Playback, View::List) {
            return self.step_wrong(step);
        }
        if self.shows_review() {
            return self.review.step_change(step);
        }
        if self.shows_tapes() {
            return self.step_differences(match step {
                Step::Next => 1,
                Step::Previous => -1,
            });
        }
        let Some(side) = &mut self.side else { return };
        side.show(match step {
            Step::Next => side.change() + 1,
            Step::Previous => side.change().saturating_sub(1),
        });
    }
}
