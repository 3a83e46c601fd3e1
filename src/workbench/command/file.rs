//! Commands for opening, closing and saving files.

use super::declared::by_section::File;
use super::running::{Can, after, need, when};
use crate::workbench::action::{Overlay, SaveWay};
use crate::workbench::event::Effect;
use crate::workbench::incident::{FetchAction, ImportAction, ImportState};
use crate::workbench::leaving::Leaving;
use crate::workbench::state::Workbench;
use crate::workbench::working_copy::WorkingCopy;

impl Workbench {
    pub(super) fn file_deed(&self, command: File) -> Can {
        let is_open = self.project.is_some();
        match command {
            File::OpenFolder => Ok(|_| vec![Effect::PickFolder]),
            File::OpenFiles => Ok(|_| vec![Effect::PickFiles]),
            File::ImportIncident => when(is_open, "open a folder first", |it| {
                it.act_on_import(ImportAction::PickFiles)
            }),
            File::ImportFromLangSmith => when(is_open, "open a folder first", |it| {
                it.act_on_import(ImportAction::Fetch(FetchAction::Open(None)))
            }),
            File::Reload => when(is_open, "nothing is open", |it| it.leave(Leaving::Reload)),
            File::CancelReading => {
                let is_reading = self.progress.is_some();
                when(is_reading, "no files are being read", |_| {
                    vec![Effect::CancelScan]
                })
            }
            File::Save if self.shows_import() => when(
                matches!(self.import.state(), ImportState::Ready),
                "there are no drafts yet",
                Self::ask_to_save_sessions,
            ),
            File::Save => after(self.needs_unsaved(), |it| {
                it.on_subject(|it, id| {
                    if it.reports_unnamed_tool(id) {
                        Vec::new()
                    } else {
                        it.save(id, SaveWay::Usual)
                    }
                })
            }),
            File::SaveAll => {
                let is_unsaved = self.library.unsaved().next().is_some();
                when(is_unsaved, "no unsaved edits", Self::save_all)
            }
            File::SaveAs => {
                let id = self.subject().ok_or("select an item first")?;
                let has_text = self.library.text(id).is_some();
                when(has_text, "the text is not loaded", |it| {
                    it.on_subject(Self::ask_where)
                })
            }
            File::Revert => after(self.needs_unsaved(), |it| it.on_subject(Self::revert)),
            File::ShowUnsaved => {
                let is_unsaved = self.library.unsaved().next().is_some();
                when(is_unsaved, "no unsaved edits", |it| {
                    it.toggle_overlay(Overlay::Unsaved)
                })
            }
            File::ShowRecovered => {
                let has_drafts = !self.drafts.is_empty();
                when(has_drafts, "no recovered edits", |it| {
                    it.toggle_overlay(Overlay::Recovered)
                })
            }
            File::CloseProject => when(is_open, "nothing is open", |it| it.leave(Leaving::Close)),
            File::Quit => Ok(|it| it.leave(Leaving::Quit)),
        }
    }

    fn needs_unsaved(&self) -> Result<(), &'static str> {
        let id = self.subject().ok_or("select an item first")?;
        let is_unsaved = self.library.copy(id).is_some_and(WorkingCopy::is_unsaved);
        need(is_unsaved, "it has no unsaved edits")
    }
}
