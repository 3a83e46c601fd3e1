//! Commands for comparing two items, or versions of one.

use super::declared::by_section::Compare;
use super::running::{Can, after, need, nothing, when};
use crate::ops::merge::MergeSide;
use crate::workbench::action::{Action, Pane, Step};
use crate::workbench::event::Effect;
use crate::workbench::navigation::{Desk, View};
use crate::workbench::sources::SourceAction;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn compare_deed(&self, command: Compare) -> Can {
        match command {
            Compare::CompareSource if self.shows_sources() => {
                let is_selected = self.source_subject().is_some();
                when(is_selected, "select a source first", |it| {
                    it.on_source(SourceAction::ThenAndNow)
                })
            }
            Compare::CompareSource => after(self.needs_recorded_source(), |it| {
                it.on_subject(|it, id| it.apply(Action::ThenAndNow(id)))
            }),
            Compare::CompareSelected => {
                let are_there = self.comparable().is_some();
                let reason = "select two comparable items first";
                when(are_there, reason, Self::compare_selected)
            }
            Compare::NextChange => after(self.needs_changes(), |it| {
                it.step_change(Step::Next);
                nothing()
            }),
            Compare::PreviousChange => after(self.needs_changes(), |it| {
                it.step_change(Step::Previous);
                nothing()
            }),
            Compare::SwapSides => {
                let is_shown = matches!(self.here().view, View::Compare { .. });
                when(
                    is_shown,
                    "no items are shown side by side",
                    Self::swap_sides,
                )
            }
            Compare::ToggleDiffLayout => after(self.needs_sides(), Self::toggle_pane),
            Compare::UseTheirs => after(self.needs_versions(), |it| {
                it.choose_here(MergeSide::Theirs);
                nothing()
            }),
            Compare::UseOurs => after(self.needs_versions(), |it| {
                it.choose_here(MergeSide::Ours);
                nothing()
            }),
            Compare::UseBase => after(self.needs_versions(), |it| {
                it.choose_here(MergeSide::Base);
                nothing()
            }),
            Compare::MergeAndSave => {
                after(self.needs_versions(), |it| it.on_subject(Self::resolve))
            }
        }
    }

    fn needs_recorded_source(&self) -> Result<(), &'static str> {
        let item = self.selected().ok_or("select a recording first")?;
        let source = item.source.as_ref();
        let source = source.ok_or("only recordings have a source")?;
        let is_named = source.recorded_hash.is_some();
        need(is_named, "the recording has no source")
    }

    fn needs_changes(&self) -> Result<(), &'static str> {
        let here = self.here();
        if (here.view, here.desk) == (View::List, Desk::Playback) {
            need(self.playback.played().is_some(), "nothing was played")
        } else if self.shows_tapes() {
            let reason = "nothing is compared with the tape";
            need(self.tapes.is_compared(), reason)
        } else {
            self.needs_sides()
        }
    }

    fn needs_sides(&self) -> Result<(), &'static str> {
        if self.shows_review() {
            return self.can_decide();
        }
        need(
            self.here().view != View::List,
            "nothing is shown side by side",
        )
    }

    fn needs_versions(&self) -> Result<(), &'static str> {
        let is_shown = matches!(self.here().view, View::Conflict(_));
        need(is_shown, "no conflict is shown")
    }

    fn compare_selected(&mut self) -> Vec<Effect> {
        let sides = self.comparable();
        sides.map_or_else(Vec::new, |(left, right)| {
            self.apply(Action::Compare(left, right))
        })
    }

    fn swap_sides(&mut self) -> Vec<Effect> {
        if let View::Compare { left, right } = self.here().view {
            self.navigation.replace(View::Compare {
                left: right,
                right: left,
            });
        }
        nothing()
    }

    fn toggle_pane(&mut self) -> Vec<Effect> {
        self.pane = match self.pane {
            Pane::Sides => Pane::Unified,
            Pane::Unified => Pane::Sides,
        };
        nothing()
    }
}
