//! Bounds the memory for request bodies over all calls.

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::body::{BodyReadError, IDLE_TIMEOUT};

/// The longest request that is read.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// Longer bodies wait for each other, and never delay a short one.
const LONG_BODY_BYTES: usize = 1 << 20;

/// The calls that are answered at once: those with short bodies, and those with long ones, of which there are only two, so that
/// threads remain for other calls. Answering a call takes several times the memory of its body.
#[derive(Debug)]
pub(super) struct BodyBudget {
    short: Semaphore,
    long: Semaphore,
}

impl Default for BodyBudget {
    fn default() -> Self {
        Self { short: Semaphore::new(32), long: Semaphore::new(2) }
    }
}

impl BodyBudget {
    /// Reads a body, and waits until there is room to answer it. The room is released when the permit is dropped.
    pub(super) async fn receive(
        &self,
        mut body: Incoming,
    ) -> Result<(Vec<u8>, Option<SemaphorePermit<'_>>), BodyReadError> {
        let (mut bytes, mut room) = (Vec::new(), None);
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
            if bytes.len() > LONG_BODY_BYTES && room.is_none() {
                // While this waits, nothing more is read, so the client has to wait as well. The semaphore is never closed.
                room = self.long.acquire().await.ok();
            }
        }
        if room.is_none() {
            room = self.short.acquire().await.ok();
        }
        Ok((bytes, room))
    }
}
