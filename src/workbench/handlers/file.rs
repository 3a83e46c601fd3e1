//! Commands for opening, closing and saving files.

use super::dispatch::{HandlerOrReason, handler_after, handler_if, require};
use crate::action::Action;
use crate::core::command::Command;
use crate::core::command::declared::by_section::File;
use crate::core::dialog::DialogKind;
use crate::core::effect::Effect;
use crate::core::leaving::Leaving;
use crate::core::navigation::DeskView;
use crate::core::saving::SaveMode;
use crate::core::view::Overlay;
use crate::core::working_copy::WorkingCopy;
use crate::desks::incident::{FetchAction, ImportAction, ImportState};
use crate::state::Workbench;
use protocol::SampleStop;

impl Workbench {
    pub(super) fn file_handler(&self, command: File) -> HandlerOrReason {
        let is_open = self.core.project.is_some();
        match command {
            File::OpenFolder => Ok(|it| {
                let folders = DialogKind::Folders;
                it.core.request(Effect::pick_many("Open folder", folders, Action::Open));
            }),
            File::OpenFiles => Ok(|it| {
                let files = DialogKind::Files;
                it.core.request(Effect::pick_many("Open files", files, Action::Open));
            }),
            File::OpenSamples => Ok(|it| it.core.open_samples(SampleStop::Library)),
            File::NewWindow => Ok(|it| it.core.request(Effect::OpenWindow)),
            // Sessions need a project to be saved in.
            File::ImportIncident if !is_open => Ok(|it| {
                it.pick_folder_then(
                    "Open the project that gets the sessions",
                    Command::ImportIncident,
                );
            }),
            File::ImportIncident => Ok(|it| it.import.act(&mut it.core, ImportAction::PickFiles)),
            File::ImportFromLangSmith => handler_if(is_open, "open a folder first", |it| {
                it.import.act(&mut it.core, ImportAction::Fetch(FetchAction::Open(None)));
            }),
            File::Reload => handler_if(is_open, "nothing is open", |it| {
                it.core.leave(Leaving::Reload);
            }),
            File::CancelReading => {
                let is_reading = self.core.progress.is_some();
                let is_searching = self.core.bodies.progress.is_some();
                handler_if(is_reading || is_searching, "no files are being read", |it| {
                    it.core.stop_reading();
                })
            }
            // In an import, the drafts are what there is to save.
            File::Save if self.core.here().view == DeskView::Import => handler_if(
                matches!(&self.import.state, ImportState::Ready),
                "there are no drafts yet",
                |it| it.import.propose_saving_sessions(&mut it.core),
            ),
            File::Save => handler_after(self.needs_unsaved(), |it| {
                it.on_subject(|it, id| {
                    if !it.sessions.report_unnamed_tool(&mut it.core, id) {
                        it.core.save(id, SaveMode::Usual);
                    }
                });
            }),
            File::SaveAll => {
                let is_unsaved = self.core.library.unsaved().next().is_some();
                handler_if(is_unsaved, "no unsaved edits", |it| it.core.save_all())
            }
            File::SaveAs => {
                let id = self.subject().ok_or("select an item first")?;
                let has_text = self.core.library.text(id).is_some();
                handler_if(has_text, "the text is not loaded", |it| {
                    it.on_subject(|it, doc| it.core.pick_save_path(doc));
                })
            }
            File::Revert => handler_after(self.needs_unsaved(), |it| {
                it.on_subject(|it, doc| it.core.revert(doc));
            }),
            File::ShowUnsaved => {
                let is_unsaved = self.core.library.unsaved().next().is_some();
                handler_if(is_unsaved, "no unsaved edits", |it| {
                    it.toggle_overlay(Overlay::Unsaved);
                })
            }
            File::ShowRecovered => {
                let has_drafts = !self.core.drafts.is_empty();
                handler_if(has_drafts, "no recovered edits", |it| {
                    it.toggle_overlay(Overlay::Recovered);
                })
            }
            File::ShowLog => Ok(|it| {
                it.core.read_log();
                it.toggle_overlay(Overlay::Log);
            }),
            File::ShowCrashReport => {
                let has_report = self.core.crash_report.is_some();
                let reason = "no crash report was found when this window opened";
                handler_if(has_report, reason, |it| it.core.show_crash_report())
            }
            File::CloseProject => handler_if(is_open, "nothing is open", |it| {
                it.core.leave(Leaving::Close);
            }),
            File::Quit => Ok(|it| it.core.leave(Leaving::Quit)),
        }
    }

    fn needs_unsaved(&self) -> Result<(), &'static str> {
        let id = self.subject().ok_or("select an item first")?;
        let is_unsaved = self.core.library.copy(id).is_some_and(WorkingCopy::is_unsaved);
        let others = self.core.library.unsaved().next().is_some();
        let reason = if others {
            "it has no unsaved edits, other files have"
        } else {
            "it has no unsaved edits"
        };
        require(is_unsaved, reason)
    }
}
