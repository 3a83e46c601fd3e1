//! State of a call that is being recorded.

use std::sync::Arc;

use jiff::Timestamp;

use super::{ProxyOutcome, RecordEvent, RecordedCallStart, RecordedRequest, StoreResult};
use crate::live::log::LogRow;
use calls::tape::timing::format_duration;
use document::text::count;

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
            | RecordEvent::Ended(call, ..)
            | RecordEvent::Stored(call, _) => *call,
        }
    }

    fn from_event(event: &RecordEvent) -> Option<Self> {
        let RecordEvent::Began(number, began) = event else { return None };
        Some(Self {
            number: *number,
            began: Arc::clone(began),
            request: None,
            status: None,
            ended: None,
            stored: None,
        })
    }

    fn note(&mut self, event: RecordEvent) {
        match event {
            RecordEvent::Began(_, began) => self.began = began,
            RecordEvent::RequestRead(_, request) => self.request = Some(request),
            RecordEvent::Answered(_, status) => self.status = Some(status),
            RecordEvent::Ended(_, outcome, took_nanos) => self.ended = Some((outcome, took_nanos)),
            RecordEvent::Stored(_, tape) => self.stored = Some(tape),
        }
    }

    fn at(&self) -> Timestamp {
        self.began.at
    }

    fn title(&self) -> String {
        let request = self.request.as_deref();
        let words = request.map(|request| &*request.words).filter(|words| !words.is_empty());
        words.unwrap_or(&self.began.address).to_owned()
    }

    fn describe(&self) -> String {
        let model = self.request.as_ref().and_then(|request| request.model.as_deref());
        let call = match self.began.api {
            Some(api) => format!("{} {}", api.as_str(), model.unwrap_or("no model")),
            None => self.began.address.clone(),
        };
        let status = self.status().unwrap_or_default();
        let took = self.ended.as_ref().map_or(0, |(_, took)| *took);
        let took = format_duration(took as f64);
        match &self.stored {
            Some(StoreResult::Tape { path, chunks, notes, .. }) => {
                let chunks = count(*chunks, "chunk");
                let notes: String = notes.iter().map(|note| format!(". {note}")).collect();
                format!("{call}: {status}, {chunks} in {took}: {path}{notes}")
            }
            Some(StoreResult::PassedOn) => format!("{call}: {status} after {took}, forwarded"),
            Some(StoreResult::Refused) => {
                let reason = match &self.ended {
                    Some((ProxyOutcome::Refused(_, reason), _)) => reason,
                    _ => "",
                };
                format!("{call}: {status}, refused. {reason}")
            }
            Some(StoreResult::Failed(reason)) => {
                format!("{call}: {status} after {took}, not recorded. {reason}")
            }
            None => call,
        }
    }

    fn has_failed(&self) -> bool {
        let is_bad = self.status().is_some_and(|status| status >= 400);
        let ended = self.ended.as_ref();
        let broke_off = ended.is_some_and(|(outcome, _)| *outcome != ProxyOutcome::Done);
        is_bad || broke_off || matches!(self.stored, Some(StoreResult::Failed(_)))
    }

    fn file(&self) -> Option<&Arc<str>> {
        match self.stored.as_ref()? {
            StoreResult::Tape { path, .. } => Some(path),
            StoreResult::PassedOn | StoreResult::Refused | StoreResult::Failed(_) => None,
        }
    }

    fn is_over(&self) -> bool {
        self.stored.is_some()
    }
}

impl RecordedCall {
    /// Returns the status that the client received.
    pub fn status(&self) -> Option<u16> {
        match &self.ended {
            // Here the recorder answered itself, without a status from upstream.
            Some((ProxyOutcome::Unreached(status, _) | ProxyOutcome::Refused(status, _), _)) => {
                Some(*status)
            }
            _ => self.status,
        }
    }
}
