//! Commands for comparing two items, or versions of one.

use super::dispatch::{HandlerOrReason, action, handler, handler_after, require};
use crate::core::command::declared::by_section::Compare;
use crate::{Action, DeskView, DiffLayout, StepDirection, Workbench};
use document::merge::MergeSide;
use protocol::{Desk, DocId};

impl Workbench {
    pub(super) fn compare_handler(&self, command: Compare) -> HandlerOrReason {
        let step = |step| handler_after(self.needs_changes(), move |w| w.step_change(step));
        let choose = |version| {
            self.needs_versions()?;
            action(Action::Choose(self.core.side.as_ref().map_or(0, |side| side.change), version))
        };
        match command {
            Compare::CompareSource => self.on_source(Action::CompareSource),
            Compare::CompareSelected => {
                let reason = "select two comparable items first";
                let doc = self.subject().ok_or(reason)?;
                let marked_doc = self.core.list.marked.filter(|marked_doc| *marked_doc != doc);
                action(Action::Compare(marked_doc.ok_or(reason)?, doc))
            }
            Compare::NextChange => step(StepDirection::Next),
            Compare::PreviousChange => step(StepDirection::Previous),
            Compare::SwapSides => match self.core.here().view {
                DeskView::Compare { left, right } => handler(move |workbench| {
                    // Swapped sides are the same place, to which no step leads back.
                    workbench.core.navigation.here.view =
                        DeskView::Compare { left: right, right: left };
                }),
                _ => Err("no items are shown side by side"),
            },
            Compare::ToggleDiffLayout => {
                handler_after(self.needs_sides(), Self::toggle_diff_layout)
            }
            Compare::RenameTool => {
                let reason = "select a change of a source that renames a tool first";
                let (change, docs) = self.core.tool_rename().ok_or(reason)?;
                action(Action::Batch(change, docs))
            }
            Compare::UseTheirs => choose(MergeSide::Theirs),
            Compare::UseOurs => choose(MergeSide::Ours),
            Compare::UseBase => choose(MergeSide::Base),
            Compare::MergeAndSave => action(Action::Resolve(self.needs_versions()?)),
        }
    }

    pub(super) fn needs_changes(&self) -> Result<(), &'static str> {
        let location = self.core.here();
        if (location.view, location.desk) == (DeskView::List, Desk::Playback) {
            let result = self.playback.played().ok_or("nothing was played")?;
            require(!result.wrong.is_empty(), "no answer is wrong")
        } else if location.view.is_run() {
            require(self.triage.has_other_unsolved(), "every other cause is solved")
        } else if self.core.shows(Desk::Review) {
            self.review.can_decide(&self.core)
        } else if self.shows_map() {
            let versions = self.source.map().map_or(&[][..], |map| &map.versions);
            let is_broken = versions.iter().any(|version| !version.broke.is_empty());
            require(is_broken, "no commit broke a recording")
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

    fn needs_versions(&self) -> Result<DocId, &'static str> {
        let DeskView::Conflict(doc) = self.core.here().view else {
            return Err("no conflict is shown");
        };
        Ok(doc)
    }

    fn toggle_diff_layout(&mut self) {
        self.core.diff_layout = match self.core.diff_layout {
            DiffLayout::SideBySide => DiffLayout::Unified,
            DiffLayout::Unified => DiffLayout::SideBySide,
        };
    }
}
