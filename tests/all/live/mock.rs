//! Another side that says what the test has written for it, byte by byte.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A server on a thread of its own. It takes one connection after the other, each for one request, until it is dropped with
/// the test's process.
pub(crate) struct Mock {
    pub(crate) address: SocketAddr,
    /// The requests that arrived: head and body.
    pub(crate) received: Receiver<String>,
}

impl Mock {
    /// Starts a server whose answers `answer` writes.
    pub(crate) fn start(mut answer: impl FnMut(&str, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, received): (Sender<String>, Receiver<String>) = channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(request) = request(&mut stream) else {
                    continue;
                };
                let _ = sender.send(request.clone());
                answer(&request, &mut stream);
            }
        });
        Self { address, received }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Reads one request with a Content-Length.
fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lower = head.to_ascii_lowercase();
            let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length = length.map_or(0, |length| length.trim().parse().unwrap());
            if body.len() >= length {
                return Some(text);
            }
        }
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
        }
    }
}

/// Sends a complete answer and closes the connection.
pub(crate) fn say(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    // The client may have hung up.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}
