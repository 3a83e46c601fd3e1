//! The queue's side of the live desk: folders in which programs wait, what each asks, and what it is answered.

use crate::workbench::action::Step;
use crate::workbench::event::Effect;
use crate::workbench::state::Workbench;

/// The queues that are watched, and who waits at them.
#[derive(Debug, Default)]
pub struct QueueDesk {}

/// Something that is done at a queue.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueAction {}

/// Work on a queue.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueEffect {}

/// What is told of a queue.
#[derive(Clone, Debug)]
pub enum QueueEvent {}

impl QueueDesk {
    /// How many requests wait for an answer.
    pub fn waiting(&self) -> usize {
        0
    }

    pub(super) fn step(&mut self, _step: Step, _rows: usize) {}
}

impl Workbench {
    pub(super) fn act_on_queue(&mut self, action: QueueAction) -> Vec<Effect> {
        match action {}
    }

    pub(super) fn queue_told(&mut self, event: QueueEvent) -> Vec<Effect> {
        match event {}
    }
}
