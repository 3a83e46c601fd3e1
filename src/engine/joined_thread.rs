//! Threads whose end is waited for.

use std::thread::JoinHandle;

/// A thread whose end is waited for when this is dropped, after what makes it end.
#[derive(Debug, Default)]
pub(super) struct JoinedThread(Option<JoinHandle<()>>);

impl From<JoinHandle<()>> for JoinedThread {
    fn from(thread: JoinHandle<()>) -> Self {
        Self(Some(thread))
    }
}

impl Drop for JoinedThread {
    fn drop(&mut self) {
        // A thread that panicked has ended, too.
        let _ = self.0.take().map(JoinHandle::join);
    }
}
