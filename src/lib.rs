//! Retake: see, compare and curate recordings of language-model agents.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod app;
pub mod cli;
pub mod engine;
pub mod format;
pub mod ops;
pub mod text;
pub mod ui;
pub mod workbench;
