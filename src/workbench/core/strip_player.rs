//! The playhead of a strip, and which part of the strip is visible.

use super::transport::Transport;
use super::visible_range::{VisibleRange, Zoom};
use calls::tape::playback::Speed;
use calls::tape::timeline::TimeRange;
use calls::tape::timing::TapeSchedule;
use play::playback::RunStrip;

/// Of how many calls the time is visible at first.
const VISIBLE_CALLS: usize = 16;

/// A change of the playhead of a strip, or of the visible range. Times are in nanoseconds since the first call.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayheadAction {
    Seek(f64),
    SetSpeed(Speed),
    Zoom(Zoom),
    /// Shows a range of time. While playing, the playhead is no longer followed.
    ShowRange(TimeRange),
}

/// The playhead of a strip, and the visible range.
#[derive(Clone, Debug)]
pub struct StripPlayer {
    pub transport: Transport,
    /// Whether the playhead is kept in sight while it plays.
    is_followed: bool,
    visible_range: VisibleRange,
    now: f64,
}

impl Default for StripPlayer {
    fn default() -> Self {
        Self {
            transport: Transport::default(),
            is_followed: true,
            visible_range: VisibleRange::default(),
            now: 0.0,
        }
    }
}

impl StripPlayer {
    /// The same settings for another project.
    pub(crate) fn reset(&self) -> Self {
        Self { transport: self.transport.rewound(), now: self.now, ..Self::default() }
    }

    /// The visible range of time.
    pub fn visible_time(&self, strip: &RunStrip) -> TimeRange {
        self.visible_range.stretch(strip.total_nanos())
    }

    /// Handles an action. Returns the call at the playhead if that was moved.
    pub(crate) fn act(&mut self, strip: &RunStrip, action: PlayheadAction) -> Option<usize> {
        let total = strip.total_nanos();
        match action {
            PlayheadAction::Seek(nanos) => {
                return Some(self.move_playhead(strip, |transport, schedule, now| {
                    transport.seek(schedule, nanos, now);
                }));
            }
            PlayheadAction::SetSpeed(speed) => self.transport.set_speed(speed, self.now),
            PlayheadAction::Zoom(zoom) => {
                self.visible_range.zoom(zoom, self.transport.nanos, total);
            }
            PlayheadAction::ShowRange(range) => {
                // Otherwise the next tick would move the range back to the playhead.
                self.is_followed &= !self.transport.is_playing();
                self.visible_range.show(range, total);
            }
        }
        None
    }

    /// Plays in recorded time, or pauses. Returns the call at the playhead.
    pub(crate) fn toggle(&mut self, strip: &RunStrip) -> usize {
        self.is_followed = true;
        self.move_playhead(strip, Transport::toggle)
    }

    /// Sets the time. Returns the call at the playhead if that moves with it.
    pub(crate) fn set_time(&mut self, now: f64, strip: Option<&RunStrip>) -> Option<usize> {
        self.now = now;
        Some(self.move_playhead(strip.filter(|_| self.transport.is_playing())?, Transport::tick))
    }

    /// Shows the first calls of another strip.
    pub(crate) fn show_start(&mut self, strip: &RunStrip) {
        let (starts, total) = (strip.schedule.arrivals_nanos(), strip.total_nanos());
        self.visible_range = VisibleRange::default();
        let range = TimeRange {
            from_nanos: 0.0,
            to_nanos: starts.get(VISIBLE_CALLS).copied().unwrap_or(total),
        };
        self.visible_range.show(range, total);
    }

    /// Moves the playhead to the start of a call, and pauses.
    pub(crate) fn go_to_call(&mut self, strip: &RunStrip, call: usize) {
        // `go_to` takes the number of calls that have arrived.
        self.transport.go_to(&strip.schedule, call + 1);
        self.keep_in_sight(strip);
    }

    fn move_playhead(
        &mut self,
        strip: &RunStrip,
        change: impl FnOnce(&mut Transport, &TapeSchedule, f64),
    ) -> usize {
        change(&mut self.transport, &strip.schedule, self.now);
        // A user who moves a stopped playhead wants to see it.
        if self.is_followed || !self.transport.is_playing() {
            self.keep_in_sight(strip);
        }
        strip.call_at(self.transport.nanos)
    }

    fn keep_in_sight(&mut self, strip: &RunStrip) {
        self.visible_range.keep_in_sight(self.transport.nanos, strip.total_nanos());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::tape::timing::{SECOND, TapePace};
    use play::playback::{CallBlock, ResultStatus};

    /// Thirty calls of a second each, of which the first sixteen are visible.
    fn strip() -> RunStrip {
        let block = |at: i32| {
            let from_nanos = f64::from(at) * SECOND;
            CallBlock {
                lane: 0,
                time: TimeRange { from_nanos, to_nanos: from_nanos + SECOND },
                is_measured: true,
                status: ResultStatus::Good,
                is_of_model: true,
                recording: None,
            }
        };
        let delays = (0..=30).map(|at| if at == 0 { 0.0 } else { SECOND });
        RunStrip {
            lanes: Vec::new(),
            blocks: (0..30).map(block).collect(),
            schedule: TapeSchedule::from_delays(delays, TapePace::Recorded),
        }
    }

    /// The visible range in seconds, and the call at the playhead.
    fn shown(player: &StripPlayer, strip: &RunStrip) -> (f64, f64, usize) {
        let TimeRange { from_nanos, to_nanos } = player.visible_time(strip);
        let call = strip.call_at(player.transport.nanos);
        (from_nanos / 1e9, to_nanos / 1e9, call)
    }

    #[test]
    fn the_playhead_is_kept_in_sight_while_it_plays_unless_it_is_not_followed() {
        let (strip, mut player) = (strip(), StripPlayer::default());
        player.show_start(&strip);
        player.toggle(&strip);
        assert_eq!(player.set_time(17.5, Some(&strip)), Some(17));
        assert_eq!(shown(&player, &strip), (14.0, 30.0, 17));
        // Who moves what is visible wants to see something else than the playhead.
        let start = TimeRange { from_nanos: 0.0, to_nanos: 4e9 };
        player.act(&strip, PlayheadAction::ShowRange(start));
        assert!(!player.is_followed);
        player.set_time(18.5, Some(&strip));
        assert_eq!(shown(&player, &strip), (0.0, 4.0, 18));
        // Who plays again wants to see it again.
        player.toggle(&strip);
        player.toggle(&strip);
        assert_eq!(shown(&player, &strip), (18.1, 22.1, 18));
        // A step is always seen.
        player.go_to_call(&strip, 2);
        assert_eq!(shown(&player, &strip).2, 2);
        assert!(player.visible_time(&strip).from_nanos <= 2e9);
    }
}
