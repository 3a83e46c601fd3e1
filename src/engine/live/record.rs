//! A local proxy that turns calls of models into tapes.
//!
//! Data of the client and the upstream server is passed on byte for byte, as soon as it arrives. Three kinds of headers are
//! changed: those that apply to one connection are removed, `host` names the upstream server, and `accept-encoding` loses encodings
//! that a tape could not be read from (data compressed with gzip, deflate or brotli is passed on compressed, and is decompressed for the tape
//! only). `x-retake-label` and `x-retake-comment` are for the tape, and are not passed on.
//!
//! If the upstream server sends nothing for as long as [`RecorderOptions::idle_timeout`], the client gets 504, or the connection breaks if
//! the answer had begun; what arrived until then is recorded, and marked as cut off.
//!
//! Times are measured when bytes arrive, on the thread that passes them on; slower work is done on another thread.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_channel::Sender;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::header::{HeaderMap, UPGRADE};
use hyper::{Method, Request, Response, StatusCode};
use jiff::Timestamp;

use super::body::{ResponseBody, full_body};
use super::idle_timeout::{IdleTimeout, LastActivity};
use super::local_server::{ListenOptions, LocalServer, ResponseFuture};
use super::proxy_call::{ProxyCall, ProxyEvent};
use super::tape_writer::{RecordCallback, TapeWriter};
use super::tee::{StallTimeout, Tee};
use super::upstream::{UpstreamServer, strip_hop_headers};
use author::fixture::FixtureTarget;
use calls::api::{ResponseForm, Route, error_body};
use calls::tape::timing::format_duration;
use play::live::record::{Credentials, ProxyOutcome, RecordedCallStart, ResponseHead};

#[derive(Clone, Debug)]
pub struct RecorderOptions {
    /// The address of the upstream server, such as `https://api.anthropic.com`; its path is put before that of each call.
    pub upstream: String,
    /// The folder for the tapes; it is created with the first tape.
    pub folder: PathBuf,
    /// The program whose fixtures are written beside the tapes.
    pub fixture: Option<FixtureTarget>,
    /// The name of tapes for which the client gives none.
    pub label: Option<String>,
    /// The comment on each tape.
    pub comment: Option<String>,
    /// Time for which the upstream server may send nothing, before and during its answer.
    pub idle_timeout: Duration,
}

/// A recorder that runs until it is dropped; then the calls in progress are recorded as far as they arrived.
#[derive(Debug)]
pub struct Recorder {
    // Above `_writer`, since fields are dropped in this order: first nothing more is received, then everything that was is written.
    host: LocalServer,
    _writer: TapeWriter,
    is_stopping: Arc<AtomicBool>,
}

impl Recorder {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// The address of the upstream server is invalid, or the recorder cannot listen; a message without a full stop.
    pub fn start(
        setup: RecorderOptions,
        listen: ListenOptions,
        listener: RecordCallback,
    ) -> Result<Self, String> {
        let upstream = UpstreamServer::new(&setup.upstream)?;
        let is_stopping = Arc::new(AtomicBool::new(false));
        let writer = TapeWriter::start(setup.folder, setup.comment, setup.fixture, listener)
            .map_err(|error| format!("Cannot start a thread: {error}"))?;
        let proxy = Arc::new(Proxy {
            upstream,
            address: setup.upstream.trim_end_matches('/').to_owned(),
            label: setup.label,
            idle_timeout: setup.idle_timeout,
            events: writer.events.clone(),
            calls: AtomicU64::new(0),
            is_stopping: Arc::clone(&is_stopping),
        });
        let handler = move |request, refusal| -> ResponseFuture {
            Box::pin(Arc::clone(&proxy).handle(request, refusal))
        };
        let host = LocalServer::start(listen, "record", Arc::new(handler))
            .map_err(|error| error.to_string())?;
        Ok(Self { host, _writer: writer, is_stopping })
    }

    /// The address on which it listens.
    pub fn address(&self) -> std::net::SocketAddr {
        self.host.address
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }
}

struct Proxy {
    upstream: UpstreamServer,
    /// The address of the upstream server.
    address: String,
    label: Option<String>,
    idle_timeout: Duration,
    events: Sender<ProxyEvent>,
    calls: AtomicU64,
    is_stopping: Arc<AtomicBool>,
}

