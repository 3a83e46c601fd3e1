//! The review desk: re-recorded files, grouped by the same change, and the decisions about them.

mod against_ui;
mod apply_ui;
mod decide_ui;
mod format_text;
mod pair_ui;
mod partners_ui;
mod queue_row_ui;
mod queue_ui;
mod review_data;
mod review_ui;
mod rule_ui;

pub use against_ui::{ReviewAgainstDraft, against_ui};
pub use apply_ui::apply_ui;
pub use review_ui::{ReviewView, review_ui};
pub use rule_ui::{RuleState, rule_ui};
