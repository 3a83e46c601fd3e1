//! The client for outgoing requests: HTTP/1.1, with TLS or without, directly or through the environment's [proxy](super::proxy).
//!
//! Trusted certificates are the system's. `SSL_CERT_FILE` and `SSL_CERT_DIR` replace them.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::{fmt, future};

use hyper::body::Incoming;
use hyper::header::PROXY_AUTHORIZATION;
use hyper::http::uri::Scheme;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::{Request, Response, Uri};
use hyper_rustls::{
    ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream,
};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::crypto::ring;
use rustls::{CertificateError, ClientConfig};
use tokio::net::TcpStream;
use tower_service::Service;

use super::body::ResponseBody;
use super::proxy::{Environment, Proxy, ProxyProtocol};

/// A client for the requests to one server.
pub(super) struct HttpClient {
    client: Client<HttpsConnector<Connector>, ResponseBody>,
    proxy: Option<Arc<Proxy>>,
}

pub(super) use hyper_util::client::legacy::Error as ConnectionError;

/// Handling of a connection after its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connections {
    /// It is kept open for the next call.
    KeepAlive,
    /// It is closed. Some servers close a connection after an answer without announcing it; a call on a kept connection may be lost then,
    /// and cannot be sent again, since it may have been handled.
    PerCall,
}

impl HttpClient {
    /// Makes a client for a server, with the proxy that the environment sets for it; opens no connection.
    ///
    /// # Errors
    ///
    /// The reason why the proxy or the certificates cannot be used, as a sentence without a full stop.
    pub(super) fn new(server: &Uri, connections: Connections) -> Result<Self, String> {
        Self::with_environment(server, connections, &|name| std::env::var(name).ok())
    }

    fn with_environment(
        server: &Uri,
        connections: Connections,
        environment: Environment<'_>,
    ) -> Result<Self, String> {
        let proxy = Proxy::find(server, environment)?.map(Arc::new);
        let trust = trust()?;
        let mut http = HttpConnector::new();
        // The system would hold back small pieces to join them.
        http.set_nodelay(true);
        // TLS is added around this connector, which would otherwise refuse `https`.
        http.enforce_http(false);
        let connector =
            Connector { https: with_tls(http.clone(), trust.clone()), http, proxy: proxy.clone() };
        let mut builder = Client::builder(TokioExecutor::new());
        // The headers of a client are passed on as it spells them.
        builder.http1_preserve_header_case(true).pool_max_idle_per_host(match connections {
            Connections::KeepAlive => usize::MAX,
            Connections::PerCall => 0,
        });
        Ok(Self { client: builder.build(with_tls(connector, trust)), proxy })
    }

    /// Sends a request to the server.
    pub(super) async fn send(
        &self,
        mut request: Request<ResponseBody>,
    ) -> Result<Response<Incoming>, ConnectionError> {
        // With TLS, the proxy sees only the request to connect, which has the header.
        let authorization = self.proxy.as_ref().and_then(|proxy| proxy.intercept.basic_auth());
        if let Some(authorization) = authorization
            && request.uri().scheme() == Some(&Scheme::HTTP)
        {
            request.headers_mut().insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        let method = request.method().clone();
        // Not its path, which may have a key or a name in it.
        let host = request.uri().host().unwrap_or_default().to_owned();
        let response = self.client.request(request).await;
        match &response {
            Ok(response) => log::info!("{method} to {host}: {}", response.status().as_u16()),
            Err(_) => log::warn!("{method} to {host}: no answer"),
        }
        response
    }
}

/// Returns settings for TLS with the trusted certificates.
fn trust() -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS cannot be used: {error}"))?;
    let config = builder.with_native_roots().map_err(|error| {
        let names = "SSL_CERT_FILE and SSL_CERT_DIR";
        format!("No trusted certificates can be read from this computer, or from {names}: {error}")
    })?;
    Ok(config.with_no_client_auth())
}

/// Adds TLS to connections for which the URL requires it.
fn with_tls<C>(connector: C, trust: ClientConfig) -> HttpsConnector<C> {
    let https = HttpsConnectorBuilder::new().with_tls_config(trust);
    https.https_or_http().enable_http1().wrap_connector(connector)
}

/// Returns an error and its causes, the root cause last.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error: &'e (dyn Error + 'static) = *error;
        // `source` of an `io::Error` skips the error inside of it, which is a cause of its own.
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    })
}

