//! The playhead and its movement in time.

use calls::tape::playback::{LONG_NANOS, Speed};
use calls::tape::timeline::TimeRange;
use calls::tape::timing::{SECOND, TapePace, TapeSchedule};

/// A shorter range is not repeated, because it would not be visible.
const MIN_LOOP_NANOS: f64 = 1e6;

/// Behavior at the end of playing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndBehavior {
    /// Playing stops.
    #[default]
    Stop,
    /// Playing starts again: at the start of the range, or of the tape if none is selected.
    Repeat,
}

/// The playhead and its playback settings.
///
/// Times are the window's, in seconds. While playing, the position follows from the time since the start: a late frame is
/// drawn late and delays nothing.
#[derive(Clone, Debug)]
pub struct Transport {
    pub nanos: f64,
    pub arrived: usize,
    playing: Option<PlayStart>,
    pub speed: Speed,
    pub pace: TapePace,
    pub range: Option<TimeRange>,
    pub end_behavior: EndBehavior,
}

/// The position of the playhead at a time.
#[derive(Clone, Copy, Debug)]
struct PlayStart {
    at_seconds: f64,
    from_nanos: f64,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            nanos: 0.0,
            arrived: 0,
            playing: None,
            speed: Speed::Times(1.0),
            pace: TapePace::Recorded,
            range: None,
            end_behavior: EndBehavior::Stop,
        }
    }
}

impl Transport {
    /// The last chunk that has arrived at the playhead.
    pub fn chunk(&self) -> Option<usize> {
        self.arrived.checked_sub(1)
    }

    pub fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// The same settings at the start of another tape.
    pub(crate) fn rewound(&self) -> Self {
        Self {
            speed: self.speed,
            pace: self.pace,
            end_behavior: self.end_behavior,
            ..Self::default()
        }
    }

    /// Plays or pauses. Starts from the beginning if it is at the end.
    pub(crate) fn toggle(&mut self, schedule: &TapeSchedule, now: f64) {
        if self.playing.take().is_some() {
            return;
        }
        let stretch = self.stretch(schedule);
        if !(stretch.from_nanos..stretch.to_nanos).contains(&self.nanos) {
            self.seek(schedule, stretch.from_nanos, now);
            // A chunk at time 0 has not arrived yet when playing starts.
            self.arrived = schedule.arrived_before(stretch.from_nanos);
        }
        self.anchor(now);
        if self.speed == Speed::Instant {
            self.playing = None;
            self.move_to(schedule, stretch.to_nanos);
        }
    }

    pub(crate) fn pause(&mut self) {
        self.playing = None;
    }

    /// Moves the playhead to its position at this time.
    pub(crate) fn tick(&mut self, schedule: &TapeSchedule, now: f64) {
        let (Some(start), Speed::Times(times)) = (self.playing, self.speed) else { return };
        let nanos = start.from_nanos + (now - start.at_seconds) * SECOND * times;
        let stretch = self.stretch(schedule);
        self.move_to(schedule, nanos.min(stretch.to_nanos));
        if nanos < stretch.to_nanos {
            return;
        }
        match self.end_behavior {
            EndBehavior::Repeat if stretch.nanos() >= MIN_LOOP_NANOS => {
                // However late the frame is, the time past the end is played in the next round.
                let excess_nanos = (nanos - stretch.to_nanos) % stretch.nanos();
                self.move_to(schedule, stretch.from_nanos + excess_nanos);
                self.anchor(now);
            }
            _ => self.playing = None,
        }
    }

    /// Moves the playhead; continues playing there.
    pub(crate) fn seek(&mut self, schedule: &TapeSchedule, nanos: f64, now: f64) {
        self.move_to(schedule, nanos.clamp(0.0, schedule.total_nanos()));
        if self.is_playing() {
            self.anchor(now);
        }
    }

    /// Moves the playhead to the arrival of this many chunks, and pauses. Chunks that arrive together are separate steps.
    pub(crate) fn go_to(&mut self, schedule: &TapeSchedule, count: usize) {
        self.playing = None;
        self.arrived = count.min(schedule.len());
        self.nanos = match self.arrived.checked_sub(1) {
            Some(chunk) => schedule.arrival_nanos(chunk),
            None => 0.0,
        };
    }

    pub(crate) fn set_speed(&mut self, speed: Speed, now: f64) {
        self.speed = speed;
        match speed {
            Speed::Times(_) if self.is_playing() => self.anchor(now),
            Speed::Times(_) => {}
            Speed::Instant => self.playing = None,
        }
    }

    /// Sets which delays are played; arrived chunks stay.
    pub(crate) fn set_pace(&mut self, pace: TapePace, schedule: &TapeSchedule) {
        self.pace = pace;
        // The times of the range are those of the previous pace.
        self.range = None;
        self.go_to(schedule, self.arrived);
    }

    /// Selects a range, or none.
    pub(crate) fn set_range(&mut self, range: Option<TimeRange>) {
        self.range = range.filter(|range| range.nanos() > 0.0);
    }

    /// Uses another schedule of the same tape.
    pub(crate) fn follow(&mut self, schedule: &TapeSchedule) {
        let total = schedule.total_nanos();
        if self.is_playing() {
            self.move_to(schedule, self.nanos.min(total));
        } else {
            self.go_to(schedule, self.arrived);
        }
        // An edit may have made the tape shorter.
        self.range = self.range.filter(|range| range.from_nanos < total);
    }

