//! Plays tapes and sets to real clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};
use jiff::Timestamp;

use super::answer_stream::AnswerStream;
use super::body::{self, BodyReadError, BrokenBody, ResponseBody, full_body};
use super::body_budget::BodyBudget;
use super::fixtures::{FixtureReply, Fixtures};
use super::local_server::{ListenError, ListenOptions, LocalServer};
use super::open_call::{OpenCall, ServeCallback};
use super::timer::TimerService;
use calls::api::{Api, ResponseContext, ResponseForm, ResponseWriter, Route, error_body};
use play::client::{HttpRequest, RequestBody};
use play::live::answer::{AnswerEnding, ServedAnswer};
use play::live::client_call::ClientCall;
use play::live::record::Credentials;
use play::live::serve::{ServeEvent, ServedCallEnd, ServedCallStart};

/// Starts to serve.
///
/// # Errors
///
/// The server cannot listen at the address.
pub fn start(
    fixtures: Fixtures,
    listen: ListenOptions,
    listener: ServeCallback,
) -> Result<LocalServer, ListenError> {
    let fail = |error| ListenError::Refused(listen.address, error);
    let server = Arc::new(Server {
        fixtures: Arc::new(fixtures),
        clock: Arc::new(TimerService::start().map_err(fail)?),
        listener,
        calls: AtomicU64::new(0),
        bodies: BodyBudget::default(),
    });
    let handler = move |request, refusal| -> super::local_server::ResponseFuture {
        Box::pin(Arc::clone(&server).handle(request, refusal))
    };
    LocalServer::start(listen, "serve", Arc::new(handler))
}

struct Server {
    fixtures: Arc<Fixtures>,
    clock: Arc<TimerService>,
    listener: ServeCallback,
    calls: AtomicU64,
    bodies: BodyBudget,
}

/// A call that gets no answer.
struct HttpRefusal {
    status: StatusCode,
    message: String,
}

