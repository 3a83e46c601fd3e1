//! The queue: waiting requests, the selected request, and a preview of its answer.

mod answer_modes_ui;
mod answer_ui;
mod form_ui;
mod queue_data;
mod queue_list_ui;
mod queue_ui;
mod request_ui;
mod rule_ui;

pub(super) use queue_data::QueueView;
pub(super) use queue_ui::{queue_ui, waiting_ui};
pub use rule_ui::rule_ui;
