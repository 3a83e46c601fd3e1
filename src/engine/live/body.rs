//! Bodies of requests and responses.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming};
use tokio::sync::mpsc;

/// A body of a response.
pub(super) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// A body that is there as a whole.
pub(super) fn full(text: impl Into<Bytes>) -> Body {
    Full::new(text.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}

/// A body that comes piece by piece. An error breaks the connection, so that the client learns that it is not whole.
pub(super) struct Pieces(mpsc::Receiver<io::Result<Bytes>>);

impl Pieces {
    /// With the end into which the pieces go; it waits until the one before is taken.
    pub(super) fn channel() -> (mpsc::Sender<io::Result<Bytes>>, Body) {
        let (sender, receiver) = mpsc::channel(1);
        (sender, Self(receiver).boxed_unsync())
    }
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = self.0.poll_recv(context);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
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
