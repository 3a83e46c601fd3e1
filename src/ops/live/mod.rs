//! Live: recordings at work in running programs, as pure functions. Sockets and files are in [`engine::live`].
//!
//! - [`wire`]: the APIs' words: what a client asks, and an answer told in the words of its API.
//! - [`access`]: which requests are answered while only this computer may ask.
//! - [`answer`]: what is said and when, made of a tape or a recording.
//! - [`serve`]: which tape or recording answers a call, and why.
//! - [`record`]: what a proxy hears of a call, as a tape.
//! - [`queue`]: answers to programs that wait at a queue.
//! - [`schema`]: whether an input fits its tool.
//! - [`log`], [`bars`]: calls as they happen, in rows that grow.
//! - [`form`]: an input as it is filled in, field by field.
//! - [`langsmith`]: what is asked of LangSmith, and what it answers.
//!
//! [`engine::live`]: crate

pub mod access;
pub mod answer;
pub mod bars;
pub mod form;
mod json;
pub mod langsmith;
pub mod log;
pub mod queue;
pub mod record;
pub mod schema;
pub mod serve;
pub mod wire;
