//! The time scale of a table.

use super::call_row_text::elapsed_nanos;
use super::calls_ui::CallsContext;
use crate::workbench::ListenerKind;

/// Number of latest calls that determine the scale.
const MAX_SCALED_CALLS: usize = 32;

/// Returns the longest duration of the shown calls, rounded up, so that all rows have the same scale.
pub(super) fn timeline_scale(context: &CallsContext<'_>, which: ListenerKind) -> u64 {
    let (shown, _) = context.desk.shown(which);
    let longest = shown.iter().take(MAX_SCALED_CALLS).filter_map(|id| match which {
        ListenerKind::Recorder => {
            let call = context.desk.recorded.get(*id)?;
            let took = call.ended.as_ref().map(|(_, took)| *took);
            Some(elapsed_nanos(call.began.at, took, context.now))
        }
        ListenerKind::Server => {
            let call = context.desk.served.get(*id)?;
            let took = call.ended.as_ref().map(|(_, took)| *took);
            let took_nanos = elapsed_nanos(call.began.at, took, context.now);
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
