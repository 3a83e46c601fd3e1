//! Bytes and places: a file's text as it is on disk, ranges in it, and edits that can be undone.
//!
//! This module knows no file format. All other code refers to places by [`Span`] (bytes) and shows them as [`Place`] (line and column).

mod build_log;
mod byte_count;
mod change;
mod edit;
mod file_names;
mod named_enum;
mod places;
#[cfg(any(test, feature = "testing"))]
mod property_tests;
mod say;
mod source;
mod span;
mod visible;

pub use crate::named_enum;
pub use build_log::{escape_commands, starts_command};
pub use byte_count::count_bytes;
pub use change::ReversibleEdit;
pub use edit::TextEdit;
pub use file_names::{common_folder, has_ending, natural_order};
pub use places::PlaceFinder;
#[cfg(any(test, feature = "testing"))]
pub use property_tests::cases;
pub use say::{
    bytes, count, counted, listed, lower_first, quoted, some, some_and_others, thousands,
    upper_first,
};
pub use source::{EncodingFault, LineEnds, Source};
pub use span::{Place, Span, is_part_of_word, remove_overlapping, with_replaced};
pub use visible::{HiddenKind, first_hidden, has_hidden_kind, visible, visible_lines};