    /// The time at which the playhead is shown: while playing with reduced motion, that of the last chunk that has arrived.
    pub fn shown_nanos(&self, schedule: &TapeSchedule, is_reduced: bool) -> f64 {
        match schedule.arrived(self.nanos).checked_sub(1) {
            Some(chunk) if is_reduced && self.is_playing() => schedule.arrival_nanos(chunk),
            _ => self.nanos,
        }
    }

    /// The real time until the next chunk of a schedule, in seconds.
    pub fn seconds_to_next_chunk(&self, schedule: &TapeSchedule) -> Option<f64> {
        let Speed::Times(times) = self.speed else { return None };
        let next = schedule.arrivals_nanos().get(schedule.arrived(self.nanos))?;
        Some(((next - self.nanos) / times / SECOND).max(0.0))
    }

    /// The end of the wait of more than a minute at the playhead, if there is one.
    pub fn long_wait_end(&self, schedule: &TapeSchedule) -> Option<f64> {
        let next = schedule.arrivals_nanos().get(self.arrived)?;
        (schedule.wait_nanos(self.arrived) > LONG_NANOS).then_some(*next)
    }

    /// The range that is played: the selected range if it is repeated, else the whole tape.
    fn stretch(&self, schedule: &TapeSchedule) -> TimeRange {
        let whole_range = TimeRange { from_nanos: 0.0, to_nanos: schedule.total_nanos() };
        let range = self.range.filter(|_| self.end_behavior == EndBehavior::Repeat);
        range.map_or(whole_range, |range| TimeRange {
            from_nanos: range.from_nanos.max(0.0),
            to_nanos: range.to_nanos.min(whole_range.to_nanos),
        })
    }

    fn move_to(&mut self, schedule: &TapeSchedule, nanos: f64) {
        self.nanos = nanos;
        self.arrived = schedule.arrived(nanos);
    }

    fn anchor(&mut self, now: f64) {
        self.playing = Some(PlayStart { at_seconds: now, from_nanos: self.nanos });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chunks at 1.0, 1.5, 1.5 and 4.0 seconds.
    fn schedule() -> TapeSchedule {
        TapeSchedule::from_delays([1e9, 5e8, 0.0, 2.5e9], TapePace::Recorded)
    }

    /// The position of the playhead, in seconds, and the number of arrived chunks.
    fn at(transport: &Transport) -> (f64, usize) {
        (transport.nanos / SECOND, transport.arrived)
    }

    #[test]
    fn the_clock_moves_the_playhead_however_frames_fall() {
        let (schedule, mut transport) = (schedule(), Transport::default());
        transport.toggle(&schedule, 100.0);
        transport.tick(&schedule, 100.001);
        transport.tick(&schedule, 101.25);
        assert_eq!(at(&transport), (1.25, 1));
        assert_eq!(transport.seconds_to_next_chunk(&schedule), Some(0.25));
        transport.set_speed(Speed::Times(2.0), 101.25);
        transport.tick(&schedule, 102.25);
        assert_eq!(at(&transport), (3.25, 3));
        transport.tick(&schedule, 109.0);
        assert_eq!(at(&transport), (4.0, 4));
        assert!(!transport.is_playing());
        transport.toggle(&schedule, 200.0);
        assert_eq!(at(&transport), (0.0, 0));
        transport.toggle(&schedule, 200.0);
        assert!(!transport.is_playing());
    }

    #[test]
    fn a_range_is_repeated_without_losing_time() {
        let (schedule, mut transport) = (schedule(), Transport::default());
        transport.end_behavior = EndBehavior::Repeat;
        transport.set_range(Some(TimeRange { from_nanos: 1e9, to_nanos: 3e9 }));
        transport.toggle(&schedule, 0.0);
        assert_eq!(at(&transport), (1.0, 0));
        transport.tick(&schedule, 6.5);
        assert_eq!(at(&transport), (1.5, 3));
        transport.tick(&schedule, 7.0);
        assert_eq!(at(&transport), (2.0, 3));
    }

    #[test]
    fn each_chunk_is_a_step_also_where_several_come_at_once() {
        let (schedule, mut transport) = (schedule(), Transport::default());
        for expected in [(1.0, 1), (1.5, 2), (1.5, 3), (4.0, 4), (4.0, 4)] {
            transport.go_to(&schedule, transport.arrived + 1);
            assert_eq!(at(&transport), expected);
        }
        transport.go_to(&schedule, 0);
        assert_eq!(at(&transport), (0.0, 0));
    }

    #[test]
    fn instant_is_at_once_at_the_end() {
        let (schedule, mut transport) = (schedule(), Transport::default());
        transport.set_speed(Speed::Instant, 0.0);
        transport.toggle(&schedule, 0.0);
        assert_eq!(at(&transport), (4.0, 4));
        assert!(!transport.is_playing());
    }

    #[test]
    fn with_reduced_motion_the_playhead_is_shown_where_chunks_arrive() {
        let (schedule, mut transport) = (schedule(), Transport::default());
        transport.toggle(&schedule, 0.0);
        transport.tick(&schedule, 1.25);
        let positions = |transport: &Transport| {
            [false, true].map(|is_reduced| transport.shown_nanos(&schedule, is_reduced) / SECOND)
        };
        assert_eq!(positions(&transport), [1.25, 1.0]);
        transport.pause();
        assert_eq!(positions(&transport), [1.25, 1.25]);
    }

    #[test]
    fn only_a_wait_of_more_than_a_minute_can_be_skipped() {
        let schedule = TapeSchedule::from_delays([60e9, 61e9], TapePace::Recorded);
        let mut transport = Transport::default();
        assert_eq!(transport.long_wait_end(&schedule), None);
        transport.seek(&schedule, 70e9, 0.0);
        assert_eq!(transport.long_wait_end(&schedule), Some(121e9));
    }
}
