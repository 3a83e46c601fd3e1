//! Runs the recorder and the server for the window. No socket is open and no thread runs until the user starts one of them.

use std::any::Any;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::disk::guard::{guard, lock};
use crate::event_sender::EventSender;
use crate::joined_thread::JoinedThread;
use crate::live::record::{Recorder, RecorderOptions};
use crate::live::{Fixtures, ListenOptions, ListenScope, ServeOptions, serve};
use crate::run::{CancelOnDrop, TaskContext, spawn, spawn_guarded};
use play::live::log::{CallLog, LogRow};
use play::live::record::{DEFAULT_IDLE_TIMEOUT, RecordedCall, parse_idle_timeout};
use play::live::serve::ServedCall;
use protocol::{
    CallId, CallsEvent, EngineEvent, ListenJob, ListenRequest, ListenState, ListenerKind, LiveCall,
};

/// Starts or stops a listener on its thread.
pub(super) fn execute(
    request: &ListenRequest,
    listeners: &mut [Option<ListenerHandle>; 2],
    context: &TaskContext,
) {
    let handle = &mut listeners[request.kind as usize];
    if handle.is_none() {
        // A thread that cannot be started is reported below, where the handle is still missing.
        *handle = ListenerHandle::new(request.kind, context.sender.clone()).ok();
    }
    let folder = context.project.as_ref().and_then(|project| project.folder());
    let start = ListenerStart {
        request: request.clone(),
        description: context.description.clone(),
        folder: folder.unwrap_or_default(),
        root: context.root.clone(),
    };
    match handle {
        // The thread ends only when the handle is dropped.
        Some(handle) => drop(handle.requests.send(start)),
        None => {
            let reason = "Cannot start a thread to listen".to_owned();
            context.sender.try_send(failed(request, reason));
        }
    }
}

pub(super) fn failed(request: &ListenRequest, reason: String) -> EngineEvent {
    state_event(request, ListenState::Failed(reason))
}

fn state_event(request: &ListenRequest, state: ListenState) -> EngineEvent {
    EngineEvent::Calls(CallsEvent::Run(request.kind, request.run, state))
}

/// A request with the folders that it is about.
struct ListenerStart {
    request: ListenRequest,
    description: String,
    /// The open folder.
    folder: PathBuf,
    root: Option<PathBuf>,
}

/// Handle of the thread on which a listener is started and stopped, since reading the served files and writing the last tapes
/// take time. Dropping it stops the listener and waits until everything received is saved.
pub(super) struct ListenerHandle {
    _cancel: CancelOnDrop,
    requests: Sender<ListenerStart>,
    _thread: JoinedThread,
}

impl ListenerHandle {
    fn new(kind: ListenerKind, sender: EventSender) -> io::Result<Self> {
        // Unbounded, since the window's thread sends here and must not wait while a listener saves its last tapes.
        let (requests, receiver) = unbounded();
        let cancel = CancelOnDrop::default();
        let window = WindowSender { sender, cancel: Arc::clone(&cancel.0) };
        let name = match kind {
            ListenerKind::Recorder => "recorder",
            ListenerKind::Server => "server",
        };
        let thread = spawn(name, move || execute_requests(&receiver, &window))?;
        Ok(Self { _cancel: cancel, requests, _thread: thread.into() })
    }
}

/// Sends events to the window.
#[derive(Clone)]
struct WindowSender {
    sender: EventSender,
    /// True when the window is gone and no events are sent any longer.
    cancel: Arc<AtomicBool>,
}

impl WindowSender {
    fn send(&self, event: EngineEvent) {
        // The window may be gone.
        let _ = self.sender.send(event, &self.cancel);
    }
}

/// A listener that is running.
struct ActiveListener {
    address: SocketAddr,
    /// Stops when it is dropped.
    _listener: Box<dyn Any>,
    /// Ends after the listener, whose last events must arrive before the state changes to off.
    _forwarder: JoinedThread,
}

