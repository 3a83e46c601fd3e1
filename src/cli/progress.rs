//! A progress line on stderr, for runs longer than a second at a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crate::engine::ScanProgress;

/// Nothing is shown before this time: most runs are shorter.
const SHOW_AFTER: Duration = Duration::from_secs(1);

/// The time between two updates of the line.
const PACE: Duration = Duration::from_millis(100);

/// A line that is drawn repeatedly.
pub(super) struct ProgressLine {
    due: Option<Instant>,
    drawn: bool,
}

impl ProgressLine {
    pub(super) fn new(started: Instant) -> Self {
        Self {
            due: io::stderr().is_terminal().then(|| started + SHOW_AFTER),
            drawn: false,
        }
    }

    pub(super) fn show(&mut self, progress: ScanProgress) {
        let now = Instant::now();
        if self.due.is_none_or(|due| now < due) {
            return;
        }
        let ScanProgress { read, known, .. } = progress;
        let megabytes = progress.bytes / 1_000_000;
        let _ = write!(
            io::stderr(),
            "\r\x1b[Kreading: {read} of {known} files, {megabytes} MB"
        );
        self.drawn = true;
        self.due = Some(now + PACE);
    }

    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
