//! Calls of models: one reading of them, whatever file they are in.
//!
//! [`reading`] finds the calls of a document and converts each to a recording, so that all desks and commands work with one form.
//! [`agent_run`] reads the runs of agents that transcripts and traces store. [`api`] has the shapes of the providers' APIs, read and written; [`tape`] streamed answers and their time; [`decoded_view`] the texts as
//! a reader of the wire sees them, with [`secret`] for what should not be in them; [`stable`] what differs in every recording; [`media`]
//! pictures and sounds.
//!
//! It does not know which call answers which request, and does not compare two calls.
//!
//! - [`ModelCall`](document::call::ModelCall): a call with its facts: provider, model, tokens, times, HTTP.
//! - [`Api`](api::Api): the API of a call, with its [request](api::ModelRequest) and its [answer](api::ModelAnswer) in one form for all.
//! - [`Item`]: what stays in memory of one file after its text is dropped.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

pub mod agent_run;
pub mod api;
pub mod cassette_config;
pub mod decoded_view;
pub mod file_part;
pub mod item;
pub mod item_status;
pub mod javascript;
pub mod json;
pub mod media;
pub mod pool;
pub mod prompt;
pub mod python;
pub mod reading;
pub mod regenerate;
pub mod secret;
pub mod source;
pub mod stable;
pub mod tape;

pub use item::{
    CallRow, HttpLine, Item, ItemFacts, ItemSummary, Rare, RareFacts, SeedKey, first_words,
    summarise,
};
pub use item_status::ItemStatus;
pub use pool::Pool;
