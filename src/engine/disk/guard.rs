//! Internal errors while one of many files is handled.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does work on one of many files: an internal error is the result for this file only.
pub(in crate::engine) fn guard_file<T>(
    path: &str,
    work: impl FnOnce() -> Result<T, String>,
) -> Result<T, String> {
    let internal = |_| {
        Err(format!(
            "Internal error while reading {path}; please report it"
        ))
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(internal)
}
