//! Waits for the first of two futures.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// The future that completed first.
pub(super) enum RaceResult<A, B> {
    /// The first one; also when both are ready.
    Left(A),
    Right(B),
}

/// Waits for the first of two futures; the other one is dropped.
pub(super) async fn race<A, B>(
    left: impl Future<Output = A>,
    right: impl Future<Output = B>,
) -> RaceResult<A, B> {
    let (mut left, mut right) = (pin!(left), pin!(right));
    poll_fn(|context| {
        if let Poll::Ready(output) = left.as_mut().poll(context) {
            return Poll::Ready(RaceResult::Left(output));
        }
        right.as_mut().poll(context).map(RaceResult::Right)
    })
    .await
}
