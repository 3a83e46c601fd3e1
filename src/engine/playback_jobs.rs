//! Playback for the window: explains answers on its own thread.

use std::sync::Arc;

use super::event_sender::BackgroundJob;
use super::runner::Engine;
use crate::workbench::{EngineEvent, Explanation, PlaybackEvent, PlaybackResult};

/// The jobs of the playback desk: at most one of each kind.
#[derive(Default)]
pub(super) struct PlaybackJobs {
    explain: BackgroundJob,
}

impl PlaybackJobs {
    pub(super) fn stop(&mut self) {
        self.explain.stop();
    }
}

impl Engine {
    /// Explains the answer of a call; the result arrives as [`PlaybackEvent::Explained`].
    pub fn explain(&mut self, played: Arc<PlaybackResult>, call: usize) {
        let sender = self.sender.clone();
        let job = BackgroundJob::start("retake explain", move |cancel| {
            let explanation = Arc::new(Explanation::new(&played, call));
            let event = PlaybackEvent::Explained(played, explanation);
            sender.send(EngineEvent::Playback(event), cancel);
        });
        match job {
            Ok(job) => self.playing.explain = job,
            Err(error) => self.fail(format!("Cannot start a thread to explain: {error}")),
        }
    }
}
