//! A body that is passed on frame by frame while it is recorded.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use crossbeam_channel::Sender;
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use tokio::time::timeout;

use super::idle_timeout::{IdleTimeout, LastActivity};
use super::proxy_call::{ProxyCall, ProxyEvent};
use crate::disk::guard::lock;
use play::live::record::{MOST_KEPT, ProxyOutcome};

/// A body that is being passed on.
pub(super) struct Tee {
    body: Incoming,
    events: Sender<ProxyEvent>,
    role: TeeRole,
    /// Number of bytes that may still be recorded.
    remaining: usize,
    /// Whether its sender broke off.
    is_broken: bool,
}

/// A body that is being passed on, whose unread rest can still be recorded.
#[derive(Clone)]
pub(super) struct SharedTee(Arc<Mutex<Tee>>);

enum TeeRole {
    /// Of the call with this number.
    Request(u64, LastActivity),
    Answer(ProxyCall, StallTimeout),
}

/// The timeout of an answer, and its message.
pub(super) struct StallTimeout {
    pub(super) timeout: IdleTimeout,
    /// A sentence without a full stop.
    pub(super) reason: String,
}

impl SharedTee {
    /// Returns whether its sender broke off.
    pub(super) fn is_broken(&self) -> bool {
        lock(&self.0).is_broken
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Pin::new(&mut *lock(&self.0)).poll_frame(context)
    }

    /// Records the rest of the body, which is not passed on, for [`DRAIN_TIMEOUT`] at most.
    pub(super) async fn drain(&self) {
        let rest = async { while let Some(Ok(_)) = poll_fn(|context| self.poll(context)).await {} };
        // A slow client's request is recorded as far as it arrived.
        let _ = timeout(DRAIN_TIMEOUT, rest).await;
    }
}

/// Time for which the rest of a request is read that is not passed on.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

impl HttpBody for SharedTee {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.poll(context)
    }

    fn is_end_stream(&self) -> bool {
        lock(&self.0).is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        lock(&self.0).size_hint()
    }
}

impl Tee {
    fn new(body: Incoming, events: Sender<ProxyEvent>, role: TeeRole) -> Self {
        Self { body, events, role, remaining: MOST_KEPT, is_broken: false }
    }

    pub(super) fn request(
        body: Incoming,
        call: u64,
        events: Sender<ProxyEvent>,
        activity: LastActivity,
    ) -> SharedTee {
        let tee = Self::new(body, events, TeeRole::Request(call, activity));
        SharedTee(Arc::new(Mutex::new(tee)))
    }

    pub(super) fn answer(
        body: Incoming,
        events: Sender<ProxyEvent>,
        (call, stall): (ProxyCall, StallTimeout),
    ) -> Self {
        let mut tee = Self::new(body, events, TeeRole::Answer(call, stall));
        // An empty body is never polled.
        if tee.body.is_end_stream() {
            tee.finish(ProxyOutcome::Done);
        }
        tee
    }

    /// Records bytes; beyond the limit, only the fact that there are more.
    fn record(&mut self, bytes: &Bytes) {
        // Before the limit: bytes that are not recorded are activity as well.
        match &mut self.role {
            TeeRole::Request(_, activity) => activity.touch(),
            TeeRole::Answer(_, stall) => stall.timeout.reset(),
        }
        if self.remaining == 0 {
            return;
        }
        let length = bytes.len().min(self.remaining);
        self.remaining -= length;
        let is_cut = self.remaining == 0;
        // Shares the memory of the frame, so that recording does not delay it.
        let bytes = bytes.slice(..length);
        let event = match &self.role {
            TeeRole::Request(call, _) => ProxyEvent::RequestChunk { call: *call, bytes, is_cut },
            TeeRole::Answer(call, _) => ProxyEvent::ResponseChunk {
                call: call.number,
                bytes,
                at_nanos: call.elapsed_nanos(),
                is_cut,
            },
        };
        // The receiver is dropped last.
        let _ = self.events.send(event);
    }

    /// Polls the timeout while no data arrives; ready once it has expired.
    fn poll_stall(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let TeeRole::Answer(call, stall) = &mut self.role else { return Poll::Pending };
        ready!(stall.timeout.poll(context));
        call.finish(ProxyOutcome::CutOff(stall.reason.clone()));
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }

    fn finish(&mut self, outcome: ProxyOutcome) {
        match &mut self.role {
            TeeRole::Answer(call, _) => call.finish(outcome),
            TeeRole::Request(..) => {}
        }
    }
}

impl HttpBody for Tee {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            return self.poll_stall(context).map(|error| Some(Err(error)));
        };
        match &frame {
            Some(Ok(frame)) => {
                if let Some(bytes) = frame.data_ref() {
                    self.record(bytes);
                }
                // A reader that knows the length does not poll after the last frame.
                if self.body.is_end_stream() {
                    self.finish(ProxyOutcome::Done);
                }
            }
            Some(Err(_)) => {
                self.is_broken = true;
                let reason = "The upstream server closed the connection".to_owned();
                self.finish(ProxyOutcome::CutOff(reason));
            }
            None => self.finish(ProxyOutcome::Done),
        }
        Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
