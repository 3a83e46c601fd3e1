//! The library: all open items, one per row.

mod filter_ui;
mod findings;
mod header_ui;
pub mod library_data;
mod library_ui;

pub use library_ui::{LibraryView, library_ui};
