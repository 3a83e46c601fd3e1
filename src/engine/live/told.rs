//! An answer that is sent to a client piece by piece, each at its time.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use hyper::StatusCode;
use hyper::body::{Body as HttpBody, Bytes, Frame};

use super::clock::Alarm;
use super::serve::{Call, Server};
use crate::ops::live::answer::{AnswerEnding, ServedAnswer};
use crate::ops::live::api::ResponseWriter;
use crate::ops::live::serve::ServedCallEnd;

/// The body of an answer. If it is dropped before its end, the client disconnected.
///
/// A piece is prepared while its time is awaited, so that it only has to be sent then.
pub(super) struct Told {
    server: Arc<Server>,
    call: Call,
    answer: ServedAnswer,
    telling: ResponseWriter,
    /// The index of the next piece.
    next: usize,
    made: Option<Bytes>,
    alarm: Option<Alarm>,
    end: End,
}

/// What follows the last piece.
enum End {
    /// The end has not been reached.
    Ahead,
    /// The last piece is sent before the connection breaks.
    Breaks,
}

impl Told {
    pub(super) fn new(
        server: Arc<Server>,
        call: Call,
        answer: ServedAnswer,
        schedule: ResponseWriter,
    ) -> Self {
        Self {
            server,
            call,
            answer,
            telling: schedule,
            next: 0,
            made: None,
            alarm: None,
            end: End::Ahead,
        }
    }

    /// Returns when the next piece is due; `None` when there is no other. An answer that begins and ends has at least one piece.
    fn due(&self) -> Option<Instant> {
        let piece = self.answer.fragments.get(self.next);
        let due_nanos = match self.next {
            0 => Some(piece.map_or(0, |piece| piece.due_nanos)),
            _ => piece.map(|piece| piece.due_nanos),
        };
        due_nanos.map(|nanos| self.call.due(nanos))
    }

    /// Waits for the time of the next piece, and prepares it meanwhile.
    fn wait(&mut self, due: Instant, context: &mut Context<'_>) -> Poll<()> {
        let Some(alarm) = &mut self.alarm else {
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            self.alarm = Some(self.server.clock.alarm(due));
            // Send what is already prepared first.
            context.waker().wake_by_ref();
            return Poll::Pending;
        };
        let waited = Pin::new(alarm).poll(context);
        if waited.is_pending() {
            self.made = Some(self.piece());
        }
        waited.map(|_| ())
    }

    fn piece(&mut self) -> Bytes {
        let made = self.made.take();
        made.unwrap_or_else(|| self.telling.fragment(&self.answer, self.next).into())
    }

    fn end(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let (AnswerEnding::CutOff, End::Ahead) = (&self.answer.ending, &self.end) {
            self.end = End::Breaks;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.call
            .over(ServedCallEnd::of(&self.answer, StatusCode::OK));
        Poll::Ready(match self.end {
            End::Breaks => Some(Err(io::ErrorKind::ConnectionAborted.into())),
            End::Ahead => None,
        })
    }
}

impl HttpBody for Told {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Some(due) = self.due() else {
            return self.end(context);
        };
        ready!(self.wait(due, context));
        self.alarm = None;
        let piece = self.piece();
        self.call.told(self.next);
        self.next += 1;
        if self.is_end_stream() {
            // It contains the API's last event, after which many clients close the connection.
            let ended = ServedCallEnd::of(&self.answer, StatusCode::OK);
            self.call.over(ended);
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.next > 0 && self.due().is_none() && self.answer.ending != AnswerEnding::CutOff
    }
}
