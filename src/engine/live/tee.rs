//! A body that is passed on frame by frame, while the recorder hears it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crossbeam_channel::Sender;
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};

use super::keeper::Note;
use super::record::Call;
use crate::ops::live::record::{MOST_KEPT, Outcome};

/// A body on its way.
pub(super) struct Tee {
    body: Incoming,
    notes: Sender<Note>,
    which: Which,
    /// How many bytes may still be kept.
    left: usize,
}

enum Which {
    /// Of the call with this number.
    Request(u64),
    Answer(Call),
}

impl Tee {
    pub(super) fn request(body: Incoming, call: u64, notes: Sender<Note>) -> Self {
        Self {
            body,
            notes,
            which: Which::Request(call),
            left: MOST_KEPT,
        }
    }

    pub(super) fn answer(body: Incoming, notes: Sender<Note>, call: Call) -> Self {
        let mut tee = Self {
            body,
            notes,
            which: Which::Answer(call),
            left: MOST_KEPT,
        };
        if tee.body.is_end_stream() {
            tee.over(Outcome::Done);
        }
        tee
    }

    /// Hears bytes; of what is beyond the limit only that it is there.
    fn hear(&mut self, bytes: &Bytes) {
        if self.left == 0 {
            return;
        }
        let kept = bytes.len().min(self.left);
        self.left -= kept;
        let is_cut = self.left == 0;
        let bytes = bytes.slice(..kept);
        let note = match &self.which {
            Which::Request(call) => Note::Asks {
                call: *call,
                bytes,
                is_cut,
            },
            Which::Answer(call) => Note::Says {
                call: call.number,
                bytes,
                at_nanos: call.nanos(),
                is_cut,
            },
        };
        // The keeper goes last.
        let _ = self.notes.send(note);
    }

    fn over(&mut self, outcome: Outcome) {
        match &mut self.which {
            Which::Answer(call) => call.over(outcome),
            Which::Request(_) => {}
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
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(bytes) = frame.data_ref() {
                    self.hear(bytes);
                }
                // Whoever knows the length asks for no frame after the last.
                if self.body.is_end_stream() {
                    self.over(Outcome::Done);
                }
            }
            Some(Err(_)) => {
                let reason = "The model's side broke the connection off".to_owned();
                self.over(Outcome::CutOff(reason));
            }
            None => self.over(Outcome::Done),
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