impl Proxy {
    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        refusal: Option<String>,
    ) -> Response<ResponseBody> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let is_stopping = Arc::clone(&self.is_stopping);
        let call = ProxyCall::new(number, self.events.clone(), is_stopping);
        let (mut head, body) = request.into_parts();
        let route = Route::from_request(head.method.as_str(), head.uri.path(), head.uri.query());
        let api = route.as_ref().map(|route| route.api);
        let headers = head.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let credentials = Credentials::from_request(headers, head.uri.query());
        let label = take_header(&mut head.headers, "x-retake-label");
        let comment = take_header(&mut head.headers, "x-retake-comment");
        let start = RecordedCallStart {
            at: Timestamp::now(),
            api,
            provider: self.upstream.provider(head.uri.path()),
            address: credentials.hide(&match head.method {
                // Without the user and the password of the target.
                Method::CONNECT => format!("CONNECT {}", authority_of(&head.uri)),
                _ => format!("{} {}", head.method, head.uri.path()),
            }),
            label: label.map(|label| credentials.hide(&label)).or_else(|| self.label.clone()),
        };
        let comment = comment.map(|comment| credentials.hide(&comment));
        let path = credentials.public_address(head.uri.path(), head.uri.query());
        let url = (head.method == Method::POST).then(|| format!("{}{path}", self.address));
        // Before any refusal, so that refused calls are listed, too.
        call.send_event(ProxyEvent::Started {
            call: number,
            began: Arc::new(start),
            route: route.clone(),
            url,
            comment,
            credentials,
        });
        if head.method == Method::CONNECT {
            let reason = "CONNECT is not supported: the recorder is not a forward proxy; set its address as the client's \
                          base URL";
            return call.respond_refused(None, StatusCode::NOT_IMPLEMENTED, reason.to_owned());
        }
        if let Some(reason) = refusal {
            return call.respond_refused(route.as_ref(), StatusCode::FORBIDDEN, reason);
        }
        // After a switch, the bytes are no longer requests and answers.
        if head.headers.contains_key(UPGRADE) {
            let reason =
                "Only plain HTTP is recorded, not a connection that switches to another protocol";
            return call.respond_unreachable(route.as_ref(), StatusCode::NOT_IMPLEMENTED, reason);
        }
        let activity = LastActivity::new();
        let request_body = Tee::request(body, number, self.events.clone(), activity.clone());
        // Shared, since the part that the upstream server does not read is still recorded below.
        let request = match self.upstream.request(head, request_body.clone().boxed_unsync()) {
            Ok(request) => request,
            Err(reason) => {
                return call.respond_unreachable(route.as_ref(), StatusCode::BAD_REQUEST, &reason);
            }
        };
        // While the client still sends its request, no answer is due.
        let answer = activity.wait_with_timeout(self.idle_timeout, self.upstream.send(request));
        let (status, reason) = match answer.await {
            Some(Ok(response)) => return call.pass_on(response, self.stall_timeout()),
            // The connection to the upstream server failed because the request of the client broke off.
            Some(Err(_)) if request_body.is_broken() => {
                let reason = "The request was cut off".to_owned();
                return call.respond_refused(route.as_ref(), StatusCode::BAD_REQUEST, reason);
            }
            Some(Err(reason)) => (StatusCode::BAD_GATEWAY, reason),
            None => {
                let (server, wait) = (self.upstream.label(), self.idle_timeout_text());
                (StatusCode::GATEWAY_TIMEOUT, format!("{server} did not answer within {wait}"))
            }
        };
        // The request is recorded although it was not answered.
        request_body.drain().await;
        call.respond_unreachable(route.as_ref(), status, &reason)
    }

    fn idle_timeout_text(&self) -> String {
        format_duration(self.idle_timeout.as_nanos() as f64)
    }

    fn stall_timeout(&self) -> StallTimeout {
        let (server, wait) = (self.upstream.label(), self.idle_timeout_text());
        StallTimeout {
            timeout: IdleTimeout::new(self.idle_timeout),
            reason: format!("{server} sent no data for {wait}"),
        }
    }
}

/// Returns the host and the port of an address, without a user.
fn authority_of(uri: &hyper::Uri) -> &str {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    authority.rsplit('@').next().unwrap_or_default()
}

/// Removes and returns a header that is meant for the recorder.
fn take_header(headers: &mut HeaderMap, name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(headers.remove(name)?.as_bytes()).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

impl ProxyCall {
    /// Answers in place of the upstream server.
    fn respond_unreachable(
        mut self,
        route: Option<&Route>,
        status: StatusCode,
        reason: &str,
    ) -> Response<ResponseBody> {
        self.finish(ProxyOutcome::Unreached(status.as_u16(), reason.to_owned()));
        fault_response(route, status, reason)
    }

    /// Answers a request that is not recorded.
    fn respond_refused(
        mut self,
        route: Option<&Route>,
        status: StatusCode,
        reason: String,
    ) -> Response<ResponseBody> {
        let response = fault_response(route, status, &reason);
        self.finish(ProxyOutcome::Refused(status.as_u16(), reason));
        response
    }

    /// Passes an answer on while it is recorded.
    fn pass_on(self, response: Response<Incoming>, stall: StallTimeout) -> Response<ResponseBody> {
        let (mut head, body) = response.into_parts();
        self.send_event(ProxyEvent::ResponseHead { call: self.number, head: response_head(&head) });
        strip_hop_headers(&mut head.headers);
        let body = Tee::answer(body, self.events.clone(), (self, stall));
        Response::from_parts(head, body.boxed_unsync())
    }
}

/// Returns an error in the format of the call's API.
fn fault_response(route: Option<&Route>, code: StatusCode, reason: &str) -> Response<ResponseBody> {
    let body = error_body(route.map(|route| route.api), code.as_u16(), reason);
    let mut response = Response::new(full_body(body));
    *response.status_mut() = code;
    let json = hyper::header::HeaderValue::from_static(ResponseForm::Whole.content_type());
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, json);
    response
}

fn response_head(head: &hyper::http::response::Parts) -> ResponseHead {
    let header = |name| {
        let value = head.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_ascii_lowercase()
    };
    let kind = |header: String| header.split(';').next().unwrap_or_default().trim().to_owned();
    ResponseHead {
        status: head.status.as_u16(),
        content_type: kind(header("content-type")),
        encoding: header("content-encoding"),
    }
}
