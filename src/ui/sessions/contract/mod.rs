//! The contract of a session: which one, what it says of an answer, and how both are listed and run.

mod answer_ui;
mod answers_ui;
mod config_ui;
mod contract_ui;
mod data;
mod invariants_ui;
mod listing_ui;
mod picker_ui;
mod run_ui;

use std::sync::Arc;

pub(super) use config_ui::add_button;
pub(super) use contract_ui::contract_ui;

pub use answers_ui::answers_ui;
pub use listing_ui::listing_ui;

use crate::ops::diff::text::TextDiff;
use crate::ui::compare::Sheet;

/// What the dialogs of the contract keep between frames.
#[derive(Default)]
pub struct ContractView {
    /// What is typed to find an answer.
    query: String,
    /// What was looked for last.
    asked: Option<String>,
    /// An answer in one's own words.
    text: String,
    /// How many milliseconds that took.
    latency: String,
    /// The lines of an edit, laid out.
    sheet: Option<(Arc<TextDiff>, Arc<Sheet>)>,
}

impl ContractView {
    /// Begins anew when a dialog opens.
    pub fn begin(&mut self) {
        self.query.clear();
        self.asked = None;
        self.sheet = None;
    }
}
