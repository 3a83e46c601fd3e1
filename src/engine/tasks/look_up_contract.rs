//! Finds a session's contract and evaluates it.

use std::sync::Arc;

use crate::engine::contract::look_up_contract;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{
    ContractEvent, ContractReport, ContractRequest, EngineEvent, SessionsEvent,
};

impl ContractRequest {
    fn answer(&self, report: Result<Arc<ContractReport>, String>) -> EngineEvent {
        let found = ContractEvent::Found(self.key.clone(), report);
        EngineEvent::Sessions(SessionsEvent::Contract(found))
    }
}

impl Task for ContractRequest {
    fn lane() -> Lane {
        Lane::Newest("contract")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let report = look_up_contract(context.project.as_deref()?, self);
        Some(self.answer(Ok(Arc::new(report))))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        self.answer(Err(reason))
    }
}
