//! Commands for the playback desk.

use std::sync::Arc;

use super::dispatch::{HandlerOrReason, handler_after, handler_if};
use crate::core::command::declared::by_section::Playback;
use crate::core::navigation::DeskView;
use crate::desks::playback::PlaybackAction;
use crate::desks::triage::TriageAction;
use crate::state::Workbench;
use protocol::{Desk, RequestsSource, RunSource};

impl Workbench {
    pub(super) fn playback_handler(&self, command: Playback) -> HandlerOrReason {
        match command {
            Playback::FixPlayback if self.core.here().view == DeskView::Triage => {
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
            Playback::ShareRun => {
                let can_share = self.triage.triaged.is_some() || self.playback_log().is_some();
                handler_if(can_share, "no run was read yet", |it| {
                    let log = it.playback_log();
                    it.triage.share(&mut it.core, log);
                })
            }
            Playback::PlaySet => {
                let needs_set = match self.set_to_play() {
                    Some(_) => Ok(()),
                    None if self.core.shows(Desk::Playback) => Err("choose a set first"),
                    None => self.needs_set(),
                };
                handler_after(needs_set, |it| {
                    if let Some(folder) = it.set_to_play() {
                        let play = PlaybackAction::PlaySet(folder);
                        it.playback.act(&mut it.core, play);
                    }
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

    /// The log on the playback desk while it is shown.
    pub(super) fn playback_log(&self) -> Option<RunSource> {
        let is_shown = self.core.shows(Desk::Playback) && self.playback.refusal.is_none();
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

    /// The set of the playback desk while it is shown, else that of the selected recording.
    fn set_to_play(&self) -> Option<Arc<str>> {
        let is_here = self.core.shows(Desk::Playback);
        let set = self.playback.set.clone().filter(|_| is_here);
        set.or_else(|| self.chosen_set())
    }
}
