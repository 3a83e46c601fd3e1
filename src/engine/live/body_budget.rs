//! Bounds the memory for request bodies over all calls.

use tokio::sync::{Semaphore, SemaphorePermit};

/// The longest request that is read.
pub(super) const MAX_REQUEST_BYTES: usize = 64 << 20;

/// Longer bodies wait for each other, and never delay a short one.
const LONG_BODY_BYTES: usize = 1 << 20;

/// The most bytes that all short bodies take. Answering a call takes several times the memory of its body.
const SHORT_BODIES_BYTES: usize = 32 << 20;

/// The number of bytes of one permit.
const PERMIT_BYTES: usize = 1 << 10;

/// The memory that bodies take; a call waits for its share, first come, first served.
#[derive(Debug)]
pub(super) struct BodyBudget {
    short: Semaphore,
    long: Semaphore,
}

impl Default for BodyBudget {
    fn default() -> Self {
        Self {
            short: Semaphore::new(SHORT_BODIES_BYTES / PERMIT_BYTES),
            long: Semaphore::new(MAX_REQUEST_BYTES / PERMIT_BYTES),
        }
    }
}

impl BodyBudget {
    /// Waits until there is room for a body of this length; without a length, for the longest. The room is released when the
    /// permit is dropped.
    pub(super) async fn reserve(&self, bytes: Option<u64>) -> Option<SemaphorePermit<'_>> {
        let bytes = bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let bytes = bytes.unwrap_or(MAX_REQUEST_BYTES).min(MAX_REQUEST_BYTES);
        let (semaphore, counted) = if bytes > LONG_BODY_BYTES {
            // At most two at once, so that threads remain for other calls.
            (&self.long, bytes.max(MAX_REQUEST_BYTES / 2))
        } else {
            (&self.short, bytes.max(PERMIT_BYTES))
        };
        let permits = u32::try_from(counted.div_ceil(PERMIT_BYTES)).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        semaphore.acquire_many(permits).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn long_bodies_wait_for_each_other_and_short_ones_for_none_of_them() {
        let bodies = BodyBudget::default();
        let mut context = Context::from_waker(Waker::noop());
        let mut taken = Vec::new();
        for bytes in [Some(60 << 20), Some(2 << 20), None, Some(10), Some(1 << 20)] {
            let room = pin!(bodies.reserve(bytes)).poll(&mut context);
            taken.push(match room {
                Poll::Ready(Some(permit)) => Some(permit),
                _ => None,
            });
        }
        let has_room: Vec<bool> = taken.iter().map(Option::is_some).collect();
        assert_eq!(has_room, [true, false, false, true, true]);
        drop(taken);
        let both = [Some(2 << 20), Some(20 << 20)];
        let rooms = both.map(|bytes| pin!(bodies.reserve(bytes)).poll(&mut context));
        assert!(rooms.iter().all(Poll::is_ready));
    }
}
