//! Live commands, from outside: as a server, a proxy, a script at a queue and the official SDKs meet them.

mod answer;
mod langsmith;
pub(crate) mod mock;
mod proxy;
mod record;
mod sdk;
mod serve;
mod sockets;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::project::Project;

/// How long is waited for what has to come; it comes at once, or never.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A command that runs, with the log it writes as JSON.
pub(crate) struct Running {
    pub(crate) child: Child,
    log: BufReader<ChildStdout>,
}

impl Running {
    /// Starts a command that listens somewhere; answers it, and where.
    pub(crate) fn listening(project: &Project, arguments: &[&str]) -> (Self, SocketAddr) {
        Self::listening_with(project, arguments, |_| {})
    }

    /// As [`listening`](Self::listening), with more that is set for the command.
    pub(crate) fn listening_with(
        project: &Project,
        arguments: &[&str],
        set: impl FnOnce(&mut Command),
    ) -> (Self, SocketAddr) {
        let listen = ["--listen", "127.0.0.1:0", "--json"];
        let mut command = project.command(&[arguments, &listen].concat());
        set(&mut command);
        let mut running = Self::spawn(command);
        let first = running.line();
        assert_eq!(first["event"], "listening", "{first}");
        let address = first["address"].as_str().unwrap().parse().unwrap();
        (running, address)
    }

    pub(crate) fn start(project: &Project, arguments: &[&str]) -> Self {
        Self::spawn(project.command(arguments))
    }

    /// Starts a program whose log is its output.
    pub(crate) fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let log = BufReader::new(child.stdout.take().unwrap());
        Self { child, log }
    }

    /// The next line of the log.
    pub(crate) fn line(&mut self) -> Value {
        let mut line = String::new();
        self.log.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| {
            let mut complaint = String::new();
            let _ = self.child.kill();
            let _ = self.child.stderr.take().unwrap().read_to_string(&mut complaint);
            panic!("{error}: {line:?}\n{complaint}");
        })
    }

    /// The next line of a log for people.
    pub(crate) fn text_line(&mut self) -> String {
        let mut line = String::new();
        self.log.read_line(&mut line).unwrap();
        line
    }

    /// The address at the end of the first line on stderr.
    pub(crate) fn printed_address(&mut self) -> SocketAddr {
        self.printed_line().1
    }

    /// The first line of the errors, and the address in it.
    pub(crate) fn printed_line(&mut self) -> (String, SocketAddr) {
        let mut line = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        BufReader::with_capacity(1, stderr).read_line(&mut line).unwrap();
        let address = line.trim_end().rsplit("http://").next().unwrap();
        let address = address.parse().unwrap_or_else(|_| panic!("{line}"));
        (line, address)
    }

    /// The next line about something.
    pub(crate) fn line_of(&mut self, event: &str) -> Value {
        loop {
            let line = self.line();
            if line["event"] == event {
                return line;
            }
        }
    }

    /// Stops it as Ctrl+C does; returns its exit code and the rest of its log.
    pub(crate) fn end(self) -> (Option<i32>, String) {
        self.end_by("INT")
    }

    /// Sends it a signal, and answers its exit code and what else it logged.
    pub(crate) fn end_by(mut self, signal: &str) -> (Option<i32>, String) {
        self.send_signal(signal);
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }

    /// Sends it a signal, and answers its exit code, with the rest of its log unread.
    pub(crate) fn end_unread(&mut self, signal: &str) -> Option<i32> {
        self.send_signal(signal);
        self.child.wait().unwrap().code()
    }

    fn send_signal(&self, signal: &str) {
        let arguments = [format!("-{signal}"), self.child.id().to_string()];
        assert!(Command::new("kill").args(arguments).status().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// In small letters.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Whether the body came as a whole.
    pub(crate) is_whole: bool,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The data of each event.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let data = data.filter(|data| *data != "[DONE]");
        data.map(|data| serde_json::from_str(data).unwrap()).collect()
    }
}

/// Opens a connection and sends a request with more headers, each with its line end.
pub(crate) fn send(address: SocketAddr, request: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let length = body.len();
    let host = if headers.to_ascii_lowercase().contains("host: ") {
        String::new()
    } else {
        format!("Host: {address}\r\n")
    };
    let head = format!(
        "{request} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    stream
}

/// Sends a request and waits for the answer.
pub(crate) fn send_request(address: SocketAddr, request: &str, body: &str) -> Reply {
    receive(send(address, request, "", body))
}

/// Reads an answer to its end.
pub(crate) fn receive(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let is_closed_well = stream.read_to_end(&mut bytes).is_ok();
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let raw = &bytes[end + 4..];
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let (body, is_whole) = match length {
        Some(length) => (raw.to_vec(), raw.len() == length.parse::<usize>().unwrap()),
        None if head.contains("transfer-encoding: chunked") => dechunked(raw),
        None => (raw.to_vec(), is_closed_well),
    };
    Reply { status, head, body, is_whole }
}

/// The body that came in chunks, and whether the last one came.
fn dechunked(mut raw: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = raw.windows(2).position(|two| two == b"\r\n") else {
            return (body, false);
        };
        let size = std::str::from_utf8(&raw[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        let rest = &raw[end + 2..];
        if size == 0 || rest.len() < size + 2 {
            return (body, size == 0);
        }
        body.extend_from_slice(&rest[..size]);
        raw = &rest[size + 2..];
    }
}

/// A tape with these chunks: milliseconds before each, and its text.
pub(crate) fn tape(request: &str, chunks: &[(u32, &str)]) -> String {
    let chunks = chunks.iter().map(|(millis, text)| {
        serde_json::json!({ "delayNs": u64::from(*millis) * 1_000_000, "text": text })
    });
    let chunks: Vec<Value> = chunks.collect();
    let request: Value = serde_json::from_str(request).unwrap();
    let meta = serde_json::json!({ "model": "m", "recordedAt": "2026-03-09T11:02:17Z" });
    serde_json::json!({ "meta": meta, "request": request, "stream": chunks }).to_string()
}
