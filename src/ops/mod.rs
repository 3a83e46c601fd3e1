//! What one can do with documents, as pure functions: no files, no threads, no window.

pub mod check;
pub mod diff;
mod item;
pub mod search;
pub mod signature;
pub mod source;

pub use item::{Item, Status};