/// Returns the root cause of an error, without a full stop; of a fault of the proxy also the proxy.
pub(super) fn root_cause(error: &(dyn Error + 'static)) -> String {
    let unknown_issuer = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
    let mut text = String::new();
    for cause in causes(error) {
        text = cause.to_string();
        if cause.is::<ProxyFault>() {
            break;
        }
        if cause.downcast_ref() == Some(&unknown_issuer) {
            text +=
                "; if this network inspects TLS, set SSL_CERT_FILE to a file with its certificate";
        }
    }
    text
}

/// Returns whether the connection could not be made or was lost, so that the same request may succeed a moment later.
pub(super) fn is_connection_lost(error: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable,
        NetworkDown, NetworkUnreachable, NotConnected, TimedOut, UnexpectedEof,
    };
    causes(error).any(|cause| {
        let io_kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let http_error = cause.downcast_ref::<hyper::Error>();
        http_error.is_some_and(hyper::Error::is_incomplete_message)
            || matches!(
                io_kind,
                Some(
                    BrokenPipe
                        | ConnectionAborted
                        | ConnectionRefused
                        | ConnectionReset
                        | HostUnreachable
                        | NetworkDown
                        | NetworkUnreachable
                        | NotConnected
                        | TimedOut
                        | UnexpectedEof
                )
            )
    })
}

type BoxedError = Box<dyn Error + Send + Sync>;
type ProxyStream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// A proxy that does not connect to a server.
#[derive(Debug)]
struct ProxyFault {
    /// Its address and its variable, for people.
    proxy: String,
    /// The host and the port of the server.
    server: String,
    source: BoxedError,
}

impl fmt::Display for ProxyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { proxy, server, source } = self;
        let reason = source.to_string();
        // The library does not export the type of its errors.
        if reason.contains("authorization required") {
            write!(
                f,
                "{proxy} requires a user and a password; expected an address such as http://USER:PASSWORD@HOST:PORT"
            )
        } else if reason.ends_with("unsuccessful") {
            write!(f, "{proxy} refuses to connect to {server}")
        } else {
            write!(f, "{proxy} cannot be used: {}", root_cause(&**source))
        }
    }
}

impl Error for ProxyFault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

/// Connects to servers directly or through a proxy.
#[derive(Clone)]
struct Connector {
    http: HttpConnector,
    /// For a proxy that is itself reached with TLS.
    https: HttpsConnector<HttpConnector>,
    proxy: Option<Arc<Proxy>>,
}

impl Connector {
    async fn connect(mut self, server: Uri) -> Result<ServerStream, BoxedError> {
        let Some(proxy) = self.proxy.take() else {
            let pipe = ready(&mut self.http).await?.call(server).await?;
            return Ok(ServerStream { stream: MaybeHttpsStream::Http(pipe), is_forwarded: false });
        };
        let is_forwarded =
            proxy.protocol == ProxyProtocol::Http && server.scheme() == Some(&Scheme::HTTP);
        let server_name = server.authority().map(ToString::to_string);
        let pipe = self.through(&proxy, server, is_forwarded).await.map_err(|source| {
            ProxyFault { proxy: proxy.to_string(), server: server_name.unwrap_or_default(), source }
        })?;
        Ok(ServerStream { stream: pipe, is_forwarded })
    }

    async fn through(
        mut self,
        proxy: &Proxy,
        server: Uri,
        is_forwarded: bool,
    ) -> Result<ProxyStream, BoxedError> {
        let address = proxy.address();
        match proxy.protocol {
            ProxyProtocol::Http if is_forwarded => {
                Ok(ready(&mut self.https).await?.call(address).await?)
            }
            ProxyProtocol::Http => {
                let mut tunnel = Tunnel::new(address, self.https);
                if let Some(authorization) = proxy.intercept.basic_auth() {
                    tunnel = tunnel.with_auth(authorization.clone());
                }
                Ok(ready(&mut tunnel).await?.call(server).await?)
            }
            ProxyProtocol::Socks { looks_up_here } => {
                let mut socks = SocksV5::new(address, self.http).local_dns(looks_up_here);
                if let Some((user, password)) = proxy.intercept.raw_auth() {
                    socks = socks.with_auth(user.to_owned(), password.to_owned());
                }
                Ok(MaybeHttpsStream::Http(ready(&mut socks).await?.call(server).await?))
            }
        }
    }
}

/// Waits until a service accepts a call.
async fn ready<S: Service<Uri>>(service: &mut S) -> Result<&mut S, S::Error> {
    future::poll_fn(|context| service.poll_ready(context)).await?;
    Ok(service)
}

impl Service<Uri> for Connector {
    type Response = ServerStream;
    type Error = BoxedError;
    type Future = Pin<Box<dyn Future<Output = Result<ServerStream, BoxedError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxedError>> {
        // Each call waits for connectors of its own.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        Box::pin(self.clone().connect(server))
    }
}

/// A connection to a server, or to a proxy that forwards its requests.
struct ServerStream {
    stream: ProxyStream,
    /// Whether a proxy reads the requests, which then contain the whole URL.
    is_forwarded: bool,
}

impl Connection for ServerStream {
    fn connected(&self) -> Connected {
        self.stream.connected().proxy(self.is_forwarded)
    }
}

impl Read for ServerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for ServerStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
