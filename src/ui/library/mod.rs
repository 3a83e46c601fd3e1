//! The library: all open items, one per row.

pub mod data;
mod filter_ui;
mod findings;
mod header_ui;
mod library_ui;

pub use library_ui::{LibraryView, library_ui};
