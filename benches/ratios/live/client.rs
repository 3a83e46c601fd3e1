//! A client that notes when each chunk comes, and little else.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use memchr::memmem::find_iter;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

/// How each chunk's text begins in an event.
const CHUNK_MARK: &[u8] = b"\"c0";

/// An answer that is served.
pub(crate) struct Schedule {
    pub(crate) name: &'static str,
    pub(crate) chunks: usize,
    delay: Duration,
}

/// What came.
pub(crate) struct Answer {
    /// When each chunk came, after the question was sent.
    pub(crate) came: Vec<Duration>,
    /// All of it, with its head.
    pub(crate) bytes: Vec<u8>,
}

impl Schedule {
    pub(crate) fn new(name: &'static str, chunks: usize, delay: Duration) -> Self {
        Self { name, chunks, delay }
    }

    /// How long is waited before each chunk; before the first as long as models think.
    pub(crate) fn delays(&self) -> impl Iterator<Item = Duration> + Clone {
        let first = std::iter::once(Duration::from_millis(400));
        let rest = std::iter::repeat_n(self.delay, self.chunks - 1);
        first.chain(rest)
    }

    /// When each chunk is due.
    pub(crate) fn due(&self) -> impl Iterator<Item = Duration> + Clone {
        self.delays().scan(Duration::ZERO, |at, delay| {
            *at += delay;
            Some(*at)
        })
    }

    fn request(&self) -> Value {
        json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": self.name }] })
    }

    pub(crate) fn tape(&self) -> String {
        let chunks = self.delays().enumerate().map(|(index, delay)| {
            json!({ "delayNs": delay.as_nanos() as u64, "text": format!("c{index:06} ") })
        });
        let stream = Value::from_iter(chunks);
        let meta = json!({ "model": "m", "recordedAt": "2026-03-09T11:02:17Z" });
        json!({ "meta": meta, "request": self.request(), "stream": stream }).to_string()
    }
}

/// Sends this many calls at once, each over its own connection.
pub(crate) fn send_calls(
    address: SocketAddr,
    schedule: &Schedule,
    count: usize,
) -> io::Result<Vec<Answer>> {
    let body = schedule.request().to_string();
    let length = body.len();
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut streams = Vec::new();
        for _ in 0..count {
            streams.push(TcpStream::connect(address).await?);
        }
        let mut calls = JoinSet::new();
        for stream in streams {
            calls.spawn(call(stream, request.clone()));
        }
        calls.join_all().await.into_iter().collect()
    })
}

async fn call(stream: TcpStream, request: String) -> io::Result<Answer> {
    stream.writable().await?;
    let start = Instant::now();
    if stream.try_write(request.as_bytes())? < request.len() {
        return Err(io::ErrorKind::WriteZero.into());
    }
    let mut answer = Answer { came: Vec::new(), bytes: Vec::new() };
    let mut search_start = 0;
    let mut part = [0; 16 << 10];
    loop {
        stream.readable().await?;
        match stream.try_read(&mut part) {
            Ok(0) => return Ok(answer),
            Ok(count) => answer.bytes.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error),
        }
        let elapsed = start.elapsed();
        let new = find_iter(&answer.bytes[search_start..], CHUNK_MARK).count();
        answer.came.extend(std::iter::repeat_n(elapsed, new));
        search_start = answer.bytes.len().saturating_sub(CHUNK_MARK.len() - 1);
    }
}

/// The body in the chunks in which it was sent.
pub(crate) fn frames(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let mut frames = Vec::new();
    while let Some((size, body)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or_default();
        if size == 0 {
            break;
        }
        frames.push(body[..size].to_owned());
        rest = &body[size + 2..];
    }
    frames
}
