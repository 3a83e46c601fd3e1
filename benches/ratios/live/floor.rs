//! A bare server: it reads a question, and writes bytes by a schedule.

use std::convert::Infallible;
use std::future::Future as _;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::time::{Instant, Sleep, sleep_until};

/// What is written, and when.
type Frames = Arc<[(Duration, Bytes)]>;

/// Serves the frames of a file until it is killed; its address is its first line.
pub(crate) fn serve(path: &str) -> io::Result<()> {
    let frames: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let frames = frames.as_array().into_iter().flatten().map(|frame| {
        let due = frame["due"].as_u64().unwrap_or_default();
        let text = frame["text"].as_str().unwrap_or_default().to_owned();
        (Duration::from_nanos(due), Bytes::from(text))
    });
    let frames: Frames = frames.collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        io::stdout().flush()?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let frames = Arc::clone(&frames);
            tokio::spawn(async move {
                let service = service_fn(move |request| answer(request, Arc::clone(&frames)));
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                // The client may hang up.
                let _ = connection.await;
            });
        }
    })
}

async fn answer(
    request: Request<Incoming>,
    frames: Frames,
) -> Result<Response<Scheduled>, Infallible> {
    // The same answer to every request.
    let _ = request.into_body().collect().await;
    let start = Instant::now();
    Ok(Response::new(Scheduled { frames, next: 0, start, sleep: Box::pin(sleep_until(start)) }))
}

struct Scheduled {
    frames: Frames,
    next: usize,
    start: Instant,
    sleep: Pin<Box<Sleep>>,
}

impl Body for Scheduled {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some((due, bytes)) = self.frames.get(self.next).cloned() else {
            return Poll::Ready(None);
        };
        let due = self.start + due;
        if self.sleep.deadline() != due {
            self.sleep.as_mut().reset(due);
        }
        ready!(self.sleep.as_mut().poll(context));
        self.next += 1;
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}
