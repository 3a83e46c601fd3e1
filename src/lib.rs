//! Retake: see, compare and curate recordings of language-model agents.

pub mod cli;
pub mod engine;
pub mod format;
pub mod ops;
pub mod text;
pub mod ui;
pub mod workbench;
