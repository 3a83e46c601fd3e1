//! Internal errors: a panic is a failure of the work that it happened in.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::text::quoted;

/// Does work. An internal error is an error with the message for the user, without a full stop; `description` continues the words
/// "Internal error while".
pub(in crate::engine) fn guard<T>(
    description: impl FnOnce() -> String,
    work: impl FnOnce() -> T,
) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let work = description();
        format!("Internal error while {work}; please report it")
    })
}

/// Does work on one of many files: an internal error is the result for this file only.
pub(in crate::engine) fn guard_file<T>(
    path: &str,
    work: impl FnOnce() -> Result<T, String>,
) -> Result<T, String> {
    guard(|| format!("reading {}", quoted(path)), work).flatten()
}
