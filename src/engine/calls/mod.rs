//! Runs the recorder and the server for the window. No socket is open and no thread runs until the user starts one of them.

mod forward;
mod listener_handle;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use self::forward::forward;
use self::listener_handle::{ListenerHandle, RunningListener};
use crate::engine::event_sender::EventSender;
use crate::engine::live::record::{self, Recorder, RecorderOptions};
use crate::engine::live::{
    Fixtures, ListenError, ListenOptions, ListenScope, LocalServer, ServeOptions, serve,
};
use crate::engine::runner::Engine;
use crate::ops::tape::playback::TapePlayback;
use crate::workbench::{
    CallsEffect, CallsEvent, EngineEvent, ListenState, ListenerKind, LiveEvent, RecordRequest,
    ServeOffer, ServeRequest, StartFault, StartField,
};

/// The recorder and the server, each on its own thread after its first start.
#[derive(Default)]
pub(super) struct ListenerHandles {
    recorder: Option<ListenerHandle<RecorderStart>>,
    server: Option<ListenerHandle<ServerStart>>,
}

/// Options for starting the recorder.
struct RecorderStart {
    options: Box<RecordRequest>,
    /// The folder for the tapes.
    folder: PathBuf,
}

/// Options for starting the server.
struct ServerStart {
    options: Box<ServeRequest>,
    root: Option<PathBuf>,
}

impl Engine {
    /// Handles the live desk's requests about calls.
    pub fn on_calls(&mut self, effect: CallsEffect) {
        match effect {
            CallsEffect::Record(run, order) => {
                let folder = self.project.as_ref().and_then(|project| project.folder());
                let folder = folder.unwrap_or_default().join(&order.folder);
                let recording = RecorderStart {
                    options: order,
                    folder,
                };
                let handle = &mut self.listeners.recorder;
                start(handle, ListenerKind::Recorder, &self.sender, run, recording);
            }
            CallsEffect::Serve(run, order) => {
                let root = self.root.clone();
                let serving = ServerStart {
                    options: order,
                    root,
                };
                let handle = &mut self.listeners.server;
                start(handle, ListenerKind::Server, &self.sender, run, serving);
            }
            CallsEffect::Stop(ListenerKind::Recorder) => {
                self.listeners
                    .recorder
                    .iter()
                    .for_each(ListenerHandle::stop);
            }
            CallsEffect::Stop(ListenerKind::Server) => {
                self.listeners.server.iter().for_each(ListenerHandle::stop);
            }
        }
    }
}

fn start<S: listener_handle::StartListener>(
    handle: &mut Option<ListenerHandle<S>>,
    which: ListenerKind,
    sender: &EventSender,
    run: u32,
    setup: S,
) {
    if handle.is_none() {
        *handle = ListenerHandle::new(which, sender.clone()).ok();
    }
    match handle {
        Some(handle) => handle.start(run, setup),
        None => {
            let fault = StartFault {
                field: None,
                message: "Cannot start a thread to listen".to_owned(),
            };
            let failed = CallsEvent::Run(which, run, ListenState::Failed(fault));
            let _ = sender
                .events
                .try_send(EngineEvent::Live(LiveEvent::Calls(failed)));
        }
    }
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

impl listener_handle::StartListener for RecorderStart {
    type ActiveListener = Recorder;

    fn start(
        self,
        run: &listener_handle::RunReporter,
    ) -> Result<RunningListener<Recorder>, StartFault> {
        let Self {
            options: order,
            folder,
        } = self;
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
        let address = listening
            .address()
            .unwrap_or_else(|| listen_options(order.port).address);
        Ok(RunningListener {
            listener: listening,
            address,
            forwarder,
        })
    }
}

impl listener_handle::StartListener for ServerStart {
    type ActiveListener = LocalServer;

    fn start(
        self,
        run: &listener_handle::RunReporter,
    ) -> Result<RunningListener<LocalServer>, StartFault> {
        let Self {
            options: order,
            root,
        } = self;
        let options = ServeOptions {
            rules: order.rules,
            playback: TapePlayback {
                speed: order.speed,
                ..TapePlayback::default()
            },
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
        Ok(RunningListener {
            address: listening.address(),
            listener: listening,
            forwarder,
        })
    }
}

fn thread_error(error: &std::io::Error) -> StartFault {
    StartFault {
        field: None,
        message: format!("Cannot start a thread: {error}"),
    }
}
