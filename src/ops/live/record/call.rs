//! State of a call that is being recorded.

use std::sync::Arc;

use super::{Asked, Began, Event, Kept, Outcome};
use crate::ops::live::bars::Bars;
use crate::ops::live::log::Row;

/// A call that is being recorded.
#[derive(Clone, Debug)]
pub struct Call {
    /// Number of the call, from 1.
    pub number: u64,
    /// Its start: time, address and label.
    pub began: Arc<Began>,
    /// Summary of the request, once it was read completely.
    pub asked: Option<Arc<Asked>>,
    /// Status of the upstream response.
    pub status: Option<u16>,
    /// Number of fragments received.
    pub pieces: usize,
    /// When the first one arrived, in nanoseconds since the call arrived.
    pub first_nanos: Option<u64>,
    /// Fragments over time.
    pub bars: Bars,
    /// How it ended, and after how many nanoseconds.
    pub ended: Option<(Outcome, u64)>,
    /// What was stored of it.
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
    /// Returns the status that the client received.
    pub fn status(&self) -> Option<u16> {
        match &self.ended {
            Some((Outcome::Unreached(status, _) | Outcome::Refused(status, _), _)) => Some(*status),
            _ => self.status,
        }
    }

    /// Returns the path of its tape.
    pub fn tape(&self) -> Option<&Arc<str>> {
        match self.kept.as_ref()? {
            Kept::Tape { path, .. } => Some(path),
            Kept::PassedOn | Kept::Refused | Kept::Failed(_) => None,
        }
    }
}
