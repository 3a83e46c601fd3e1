//! Records proxied calls and writes their tapes, on its own thread.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use crossbeam_channel::{Receiver, Sender, unbounded};

use super::fixture_writer::FixtureWriter;
use super::proxy_call::ProxyEvent;
use crate::disk::root;
use crate::disk::save::{self, SaveTarget};
use crate::joined_thread::JoinedThread;
use author::fixture::FixtureTarget;
use author::saving::{Expected, SaveFailure, SaveFault};
use calls::api::{Api, Route};
use document::text::Source;
use play::live::client_call::ClientCall;
use play::live::record::{
    CallMetadata, ConfigOrders, Credentials, PendingTape, ProxyOutcome, RecordEvent,
    RecordedCallStart, RecordedRequest, ResponseHead, StoreResult, StreamRecorder, file_stem,
};

/// Receives the recorder's events; called on one of its threads.
pub(super) type RecordCallback = Box<dyn Fn(RecordEvent) + Send>;

/// Writes tapes of proxied calls. Dropping it waits until everything is written.
#[derive(Debug)]
pub(super) struct TapeWriter {
    pub(super) events: Sender<ProxyEvent>,
    _thread: JoinedThread,
}

impl TapeWriter {
    pub(super) fn start(
        folder: PathBuf,
        comment: Option<String>,
        fixture: Option<FixtureTarget>,
        listener: RecordCallback,
    ) -> io::Result<Self> {
        // Unbounded, since the thread that passes calls on sends here, and must not wait for the disk.
        let (event_sender, inbox) = unbounded();
        let state = TapeWriterState {
            fixtures: fixture.map(|target| FixtureWriter::new(&folder, target)),
            folder,
            comment,
            listener,
            calls: HashMap::new(),
            numbers: HashMap::new(),
            existing: ExistingTapes::default(),
        };
        let thread =
            thread::Builder::new().name("retake keep".into()).spawn(move || state.run(&inbox))?;
        Ok(Self { events: event_sender, _thread: thread.into() })
    }
}

/// Time that events may wait until they are handled.
const BATCH_PAUSE: Duration = Duration::from_millis(2);

struct TapeWriterState {
    fixtures: Option<FixtureWriter>,
    folder: PathBuf,
    comment: Option<String>,
    listener: RecordCallback,
    calls: HashMap<u64, CallInProgress>,
    /// The number that the next file of a name gets.
    numbers: HashMap<String, usize>,
    existing: ExistingTapes,
}

/// A call as far as it was received.
struct CallInProgress {
    started: Arc<RecordedCallStart>,
    route: Option<Route>,
    url: Option<String>,
    comment: Option<String>,
    credentials: Credentials,
    request: Vec<u8>,
    request_is_cut: bool,
    is_parsed: bool,
    becomes_tape: bool,
    stream: Option<StreamRecorder>,
}

impl TapeWriterState {
    fn run(mut self, events: &Receiver<ProxyEvent>) {
        while let Ok(first) = events.recv() {
            self.handle_event(first);
            events.try_iter().for_each(|event| self.handle_event(event));
            // Chunks already carry their times; the proxy must not have to wake this thread for each.
            thread::sleep(BATCH_PAUSE);
        }
    }

    fn handle_event(&mut self, event: ProxyEvent) {
        match event {
            ProxyEvent::Started { call, began, route, url, comment, credentials } => {
                (self.listener)(RecordEvent::Began(call, Arc::clone(&began)));
                let call_in_progress = CallInProgress {
                    started: began,
                    route,
                    url,
                    comment,
                    credentials,
                    request: Vec::new(),
                    request_is_cut: false,
                    is_parsed: false,
                    becomes_tape: false,
                    stream: None,
                };
                self.calls.insert(call, call_in_progress);
            }
            ProxyEvent::RequestChunk { call, bytes, is_cut } => {
                if let Some(call) = self.calls.get_mut(&call) {
                    call.request.extend_from_slice(&bytes);
                    call.request_is_cut |= is_cut;
                }
            }
            ProxyEvent::ResponseHead { call, head } => self.on_response_head(call, head),
            ProxyEvent::ResponseChunk { call, bytes, at_nanos, is_cut } => {
                self.on_response_chunk(call, &bytes, at_nanos, is_cut);
            }
            ProxyEvent::Ended { call, outcome, at_nanos } => self.on_ended(call, outcome, at_nanos),
        }
    }

    fn on_response_head(&mut self, number: u64, head: ResponseHead) {
        let Some(call) = self.calls.get_mut(&number) else { return };
        // Mostly the request is complete once the answer begins; else it is parsed at the end.
        let request = call.parse_request();
        let status = head.status;
        call.becomes_tape = head.becomes_tape(call.started.api);
        if call.becomes_tape {
            call.stream = Some(StreamRecorder::new(call.route.as_ref(), head));
        }
        if let Some(request) = request {
            (self.listener)(RecordEvent::RequestRead(number, Arc::new(request)));
        }
        (self.listener)(RecordEvent::Answered(number, status));
    }

    fn on_response_chunk(&mut self, number: u64, bytes: &[u8], at_nanos: u64, is_cut: bool) {
        let Some(call) = self.calls.get_mut(&number) else { return };
        let Some(stream) = &mut call.stream else { return };
        stream.push_bytes(bytes, at_nanos);
        if is_cut {
            stream.truncate("The answer is longer than 16 MiB; the rest was not recorded");
        }
    }

