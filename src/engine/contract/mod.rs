//! Finds a session's contract and tests an answer against it.

mod answers;
mod config;
mod evaluate;
mod lookup;
mod root_files;
mod run_commands;
#[cfg(test)]
mod tests;

pub use evaluate::{ContractEvaluation, evaluate_contracts, listed_sessions};
pub(super) use lookup::look_up_contract;
