//! A local server on its own thread.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use std::{fmt, io};

use hyper::body::Incoming;
use hyper::header::{HOST, HeaderName, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::runtime;
use tokio::sync::watch;

use super::body::ResponseBody;
use super::race::{RaceResult, race};
use crate::disk::root::describe_error;
use crate::joined_thread::JoinedThread;
use play::live::access::{self, Claims};

/// The address and the scope of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenOptions {
    /// Port 0: any that is free.
    pub address: SocketAddr,
    /// The clients that may reach it.
    pub scope: ListenScope,
}

/// The clients that may reach a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListenScope {
    /// Programs on this computer.
    #[default]
    Loopback,
    /// Everyone the network allows.
    Network,
}

/// The reason why a server does not listen.
#[derive(Debug)]
pub enum ListenError {
    /// The address is reachable from other computers, which was not allowed.
    NotLoopback(SocketAddr),
    /// The system refuses.
    Refused(SocketAddr, io::Error),
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct LocalServer {
    /// The address on which it listens.
    pub address: SocketAddr,
    /// The server stops when it is dropped.
    _stop: watch::Sender<()>,
    _thread: JoinedThread,
}

/// Answers a request.
pub(super) type ResponseFuture = Pin<Box<dyn Future<Output = Response<ResponseBody>> + Send>>;
/// Answers a request. A request with a reason is refused with [`StatusCode::FORBIDDEN`](hyper::StatusCode),
/// without reading or changing anything.
pub(super) type RequestHandler =
    Arc<dyn Fn(Request<Incoming>, Option<String>) -> ResponseFuture + Send + Sync>;

/// Time that a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Number of threads that may read files: of many simultaneous calls all but a few wait, so that the calls in progress are not delayed.
const READER_THREADS: usize = 4;

/// The pause before the next attempt when the system has no file handles left.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(50);

impl LocalServer {
    /// Listens; from now on requests are handled.
    pub(super) fn start(
        listen: ListenOptions,
        name: &str,
        handler: RequestHandler,
    ) -> Result<Self, ListenError> {
        let address = listen.address;
        if listen.scope == ListenScope::Loopback && !address.ip().is_loopback() {
            return Err(ListenError::NotLoopback(address));
        }
        let refusal = |error| ListenError::Refused(address, error);
        let listener = TcpListener::bind(address).map_err(refusal)?;
        // Tokio requires non-blocking mode of a listener that it did not open.
        listener.set_nonblocking(true).map_err(refusal)?;
        let address = listener.local_addr().map_err(refusal)?;
        let mut builder = runtime::Builder::new_current_thread();
        builder.enable_all().max_blocking_threads(READER_THREADS);
        let runtime = builder.build().map_err(refusal)?;
        // A page in the user's browser can reach a local port, too.
        let guard = (listen.scope == ListenScope::Loopback).then_some(address);
        let (stop, stop_receiver) = watch::channel(());
        let thread = thread::Builder::new().name(format!("retake {name}")).spawn(move || {
            runtime.block_on(accept(listener, (handler, guard), stop_receiver));
            // Threads that still read a file are not waited for; open connections end here.
            runtime.shutdown_background();
        });
        Ok(Self { address, _stop: stop, _thread: thread.map_err(refusal)?.into() })
    }
}

async fn accept(
    listener: TcpListener,
    (handler, guard): (RequestHandler, Option<SocketAddr>),
    mut stop_receiver: watch::Receiver<()>,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        match race(stop_receiver.changed(), listener.accept()).await {
            RaceResult::Left(_) => return,
            RaceResult::Right(Ok((stream, _))) => {
                // Send each chunk at once, however small it is.
                let _ = stream.set_nodelay(true);
                tokio::spawn(serve_connection(stream, Arc::clone(&handler), guard));
            }
            RaceResult::Right(Err(_)) => tokio::time::sleep(ACCEPT_RETRY_PAUSE).await,
        }
    }
}

/// Answers the requests of one connection; with the listening address as `guard`, only those of this computer.
async fn serve_connection(
    stream: tokio::net::TcpStream,
    handler: RequestHandler,
    guard: Option<SocketAddr>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let refusal = guard.and_then(|address| access::refusal(address, &request_claims(&request)));
        // The query of an address may be a key.
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let answer = handler(request, refusal);
        async move {
            let response = answer.await;
            log::info!("{method} {path} here: {}", response.status().as_u16());
            Ok::<_, Infallible>(response)
        }
    });
    let mut builder = http1::Builder::new();
    // The recorder passes headers on as the client spells them.
    builder.preserve_header_case(true).timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    // An error here means that the client disconnected; the call itself reports it.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

/// Returns the headers that show where a request comes from.
fn request_claims(request: &Request<Incoming>) -> Claims {
    let values = |name: HeaderName| {
        let values = request.headers().get_all(name).into_iter();
        values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let target = request.uri().authority();
    Claims {
        hosts: values(HOST).chain(target.map(|target| target.as_str().to_owned())).collect(),
        origins: values(ORIGIN).collect(),
        fetch_sites: values(HeaderName::from_static("sec-fetch-site")).collect(),
    }
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoopback(address) => write!(
                f,
                "Other computers can reach {address}; use an address such as 127.0.0.1, or allow it with \
                 --open-to-network"
            ),
            Self::Refused(address, error) if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "Another program is already listening on {address}; choose another port")
            }
            Self::Refused(address, error) => {
                write!(f, "Cannot listen on {address}: {}", describe_error(error))
            }
        }
    }
}
