//! Calls that are recorded or served: the running listeners, the timeline of each call, and why it got its answer.

mod bars_ui;
mod call_details_ui;
mod call_row_text;
mod calls_ui;
mod client_ui;
mod form_ui;
mod heading_ui;
mod legend_ui;
mod listener_ui;
mod next_ui;
mod options_ui;
mod record_ui;
mod recorded_ui;
mod row_ui;
mod runs_ui;
mod scale;
mod serve_ui;
mod served_ui;
mod table_ui;

pub(super) use calls_ui::calls_ui;
pub use record_ui::record_ui;
pub(super) use runs_ui::runs_ui;
pub use serve_ui::serve_ui;
