//! Bounds the memory of files that are read at the same time, independent of the number of readers.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::disk::guard::lock;
use document::text::count_bytes;
use document::{MAX_VALUES, VALUE_BYTES};

/// The memory for the files of one project. A reader waits until there is room; a file that needs more than the total is
/// read alone.
#[derive(Debug)]
pub(crate) struct MemoryBudget {
    /// For texts, which are counted before they are read.
    texts: MemoryPool,
    /// For values, which are counted when the text is there.
    values: MemoryPool,
}

/// A share of memory; it is free again when this is dropped.
#[derive(Debug)]
pub(super) struct MemoryShare<'a> {
    pool: &'a MemoryPool,
    bytes: usize,
}

#[derive(Debug)]
struct MemoryPool {
    total: usize,
    free: Mutex<usize>,
    freed: Condvar,
}

/// The most bytes of texts that are read at the same time, unless it is a single file.
const MAX_TEXT_BYTES: usize = 256 << 20;

/// Files up to this size are read without waiting.
// Most recordings have 3 to 15 KB, and their readers do not wait for the lock.
const SMALL_TEXT_BYTES: usize = 64 << 10;

impl Default for MemoryBudget {
    fn default() -> Self {
        Self {
            // Two pools, since a reader keeps its share of texts while it waits for values: with one, all could wait for each other.
            texts: MemoryPool::new(MAX_TEXT_BYTES),
            values: MemoryPool::new(MAX_VALUES * VALUE_BYTES),
        }
    }
}

impl MemoryBudget {
    /// Waits until a text of this size in bytes may be read; `None` for a small one.
    pub(super) fn reserve_text(&self, bytes: u64) -> Option<MemoryShare<'_>> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        (bytes > SMALL_TEXT_BYTES).then(|| self.texts.reserve(bytes))
    }

    /// Waits until the values of a text may be kept; `None` for a small one.
    pub(super) fn reserve_values(&self, text: &[u8]) -> Option<MemoryShare<'_>> {
        /// Up to this size, as many values as there are bytes fit in for thirty readers, so that they are not counted.
        const UNCOUNTED_BYTES: usize = 4 * SMALL_TEXT_BYTES;
        let values = || match text.len() {
            ..=UNCOUNTED_BYTES => text.len(),
            _ => max_values(text),
        };
        (text.len() > SMALL_TEXT_BYTES).then(|| self.values.reserve(values() * VALUE_BYTES))
    }
}

impl MemoryPool {
    fn new(total: usize) -> Self {
        Self { total, free: Mutex::new(total), freed: Condvar::new() }
    }

    fn reserve(&self, bytes: usize) -> MemoryShare<'_> {
        let bytes = bytes.min(self.total);
        let free = self.freed.wait_while(lock(&self.free), |free| *free < bytes);
        *free.unwrap_or_else(PoisonError::into_inner) -= bytes;
        MemoryShare { pool: self, bytes }
    }
}

impl Drop for MemoryShare<'_> {
    fn drop(&mut self) {
        *lock(&self.pool.free) += self.bytes;
        // All of them, since they wait for different amounts.
        self.pool.freed.notify_all();
    }
}

/// Returns an upper bound of a text's number of values: each but the first follows a separator.
fn max_values(text: &[u8]) -> usize {
    let is_json = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
    let signs = if is_json {
        count_bytes(text, |byte| matches!(byte, b',' | b'[' | b'{'))
    } else {
        count_bytes(text, |b| matches!(b, b',' | b'[' | b'{' | b'\n' | b'\r' | b':' | b'-' | b'?'))
    };
    (signs + 1).min(MAX_VALUES)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;
    use document::text::Source;

    #[test]
    fn a_text_has_no_more_values_than_are_counted() {
        for (name, text) in [
            ("a.json", r#"[1, [2, []], {"a": {}, "b": [3]}]"#),
            ("a.json", r#"{"a":{"b":{"c":{"d":null}}}}"#),
            ("a.yaml", "- - - a\n    - b\n- c: d\n  e: [f, {g: h}]\n"),
            ("a.yaml", "? a\n? b\n: c\nd:\n- e\n"),
        ] {
            let document = document::read(Source::new(text), name);
            let values = document.tree.len();
            assert!(values > 3 && values <= max_values(text.as_bytes()), "{values}: {text}");
        }
    }

    #[test]
    fn readers_wait_for_room_and_what_is_too_large_is_alone() {
        let room = MemoryPool::new(10);
        let used_bytes = AtomicUsize::new(0);
        thread::scope(|scope| {
            for bytes in [4, 6, 7, 25, 1, 10, 3, 9] {
                let (room, used_bytes) = (&room, &used_bytes);
                scope.spawn(move || {
                    let share = room.reserve(bytes);
                    let used = used_bytes.fetch_add(share.bytes, Ordering::SeqCst) + share.bytes;
                    assert!(used <= 10, "{used}");
                    thread::yield_now();
                    used_bytes.fetch_sub(share.bytes, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(*room.free.lock().unwrap(), 10);
    }
}
