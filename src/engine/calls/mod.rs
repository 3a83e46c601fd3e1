//! Runs the recorder and the server for the window. No socket is open and no thread runs until the user starts one of them.

mod forward;
mod station;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use self::forward::forward;
use self::station::{Started, Station};
use super::live::record::{self, Recorder, Setup};
use super::live::{Host, Listen, ListenFault, Manner, Reach, Stock, serve};
use super::outlet::Outlet;
use super::runner::Engine;
use crate::ops::tape::playback::TapePlayback;
use crate::workbench::{
    CallsEffect, CallsEvent, Event, ListenState, Listener, LiveEvent, OnOffer, RecordOrder,
    ServeOrder, StartFault, StartField,
};

/// The recorder and the server, each on its own thread after its first start.
#[derive(Default)]
pub(super) struct Stations {
    recorder: Option<Station<Recording>>,
    server: Option<Station<Serving>>,
}

/// Options for starting the recorder.
struct Recording {
    order: Box<RecordOrder>,
    /// The folder for the tapes.
    folder: PathBuf,
}

/// Options for starting the server.
struct Serving {
    order: Box<ServeOrder>,
    root: Option<PathBuf>,
}

impl Engine {
    /// Handles the live desk's requests about calls.
    pub fn on_calls(&mut self, effect: CallsEffect) {
        match effect {
            CallsEffect::Record(run, order) => {
                let folder = self.project.as_ref().and_then(|project| project.folder());
                let folder = folder.unwrap_or_default().join(&order.folder);
                let recording = Recording { order, folder };
                let station = &mut self.stations.recorder;
                start(station, Listener::Recorder, &self.outlet, run, recording);
            }
            CallsEffect::Serve(run, order) => {
                let root = self.root.clone();
                let serving = Serving { order, root };
                let station = &mut self.stations.server;
                start(station, Listener::Server, &self.outlet, run, serving);
            }
            CallsEffect::Stop(Listener::Recorder) => {
                self.stations.recorder.iter().for_each(Station::stop);
            }
            CallsEffect::Stop(Listener::Server) => {
                self.stations.server.iter().for_each(Station::stop);
            }
        }
    }
}

fn start<S: station::Start>(
    station: &mut Option<Station<S>>,
    which: Listener,
    sender: &Outlet,
    run: u32,
    setup: S,
) {
    if station.is_none() {
        *station = Station::new(which, sender.clone()).ok();
    }
    match station {
        Some(station) => station.start(run, setup),
        None => {
            let fault = StartFault {
                field: None,
                words: "Cannot start a thread to listen".to_owned(),
            };
            let failed = CallsEvent::Run(which, run, ListenState::Failed(fault));
            let _ = sender
                .events
                .try_send(Event::Live(LiveEvent::Calls(failed)));
        }
    }
}

fn listen(port: u16) -> Listen {
    Listen {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        reach: Reach::Loopback,
    }
}

fn refused(fault: &ListenFault) -> StartFault {
    StartFault::of(StartField::Port, fault.to_string())
}

impl station::Start for Recording {
    type Listening = Recorder;

    fn start(self, run: &station::Run) -> Result<Started<Recorder>, StartFault> {
        let Self { order, folder } = self;
        let setup = Setup {
            upstream: order.upstream,
            folder,
            label: order.label,
            comment: order.comment,
            patience: order.patience,
        };
        let (events, forwarder) =
            forward(run, CallsEvent::Recorded).map_err(|error| no_thread(&error))?;
        let listener = Box::new(move |event| {
            // The receiver may be gone; calls are recorded anyway.
            let _ = events.send(event);
        });
        let recorder = Recorder::start(setup, listen(order.port), listener);
        let listening = recorder.map_err(|fault| match fault {
            record::StartFault::Upstream(words) => StartFault::of(StartField::Upstream, words),
            record::StartFault::NoThread(error) => no_thread(&error),
            record::StartFault::Listen(fault) => refused(&fault),
        })?;
        let address = listening
            .address()
            .unwrap_or_else(|| listen(order.port).address);
        Ok(Started {
            listening,
            address,
            forwarder,
        })
    }
}

impl station::Start for Serving {
    type Listening = Host;

    fn start(self, run: &station::Run) -> Result<Started<Host>, StartFault> {
        let Self { order, root } = self;
        let options = Manner {
            rules: order.rules,
            playback: TapePlayback {
                speed: order.speed,
                ..TapePlayback::default()
            },
        };
        let of_sources = |words| StartFault::of(StartField::Sources, words);
        let stock = Stock::read_until(&order.paths, root.as_deref(), options, &run.cancel);
        let mut stock = stock.map_err(of_sources)?;
        let offered = OnOffer {
            tapes: stock.tapes,
            sets: stock.sets.clone(),
            faults: std::mem::take(&mut stock.faults),
        };
        if offered.is_nothing() {
            let first = offered.faults.into_iter().next();
            let words = "No tape or recording to serve";
            return Err(of_sources(first.unwrap_or_else(|| words.to_owned())));
        }
        let (events, forwarder) =
            forward(run, CallsEvent::Served).map_err(|error| no_thread(&error))?;
        let listener = Arc::new(move |event| {
            // The receiver may be gone; calls are served anyway.
            let _ = events.send(event);
        });
        let listening = serve::start(stock, listen(order.port), listener);
        let listening = listening.map_err(|fault| refused(&fault))?;
        run.tell(CallsEvent::Offers(run.number, Arc::new(offered)));
        Ok(Started {
            address: listening.address(),
            listening,
            forwarder,
        })
    }
}

fn no_thread(error: &std::io::Error) -> StartFault {
    StartFault {
        field: None,
        words: format!("Cannot start a thread: {error}"),
    }
}
