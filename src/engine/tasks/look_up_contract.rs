//! Finds a session's contract and evaluates it.

use std::sync::Arc;

use crate::engine::contract::look_up_contract;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{ContractEvent, ContractRequest, EngineEvent, SessionsEvent};

impl Task for ContractRequest {
    fn lane() -> Lane {
        Lane::Newest("contract")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let report = Arc::new(look_up_contract(context.project.as_deref()?, self));
        let found = ContractEvent::Found(self.key, report);
        Some(EngineEvent::Sessions(SessionsEvent::Contract(found)))
    }
}
