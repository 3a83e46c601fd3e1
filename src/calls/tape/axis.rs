//! Round places on the axis of time.

use super::timeline::TimeRange;
use super::timing::SECOND;

/// A mark on the axis.
#[derive(Debug, PartialEq)]
pub struct Tick {
    /// In nanoseconds since the start of the call.
    pub nanos: f64,
    /// Its label; empty for a minor mark.
    pub label: Option<String>,
}

/// Returns as many marks as fit if each label needs `label_nanos`; every fifth one is labelled.
pub fn ticks(range: TimeRange, label_nanos: f64) -> Vec<Tick> {
    const MINOR_STEPS: u64 = 5;
    // The logarithm of 0 is infinite.
    let step = round_up(label_nanos.max(1.0));
    // As many digits as distinguish two labels, at most those of a nanosecond.
    let digits = if step >= 10.0 * SECOND {
        0
    } else {
        (-(step / SECOND).log10().floor()).clamp(1.0, 9.0) as usize
    };
    let minor_step = step / MINOR_STEPS as f64;
    let first = (range.from_nanos / minor_step).ceil() as u64;
    let last = (range.to_nanos / minor_step).floor() as u64;
    let tick = |index: u64| {
        let nanos = index as f64 * minor_step;
        let label = format!("{:.digits$} s", nanos / SECOND);
        Tick { nanos, label: index.is_multiple_of(MINOR_STEPS).then_some(label) }
    };
    (first..=last).map(tick).collect()
}

/// Rounds up to the next of 1, 2, 5, 10, 20, 50 and so on.
pub fn round_up(nanos: f64) -> f64 {
    let power = 10_f64.powf(nanos.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    factors.into_iter().map(|f| f * power).find(|step| *step >= nanos).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_has_round_places() {
        let shown = TimeRange { from_nanos: 0.3e9, to_nanos: 2.1e9 };
        let labels: Vec<String> =
            ticks(shown, 0.4e9).into_iter().filter_map(|tick| tick.label).collect();
        assert_eq!(labels, ["0.5 s", "1.0 s", "1.5 s", "2.0 s"]);
        let labels = ticks(shown, 3e6).into_iter().filter_map(|tick| tick.label);
        assert_eq!(labels.take(2).collect::<Vec<_>>(), ["0.300 s", "0.305 s"]);
    }
}
