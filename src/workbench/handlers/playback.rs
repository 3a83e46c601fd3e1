//! Commands for the playback desk.

use super::dispatch::{HandlerOrReason, handler_if};
use crate::workbench::core::command::declared::by_section::Playback;
use crate::workbench::desks::playback::PlaybackAction;
use crate::workbench::desks::triage::TriageAction;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn playback_handler(&self, command: Playback) -> HandlerOrReason {
        match command {
            Playback::FixCause => {
                let has_fix = self.triage.cause_fix().is_some();
                handler_if(has_fix, "nothing can be fixed automatically", |it| {
                    it.triage.act(&mut it.core, TriageAction::Fix);
                })
            }
            Playback::FixAllCauses => {
                let has_fix = self.triage.all_fix().is_some();
                handler_if(has_fix, "nothing can be fixed automatically", |it| {
                    it.triage.act(&mut it.core, TriageAction::FixAll);
                })
            }
            Playback::ShowTriage => {
                let is_begun = self.triage.is_begun() && self.core.project.is_some();
                handler_if(is_begun, "no run was read yet", |it| {
                    it.triage.act(&mut it.core, TriageAction::Show);
                })
            }
            Playback::FixPlayback => {
                let has_fix = self.playback.first_change().is_some();
                handler_if(has_fix, "nothing played has a fix", |it| {
                    let fix = it.playback.first_change().cloned();
                    if let Some(fix) = fix {
                        it.playback.act(&mut it.core, PlaybackAction::Fix(fix));
                    }
                })
            }
        }
    }
}
