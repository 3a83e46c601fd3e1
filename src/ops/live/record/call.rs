//! State of a call that is being recorded.

use std::sync::Arc;

use super::{ProxyOutcome, RecordEvent, RecordedCallStart, RecordedRequest, StoreResult};
use crate::ops::live::bars::ChunkBars;
use crate::ops::live::log::LogRow;

/// A call that is being recorded.
#[derive(Clone, Debug)]
pub struct RecordedCall {
    /// Number of the call, from 1.
    pub number: u64,
    /// Its start: time, address and label.
    pub began: Arc<RecordedCallStart>,
    /// Summary of the request, once it was read completely.
    pub request: Option<Arc<RecordedRequest>>,
    /// Status of the upstream response.
    pub status: Option<u16>,
    /// Number of fragments received.
    pub pieces: usize,
    /// When the first one arrived, in nanoseconds since the call arrived.
    pub first_nanos: Option<u64>,
    /// Fragments over time.
    pub bars: ChunkBars,
    /// Its end, and the number of nanoseconds until then.
    pub ended: Option<(ProxyOutcome, u64)>,
    /// The part of it that was stored.
    pub stored: Option<StoreResult>,
}

impl LogRow for RecordedCall {
    type Event = RecordEvent;

    fn number_of(event: &RecordEvent) -> u64 {
        match event {
            RecordEvent::Began(call, _)
            | RecordEvent::RequestRead(call, _)
            | RecordEvent::Answered(call, _)
            | RecordEvent::Received { call, .. }
            | RecordEvent::Ended(call, ..)
            | RecordEvent::Stored(call, _) => *call,
        }
    }

    fn from_event(event: &RecordEvent) -> Option<Self> {
        let RecordEvent::Began(number, began) = event else {
            return None;
        };
        Some(Self {
            number: *number,
            began: Arc::clone(began),
            request: None,
            status: None,
            pieces: 0,
            first_nanos: None,
            bars: ChunkBars::default(),
            ended: None,
            stored: None,
        })
    }

    fn note(&mut self, event: RecordEvent) {
        match event {
            RecordEvent::Began(_, began) => self.began = began,
            RecordEvent::RequestRead(_, request) => self.request = Some(request),
            RecordEvent::Answered(_, status) => self.status = Some(status),
            RecordEvent::Received { pieces, chars, at_nanos, .. } => {
                self.pieces = pieces;
                self.first_nanos.get_or_insert(at_nanos);
                self.bars.add(at_nanos, chars);
            }
            RecordEvent::Ended(_, outcome, took_nanos) => self.ended = Some((outcome, took_nanos)),
            RecordEvent::Stored(_, kept) => self.stored = Some(kept),
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
        let broke_off = ended.is_some_and(|(outcome, _)| *outcome != ProxyOutcome::Done);
        is_bad || broke_off || matches!(self.stored, Some(StoreResult::Failed(_)))
    }

    fn is_over(&self) -> bool {
        self.stored.is_some()
    }
}

impl RecordedCall {
    /// Returns the status that the client received.
    pub fn status(&self) -> Option<u16> {
        match &self.ended {
            Some((ProxyOutcome::Unreached(status, _) | ProxyOutcome::Refused(status, _), _)) => {
                Some(*status)
            }
            _ => self.status,
        }
    }

    /// Returns the path of its tape.
    pub fn tape(&self) -> Option<&Arc<str>> {
        match self.stored.as_ref()? {
            StoreResult::Tape { path, .. } => Some(path),
            StoreResult::PassedOn | StoreResult::Refused | StoreResult::Failed(_) => None,
        }
    }
}
