//! Internal errors: a panic is a failure of the work that it happened in.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use document::text::quoted;

thread_local! {
    /// Number of calls of [`catch`] that this thread is inside of.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Does work; an internal error is an error, and this thread goes on.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> thread::Result<T> {
    let depth = DEPTH.get();
    DEPTH.set(depth + 1);
    // Safe to assert: the result of failed work is dropped, and locks are taken with `lock` below.
    let result = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(depth);
    result
}

/// Returns whether a panic of this thread would be caught.
pub(crate) fn is_caught() -> bool {
    DEPTH.get() > 0
}

/// Does work. An internal error is an error with the message for the user, without a full stop; `description` continues the words
/// "Internal error while".
pub(crate) fn guard<T>(
    description: impl FnOnce() -> String,
    work: impl FnOnce() -> T,
) -> Result<T, String> {
    catch(work).map_err(|_| {
        let work = description();
        format!("Internal error while {work}; please report it")
    })
}

/// Does work on one of many files: an internal error is the result for this file only.
pub(crate) fn guard_file<T>(
    path: &str,
    work: impl FnOnce() -> Result<T, String>,
) -> Result<T, String> {
    guard(|| format!("reading {}", quoted(path)), work).flatten()
}

/// Locks a mutex, also after a panic of another holder: what it protects is valid between any two statements.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
