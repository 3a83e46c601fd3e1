//! Bodies of requests and responses.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming};

/// A body of a response.
pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// A body that is there as a whole.
pub(super) fn full(text: impl Into<Bytes>) -> Body {
    Full::new(text.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// A body that breaks the connection, so that the client learns that it is not whole.
pub(super) fn broken() -> Body {
    Broken.boxed_unsync()
}

struct Broken;

impl HttpBody for Broken {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())))
    }
}

/// Why a body was not read.
pub(super) enum Unread {
    /// It is longer than may be.
    TooLong,
    /// The client hung up, or does not speak HTTP.
    Broken,
}

/// Reads a body of no more than so many bytes.
pub(super) async fn read(body: Incoming, most: usize) -> Result<Bytes, Unread> {
    let collected = Limited::new(body, most).collect().await;
    match collected {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Unread::TooLong),
        Err(_) => Err(Unread::Broken),
    }
}
