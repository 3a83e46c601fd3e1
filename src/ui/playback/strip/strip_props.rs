//! Inputs of the parts of the strip.

use egui::Ui;

use crate::playback::playback_data::PlaybackData;
use crate::strip::{StripCalls, StripPicture};
use play::playback::RunStrip;
use protocol::PlaybackResult;
use workbench::{Action, Actions, Command, PlaybackAction, PlayheadAction};

/// The strip of a run, as its parts paint it.
#[derive(Clone, Copy)]
pub(super) struct StripProps<'a> {
    pub(super) data: &'a PlaybackData<'a>,
    pub(super) played: &'a PlaybackResult,
    pub(super) strip: &'a RunStrip,
}

impl<'a> StripProps<'a> {
    /// Reads the desk; `None` if no strip is shown.
    pub(super) fn new(data: &'a PlaybackData<'a>) -> Option<Self> {
        let strip = data.desk.shown_strip()?;
        Some(Self { data, played: data.played()?, strip })
    }

    /// Returns the strip as it is painted.
    pub(super) fn picture(&self, ui: &Ui) -> StripPicture<'_> {
        let is_reduced = self.data.workbench.core.user.settings.reduced_motion;
        let strip = (self.strip, &self.data.desk.strip.player);
        StripPicture::new(ui, self, strip, (self.data.desk.number, self.call()), is_reduced)
    }

    /// The selected call.
    pub(super) fn call(&self) -> usize {
        self.data.desk.call
    }

    /// Whether the playhead has reached a call.
    pub(super) fn is_played(&self, call: usize) -> bool {
        // The selected call follows the playhead.
        call <= self.call()
    }
}

impl StripCalls for StripProps<'_> {
    fn lane_name(&self, lane: usize) -> String {
        self.strip.lane_name(lane)
    }

    fn block_name(&self, call: usize, is_played: bool) -> String {
        self.strip.block_name(&self.played.run, call, is_played)
    }

    fn block_detail(&self, call: usize) -> String {
        self.played.run.answer_label(call)
    }

    fn playhead(&self, action: PlayheadAction) -> Action {
        Action::from(PlaybackAction::Playhead(action))
    }

    fn select(&self, call: usize) -> Action {
        Action::from(PlaybackAction::ShowCall(call))
    }

    fn open(&self) -> Action {
        Action::Run(Command::OpenSelected)
    }

    fn menu_ui(&self, ui: &mut Ui, actions: &mut Actions) {
        for command in [Command::OpenSelected, Command::CopyLink] {
            widgets::menu_run(ui, command, command.enabled(self.data.workbench), actions);
        }
    }
}
