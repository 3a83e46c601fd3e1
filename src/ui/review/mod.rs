//! The review desk: re-recorded files, grouped by the same change, and the decisions about them.

mod apply_ui;
mod decide_ui;
mod dialogs_ui;
mod format_text;
mod pair_ui;
mod queue_ui;
mod review_data;
mod review_ui;

pub use apply_ui::apply_ui;
pub use dialogs_ui::{ReviewAgainstDraft, RuleState, against_ui, rule_ui};
pub use review_ui::{ReviewView, review_ui};
