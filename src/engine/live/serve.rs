//! Plays tapes and sets to real clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};
use jiff::Timestamp;

use super::bodies::{Bodies, MOST_REQUEST};
use super::body::{self, Body, Unread, full};
use super::clock::Clock;
use super::host::{Host, Listen, ListenFault};
use super::stock::{Reply, Stock};
use super::told::Told;
use crate::ops::live::answer::{AnswerEnding, ServedAnswer};
use crate::ops::live::api::{
    ClientCall, ResponseContext, ResponseForm, ResponseWriter, Route, error_body, whole_response,
};
use crate::ops::live::serve::{
    AnswerPlan, ServeChoice, ServeEvent, ServedCallEnd, ServedCallStart,
};
use crate::ops::tape::sse::Api;

/// Receives the server's events; called on the server's thread, so it must not block.
pub type Listener = Arc<dyn Fn(ServeEvent) + Send + Sync>;

/// The longest request that is kept with its call for the user to view.
const MOST_KEPT: usize = 4 << 20;

/// Starts to serve.
///
/// # Errors
///
/// Why the server cannot listen at the address.
pub fn start(stock: Stock, listen: Listen, listener: Listener) -> Result<Host, ListenFault> {
    let refused = |error| ListenFault::Refused(listen.address, error);
    let server = Arc::new(Server {
        stock: Arc::new(stock),
        clock: Clock::start().map_err(refused)?,
        listener,
        calls: AtomicU64::new(0),
        bodies: Bodies::default(),
    });
    let handler = move |request, refusal| -> super::host::Answering {
        Box::pin(Arc::clone(&server).handle(request, refusal))
    };
    Host::start(listen, "serve", Arc::new(handler))
}

pub(super) struct Server {
    stock: Arc<Stock>,
    pub(super) clock: Clock,
    listener: Listener,
    calls: AtomicU64,
    bodies: Bodies,
}

/// A call in progress. If it is dropped before its end, the client disconnected.
pub(super) struct Call {
    number: u64,
    started: Instant,
    listener: Listener,
    is_over: bool,
}

/// A call that gets no answer.
struct Refusal {
    status: StatusCode,
    message: String,
}

impl Server {
    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        refusal: Option<String>,
    ) -> Response<Body> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let mut call = Call {
            number,
            started: Instant::now(),
            listener: Arc::clone(&self.listener),
            is_over: false,
        };
        let (head, body) = request.into_parts();
        let (method, uri) = (head.method.as_str(), &head.uri);
        let address = format!("{method} {}", uri.path());
        let route = Route::from_request(method, uri.path(), uri.query());
        let api = route.as_ref().map(|route| route.api);
        let read = match refusal {
            Some(message) => Err(Refusal::forbidden(message)),
            None => Ok(body),
        };
        match self.serve(&mut call, &address, route, read).await {
            Ok(response) => response,
            Err(Refusal { status, message }) => {
                let body = error_body(api, status.as_u16(), &message);
                call.over(ServedCallEnd::Refused(status.as_u16(), message));
                respond(status, ResponseForm::Whole, full(body))
            }
        }
    }

    async fn serve(
        self: &Arc<Self>,
        call: &mut Call,
        address: &str,
        route: Option<Route>,
        body: Result<Incoming, Refusal>,
    ) -> Result<Response<Body>, Refusal> {
        let mut began = ServedCallStart {
            at: Timestamp::now(),
            api: route.as_ref().map(|route| route.api),
            address: address.to_owned(),
            model: route.as_ref().and_then(|route| route.model.clone()),
            tools: 0,
            messages: 0,
            request: Arc::default(),
        };
        let body = match (body, route) {
            (Ok(body), Some(route)) => Ok((body, route)),
            (Ok(_), None) => Err(Refusal::not_found(address)),
            (Err(refusal), _) => Err(refusal),
        };
        // The memory of the body is reserved until the answer is found.
        let mut room = None;
        let read = match body {
            Ok((body, route)) => {
                room = self.bodies.room(body.size_hint().exact()).await;
                read_call(call.number, route, body).await
            }
            Err(refusal) => Err(refusal),
        };
        if let Ok((_, client_call)) = &read {
            began.model.clone_from(&client_call.model);
            (began.tools, began.messages) = (client_call.tools, client_call.messages);
            let request = client_call.recorded.source().text();
            if request.len() <= MOST_KEPT {
                began.request = request.into();
            }
        }
        call.tell(|number| ServeEvent::Began(number, Arc::new(began)));
        let (route, client_call) = read?;
        // Delays count from when the request was complete.
        call.started = Instant::now();
        let (client_call, answer) = self.choose(call, client_call).await?;
        let model = answer.model.clone().or_else(|| client_call.model.clone());
        let voice = ResponseContext {
            number: call.number,
            model: model.unwrap_or_default(),
            created: Timestamp::now().as_second(),
        };
        let plan = AnswerPlan::new(&answer, route.form);
        call.tell(|number| ServeEvent::Planned(number, Arc::new(plan)));
        let schedule = ResponseWriter::new(&route, &client_call, voice.clone());
        drop(client_call);
        drop(room);
        Ok(self.speak(call, route, schedule, answer, voice).await)
    }

    /// Finds the answer to a call, on another thread than the one that times all calls.
    async fn choose(
        &self,
        call: &Call,
        client_call: ClientCall,
    ) -> Result<(ClientCall, ServedAnswer), Refusal> {
        let stock = Arc::clone(&self.stock);
        let name = format!("call {}", call.number);
        let found = tokio::task::spawn_blocking(move || {
            let (choice, reply) = stock.answer(&name, &client_call);
            (client_call, choice, reply)
        });
        let (client_call, choice, reply) = found.await.map_err(|_| Refusal::internal())?;
        let refusal = match &reply {
            Reply::Answer(_) => None,
            Reply::NoMatch => Some((StatusCode::NOT_FOUND, choice.refusal())),
            Reply::Gone(reason) => Some((StatusCode::GONE, gone(&choice, reason))),
        };
        call.tell(|number| ServeEvent::Chose(number, Arc::new(choice)));
        match (reply, refusal) {
            (Reply::Answer(answer), _) => Ok((client_call, answer)),
            (_, refusal) => {
                let (status, message) = refusal.unwrap_or_default();
                Err(Refusal { status, message })
            }
        }
    }

    /// Sends the answer, each piece at its time.
    async fn speak(
        self: &Arc<Self>,
        call: &mut Call,
        route: Route,
        schedule: ResponseWriter,
        answer: ServedAnswer,
        voice: ResponseContext,
    ) -> Response<Body> {
        if let AnswerEnding::Refused { status, body } = &answer.ending {
            self.clock.wait_until(call.due(answer.last_nanos())).await;
            let status = StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            call.over(ServedCallEnd::AsRecorded(status.as_u16()));
            return respond(status, ResponseForm::Whole, full(body.clone()));
        }
        if route.form == ResponseForm::Whole {
            return self.speak_whole(call, route.api, &answer, &voice).await;
        }
        let first = answer.fragments.first().map_or(0, |piece| piece.due_nanos);
        self.clock.wait_until(call.due(first)).await;
        let stream = Told::new(Arc::clone(self), call.hand_over(), answer, schedule);
        respond(StatusCode::OK, route.form, stream.boxed_unsync())
    }

    async fn speak_whole(
        &self,
        call: &mut Call,
        api: Api,
        answer: &ServedAnswer,
        voice: &ResponseContext,
    ) -> Response<Body> {
        self.clock.wait_until(call.due(answer.last_nanos())).await;
        call.told(0);
        let (status, body) = match &answer.ending {
            AnswerEnding::Error { message, .. } => {
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                (
                    status,
                    full(error_body(Some(api), status.as_u16(), message)),
                )
            }
            AnswerEnding::CutOff => (StatusCode::OK, body::broken()),
            _ => (StatusCode::OK, full(whole_response(api, answer, voice))),
        };
        call.over(ServedCallEnd::of(answer, status));
        respond(status, ResponseForm::Whole, body)
    }
}

