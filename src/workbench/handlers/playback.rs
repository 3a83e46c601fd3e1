//! Commands for the playback desk.

use std::sync::Arc;

use super::dispatch::{HandlerOrReason, action, action_if, handler_if};
use crate::core::command::declared::by_section::Playback;
use crate::{PlaybackAction, TriageAction, Workbench};
use protocol::{Desk, RequestsSource, RunSource};

impl Workbench {
    pub(super) fn playback_handler(&self, command: Playback) -> HandlerOrReason {
        match command {
            Playback::FixPlayback if self.core.here().view.is_run() => {
                let has_fix = self.triage.cause_fix().is_some();
                action_if(has_fix, "nothing can be fixed automatically", TriageAction::Fix)
            }
            Playback::FixAllCauses => {
                let has_fix = self.triage.all_fix().is_some();
                action_if(has_fix, "nothing can be fixed automatically", TriageAction::FixAll)
            }
            Playback::ShowTriage => {
                let is_begun = self.triage.run.is_some() && self.core.project.is_some();
                action_if(is_begun, "no run was read yet", TriageAction::Show)
            }
            Playback::ShareRun => {
                let log = self.playback_log();
                let can_share = self.triage.triaged.is_some() || log.is_some();
                handler_if(can_share, "no run was read yet", |w| w.triage.share(&mut w.core, log))
            }
            Playback::FixPlayback => {
                let fix = self.playback.first_change().cloned();
                action(PlaybackAction::Fix(fix.ok_or("nothing played has a fix")?))
            }
        }
    }

    /// The log on the playback desk while it is shown.
    pub(super) fn playback_log(&self) -> Option<RunSource> {
        let is_shown = self.core.shows(Desk::Playback);
        match self.playback.requests.as_ref().filter(|_| is_shown)? {
            RequestsSource::Log { name, text, .. } => {
                Some(RunSource::Text { name: Arc::clone(name), text: Arc::clone(text) })
            }
            RequestsSource::Path { path, .. } => {
                // A path may also name requests or a machine.
                let is_log = self.playback.played()?.input.log.is_some();
                is_log.then(|| RunSource::Files(vec![path.clone()]))
            }
            _ => None,
        }
    }
}
