//! A call that is recorded, as far as it was told of.

use std::sync::Arc;

use super::{Asked, Began, Event, Kept, Outcome};
use crate::ops::live::bars::Bars;
use crate::ops::live::log::Row;

/// What is known of a call that is recorded.
#[derive(Clone, Debug)]
pub struct Call {
    /// Counts the calls of a recorder, from 1.
    pub number: u64,
    /// What it is.
    pub began: Arc<Began>,
    /// What the client asks, once it has asked all.
    pub asked: Option<Arc<Asked>>,
    /// The status with which the model's side answered.
    pub status: Option<u16>,
    /// How many pieces came.
    pub pieces: usize,
    /// When the first came, in nanoseconds since the call was there.
    pub first_nanos: Option<u64>,
    /// What came along its time.
    pub bars: Bars,
    /// How it ended, and after how long.
    pub ended: Option<(Outcome, u64)>,
    /// What became of it.
    pub kept: Option<Kept>,
}

impl Row for Call {
    type Event = Event;

    fn number_of(event: &Event) -> u64 {
        match event {
            Event::Began(call, _)
            | Event::Asked(call, _)
            | Event::Answered(call, _)
            | Event::Heard { call, .. }
            | Event::Ended(call, ..)
            | Event::Kept(call, _) => *call,
        }
    }

    fn begun(event: &Event) -> Option<Self> {
        let Event::Began(number, began) = event else {
            return None;
        };
        Some(Self {
            number: *number,
            began: Arc::clone(began),
            asked: None,
            status: None,
            pieces: 0,
            first_nanos: None,
            bars: Bars::default(),
            ended: None,
            kept: None,
        })
    }

    fn note(&mut self, event: Event) {
        match event {
            Event::Began(_, began) => self.began = began,
            Event::Asked(_, asked) => self.asked = Some(asked),
            Event::Answered(_, status) => self.status = Some(status),
            Event::Heard {
                pieces,
                chars,
                at_nanos,
                ..
            } => {
                self.pieces = pieces;
                self.first_nanos.get_or_insert(at_nanos);
                self.bars.add(at_nanos, chars);
            }
            Event::Ended(_, outcome, took_nanos) => self.ended = Some((outcome, took_nanos)),
            Event::Kept(_, kept) => self.kept = Some(kept),
        }
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn is_streaming(&self) -> bool {
        self.ended.is_none()
    }

    fn has_failed(&self) -> bool {
        let is_bad = self.status().is_some_and(|status| status >= 400);
        let ended = self.ended.as_ref();
        let broke_off = ended.is_some_and(|(outcome, _)| *outcome != Outcome::Done);
        is_bad || broke_off || matches!(self.kept, Some(Kept::Failed(_)))
    }

    fn is_over(&self) -> bool {
        self.kept.is_some()
    }
}

impl Call {
    /// The status that the client got.
    pub fn status(&self) -> Option<u16> {
        match &self.ended {
            Some((Outcome::Unreached(status, _) | Outcome::Refused(status, _), _)) => Some(*status),
            _ => self.status,
        }
    }

    /// The tape that was made of it.
    pub fn tape(&self) -> Option<&Arc<str>> {
        match self.kept.as_ref()? {
            Kept::Tape { path, .. } => Some(path),
            Kept::PassedOn | Kept::Refused | Kept::Failed(_) => None,
        }
    }
}
