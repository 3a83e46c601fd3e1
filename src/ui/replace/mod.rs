//! The form that replaces something in many files.

mod places_ui;
mod replace_ui;

pub use places_ui::ReplaceView;
pub use replace_ui::replace_ui;
