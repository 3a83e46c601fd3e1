//! State of a call that is being served.

use std::sync::Arc;

use super::{AnswerPlan, ServeChoice, ServeEvent, ServedCallEnd, ServedCallStart};
use crate::ops::live::bars::ChunkBars;
use crate::ops::live::log::LogRow;

/// A call that is being served.
#[derive(Clone, Debug)]
pub struct ServedCall {
    /// Number of the call, from 1.
    pub number: u64,
    /// Its start: time, address and request.
    pub began: Arc<ServedCallStart>,
    /// The choice of its answer; `None` until it is made, and for calls without one.
    pub choice: Option<Arc<ServeChoice>>,
    /// The planned answer; its times only while it is being sent.
    pub plan: Option<Arc<AnswerPlan>>,
    /// Number of planned chunks.
    pub planned: usize,
    /// When the last one is due, in nanoseconds since the call arrived.
    pub planned_nanos: u64,
    /// When the first one is due.
    pub first_due_nanos: Option<u64>,
    /// Number of chunks sent.
    pub chunks: usize,
    /// When the first one was sent.
    pub first_nanos: Option<u64>,
    /// Largest delay of a chunk behind its due time.
    pub late_nanos: u64,
    /// Sent chunks over time.
    pub bars: ChunkBars,
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
        let ServeEvent::Began(number, began) = event else {
            return None;
        };
        Some(Self {
            number: *number,
            began: Arc::clone(began),
            choice: None,
            plan: None,
            planned: 0,
            planned_nanos: 0,
            first_due_nanos: None,
            chunks: 0,
            first_nanos: None,
            late_nanos: 0,
            bars: ChunkBars::default(),
            ended: None,
        })
    }

    fn note(&mut self, event: ServeEvent) {
        match event {
            ServeEvent::Began(_, began) => self.began = began,
            ServeEvent::Chose(_, choice) => self.choice = Some(choice),
            ServeEvent::Planned(_, plan) => {
                self.planned = plan.due_nanos.len();
                self.planned_nanos = plan.due_nanos.last().copied().unwrap_or_default();
                self.first_due_nanos = plan.due_nanos.first().copied();
                self.plan = Some(plan);
            }
            ServeEvent::Sent { index, at_nanos, .. } => self.on_sent(index, at_nanos),
            ServeEvent::Ended(_, ended, took_nanos) => {
                self.ended = Some((ended, took_nanos));
                // A million chunks are no reason to keep a million times.
                if let Some(plan) = &mut self.plan {
                    let plan = Arc::make_mut(plan);
                    (plan.due_nanos, plan.chars) = (Vec::new(), Vec::new());
                }
            }
        }
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn is_streaming(&self) -> bool {
        self.ended.is_none()
    }

    fn has_failed(&self) -> bool {
        matches!(self.ended, Some((ServedCallEnd::Refused(..) | ServedCallEnd::HungUp, _)))
    }

    fn is_over(&self) -> bool {
        self.ended.is_some()
    }
}

impl ServedCall {
    fn on_sent(&mut self, index: usize, at_nanos: u64) {
        self.chunks += 1;
        self.first_nanos.get_or_insert(at_nanos);
        let Some(plan) = &self.plan else { return };
        let due = plan.due_nanos.get(index);
        let late = due.map_or(0, |due| at_nanos.saturating_sub(*due));
        self.late_nanos = self.late_nanos.max(late);
        let chars = plan.chars.get(index).copied().unwrap_or_default();
        self.bars.add(at_nanos, chars);
    }

    /// Returns whether its client received an error instead of a recorded answer.
    pub fn is_unanswered(&self) -> bool {
        matches!(self.ended, Some((ServedCallEnd::Refused(..), _)))
    }

    /// Returns the tools that the answer calls but the client did not offer.
    pub fn not_offered(&self) -> Vec<&str> {
        let request = self.choice.as_ref().and_then(|choice| choice.request.as_ref());
        let (Some(request), Some(plan)) = (request, &self.plan) else {
            return Vec::new();
        };
        let called = plan.calls.iter();
        let unknown = called.filter(|name| !request.offered.contains(name));
        unknown.map(|name| &**name).collect()
    }
}
