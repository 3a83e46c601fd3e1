//! Commands for the playback desk.

use super::dispatch::{HandlerOrReason, handler_if};
use crate::workbench::core::command::declared::by_section::Playback;
use crate::workbench::desks::playback::PlaybackAction;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn playback_handler(&self, command: Playback) -> HandlerOrReason {
        match command {
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