impl Server {
    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        refusal: Option<String>,
    ) -> Response<ResponseBody> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let mut call = OpenCall::new(number, Arc::clone(&self.listener));
        let (head, body) = request.into_parts();
        let (method, uri) = (head.method.as_str(), &head.uri);
        let headers = head.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let credentials = Credentials::from_request(headers, uri.query());
        let address = credentials.hide(&format!("{method} {}", uri.path()));
        let route = Route::from_request(method, uri.path(), uri.query());
        let api = route.as_ref().map(|route| route.api);
        let text = |(name, value): (&HeaderName, &HeaderValue)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let http = HttpRequest {
            method: Some(method.to_owned()),
            // The client calls this server in place of the recorded one.
            url: uri.path_and_query().map(ToString::to_string),
            headers: Some(head.headers.iter().map(text).collect()),
            body: RequestBody::Unknown,
        };
        let checked_body = match refusal {
            Some(message) => Err(HttpRefusal { status: StatusCode::FORBIDDEN, message }),
            None => Ok(body),
        };
        match self.serve(&mut call, (&address, &credentials), (route, http), checked_body).await {
            Ok(response) => response,
            Err(HttpRefusal { status, message }) => {
                let body = error_body(api, status.as_u16(), &message);
                call.finish(ServedCallEnd::Refused(status.as_u16(), message));
                respond(status, ResponseForm::Whole, full_body(body))
            }
        }
    }

    async fn serve(
        &self,
        call: &mut OpenCall,
        (address, credentials): (&str, &Credentials),
        (route, http): (Option<Route>, HttpRequest),
        body: Result<Incoming, HttpRefusal>,
    ) -> Result<Response<ResponseBody>, HttpRefusal> {
        let shown_model = |model: Option<&str>| model.map(|model| credentials.hide(model));
        let mut start = ServedCallStart {
            at: Timestamp::now(),
            api: route.as_ref().map(|route| route.api),
            address: address.to_owned(),
            model: route.as_ref().and_then(|route| shown_model(route.model.as_deref())),
            tools: 0,
            messages: 0,
            words: String::new(),
        };
        // The memory of the body is reserved until the answer is found.
        let mut room = None;
        let call_result = match (body, route) {
            (Ok(body), Some(route)) => match self.bodies.receive(body).await {
                Ok((bytes, share)) => {
                    room = Some(share);
                    read_call(call.number, route, bytes).await
                }
                Err(error) => Err(HttpRefusal::unread(&error)),
            },
            (Ok(_), None) => Err(HttpRefusal::not_found(address)),
            (Err(refusal), _) => Err(refusal),
        };
        if let Ok((_, client_call)) = &call_result {
            start.model = shown_model(client_call.model.as_deref());
            (start.tools, start.messages) = (client_call.tools, client_call.messages);
            start.words = credentials.hide(&client_call.first_words());
        }
        call.send_event(|number| ServeEvent::Began(number, Arc::new(start)));
        let (route, client_call) = call_result?;
        // Delays count from when the request was complete.
        call.started = Instant::now();
        let (client_call, answer) =
            self.choose_answer(call, client_call, (http, credentials)).await?;
        let model = answer.model.clone().or_else(|| client_call.model.clone());
        let context = ResponseContext {
            number: call.number,
            model: model.unwrap_or_default(),
            created: Timestamp::now().as_second(),
            ..ResponseContext::default()
        };
        // A whole document is sent at the time of the last fragment.
        let due_nanos = match route.form {
            ResponseForm::Whole => vec![answer.last_nanos()],
            _ => answer.fragments.iter().map(|piece| piece.due_nanos).collect(),
        };
        call.send_event(|number| ServeEvent::Planned(number, due_nanos));
        let schedule = ResponseWriter::new(&route, client_call.with_usage, context.clone());
        // Other calls may use the memory of the request while this answer is sent, which may take minutes.
        drop(client_call);
        drop(room);
        Ok(self.stream_answer(call, route, schedule, answer, context).await)
    }

    /// Finds the answer to a call, on another thread than the one that times all calls.
    async fn choose_answer(
        &self,
        call: &OpenCall,
        client_call: ClientCall,
        (mut http, credentials): (HttpRequest, &Credentials),
    ) -> Result<(ClientCall, ServedAnswer), HttpRefusal> {
        let fixtures = Arc::clone(&self.fixtures);
        let name = format!("call {}", call.number);
        let credentials = credentials.clone();
        let outcome = tokio::task::spawn_blocking(move || {
            let text = client_call.body.source().text();
            http.body = RequestBody::Bytes(text.as_bytes().to_vec());
            let (choice, reply) = fixtures.answer(&name, &client_call, &http);
            if let Some(log) = &fixtures.drift_log {
                log.note(&http, &credentials, &choice);
            }
            (client_call, choice, reply)
        });
        let (client_call, choice, reply) = outcome.await.map_err(|_| HttpRefusal::internal())?;
        let answer = match reply {
            FixtureReply::Answer(answer) => Ok((client_call, answer)),
            FixtureReply::NoMatch => {
                Err(HttpRefusal { status: StatusCode::NOT_FOUND, message: choice.refusal() })
            }
            FixtureReply::Gone(reason) => {
                let path = choice.chosen.as_ref().map_or("", |file| &file.path);
                let message = format!(
                    "The file that answers this call can no longer be read. {reason}: {path}"
                );
                Err(HttpRefusal { status: StatusCode::GONE, message })
            }
        };
        call.send_event(|number| ServeEvent::Chose(number, Arc::new(choice)));
        answer
    }

    /// Sends the answer, each piece at its time.
    async fn stream_answer(
        &self,
        call: &mut OpenCall,
        route: Route,
        schedule: ResponseWriter,
        answer: ServedAnswer,
        context: ResponseContext,
    ) -> Response<ResponseBody> {
        if let AnswerEnding::Refused { status, body } = &answer.ending {
            self.clock.wait_until(call.due_at(answer.last_nanos())).await;
            let status = StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            call.finish(ServedCallEnd::AsRecorded(status.as_u16()));
            return respond(status, ResponseForm::Whole, full_body(body.clone()));
        }
        // The received part of a document that breaks off is sent as the only part of a stream.
        let is_partial = answer.ending == AnswerEnding::CutOff && answer.received.is_some();
        if route.form == ResponseForm::Whole && !is_partial {
            return self.send_whole_answer(call, route.api, &answer, &context).await;
        }
        let first = answer.fragments.first().map_or(0, |piece| piece.due_nanos);
        self.clock.wait_until(call.due_at(first)).await;
        let stream = AnswerStream::new(Arc::clone(&self.clock), call.hand_over(), answer, schedule);
        respond(StatusCode::OK, route.form, stream.boxed_unsync())
    }

    async fn send_whole_answer(
        &self,
        call: &mut OpenCall,
        api: Api,
        answer: &ServedAnswer,
        context: &ResponseContext,
    ) -> Response<ResponseBody> {
        self.clock.wait_until(call.due_at(answer.last_nanos())).await;
        call.report_piece(0);
        let (status, body) = match &answer.ending {
            AnswerEnding::Error { message, .. } => {
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                (status, full_body(error_body(Some(api), status.as_u16(), message)))
            }
            AnswerEnding::CutOff => (StatusCode::OK, BrokenBody.boxed_unsync()),
            _ => (StatusCode::OK, full_body(answer.document(api, context))),
        };
        call.finish(ServedCallEnd::from_answer(answer, status.as_u16()));
        respond(status, ResponseForm::Whole, body)
    }
}

async fn read_call(
    number: u64,
    mut route: Route,
    bytes: Vec<u8>,
) -> Result<(Route, ClientCall), HttpRefusal> {
    // Parsing a long body takes long, and this thread answers all other calls.
    let result = tokio::task::spawn_blocking(move || {
        // Valid text is not copied, as it would be if it were only converted lossily.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let call = ClientCall::read(&mut route, &format!("call-{number}"), text);
        call.map(|call| (route, call))
    })
    .await
    .map_err(|_| HttpRefusal::internal())?;
    result.map_err(|message| HttpRefusal { status: StatusCode::BAD_REQUEST, message })
}

fn respond(status: StatusCode, form: ResponseForm, body: ResponseBody) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(form.content_type()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

impl HttpRefusal {
    fn internal() -> Self {
        let message = "Internal error while answering the request; please report it".to_owned();
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, message }
    }

    fn unread(error: &BodyReadError) -> Self {
        let (status, message) = match error {
            BodyReadError::TooLong => {
                (StatusCode::PAYLOAD_TOO_LARGE, "The request is longer than 64 MiB".to_owned())
            }
            BodyReadError::Stalled => (
                StatusCode::REQUEST_TIMEOUT,
                format!(
                    "The request stalled: no data for {} seconds",
                    body::IDLE_TIMEOUT.as_secs()
                ),
            ),
            BodyReadError::Broken => {
                (StatusCode::BAD_REQUEST, "The request was cut off".to_owned())
            }
        };
        Self { status, message }
    }

    fn not_found(address: &str) -> Self {
        let message = format!(
            "Retake does not serve {address}; it serves POST …/v1/messages, …/chat/completions, …/responses, \
             …/models/MODEL:generateContent and :streamGenerateContent"
        );
        Self { status: StatusCode::NOT_FOUND, message }
    }
}
