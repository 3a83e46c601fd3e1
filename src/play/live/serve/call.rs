//! State of a call that is being served.

use std::sync::Arc;

use jiff::Timestamp;

use super::{ServeChoice, ServeEvent, ServedCallEnd, ServedCallStart};
use crate::live::log::LogRow;

/// A call that is being served.
#[derive(Clone, Debug)]
pub struct ServedCall {
    /// Number of the call, from 1.
    pub number: u64,
    /// Its start: time, address and request.
    pub began: Arc<ServedCallStart>,
    /// The choice of its answer; `None` until it is made, and for calls without one.
    pub choice: Option<Arc<ServeChoice>>,
    /// When each planned chunk is due, in nanoseconds since the call arrived.
    pub due_nanos: Vec<u64>,
    /// Number of chunks sent.
    pub chunks: usize,
    /// When the first one was sent.
    pub first_nanos: Option<u64>,
    /// Largest delay of a chunk behind its due time.
    pub late_nanos: u64,
    /// Its end, and the number of nanoseconds until then.
    pub ended: Option<(ServedCallEnd, u64)>,
}

impl LogRow for ServedCall {
    type Event = ServeEvent;

    fn number_of(event: &ServeEvent) -> u64 {
        match event {
            ServeEvent::Began(call, _)
            | ServeEvent::Chose(call, _)
            | ServeEvent::Planned(call, _)
            | ServeEvent::Sent { call, .. }
            | ServeEvent::Ended(call, ..) => *call,
        }
    }

    fn from_event(event: &ServeEvent) -> Option<Self> {
        let ServeEvent::Began(number, began) = event else { return None };
        Some(Self {
            number: *number,
            began: Arc::clone(began),
            choice: None,
            due_nanos: Vec::new(),
            chunks: 0,
            first_nanos: None,
            late_nanos: 0,
            ended: None,
        })
    }

    fn note(&mut self, event: ServeEvent) {
        match event {
            ServeEvent::Began(_, began) => self.began = began,
            ServeEvent::Chose(_, choice) => self.choice = Some(choice),
            ServeEvent::Planned(_, due_nanos) => self.due_nanos = due_nanos,
            ServeEvent::Sent { index, at_nanos, .. } => {
                self.chunks += 1;
                self.first_nanos.get_or_insert(at_nanos);
                let due = self.due_nanos.get(index);
                // A chunk may be sent before it is due.
                let delay = due.map_or(0, |due| at_nanos.saturating_sub(*due));
                self.late_nanos = self.late_nanos.max(delay);
            }
            ServeEvent::Ended(_, ended, took_nanos) => self.ended = Some((ended, took_nanos)),
        }
    }

    fn at(&self) -> Timestamp {
        self.began.at
    }

    fn title(&self) -> String {
        let words = Some(&self.began.words).filter(|words| !words.is_empty());
        words.unwrap_or(&self.began.address).clone()
    }

    fn describe(&self) -> String {
        self.log_line()
    }

    fn has_failed(&self) -> bool {
        matches!(self.ended, Some((ServedCallEnd::Refused(..) | ServedCallEnd::HungUp, _)))
    }

    fn file(&self) -> Option<&Arc<str>> {
        let choice = self.choice.as_ref()?;
        let nearest = || choice.nearest.first().map(|near| &near.path);
        choice.chosen.as_ref().map(|tape| &tape.path).or_else(nearest)
    }

    fn is_over(&self) -> bool {
        self.ended.is_some()
    }
}
