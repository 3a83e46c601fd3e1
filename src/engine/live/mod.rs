//! Servers and clients on sockets, and their files. Nothing here runs, and no socket is open, unless it was requested.
//!
//! - [`serve`] plays tapes and sets to real clients.
//! - [`record`] passes calls on to a model, and records them as tapes.
//! - [`queue`] answers requests that programs put into a queue folder.
//! - [`langsmith`] fetches runs.
//!
//! [`play::live`] decides what is sent, and which recording answers.

mod answer_stream;
mod body;
mod body_budget;
mod drift_log;
mod fixture_writer;
mod fixtures;
mod http_client;
mod idle_timeout;
mod interrupt;
pub mod langsmith;
mod local_server;
mod open_call;
mod proxy;
mod proxy_call;
pub mod queue;
mod race;
pub mod record;
mod rules;
pub mod serve;
mod tape_writer;
mod tee;
mod timer;
mod upstream;

pub use drift_log::DriftLog;
pub use fixtures::{CassetteRules, Fixtures, ServeOptions};
pub(crate) use interrupt::ignore_interrupts;
pub use interrupt::{listen_for_interrupts, on_interrupt};
pub use local_server::{ListenError, ListenOptions, ListenScope, LocalServer};
pub use rules::ProjectRules;
