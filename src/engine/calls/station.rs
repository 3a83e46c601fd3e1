//! The thread on which the recorder or the server is started and stopped: reading the served files and writing the last tapes
//! take time.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, unbounded};
use jiff::Timestamp;

use crate::engine::outlet::Outlet;
use crate::workbench::{CallsEvent, Event, ListenState, Listener, LiveEvent, StartFault};

/// Options from which a listener is started.
pub(super) trait Start: Send + 'static {
    /// The listener; it stops when it is dropped.
    type Listening;

    /// Starts listening. Blocks.
    fn start(self, run: &Run) -> Result<Started<Self::Listening>, StartFault>;
}

/// A listener that is running.
pub(super) struct Started<L> {
    pub(super) listening: L,
    pub(super) address: SocketAddr,
    /// Forwards its calls to the window; ends after the listener.
    pub(super) forwarder: JoinHandle<()>,
}

/// Identifies a run and sends its events to the window.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) which: Listener,
    pub(super) number: u32,
    pub(super) outlet: Outlet,
    /// True when the window is gone and no events are sent any longer.
    pub(super) cancel: Arc<AtomicBool>,
}

impl Run {
    pub(super) fn tell(&self, event: CallsEvent) {
        let event = Event::Live(LiveEvent::Calls(event));
        // The window may be gone.
        let _ = self.outlet.send(event, &self.cancel);
    }

    fn is(&self, state: ListenState) {
        self.tell(CallsEvent::Run(self.which, self.number, state));
    }
}

enum Order<S> {
    Start(u32, S),
    Stop,
}

/// Handle of the recorder's or the server's thread. Dropping it stops the listener and waits until everything received is saved.
pub(super) struct Station<S: Start> {
    orders: Option<Sender<Order<S>>>,
    cancel: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<S: Start> Station<S> {
    pub(super) fn new(which: Listener, sender: Outlet) -> io::Result<Self> {
        let (orders, to_do) = unbounded();
        let cancel = Arc::new(AtomicBool::new(false));
        let run = Run {
            which,
            number: 0,
            outlet: sender,
            cancel: Arc::clone(&cancel),
        };
        let name = match which {
            Listener::Recorder => "retake recorder",
            Listener::Server => "retake server",
        };
        let thread = thread::Builder::new().name(name.into());
        Ok(Self {
            orders: Some(orders),
            cancel,
            thread: Some(thread.spawn(move || work(&to_do, run))?),
        })
    }

    pub(super) fn start(&self, run: u32, setup: S) {
        self.order(Order::Start(run, setup));
    }

    pub(super) fn stop(&self) {
        self.order(Order::Stop);
    }

    fn order(&self, order: Order<S>) {
        if let Some(orders) = &self.orders {
            // The thread ends only when this handle is dropped.
            let _ = orders.send(order);
        }
    }
}

impl<S: Start> Drop for Station<S> {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended, too.
            let _ = thread.join();
        }
    }
}

fn work<S: Start>(orders: &Receiver<Order<S>>, mut run: Run) {
    let mut started: Option<Started<S::Listening>> = None;
    for order in orders {
        // The next listener may use the same port.
        if let Some(started) = started.take() {
            end(started);
        }
        match order {
            Order::Stop => run.is(ListenState::Off),
            Order::Start(number, setup) => {
                run.number = number;
                match setup.start(&run) {
                    Ok(now) => {
                        run.is(ListenState::Listening {
                            address: now.address,
                            since: Timestamp::now(),
                        });
                        started = Some(now);
                    }
                    Err(fault) => run.is(ListenState::Failed(fault)),
                }
            }
        }
    }
    if let Some(started) = started {
        end(started);
    }
}

fn end<L>(started: Started<L>) {
    drop(started.listening);
    // Its last events must arrive before the state changes to off.
    let _ = started.forwarder.join();
}
