//! The time scale of a table.

use super::calls_ui::Sight;
use super::words::took_nanos;
use crate::workbench::Listener;

/// Number of latest calls that determine the scale.
const MOST_SCALED: usize = 32;

/// Returns the longest duration of the shown calls, rounded up, so that all rows have the same scale.
pub(super) fn scale(context: &Sight<'_>, which: Listener) -> u64 {
    let (shown, _) = context.desk.shown(which);
    let longest = shown.iter().take(MOST_SCALED).filter_map(|id| match which {
        Listener::Recorder => {
            let call = context.desk.recorded().get(*id)?;
            let took = call.ended.as_ref().map(|(_, took)| *took);
            Some(took_nanos(call.began.at, took, context.now))
        }
        Listener::Server => {
            let call = context.desk.served().get(*id)?;
            let took = call.ended.as_ref().map(|(_, took)| *took);
            let took_nanos = took_nanos(call.began.at, took, context.now);
            let planned = call.ended.is_none().then_some(call.planned_nanos);
            Some(took_nanos.max(planned.unwrap_or_default()))
        }
    });
    round_up(longest.max().unwrap_or_default())
}

/// Rounds up to the next of 1, 2, 5, 10, 20, 50 and so on.
fn round_up(nanos: u64) -> u64 {
    let mut step: u64 = 100_000_000;
    loop {
        for times in [1, 2, 5] {
            let rounded = step.saturating_mul(times);
            if rounded >= nanos {
                return rounded;
            }
        }
        step = step.saturating_mul(10);
    }
}
