//! Two things side by side: recordings, requests, and any other pair of texts.

mod compare_data;
mod compare_ui;
mod head_ui;

pub use compare_data::{CompareData, NARROW, SideHead};
pub use compare_ui::compare_ui;
pub(super) use compare_ui::{
    LEAST_LIST, LIST_FROM, LIST_ROW, SIDE_HEAD, first_difference_ui, list_heading,
};
pub(super) use head_ui::{FORMATS, back_button, format_name, stepper};
