//! The strip of the playback desk: which calls are visible along the time axis, and the playhead.

use super::PlaybackDesk;
use crate::ops::playback::RunStrip;
use crate::ops::tape::playback::Speed;
use crate::ops::tape::timeline::TimeRange;
use crate::ops::tape::timing::TapeSchedule;
use crate::workbench::core::navigation::{Desk, StepDirection};
use crate::workbench::core::state::Core;
use crate::workbench::core::transport::Transport;
use crate::workbench::core::visible_range::{VisibleRange, Zoom};

/// Of how many calls the time is visible at first.
const CALLS_SHOWN: usize = 16;

/// How a run is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RunView {
    /// A row for each call.
    #[default]
    Table,
    /// A block for each call along the time axis.
    Strip,
}

/// An action on the strip. Times are in nanoseconds since the first request.
#[derive(Clone, Debug, PartialEq)]
pub enum StripAction {
    Show(RunView),
    /// Moves the playhead, and selects the call there.
    Seek(f64),
    SetSpeed(Speed),
    Zoom(Zoom),
    /// Shows a range of time.
    ShowRange(TimeRange),
    /// Shows the explanation of the selected call in place of the conversation, or the conversation again.
    Explain(bool),
}

/// The state of the strip.
#[derive(Clone, Debug, Default)]
pub struct StripState {
    pub view: RunView,
    /// Whether the panel at the right explains the selected call; else it shows the conversation.
    pub is_explained: bool,
    pub transport: Transport,
    visible_range: VisibleRange,
    now: f64,
    /// The run and the call that the playhead is in.
    placed: Option<(u64, usize)>,
}

impl StripState {
    /// The same settings for another project.
    pub(super) fn reset(&self) -> Self {
        Self {
            view: self.view,
            is_explained: self.is_explained,
            transport: self.transport.rewound(),
            now: self.now,
            ..Self::default()
        }
    }
}

impl PlaybackDesk {
    /// The strip, if it is shown and there are calls.
    pub fn shown_strip(&self) -> Option<&RunStrip> {
        let is_shown = self.strip.view == RunView::Strip;
        let strip = &self.played().filter(|_| is_shown)?.strip;
        (!strip.blocks.is_empty()).then_some(strip)
    }

    /// The visible range of time.
    pub fn visible_time(&self) -> TimeRange {
        let total = self.shown_strip().map_or(0.0, RunStrip::total_nanos);
        self.strip.visible_range.stretch(total)
    }

    pub(super) fn act_on_strip(&mut self, action: StripAction) {
        let total = self.shown_strip().map_or(0.0, RunStrip::total_nanos);
        let strip = &mut self.strip;
        match action {
            StripAction::Show(view) => {
                strip.view = view;
                if view == RunView::Strip {
                    // The strip shows all calls.
                    self.listed = None;
                }
            }
            StripAction::Seek(nanos) => self.move_playhead(|transport, schedule, now| {
                transport.seek(schedule, nanos, now);
            }),
            StripAction::SetSpeed(speed) => strip.transport.set_speed(speed, strip.now),
            StripAction::Zoom(zoom) => {
                let nanos = strip.transport.nanos;
                strip.visible_range.zoom(zoom, nanos, total);
            }
            StripAction::ShowRange(range) => strip.visible_range.show(range, total),
            StripAction::Explain(is_explained) => strip.is_explained = is_explained,
        }
    }

    /// Plays the run in recorded time, or pauses.
    pub(in crate::workbench) fn play_strip(&mut self) {
        self.move_playhead(Transport::toggle);
    }

    /// Selects the next or previous call.
    pub(in crate::workbench) fn step_strip(&mut self, step: StepDirection) {
        self.step_call(step, 1);
    }

    /// Sets the time; the playhead moves with it, and the selection with the playhead.
    pub(in crate::workbench) fn set_time(&mut self, now: f64) {
        self.strip.now = now;
        if self.strip.transport.is_playing() {
            self.move_playhead(Transport::tick);
        }
    }

    fn move_playhead(&mut self, change: impl FnOnce(&mut Transport, &TapeSchedule, f64)) {
        let (Some(played), true) = (self.played().cloned(), self.shown_strip().is_some()) else {
            return;
        };
        let strip = &mut self.strip;
        change(&mut strip.transport, &played.strip.schedule, strip.now);
        let nanos = strip.transport.nanos;
        strip
            .visible_range
            .keep_in_sight(nanos, played.strip.total_nanos());
        let call = played.strip.call_at(nanos);
        strip.placed = Some((played.number, call));
        self.show_call(call);
    }

    /// Moves the playhead to the selected call if that was selected elsewhere.
    pub(super) fn sync_strip(&mut self, core: &Core) {
        let played = self.played().cloned();
        let played = played.filter(|_| core.shows(Desk::Playback) && self.shown_strip().is_some());
        let Some(played) = played else {
            self.strip.transport.pause();
            return;
        };
        let place = (played.number, self.call);
        let before = self.strip.placed.replace(place);
        if before == Some(place) {
            return;
        }
        let (strip, total) = (&mut self.strip, played.strip.total_nanos());
        if before.is_none_or(|(number, _)| number != played.number) {
            let starts = played.strip.schedule.arrivals_nanos();
            strip.visible_range = VisibleRange::default();
            let range = TimeRange {
                from_nanos: 0.0,
                to_nanos: starts.get(CALLS_SHOWN).copied().unwrap_or(total),
            };
            strip.visible_range.show(range, total);
        }
        strip.transport.go_to(&played.strip.schedule, place.1 + 1);
        let nanos = strip.transport.nanos;
        strip.visible_range.keep_in_sight(nanos, total);
    }
}
