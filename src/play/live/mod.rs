//! Serving, recording and answering model calls of running programs, as pure functions. Sockets and files are in
//! `engine::live`.
//!
//! - [`client_call`]: a client's request, in the formats of recordings and tapes.
//! - [`access`]: which requests are answered while only this computer has access.
//! - [`answer`]: the content of an answer and its timing, built from a tape or a recording.
//! - [`received`]: the answer as it was received, beside it.
//! - [`serve`]: which tape or recording answers a call, and why.
//! - [`record`]: turns a call that passes through a proxy into a tape.
//! - [`refusal`]: calls of a cassette that failed.
//! - [`queue`]: answers to programs that wait at a live queue.
//! - [`schema`]: checks the input of a tool against its schema.
//! - [`log`]: the calls in progress.
//! - [`form`]: a form for the input of a tool.

pub mod access;
pub mod answer;
#[cfg(test)]
mod api_tests;
pub mod client_call;
pub mod form;
pub mod log;
pub mod queue;
pub mod received;
pub mod record;
pub mod refusal;
pub mod schema;
pub mod serve;
