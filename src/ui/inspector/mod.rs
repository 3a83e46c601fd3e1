//! The inspector: one item as its readers would read it, as text, as a tree of values, and what is wrong in it.

mod card_ui;
mod choices;
mod chunks;
mod config;
mod content;
mod copy;
mod data;
mod deed;
mod drafts;
mod edit;
mod edit_ui;
mod follow;
mod head_ui;
mod inspector_ui;
mod line_ui;
pub(crate) mod paint;
#[cfg(test)]
mod picture;
mod plain;
mod problems_ui;
mod prose;
mod recording;
mod sections_ui;
mod seeds;
mod session;
mod sheet_ui;
mod strip_ui;
mod tape;
mod tree;
mod tree_edit_ui;
mod tree_ui;
mod turn_ui;
mod units;
mod value_ui;
mod values;

pub use chunks::Chunks;
pub use content::*;
pub use copy::CopyAs;
pub use data::{Content, InspectorData, ProblemLine, Ready};
pub use inspector_ui::{InspectorState, Showing, inspector_ui};
pub use prose::Prose;
pub use sections_ui::SectionsState;
pub use strip_ui::{STRIP, strip_ui};
pub use tree::{Fold, Move, ValueTree};
pub use values::{ValueLine, Values};
