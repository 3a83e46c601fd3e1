//! Live: sockets, and the files that go with them. Nothing here runs, and no socket is open, unless it was asked for.
//!
//! - [`serve`] plays tapes and sets to real clients.
//! - [`record`] passes calls on to a model, and keeps them as tapes.
//! - [`queue`] answers programs that wait at a queue.
//! - [`langsmith`] fetches runs.
//!
//! What is said on the wire, and which recording answers, is decided in [`ops::live`](crate::ops::live).

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
