//! Retake: see, compare and curate recordings of language-model agents.

// A test that unwraps what it made itself says all there is to say when it fails.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod app;
pub mod cli;
pub mod engine;
pub mod format;
pub mod ops;
pub mod text;
pub mod ui;
pub mod workbench;
