//! Bounds the memory for request bodies over all calls.

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::body::{BodyReadError, IDLE_TIMEOUT};
use super::race::{RaceResult, race};

/// The longest request that is read.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// Longer bodies wait for each other, and never delay a short one.
const LONG_BODY_BYTES: usize = 1 << 20;

/// The most bytes that all short bodies take. Answering a call takes several times the memory of its body.
const SHORT_BODIES_BYTES: usize = 32 << 20;

/// The number of bytes of one permit.
const PERMIT_BYTES: usize = 1 << 10;

/// The memory that bodies take, by the bytes that have arrived: what a client announces holds up no one.
#[derive(Debug)]
pub(super) struct BodyBudget {
    short: ReceivingRoom,
    long: ReceivingRoom,
    answering_short: Semaphore,
    answering_long: Semaphore,
}

/// The room for the bodies that are being received. When it is full, one body at a time is received without it, so that bodies do not
/// wait for each other forever.
#[derive(Debug)]
struct ReceivingRoom {
    shares: Semaphore,
    outside: Semaphore,
}

/// The part of a room that a body takes.
struct RoomShare<'a> {
    room: &'a ReceivingRoom,
    permits: Option<SemaphorePermit<'a>>,
    outside: Option<SemaphorePermit<'a>>,
}

impl Default for BodyBudget {
    fn default() -> Self {
        let permits = |bytes: usize| Semaphore::new(bytes / PERMIT_BYTES);
        let room = |bytes| ReceivingRoom { shares: permits(bytes), outside: Semaphore::new(1) };
        Self {
            short: room(SHORT_BODIES_BYTES),
            long: room(MAX_REQUEST_BYTES),
            answering_short: permits(SHORT_BODIES_BYTES),
            answering_long: permits(MAX_REQUEST_BYTES),
        }
    }
}

impl BodyBudget {
    /// Reads a body, and waits until there is room to answer it. The room is released when the permit is dropped.
    pub(super) async fn receive(
        &self,
        mut body: Incoming,
    ) -> Result<(Vec<u8>, Option<SemaphorePermit<'_>>), BodyReadError> {
        let mut bytes = Vec::new();
        let (mut short_share, mut long_share) = (Some(self.short.share()), self.long.share());
        loop {
            let frame = timeout(IDLE_TIMEOUT, body.frame()).await;
            let frame = match frame.map_err(|_| BodyReadError::Stalled)? {
                Some(frame) => frame.map_err(|_| BodyReadError::Broken)?,
                None => break,
            };
            let Ok(part) = frame.into_data() else { continue };
            if bytes.len() + part.len() > MAX_REQUEST_BYTES {
                return Err(BodyReadError::TooLong);
            }
            bytes.extend_from_slice(&part);
            if bytes.len() > LONG_BODY_BYTES {
                // While this waits, nothing more is read, so the client has to wait as well.
                long_share.grow(bytes.len()).await;
                // A body that has become long takes no room from the short ones.
                short_share = None;
            } else if let Some(short_share) = &mut short_share {
                short_share.grow(bytes.len()).await;
            }
        }
        let room = self.reserve(bytes.len()).await;
        Ok((bytes, room))
    }

    /// Waits until there is room to answer a body of this length.
    async fn reserve(&self, bytes: usize) -> Option<SemaphorePermit<'_>> {
        let (semaphore, reserved_bytes) = if bytes > LONG_BODY_BYTES {
            // At most two at once, so that threads remain for other calls.
            (&self.answering_long, bytes.max(MAX_REQUEST_BYTES / 2))
        } else {
            (&self.answering_short, bytes.max(PERMIT_BYTES))
        };
        // The semaphore is never closed.
        semaphore.acquire_many(permits(reserved_bytes)).await.ok()
    }
}

impl ReceivingRoom {
    fn share(&self) -> RoomShare<'_> {
        RoomShare { room: self, permits: None, outside: None }
    }
}

impl RoomShare<'_> {
    /// Waits until there is room for this many bytes in all.
    async fn grow(&mut self, bytes: usize) {
        let permit_count = self.permits.as_ref().map_or(0, SemaphorePermit::num_permits);
        let lack = permits(bytes).saturating_sub(u32::try_from(permit_count).unwrap_or(u32::MAX));
        if self.outside.is_some() || lack == 0 {
            return;
        }
        let shares = self.room.shares.acquire_many(lack);
        match race(shares, self.room.outside.acquire()).await {
            RaceResult::Left(Ok(new_permits)) => match &mut self.permits {
                Some(permits) => permits.merge(new_permits),
                None => self.permits = Some(new_permits),
            },
            RaceResult::Right(Ok(permit)) => {
                self.outside = Some(permit);
                self.permits = None;
            }
            // The semaphores are never closed.
            RaceResult::Left(Err(_)) | RaceResult::Right(Err(_)) => {}
        }
    }
}

fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(PERMIT_BYTES)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn is_ready(future: impl Future<Output = ()>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        pin!(future).poll(&mut context).is_ready()
    }

    #[test]
    fn long_bodies_wait_for_each_other_and_short_ones_for_none_of_them() {
        let bodies = BodyBudget::default();
        let mut context = Context::from_waker(Waker::noop());
        let mut rooms = Vec::new();
        for bytes in [60 << 20, 2 << 20, 10, 1 << 20] {
            let room = pin!(bodies.reserve(bytes)).poll(&mut context);
            rooms.push(match room {
                Poll::Ready(Some(permit)) => Some(permit),
                _ => None,
            });
        }
        let has_room: Vec<bool> = rooms.iter().map(Option::is_some).collect();
        assert_eq!(has_room, [true, false, true, true]);
        drop(rooms);
        let sizes = [2 << 20, 20 << 20];
        let rooms = sizes.map(|bytes| pin!(bodies.reserve(bytes)).poll(&mut context));
        assert!(rooms.iter().all(Poll::is_ready));
    }

    #[test]
    fn what_has_not_arrived_takes_no_room_and_one_body_is_received_in_any_case() {
        let bodies = BodyBudget::default();
        let mut shares: Vec<_> = (0..200).map(|_| bodies.long.share()).collect();
        // Each has sent a byte more than a short body.
        let readiness = shares.iter_mut().map(|share| is_ready(share.grow(LONG_BODY_BYTES / 4)));
        assert!(readiness.into_iter().all(|is_ready| is_ready));
        let mut share = bodies.long.share();
        assert!(is_ready(share.grow(10 << 20)));
        let mut last = bodies.long.share();
        assert!(is_ready(last.grow(MAX_REQUEST_BYTES)), "outside of the room");
        let mut next = bodies.long.share();
        assert!(!is_ready(next.grow(MAX_REQUEST_BYTES)));
        drop(last);
        assert!(is_ready(next.grow(MAX_REQUEST_BYTES)));
    }
}
