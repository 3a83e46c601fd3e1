//! Bodies of requests and responses.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as HttpBody, Bytes, Frame};

/// A body of a response.
pub(super) type ResponseBody = UnsyncBoxBody<Bytes, io::Error>;

/// Returns a complete body.
pub(super) fn full_body(text: impl Into<Bytes>) -> ResponseBody {
    Full::new(text.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A body that breaks the connection, so that the client notices that the answer is incomplete.
pub(super) struct BrokenBody;

impl HttpBody for BrokenBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())))
    }
}

/// The reason why a body was not read.
pub(super) enum BodyReadError {
    /// It exceeds the limit.
    TooLong,
    /// The client closed the connection, or violated HTTP.
    Broken,
    /// The client sent no data for [`IDLE_TIMEOUT`].
    Stalled,
}

/// Time for which a client may send nothing in the middle of a body: other calls wait for the memory.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