    fn on_ended(&mut self, number: u64, outcome: ProxyOutcome, at_nanos: u64) {
        let Some(mut call) = self.calls.remove(&number) else { return };
        if let Some(request) = call.parse_request() {
            (self.listener)(RecordEvent::RequestRead(number, Arc::new(request)));
        }
        let outcome = match &call.stream {
            Some(stream) => stream.final_outcome(outcome),
            None => outcome,
        };
        (self.listener)(RecordEvent::Ended(number, outcome.clone(), at_nanos));
        // A call of a model that got no answer is recorded as well.
        let is_stored = call.becomes_tape || call.stream.is_none() && call.started.api.is_some();
        let result = match &outcome {
            ProxyOutcome::Refused(..) => StoreResult::Refused,
            _ if is_stored => self.save_tape(call, &outcome),
            _ => StoreResult::PassedOn,
        };
        (self.listener)(RecordEvent::Stored(number, result));
    }

    fn save_tape(&mut self, call: CallInProgress, outcome: &ProxyOutcome) -> StoreResult {
        let label = call.started.label.clone();
        // Gemini's SDK sends the keys of `config` in its own order; strict players compare that of the caller, which other tapes have.
        if call.started.api == Some(Api::Gemini) {
            self.existing.read(&self.folder);
        }
        let metadata = CallMetadata {
            at: call.started.at,
            route: call.route.as_ref(),
            url: call.url.filter(|_| self.fixtures.is_some()),
            // A part of a request is no valid JSON.
            request: (!call.request_is_cut).then_some(&*call.request),
            label: label.clone(),
            comment: call.comment.or_else(|| self.comment.clone()),
            credentials: &call.credentials,
            config_orders: &self.existing.orders,
        };
        let mut pending = PendingTape::new(metadata, call.stream, outcome);
        let stem = file_stem(label.as_deref(), &pending.model);
        if let (Some(fixtures), Some(exchange)) = (&mut self.fixtures, &pending.exchange) {
            pending.notes.push(match fixtures.add(&stem, exchange) {
                Ok(path) => format!("Also in {path}"),
                Err(reason) => format!("The fixture is not written: {reason}"),
            });
        }
        let number = self.numbers.entry(stem.clone()).or_insert(1);
        match write(&self.folder, &stem, number, &pending.json) {
            Ok(path) => StoreResult::Tape {
                path: path.into(),
                bytes: pending.json.len(),
                chunks: pending.chunks,
                notes: pending.notes,
            },
            Err(reason) => StoreResult::Failed(reason),
        }
    }
}

impl CallInProgress {
    /// Parses the client's request, the first time it is needed.
    fn parse_request(&mut self) -> Option<RecordedRequest> {
        if std::mem::replace(&mut self.is_parsed, true) {
            return None;
        }
        let route = self.route.as_mut()?;
        let text = String::from_utf8_lossy(&self.request);
        let call = ClientCall::read(route, "", &*text).ok();
        let mut request = match call {
            Some(call) => RecordedRequest {
                words: self.credentials.hide(&call.first_words()),
                model: call.model,
                tools: call.tools,
                messages: call.messages,
            },
            None => RecordedRequest { model: route.model.clone(), ..RecordedRequest::default() },
        };
        request.model = request.model.map(|model| self.credentials.hide(&model));
        Some(request)
    }
}

/// The tapes that already exist in the folder, or that other programs write there meanwhile.
#[derive(Default)]
struct ExistingTapes {
    orders: ConfigOrders,
    /// The names of files that were read.
    seen: HashSet<String>,
    bytes: usize,
}

/// The most bytes of other tapes that are read; finished calls wait meanwhile.
const MAX_READ_BYTES: usize = 64 << 20;

impl ExistingTapes {
    /// Reads new files in the folder. Files that cannot be read or are not tapes are skipped: they are only hints.
    fn read(&mut self, folder: &Path) {
        let Ok(dir) = Dir::open_ambient_dir(folder, ambient_authority()) else { return };
        for entry in dir.entries().into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if self.bytes >= MAX_READ_BYTES
                || !name.ends_with(".json")
                || !self.seen.insert(name.clone())
            {
                continue;
            }
            let is_too_long = |m: Metadata| m.len() > MAX_READ_BYTES as u64;
            if entry.metadata().is_ok_and(is_too_long) {
                continue;
            }
            if let Ok(bytes) = root::read_file(&dir, Path::new(&name)) {
                self.bytes += bytes.len();
                let text = String::from_utf8_lossy(&bytes);
                self.orders.add(&name, &document::read(Source::new(text), &name));
            }
        }
    }
}

/// Maximum number of files of one name that are tried.
const MAX_NAME_TRIES: usize = 100_000;

/// Writes a tape under the first name that is free.
fn write(folder: &Path, stem: &str, number: &mut usize, json: &str) -> Result<String, String> {
    while *number < MAX_NAME_TRIES {
        let name = format!("{stem}-{number}.json");
        let path = folder.join(&name);
        *number += 1;
        // In a folder of earlier tapes most names are taken, and a look is faster than a save that is refused.
        if path.exists() {
            continue;
        }
        let message = |fault: SaveFault| fault.to_string();
        let target = SaveTarget::below(folder, name.as_ref(), None).map_err(message)?;
        match save::write(target, json.as_bytes(), Expected::Nothing) {
            Ok(_) => return Ok(path.to_string_lossy().replace('\\', "/")),
            Err(fault) if matches!(fault.reason, SaveFailure::Exists { .. }) => {}
            Err(fault) => return Err(fault.to_string()),
        }
    }
    Err(format!("There are too many files called {stem}"))
}
