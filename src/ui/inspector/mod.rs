//! The inspector: one item as its readers would read it, as text, as a tree of values, and what is wrong in it.

mod config;
mod content;
mod data;
mod plain;
mod recording;
mod seeds;
mod session;
mod tape;
mod tree;

pub use content::*;
pub use data::{Content, InspectorData, ProblemLine, Ready};
pub use tree::{Fold, Move, ValueTree};
