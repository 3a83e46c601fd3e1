//! An answer that is sent to a client piece by piece, each at its time.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use hyper::body::{Body as HttpBody, Bytes, Frame};

use super::open_call::OpenCall;
use super::timer::{Timer, TimerService};
use calls::api::ResponseWriter;
use play::live::answer::{AnswerEnding, ServedAnswer};
use play::live::serve::ServedCallEnd;

/// The body of an answer. If it is dropped before its end, the client disconnected.
pub(super) struct AnswerStream {
    clock: Arc<TimerService>,
    call: OpenCall,
    answer: ServedAnswer,
    schedule: ResponseWriter,
    /// The index of the next piece.
    next: usize,
    timer: Option<Timer>,
    /// Whether the connection breaks at the next poll.
    is_breaking: bool,
}

impl AnswerStream {
    pub(super) fn new(
        clock: Arc<TimerService>,
        call: OpenCall,
        answer: ServedAnswer,
        schedule: ResponseWriter,
    ) -> Self {
        Self { clock, call, answer, schedule, next: 0, timer: None, is_breaking: false }
    }

    /// Returns when the next piece is due; `None` when there is no other. An answer that begins and ends has at least one piece.
    fn next_due(&self) -> Option<Instant> {
        let piece = self.answer.fragments.get(self.next);
        let due_nanos = match self.next {
            0 => Some(piece.map_or(0, |piece| piece.due_nanos)),
            _ => piece.map(|piece| piece.due_nanos),
        };
        due_nanos.map(|nanos| self.call.due_at(nanos))
    }

    /// Waits for the time of the next piece.
    fn poll_due(&mut self, due_time: Instant, context: &mut Context<'_>) -> Poll<()> {
        if self.timer.is_none() && due_time <= Instant::now() {
            return Poll::Ready(());
        }
        let timer = self.timer.get_or_insert_with(|| self.clock.timer(due_time));
        Pin::new(timer).poll(context).map(|_| ())
    }

    fn next_piece(&mut self) -> Bytes {
        match &self.answer.received {
            Some(received) => received.part(self.next).unwrap_or_default().to_owned().into(),
            None => {
                let (blocks, end) = self.answer.fragment(self.next);
                self.schedule.fragment(blocks, end).into()
            }
        }
    }

    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.answer.ending == AnswerEnding::CutOff && !self.is_breaking {
            // Polled once more, so that hyper sends the last piece before the error closes the connection.
            self.is_breaking = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.call.finish(ServedCallEnd::from_answer(&self.answer, 200));
        let error = || Err(io::ErrorKind::ConnectionAborted.into());
        Poll::Ready(self.is_breaking.then(error))
    }
}

impl HttpBody for AnswerStream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Some(due_time) = self.next_due() else { return self.poll_end(context) };
        ready!(self.poll_due(due_time, context));
        self.timer = None;
        let piece = self.next_piece();
        self.call.report_piece(self.next);
        self.next += 1;
        if self.is_end_stream() {
            // The last piece contains the API's last event, after which many clients close the connection.
            let end = ServedCallEnd::from_answer(&self.answer, 200);
            self.call.finish(end);
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.next > 0 && self.next_due().is_none() && self.answer.ending != AnswerEnding::CutOff
    }
}
