//! Servers and clients on sockets, and their files. Nothing here runs, and no socket is open, unless it was requested.
//!
//! - [`serve`] plays tapes and sets to real clients.
//! - [`record`] passes calls on to a model, and records them as tapes.
//! - [`queue`] answers requests that programs put into a queue folder.
//! - [`langsmith`] fetches runs.
//!
//! [`ops::live`](crate::ops::live) decides what is sent, and which recording answers.

mod bodies;
mod body;
mod clock;
mod host;
mod interrupt;
mod keeper;
pub mod langsmith;
mod patience;
pub mod queue;
mod race;
pub mod record;
mod rules;
pub mod serve;
mod stock;
mod tee;
mod told;
mod upstream;

pub use host::{Host, Listen, ListenFault, Reach};
pub use interrupt::interrupts;
pub use rules::ProjectRules;
pub use stock::{Manner, Stock};
