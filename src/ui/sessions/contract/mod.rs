//! The contract of a session: which one, its verdict on an answer, and how both are listed and run.

mod answer_ui;
mod answers_ui;
mod config_ui;
mod contract_data;
mod contract_ui;
mod invariants_ui;
mod listing_ui;
mod picker_ui;

use std::sync::Arc;

pub(super) use contract_ui::contract_ui;

pub use answers_ui::answers_ui;
pub use listing_ui::listing_ui;

use document::diff::text::TextDiff;
use widgets::sheet::Sheet;

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
    sheet: Option<(Arc<TextDiff>, Arc<Sheet>)>,
}

impl ContractView {
    /// Resets the state when a dialog opens.
    pub fn reset(&mut self) {
        self.query.clear();
        self.last_query = None;
        self.sheet = None;
    }
}