async fn read_call(
    number: u64,
    mut route: Route,
    body: Incoming,
) -> Result<(Route, ClientCall), Refusal> {
    let bytes = body::read(body, MOST_REQUEST)
        .await
        .map_err(|unread| match unread {
            Unread::TooLong => Refusal {
                status: StatusCode::PAYLOAD_TOO_LARGE,
                message: "The request is longer than 64 MiB".to_owned(),
            },
            Unread::Stalled => Refusal {
                status: StatusCode::REQUEST_TIMEOUT,
                message: format!(
                    "The request stalled: no data for {} seconds",
                    body::PATIENCE.as_secs()
                ),
            },
            Unread::Broken => Refusal {
                status: StatusCode::BAD_REQUEST,
                message: "The request was cut off".to_owned(),
            },
        })?;
    // Parsing a long body takes long, and this thread answers all other calls.
    let read = tokio::task::spawn_blocking(move || {
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let parsed = ClientCall::read(&mut route, &format!("call-{number}"), text);
        parsed.map(|parsed| (route, parsed))
    });
    let read = read.await.map_err(|_| Refusal::internal())?;
    read.map_err(|message| Refusal {
        status: StatusCode::BAD_REQUEST,
        message,
    })
}

fn respond(status: StatusCode, form: ResponseForm, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(form.content_type()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn gone(choice: &ServeChoice, reason: &str) -> String {
    let path = choice.chosen.as_ref().map_or("", |chosen| &chosen.path);
    format!("The file that answers this call can no longer be read. {reason}: {path}")
}

impl Refusal {
    fn internal() -> Self {
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            message: "Internal error while answering the request; please report it".to_owned(),
        }
    }

    fn forbidden(message: String) -> Self {
        Self {
            status: StatusCode::FORBIDDEN,
            message,
        }
    }

    fn not_found(address: &str) -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            message: format!(
                "Retake does not serve {address}; it serves POST …/v1/messages, …/chat/completions, …/responses, \
                 …/models/MODEL:generateContent and :streamGenerateContent"
            ),
        }
    }
}

impl Call {
    fn tell(&self, event: impl FnOnce(u64) -> ServeEvent) {
        (self.listener)(event(self.number));
    }

    fn nanos(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the time so many nanoseconds after the start, at most a century.
    pub(super) fn due(&self, nanos: u64) -> Instant {
        const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
        self.started + Duration::from_nanos(nanos).min(CENTURY)
    }

    pub(super) fn told(&self, index: usize) {
        let at_nanos = self.nanos();
        self.tell(|call| ServeEvent::Sent {
            call,
            index,
            at_nanos,
        });
    }

    pub(super) fn over(&mut self, ended: ServedCallEnd) {
        if !std::mem::replace(&mut self.is_over, true) {
            let took = self.nanos();
            self.tell(|number| ServeEvent::Ended(number, ended, took));
        }
    }

    /// Moves the call to a new owner.
    fn hand_over(&mut self) -> Self {
        self.is_over = true;
        Self {
            number: self.number,
            started: self.started,
            listener: Arc::clone(&self.listener),
            is_over: false,
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.over(ServedCallEnd::HungUp);
    }
}

impl ServedCallEnd {
    pub(super) fn of(answer: &ServedAnswer, status: StatusCode) -> Self {
        match answer.ending {
            AnswerEnding::Whole(_) => Self::Done,
            _ => Self::AsRecorded(status.as_u16()),
        }
    }
}
