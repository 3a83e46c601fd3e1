//! The contract of a session: which one, its verdict on an answer, and how both are listed and run.

mod config_ui;
mod contract_data;
mod contract_ui;
mod dialogs_ui;
mod invariants_ui;
mod picker_ui;

pub(super) use contract_ui::contract_ui;

pub use dialogs_ui::{answers_ui, listing_ui};

use super::form_ui::SessionProps;
use protocol::ContractReport;
use widgets::sheet::DiffSheet;

/// The session, and the result of checking its contract.
type ContractProps<'a> = (SessionProps<'a>, &'a ContractReport);

/// State of the contract dialogs that is kept between frames.
#[derive(Default)]
pub struct ContractView {
    /// The search text of the answers.
    query: String,
    /// The last query that was sent.
    last_query: Option<String>,
    /// The row that Enter chooses, of the found answers.
    row: usize,
    /// The text of a pasted answer.
    text: String,
    /// The latency of the pasted answer in milliseconds, as typed.
    latency: String,
    /// The sheet of an edit.
    sheet: DiffSheet,
}

impl ContractView {
    /// Resets the state when a dialog opens.
    pub fn reset(&mut self) {
        self.query.clear();
        self.last_query = None;
        self.sheet = DiffSheet::default();
    }
}
