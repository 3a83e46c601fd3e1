//! The thread on which the recorder or the server is started and stopped: reading the served files and writing the last tapes
//! take time.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, unbounded};
use jiff::Timestamp;

use crate::engine::disk::guard::guard;
use crate::engine::event_sender::EventSender;
use crate::engine::run::spawn;
use crate::workbench::{CallsEvent, EngineEvent, ListenState, ListenerKind, LiveEvent, StartFault};

/// Options from which a listener is started.
pub(in crate::engine) trait StartListener: Send + 'static {
    /// The listener; it stops when it is dropped.
    type ActiveListener;

    /// Starts listening. Blocks.
    fn start(self, run: &RunReporter) -> Result<RunningListener<Self::ActiveListener>, StartFault>;
}

/// A listener that is running.
pub(in crate::engine) struct RunningListener<L> {
    pub(super) listener: L,
    pub(super) address: SocketAddr,
    /// Forwards its calls to the window; ends after the listener.
    pub(super) forwarder: JoinHandle<()>,
}

/// Identifies a run and sends its events to the window.
#[derive(Clone)]
pub(in crate::engine) struct RunReporter {
    pub(super) which: ListenerKind,
    pub(super) number: u32,
    pub(super) sender: EventSender,
    /// True when the window is gone and no events are sent any longer.
    pub(super) cancel: Arc<AtomicBool>,
}

impl RunReporter {
    pub(super) fn send(&self, event: CallsEvent) {
        let event = EngineEvent::Live(LiveEvent::Calls(event));
        // The window may be gone.
        let _ = self.sender.send(event, &self.cancel);
    }

    fn set_state(&self, state: ListenState) {
        self.send(CallsEvent::Run(self.which, self.number, state));
    }
}

enum ListenerCommand<S> {
    /// The number of the run, and what it does, for the message of an internal error.
    Start(u32, String, S),
    Stop,
}

/// Handle of the recorder's or the server's thread. Dropping it stops the listener and waits until everything received is saved.
pub(in crate::engine) struct ListenerHandle<S: StartListener> {
    commands: Option<Sender<ListenerCommand<S>>>,
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<S: StartListener> ListenerHandle<S> {
    pub(super) fn new(which: ListenerKind, sender: EventSender) -> io::Result<Self> {
        let (orders, to_do) = unbounded();
        let cancel = Arc::new(AtomicBool::new(false));
        let run = RunReporter { which, number: 0, sender, cancel: Arc::clone(&cancel) };
        let name = match which {
            ListenerKind::Recorder => "recorder",
            ListenerKind::Server => "server",
        };
        Ok(Self {
            commands: Some(orders),
            cancel,
            thread: Some(spawn(name, move || run_commands(&to_do, run))?),
        })
    }

    pub(super) fn start(&self, run: u32, description: String, setup: S) {
        self.send_command(ListenerCommand::Start(run, description, setup));
    }

    pub(super) fn stop(&self) {
        self.send_command(ListenerCommand::Stop);
    }

    fn send_command(&self, order: ListenerCommand<S>) {
        if let Some(orders) = &self.commands {
            // The thread ends only when this handle is dropped.
            let _ = orders.send(order);
        }
    }
}

impl<S: StartListener> Drop for ListenerHandle<S> {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended, too.
            let _ = thread.join();
        }
    }
}

fn run_commands<S: StartListener>(commands: &Receiver<ListenerCommand<S>>, mut run: RunReporter) {
    let mut started: Option<RunningListener<S::ActiveListener>> = None;
    let mut description = String::new();
    for command in commands {
        if let ListenerCommand::Start(number, work, _) = &command {
            (run.number, description) = (*number, work.clone());
        }
        let execute = || {
            // The next listener may use the same port.
            if let Some(started) = started.take() {
                shut_down(started);
            }
            let ListenerCommand::Start(.., setup) = command else {
                return ListenState::Off;
            };
            match setup.start(&run) {
                Ok(now) => ListenState::Listening {
                    address: started.insert(now).address,
                    since: Timestamp::now(),
                },
                Err(fault) => ListenState::Failed(fault),
            }
        };
        let state = guard(|| description.clone(), execute);
        run.set_state(
            state
                .unwrap_or_else(|message| ListenState::Failed(StartFault { field: None, message })),
        );
    }
    if let Some(started) = started {
        shut_down(started);
    }
}

fn shut_down<L>(started: RunningListener<L>) {
    drop(started.listener);
    // Its last events must arrive before the state changes to off.
    let _ = started.forwarder.join();
}
