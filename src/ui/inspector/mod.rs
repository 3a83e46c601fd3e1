//! The inspector: one item as a readable document, as text, as a tree of values, and as a list of its problems.

mod calls;
mod card_ui;
mod commits;
mod config;
mod content;
mod conversation;
mod copy;
mod decoded;
mod decoded_ui;
mod drafts;
mod edit_ui;
mod findings;
mod inspector_data;
mod inspector_ui;
mod media_ui;
mod other_files;
pub(crate) mod paint;
mod problems_ui;
mod prompt_ui;
mod prose;
mod recording;
mod sections_ui;
mod seeds;
mod session;
mod strip_ui;
mod tape;
#[cfg(test)]
mod testing;
mod tree;
mod tree_edit_ui;
mod tree_ui;
mod turn_ui;
mod value_action;
mod value_ui;
mod values;

pub use content::*;
pub use conversation::{RequestConversation, conversation_ui};
pub use copy::CopyAs;
pub use decoded_ui::{decoded_ui, edits_decoded};
pub use inspector_data::{InspectorContent, InspectorData, ProblemLine, Ready};
pub use inspector_ui::{InspectorState, InspectorView, inspector_ui};
pub use prose::Prose;
pub use sections_ui::SectionsState;
pub use strip_ui::{STRIP, strip_ui};
pub use tree::{CursorMove, FoldState, ValueTree};
pub use values::{ValueLine, Values};
