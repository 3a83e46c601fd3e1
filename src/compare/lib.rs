//! Comparison of calls, of takes and of sources: what differs, in how many distinct ways, and what a review decided.
//!
//! [`review`] pairs recordings that were made again with the old ones, groups their changes and plans what a decision writes;
//! [`recordings`] compares two calls, [`signature`] what a player compares of them, [`source`] two versions of a source.
//! Lines and words are compared in [`document::diff`].
//!
//! It does not play a set, and does not write files: it returns what to write.
//!
//! - [`RecordingComparison`](recordings::RecordingComparison): two calls side by side, in sections.
//! - [`Review`](review::Review): the queue of a review, with groups, lanes and progress.
//! - [`TakePair`](review::TakePair): one recording in its old and its new version.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

pub mod calls;
#[cfg(test)]
pub mod calls_tests;
pub mod json_lines;
pub mod recordings;
pub mod review;
pub mod signature;
pub mod source;
