//! Commands for opening, closing and saving files.

use super::dispatch::{HandlerOrReason, action, action_if, handler, handler_if};
use crate::core::command::declared::by_section::File;
use crate::{
    Action, Command, DeskView, DialogKind, Effect, FetchAction, ImportAction, ImportState, Leaving,
    Overlay, SaveMode, Workbench, WorkingCopy,
};
use protocol::{DocId, SampleStop};

impl Workbench {
    pub(super) fn file_handler(&self, command: File) -> HandlerOrReason {
        let is_open = self.core.project.is_some();
        let if_unsaved = |handler: fn(&mut Self)| {
            handler_if(self.core.library.unsaved().next().is_some(), "no unsaved edits", handler)
        };
        match command {
            File::OpenFolder => handler(|workbench| {
                let folders = DialogKind::Folders;
                workbench.core.request(Effect::pick_many("Open folder", folders, Action::Open));
            }),
            File::OpenFiles => handler(|workbench| {
                let files = DialogKind::Files;
                workbench.core.request(Effect::pick_many("Open files", files, Action::Open));
            }),
            File::OpenSamples => action(Action::OpenSamples(SampleStop::Library)),
            File::NewWindow => handler(|w| w.core.request(Effect::OpenWindow)),
            // Sessions need a project to be saved in.
            File::ImportIncident if !is_open => handler(|workbench| {
                let title = "Open the project that gets the sessions";
                workbench.pick_folder_then(title, Command::ImportIncident);
            }),
            File::ImportIncident => action(ImportAction::PickFiles),
            File::ImportFromLangSmith => {
                let open = ImportAction::Fetch(FetchAction::Open(None));
                action_if(is_open, "open a folder first", open)
            }
            File::Reload => {
                handler_if(is_open, "nothing is open", |w| w.core.leave(Leaving::Reload))
            }
            File::CancelReading => {
                let is_reading = self.core.progress.is_some();
                let is_searching = self.core.bodies.progress.is_some();
                handler_if(is_reading || is_searching, "no files are being read", |workbench| {
                    workbench.core.stop_reading();
                })
            }
            // In an import, the drafts are what there is to save.
            File::Save if self.core.here().view == DeskView::Import => {
                let is_ready = matches!(&self.import.state, ImportState::Ready);
                action_if(is_ready, "there are no drafts yet", ImportAction::ShowSaving)
            }
            File::Save => {
                let doc = self.needs_unsaved()?;
                handler(move |workbench| {
                    if !workbench.sessions.report_unnamed_tool(&mut workbench.core, doc) {
                        workbench.core.save(doc, SaveMode::Usual);
                    }
                })
            }
            File::SaveAll => if_unsaved(|w| w.core.save_all()),
            File::SaveAs => {
                let id = self.subject().ok_or("select an item first")?;
                let has_text = self.core.library.text(id).is_some();
                action_if(has_text, "the text is not loaded", Action::SaveAs(id))
            }
            File::Revert => action(Action::Revert(self.needs_unsaved()?)),
            File::ShowUnsaved => if_unsaved(|w| w.toggle_overlay(Overlay::Unsaved)),
            File::ShowRecovered => {
                handler_if(!self.core.drafts.is_empty(), "no recovered edits", |workbench| {
                    workbench.toggle_overlay(Overlay::Recovered);
                })
            }
            File::ShowLog => handler(|workbench| {
                workbench.core.read_log();
                workbench.toggle_overlay(Overlay::Log);
            }),
            File::ShowCrashReport => {
                let has_report = self.core.crash_report.is_some();
                let reason = "no crash report was found when this window opened";
                handler_if(has_report, reason, |w| w.core.show_crash_report())
            }
            File::CloseProject => {
                handler_if(is_open, "nothing is open", |w| w.core.leave(Leaving::Close))
            }
            File::Quit => handler(|w| w.core.leave(Leaving::Quit)),
        }
    }

    fn needs_unsaved(&self) -> Result<DocId, &'static str> {
        let doc = self.subject().ok_or("select an item first")?;
        if self.core.library.copy(doc).is_some_and(WorkingCopy::is_unsaved) {
            Ok(doc)
        } else if self.core.library.unsaved().next().is_some() {
            Err("it has no unsaved edits, other files have")
        } else {
            Err("it has no unsaved edits")
        }
    }
}