fn execute_requests(requests: &Receiver<ListenerStart>, window: &WindowSender) {
    let mut active: Option<ActiveListener> = None;
    for start in requests {
        let execute = || {
            // The next listener may use the same port.
            drop(active.take());
            match start_listener(&start, window) {
                Ok(None) => ListenState::Off,
                Ok(Some(listener)) => ListenState::Listening(active.insert(listener).address),
                Err(reason) => ListenState::Failed(reason),
            }
        };
        let state = guard(|| start.description.clone(), execute);
        window.send(state_event(&start.request, state.unwrap_or_else(ListenState::Failed)));
    }
}

/// Starts a listener. Blocks.
fn start_listener(
    start: &ListenerStart,
    window: &WindowSender,
) -> Result<Option<ActiveListener>, String> {
    Ok(Some(match &start.request.job {
        ListenJob::Stop => return Ok(None),
        ListenJob::Record { port, upstream, folder } => {
            let (note, forwarder) = forward::<RecordedCall>(&start.request, window)?;
            let options = RecorderOptions {
                fixture: None,
                upstream: upstream.clone(),
                folder: start.folder.join(folder),
                // The window has no fields for these; they are options of `retake record`.
                label: None,
                comment: None,
                idle_timeout: parse_idle_timeout(DEFAULT_IDLE_TIMEOUT).unwrap_or(Duration::MAX),
            };
            let recorder = Recorder::start(options, listen_options(*port), Box::new(note))?;
            let address = recorder.address();
            ActiveListener { address, _listener: Box::new(recorder), _forwarder: forwarder.into() }
        }
        ListenJob::Serve { port, paths } => {
            let root = start.root.as_deref();
            // Other rules and speeds are options of `retake serve`.
            let options = ServeOptions::default();
            let mut fixtures = Fixtures::read_until(paths, root, options, &window.cancel)?;
            // A file that cannot be read is usually the reason that nothing is there to serve, so it is reported instead.
            let faults = std::mem::take(&mut fixtures.faults);
            if fixtures.tapes == 0 && fixtures.sets.iter().all(|(_, recordings)| *recordings == 0) {
                let reason = || "No tape or recording to serve".to_owned();
                return Err(faults.into_iter().next().unwrap_or_else(reason));
            }
            let (note, forwarder) = forward::<ServedCall>(&start.request, window)?;
            let server = serve::start(fixtures, listen_options(*port), Arc::new(note))
                .map_err(|error| error.to_string())?;
            ActiveListener {
                address: server.address,
                _listener: Box::new(server),
                _forwarder: forwarder.into(),
            }
        }
    }))
}

fn listen_options(port: u16) -> ListenOptions {
    ListenOptions {
        // Opening a port to the network is left to the command line, where the user has to request it by name.
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        scope: ListenScope::Loopback,
    }
}

/// Notes an event of a call.
type CallNote<R> = Box<dyn Fn(<R as LogRow>::Event) + Send + Sync>;

/// Starts a thread that reports to the window when a call begins and ends, so that no call waits for the window. Returns what notes
/// an event of a call; the thread ends when that is dropped.
fn forward<R>(
    request: &ListenRequest,
    window: &WindowSender,
) -> Result<(CallNote<R>, JoinHandle<()>), String>
where
    R: LogRow + Send + 'static,
{
    // Unbounded, since the threads that answer calls send here: a busy window must not slow down an answer.
    let (sender, calls) = unbounded();
    let (window, failure_sender) = (window.clone(), window.clone());
    let fail = move |reason| failure_sender.send(EngineEvent::Failed(format!("{reason}.")));
    let forwarder = spawn_guarded("calls", "showing calls".to_owned(), fail, move || {
        for call in calls {
            window.send(EngineEvent::Calls(CallsEvent::Call(call)));
        }
    })
    .map_err(|error| format!("Cannot start a thread: {error}"))?;
    let (listener, run) = (request.kind, request.run);
    let log = Mutex::new(CallLog::<R>::default());
    let note = move |event: R::Event| {
        let id = CallId { listener, run, number: R::number_of(&event) };
        let first_row = R::from_event(&event);
        let last_row = lock(&log).note(event);
        if let Some(row) = last_row.or(first_row) {
            // The receiver may be gone; the call goes on.
            let _ = sender.send(LiveCall::new(id, &row));
        }
    };
    Ok((Box::new(note), forwarder))
}
