//! A proxied call in progress, and its events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crossbeam_channel::Sender;
use hyper::body::Bytes;

use calls::api::Route;
use play::live::record::{Credentials, ProxyOutcome, RecordedCallStart, ResponseHead};

/// An event of a proxied call.
pub(super) enum ProxyEvent {
    Started {
        call: u64,
        began: Arc<RecordedCallStart>,
        route: Option<Route>,
        /// The address of the model without secrets.
        url: Option<String>,
        comment: Option<String>,
        credentials: Credentials,
    },
    /// A part of the request.
    RequestChunk {
        call: u64,
        bytes: Bytes,
        is_cut: bool,
    },
    ResponseHead {
        call: u64,
        head: ResponseHead,
    },
    /// A part of the answer.
    ResponseChunk {
        call: u64,
        bytes: Bytes,
        at_nanos: u64,
        is_cut: bool,
    },
    Ended {
        call: u64,
        outcome: ProxyOutcome,
        at_nanos: u64,
    },
}

/// A call in progress. If it is dropped before its end, the client disconnected, or the recorder stops.
pub(super) struct ProxyCall {
    pub(super) number: u64,
    started: Instant,
    pub(super) events: Sender<ProxyEvent>,
    is_stopping: Arc<AtomicBool>,
    is_over: bool,
}

impl ProxyCall {
    pub(super) fn new(number: u64, events: Sender<ProxyEvent>, is_ending: Arc<AtomicBool>) -> Self {
        Self { number, started: Instant::now(), events, is_stopping: is_ending, is_over: false }
    }

    pub(super) fn send_event(&self, event: ProxyEvent) {
        // The receiver is dropped last.
        let _ = self.events.send(event);
    }

    pub(super) fn elapsed_nanos(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(super) fn finish(&mut self, outcome: ProxyOutcome) {
        // A call that has ended is ended once more when it is dropped.
        if !std::mem::replace(&mut self.is_over, true) {
            let (call, at_nanos) = (self.number, self.elapsed_nanos());
            self.send_event(ProxyEvent::Ended { call, outcome, at_nanos });
        }
    }
}

impl Drop for ProxyCall {
    fn drop(&mut self) {
        let outcome = if self.is_stopping.load(Ordering::Relaxed) {
            ProxyOutcome::Stopped
        } else {
            ProxyOutcome::Cancelled
        };
        self.finish(outcome);
    }
}
