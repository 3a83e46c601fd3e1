//! Bytes and places: a file's text as it is on disk, ranges in it, and edits that can be undone.
//!
//! This layer knows no file format. All layers above refer to places by [`Span`] (bytes) and show them as [`Place`] (line and column).

mod change;
mod edit;
mod names;
mod places;
mod source;
mod span;
mod visible;
mod words;

pub use change::Change;
pub use edit::TextEdit;
pub use names::{common_folder, leading_number, natural_order};
pub use places::Places;
pub use source::{EncodingFault, LineEnds, Source};
pub use span::{Place, Span};
pub use visible::{Hidden, first_hidden, visible, visible_lines};
pub use words::{lower_first, quoted, upper_first};
