//! Commands for comparing two items, or versions of one.

use super::dispatch::{HandlerOrReason, handler_after, handler_if, require};
use crate::action::Action;
use crate::core::command::declared::by_section::Compare;
use crate::core::navigation::{DeskView, StepDirection};
use crate::core::view::DiffLayout;
use crate::desks::problems::sources::SourceAction;
use crate::state::Workbench;
use document::merge::MergeSide;
use protocol::Desk;

impl Workbench {
    /// Chooses a version at the place in focus.
    fn choose_here(&mut self, version: MergeSide) {
        if let Some(side) = &mut self.core.side {
            side.choose(side.change, version);
        }
    }

    pub(super) fn compare_handler(&self, command: Compare) -> HandlerOrReason {
        match command {
            // There, a source is selected and no recording.
            Compare::CompareSource if self.problems.shows_sources(&self.core) => {
                let is_selected = self.source_subject().is_some();
                handler_if(is_selected, "select a source first", |it| {
                    it.on_source(SourceAction::Compare);
                })
            }
            Compare::CompareSource => handler_after(self.needs_recorded_source(), |it| {
                it.on_subject(|it, id| it.act(Action::CompareSource(id)));
            }),
            Compare::CompareSelected => {
                let are_there = self.pair_to_compare().is_some();
                let reason = "select two comparable items first";
                handler_if(are_there, reason, Self::compare_selected)
            }
            Compare::NextChange => handler_after(self.needs_changes(), |it| {
                it.step_change(StepDirection::Next);
            }),
            Compare::PreviousChange => handler_after(self.needs_changes(), |it| {
                it.step_change(StepDirection::Previous);
            }),
            Compare::SwapSides => {
                let is_shown = matches!(self.core.here().view, DeskView::Compare { .. });
                handler_if(is_shown, "no items are shown side by side", Self::swap_sides)
            }
            Compare::ToggleDiffLayout => {
                handler_after(self.needs_sides(), Self::toggle_diff_layout)
            }
            Compare::RenameTool => {
                let is_there = self.core.tool_rename().is_some();
                let reason = "select a change of a source that renames a tool first";
                handler_if(is_there, reason, |it| {
                    if let Some((change, docs)) = it.core.tool_rename() {
                        it.core.plan_batch(change, docs);
                    }
                })
            }
            Compare::UseTheirs => handler_after(self.needs_versions(), |it| {
                it.choose_here(MergeSide::Theirs);
            }),
            Compare::UseOurs => handler_after(self.needs_versions(), |it| {
                it.choose_here(MergeSide::Ours);
            }),
            Compare::UseBase => handler_after(self.needs_versions(), |it| {
                it.choose_here(MergeSide::Base);
            }),
            Compare::MergeAndSave => handler_after(self.needs_versions(), |it| {
                it.on_subject(|it, doc| it.core.resolve(doc));
            }),
        }
    }

    fn needs_recorded_source(&self) -> Result<(), &'static str> {
        let item = self.selected().ok_or("select a recording first")?;
        let source = item.source.as_ref().ok_or("only recordings have a source")?;
        let is_named = source.recorded_hash.is_some();
        require(is_named, "the recording has no source")
    }

    pub(super) fn needs_changes(&self) -> Result<(), &'static str> {
        let here = self.core.here();
        if (here.view, here.desk) == (DeskView::List, Desk::Playback) {
            let played = self.playback.played().ok_or("nothing was played")?;
            require(!played.wrong.is_empty(), "no answer is wrong")
        } else if here.view == DeskView::Triage {
            require(self.triage.has_other_causes(), "there is no other cause")
        } else if self.core.shows(Desk::Review) {
            self.review.can_decide(&self.core)
        } else {
            self.needs_sides()?;
            let side = self.core.side.as_ref();
            require(side.is_some_and(|side| side.changes() > 0), "nothing differs")
        }
    }

    fn needs_sides(&self) -> Result<(), &'static str> {
        if self.core.shows(Desk::Review) {
            return self.review.can_decide(&self.core);
        }
        require(self.core.here().view != DeskView::List, "nothing is shown side by side")
    }

    fn needs_versions(&self) -> Result<(), &'static str> {
        let is_shown = matches!(self.core.here().view, DeskView::Conflict(_));
        require(is_shown, "no conflict is shown")
    }

    fn compare_selected(&mut self) {
        let sides = self.pair_to_compare();
        if let Some((left, right)) = sides {
            self.act(Action::Compare(left, right));
        }
    }

    fn swap_sides(&mut self) {
        if let DeskView::Compare { left, right } = self.core.here().view {
            // Swapped sides are the same place, to which no step leads back.
            self.core.navigation.replace(DeskView::Compare { left: right, right: left });
        }
    }

    fn toggle_diff_layout(&mut self) {
        self.core.diff_layout = match self.core.diff_layout {
            DiffLayout::SideBySide => DiffLayout::Unified,
            DiffLayout::Unified => DiffLayout::SideBySide,
        };
    }
}
