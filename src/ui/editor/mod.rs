//! Source text that can be edited.

mod shown;

pub use shown::{Change, Shown};
