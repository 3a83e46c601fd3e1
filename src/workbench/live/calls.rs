//! The calls' side of the live desk: the recorder and the server, and each call that goes through them.

use std::net::SocketAddr;

use crate::workbench::action::Step;
use crate::workbench::event::Effect;
use crate::workbench::state::Workbench;

/// The recorder and the server, with their calls.
#[derive(Debug, Default)]
pub struct CallsDesk {}

/// Something that is done about the recorder, the server or their calls.
#[derive(Clone, Debug, PartialEq)]
pub enum CallsAction {}

/// Work with sockets.
#[derive(Clone, Debug, PartialEq)]
pub enum CallsEffect {}

/// What is told of the recorder or the server.
#[derive(Clone, Debug)]
pub enum CallsEvent {}

impl CallsDesk {
    /// Where something listens, the recorder first.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        Vec::new()
    }

    pub(super) fn step(&mut self, _step: Step, _rows: usize) {}
}

impl Workbench {
    pub(super) fn act_on_calls(&mut self, action: CallsAction) -> Vec<Effect> {
        match action {}
    }

    pub(super) fn calls_told(&mut self, event: CallsEvent) -> Vec<Effect> {
        match event {}
    }
}
