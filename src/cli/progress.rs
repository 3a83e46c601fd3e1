//! A progress line on stderr, for work that takes longer than a second at a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{PhaseProgress, observe_progress};

/// Nothing is shown before this time: most runs are shorter.
const SHOW_AFTER: Duration = Duration::from_secs(1);

/// The time between two updates of the line.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The line of this process; there is only one terminal. `None` if none is shown.
static PROGRESS_LINE: Mutex<Option<ProgressLine>> = Mutex::new(None);

/// A line that is drawn repeatedly.
struct ProgressLine {
    due: Instant,
    is_drawn: bool,
}

/// With the value `always`, progress is drawn from the start, and also where stderr is no terminal.
const PROGRESS_VARIABLE: &str = "RETAKE_PROGRESS";

/// Draws the progress of this thread's work on stderr, if that is a terminal.
pub(super) fn show_progress() {
    let is_forced = std::env::var_os(PROGRESS_VARIABLE).is_some_and(|value| value == "always");
    if !is_forced && !io::stderr().is_terminal() {
        return;
    }
    let show_after = if is_forced { Duration::ZERO } else { SHOW_AFTER };
    let line = ProgressLine { due: Instant::now() + show_after, is_drawn: false };
    *PROGRESS_LINE.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
    observe_progress(Arc::new(|progress| match progress {
        // If the line is locked, another thread is drawing it, and one is enough.
        Some(progress) => {
            if let Ok(mut line) = PROGRESS_LINE.try_lock()
                && let Some(line) = &mut *line
            {
                line.draw(&progress);
            }
        }
        None => clear_progress(),
    }));
}

/// Clears the line, before something else is written to the terminal.
pub(super) fn clear_progress() {
    let mut line = PROGRESS_LINE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(line) = &mut *line
        // Only if a line is drawn: the escape would blank what others have printed.
        && std::mem::take(&mut line.is_drawn)
    {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

impl ProgressLine {
    fn draw(&mut self, progress: &PhaseProgress) {
        let now = Instant::now();
        if now < self.due {
            return;
        }
        let text = sentence(progress, now.duration_since(progress.started));
        let _ = write!(io::stderr(), "\r\x1b[K{text}");
        self.is_drawn = true;
        self.due = now + REDRAW_INTERVAL;
    }
}

/// Text of the line: the phase, its progress, and the time for the rest if it goes on as it did.
fn sentence(progress: &PhaseProgress, elapsed: Duration) -> String {
    let &PhaseProgress { what, done, total, .. } = progress;
    let mut text = match total {
        0 => format!("{what}: {done}"),
        total => format!("{what}: {done} of {total}"),
    };
    // Phases that count no bytes have 0.
    if let megabytes @ 1.. = progress.bytes / 1_000_000 {
        text.push_str(&format!(", {megabytes} MB"));
    }
    if let Some(seconds @ 1..) = seconds_left(done, total, elapsed) {
        text.push_str(&match seconds {
            0..60 => format!(", about {seconds} s left"),
            _ => format!(", about {} min left", seconds.div_ceil(60)),
        });
    }
    text
}

/// The time for the rest in seconds; `None` while it cannot be estimated.
fn seconds_left(done: usize, total: usize, elapsed: Duration) -> Option<u64> {
    let steps_left = total.checked_sub(done)?;
    // The first files say little about the rest.
    if done == 0 || elapsed < SHOW_AFTER {
        return None;
    }
    let seconds = elapsed.as_secs_f64() * steps_left as f64 / done as f64;
    Some(seconds.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_done_of_what_and_how_long_it_takes() {
        let text_of = |done, total, bytes, seconds| {
            let progress =
                PhaseProgress { what: "Comparing", done, total, bytes, started: Instant::now() };
            sentence(&progress, Duration::from_secs(seconds))
        };
        assert_eq!(text_of(7, 0, 0, 9), "Comparing: 7");
        assert_eq!(text_of(0, 100, 0, 9), "Comparing: 0 of 100");
        assert_eq!(text_of(25, 100, 3_400_000, 4), "Comparing: 25 of 100, 3 MB, about 12 s left");
        assert_eq!(text_of(1, 100, 0, 2), "Comparing: 1 of 100, about 4 min left");
        assert_eq!(text_of(100, 100, 0, 4), "Comparing: 100 of 100");
    }
}
