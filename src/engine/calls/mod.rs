//! Runs the recorder and the server for the window. No socket is open and no thread runs until the user starts one of them.

mod forward;
mod listener_handle;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use self::forward::forward;
use self::listener_handle::{ListenerHandle, RunReporter, RunningListener, StartListener};
use crate::engine::event_sender::EventSender;
use crate::engine::live::record::{self, Recorder, RecorderOptions};
use crate::engine::live::{
    Fixtures, ListenError, ListenOptions, ListenScope, LocalServer, ServeOptions, serve,
};
use crate::engine::run::{Control, TaskContext};
use crate::ops::tape::playback::TapePlayback;
use crate::workbench::{
    CallsEvent, EngineEvent, ListenRequest, ListenState, ListenerKind, LiveEvent, RecordRequest,
    ServeOffer, ServeRequest, StartFault, StartField, TaskRequest,
};

/// Options for starting the recorder.
pub(super) struct RecorderStart {
    options: RecordRequest,
    /// The folder for the tapes.
    folder: PathBuf,
}

/// Options for starting the server.
pub(super) struct ServerStart {
    options: ServeRequest,
    root: Option<PathBuf>,
}

impl Control for ListenRequest<RecordRequest> {
    type Running = Option<ListenerHandle<RecorderStart>>;

    fn execute(&self, recorder: &mut Self::Running, context: &TaskContext) {
        let folder = context.project.as_ref();
        let folder = folder.and_then(|project| project.folder());
        let start = RecorderStart {
            options: self.options.clone(),
            folder: folder.unwrap_or_default().join(&self.options.folder),
        };
        let which = ListenerKind::Recorder;
        listen(self, (recorder, which, start), &context.sender);
    }

    fn cancel(recorder: &mut Self::Running) {
        recorder.iter().for_each(ListenerHandle::stop);
    }

    fn fail(&self, reason: String) -> EngineEvent {
        listen_failed(ListenerKind::Recorder, self.run, reason)
    }
}

impl Control for ListenRequest<ServeRequest> {
    type Running = Option<ListenerHandle<ServerStart>>;

    fn execute(&self, server: &mut Self::Running, context: &TaskContext) {
        let start = ServerStart { options: self.options.clone(), root: context.root.clone() };
        let which = ListenerKind::Server;
        listen(self, (server, which, start), &context.sender);
    }

    fn cancel(server: &mut Self::Running) {
        server.iter().for_each(ListenerHandle::stop);
    }

    fn fail(&self, reason: String) -> EngineEvent {
        listen_failed(ListenerKind::Server, self.run, reason)
    }
}

/// Passes a request to the thread of its listener, which starts with the first one.
fn listen<R, S: StartListener>(
    request: &ListenRequest<R>,
    (handle, which, start): (&mut Option<ListenerHandle<S>>, ListenerKind, S),
    sender: &EventSender,
) where
    ListenRequest<R>: Control,
{
    if handle.is_none() {
        *handle = ListenerHandle::new(which, sender.clone()).ok();
    }
    match handle {
        Some(handle) => handle.start(request.run, request.describe(), start),
        None => sender.try_send(request.fail("Cannot start a thread to listen".to_owned())),
    }
}

fn listen_failed(which: ListenerKind, run: u32, message: String) -> EngineEvent {
    let fault = StartFault { field: None, message };
    let failed = CallsEvent::Run(which, run, ListenState::Failed(fault));
    EngineEvent::Live(LiveEvent::Calls(failed))
}

fn listen_options(port: u16) -> ListenOptions {
    ListenOptions {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        scope: ListenScope::Loopback,
    }
}

fn listen_error(fault: &ListenError) -> StartFault {
    StartFault::in_field(StartField::Port, fault.to_string())
}

impl StartListener for RecorderStart {
    type ActiveListener = Recorder;

    fn start(self, run: &RunReporter) -> Result<RunningListener<Recorder>, StartFault> {
        let Self { options: order, folder } = self;
        let setup = RecorderOptions {
            upstream: order.upstream,
            folder,
            label: order.label,
            comment: order.comment,
            idle_timeout: order.idle_timeout,
        };
        let (events, forwarder) =
            forward(run, CallsEvent::Recorded).map_err(|error| thread_error(&error))?;
        let listener = Box::new(move |event| {
            // The receiver may be gone; calls are recorded anyway.
            let _ = events.send(event);
        });
        let recorder = Recorder::start(setup, listen_options(order.port), listener);
        let listening = recorder.map_err(|fault| match fault {
            record::RecorderStartError::Upstream(words) => {
                StartFault::in_field(StartField::Upstream, words)
            }
            record::RecorderStartError::NoThread(error) => thread_error(&error),
            record::RecorderStartError::Listen(fault) => listen_error(&fault),
        })?;
        let address = listening.address().unwrap_or_else(|| listen_options(order.port).address);
        Ok(RunningListener { listener: listening, address, forwarder })
    }
}

impl StartListener for ServerStart {
    type ActiveListener = LocalServer;

    fn start(self, run: &RunReporter) -> Result<RunningListener<LocalServer>, StartFault> {
        let Self { options: order, root } = self;
        let options = ServeOptions {
            rules: order.rules,
            playback: TapePlayback { speed: order.speed, ..TapePlayback::default() },
        };
        let of_sources = |words| StartFault::in_field(StartField::Sources, words);
        let fixtures = Fixtures::read_until(&order.paths, root.as_deref(), options, &run.cancel);
        let mut fixtures = fixtures.map_err(of_sources)?;
        let offered = ServeOffer {
            tapes: fixtures.tapes,
            sets: fixtures.sets.clone(),
            faults: std::mem::take(&mut fixtures.faults),
        };
        if offered.is_empty() {
            let first = offered.faults.into_iter().next();
            let words = "No tape or recording to serve";
            return Err(of_sources(first.unwrap_or_else(|| words.to_owned())));
        }
        let (events, forwarder) =
            forward(run, CallsEvent::Served).map_err(|error| thread_error(&error))?;
        let listener = Arc::new(move |event| {
            // The receiver may be gone; calls are served anyway.
            let _ = events.send(event);
        });
        let listening = serve::start(fixtures, listen_options(order.port), listener);
        let listening = listening.map_err(|fault| listen_error(&fault))?;
        run.send(CallsEvent::Offers(run.number, Arc::new(offered)));
        Ok(RunningListener { address: listening.address(), listener: listening, forwarder })
    }
}

fn thread_error(error: &std::io::Error) -> StartFault {
    StartFault { field: None, message: format!("Cannot start a thread: {error}") }
}
