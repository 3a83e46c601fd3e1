//! Two things side by side: recordings, requests, and whatever else is two texts.

mod compare_ui;
mod data;
mod head_ui;
mod lines;
mod sheet;
mod sheet_ui;

pub use compare_ui::compare_ui;
pub use data::{CompareData, Head};
pub use lines::{Run, ShownLine};
pub use sheet::{Content, Entry, Focus, Sheet, Style};
pub use head_ui::{stepper, pane_switch, back_button};
pub use sheet_ui::sheet_ui;
