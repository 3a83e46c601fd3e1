//! Two things that are waited for at once.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

/// What came first.
pub(super) enum First<A, B> {
    /// The one that is asked first, too where both are there.
    Left(A),
    Right(B),
}

/// Waits for whichever comes first; the other one is dropped.
pub(super) async fn race<A, B>(
    left: impl Future<Output = A>,
    right: impl Future<Output = B>,
) -> First<A, B> {
    let (mut left, mut right) = (pin!(left), pin!(right));
    poll_fn(|context| {
        if let Poll::Ready(done) = left.as_mut().poll(context) {
            return Poll::Ready(First::Left(done));
        }
        right.as_mut().poll(context).map(First::Right)
    })
    .await
}
