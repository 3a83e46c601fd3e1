//! A body that is passed on frame by frame while it is recorded.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use crossbeam_channel::Sender;
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use tokio::time::timeout;

use super::keeper::Note;
use super::patience::{Pulse, Silence};
use super::record::Call;
use crate::ops::live::record::{MOST_KEPT, ProxyOutcome};

/// A body that is being passed on.
pub(super) struct Tee {
    body: Incoming,
    notes: Sender<Note>,
    which: Which,
    /// How many more bytes may be recorded.
    left: usize,
}

/// A body that is being passed on, whose unread rest can still be recorded.
#[derive(Clone)]
pub(super) struct Shared(Arc<Mutex<Tee>>);

enum Which {
    /// Of the call with this number.
    Request(u64, Pulse),
    Answer(Call, Stall),
}

/// The timeout of an answer, and its message.
pub(super) struct Stall {
    pub(super) silence: Silence,
    /// A sentence without a full stop.
    pub(super) reason: String,
}

impl Shared {
    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut tee = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Pin::new(&mut *tee).poll_frame(context)
    }

    /// Records the rest of the body, which is not passed on, for [`MOMENT`] at most.
    pub(super) async fn hear_rest(&self) {
        let rest = async { while let Some(Ok(_)) = poll_fn(|context| self.poll(context)).await {} };
        // A slow client's request is recorded as far as it arrived.
        let _ = timeout(MOMENT, rest).await;
    }
}

/// How long the rest of a request is read that is not passed on.
const MOMENT: Duration = Duration::from_secs(2);

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.poll(context)
    }

    fn is_end_stream(&self) -> bool {
        let tee = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tee.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let tee = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tee.size_hint()
    }
}

impl Tee {
    pub(super) fn request(body: Incoming, call: u64, notes: Sender<Note>, pulse: Pulse) -> Shared {
        Shared(Arc::new(Mutex::new(Self {
            body,
            notes,
            which: Which::Request(call, pulse),
            left: MOST_KEPT,
        })))
    }

    pub(super) fn answer(
        body: Incoming,
        notes: Sender<Note>,
        (call, stall): (Call, Stall),
    ) -> Self {
        let mut tee = Self {
            body,
            notes,
            which: Which::Answer(call, stall),
            left: MOST_KEPT,
        };
        if tee.body.is_end_stream() {
            tee.over(ProxyOutcome::Done);
        }
        tee
    }

    /// Records bytes; beyond the limit, only the fact that there are more.
    fn hear(&mut self, bytes: &Bytes) {
        match &mut self.which {
            Which::Request(_, pulse) => pulse.beat(),
            Which::Answer(_, stall) => stall.silence.end(),
        }
        if self.left == 0 {
            return;
        }
        let kept = bytes.len().min(self.left);
        self.left -= kept;
        let is_cut = self.left == 0;
        let bytes = bytes.slice(..kept);
        let note = match &self.which {
            Which::Request(call, _) => Note::Asks {
                call: *call,
                bytes,
                is_cut,
            },
            Which::Answer(call, _) => Note::Says {
                call: call.number,
                bytes,
                at_nanos: call.nanos(),
                is_cut,
            },
        };
        // The receiver is dropped last.
        let _ = self.notes.send(note);
    }

    /// Polls the timeout while no data arrives; ready once it has expired.
    fn stalls(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let Which::Answer(call, stall) = &mut self.which else {
            return Poll::Pending;
        };
        ready!(stall.silence.poll(context));
        call.over(ProxyOutcome::CutOff(stall.reason.clone()));
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }

    fn over(&mut self, outcome: ProxyOutcome) {
        match &mut self.which {
            Which::Answer(call, _) => call.over(outcome),
            Which::Request(..) => {}
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
            return self.stalls(context).map(|error| Some(Err(error)));
        };
        match &frame {
            Some(Ok(frame)) => {
                if let Some(bytes) = frame.data_ref() {
                    self.hear(bytes);
                }
                // A reader that knows the length does not poll after the last frame.
                if self.body.is_end_stream() {
                    self.over(ProxyOutcome::Done);
                }
            }
            Some(Err(_)) => {
                let reason = "The upstream server closed the connection".to_owned();
                self.over(ProxyOutcome::CutOff(reason));
            }
            None => self.over(ProxyOutcome::Done),
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
