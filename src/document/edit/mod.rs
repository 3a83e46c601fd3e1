//! Edits of JSON, YAML and TOML that keep every other byte unchanged.
//!
//! [`plan`] turns an [`Edit`] into one [`TextEdit`]. What is new takes the style of its surroundings; order, spacing,
//! spelling, comments, anchors and line ends around it do not change, because only the edited bytes are written. Every
//! plan is tried before it is given out: the text it would make is read, YAML by two parsers, and all other values have to be
//! what they were.
//! An edit that cannot be made so is refused with the reason.

mod blocks;
mod copy;
mod decoded;
mod description;
mod expected_edit;
mod insert;
mod json_value;
mod lines;
mod pointer;
mod remove;
mod rename;
pub mod second_reader;
mod set;
mod shift;
mod style;
#[cfg(test)]
mod tests;
mod text_places;
mod together;
mod toml_members;
mod toml_value;
mod trace;
mod verify;
mod writer;

use std::fmt;

use crate::text::{EncodingFault, Place, Source, TextEdit};
use crate::{Node, Syntax, Tree, httprr};

pub use copy::with_copy;
pub use decoded::{correct_lengths, length_value, length_values, set_length};
pub use description::describe_edit;
pub use expected_edit::has_value;
pub use json_value::JsonValue;
pub use pointer::find as at;
pub use style::writes_ascii;
pub use together::text_ranges;
pub use together::{NewValue, ValuesReplaced, remove_members, replace_values};

/// A change of one value. Pointers are JSON Pointers (RFC 6901) into the document as it is before the edit.
///
/// A pointer may be followed by `#` and a pointer into the JSON that the value is as a text; see [`plan`].
///
/// If a key occurs twice, a pointer refers to the last one, which is the one that `JSON.parse` and PyYAML use.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Puts another value in place of one.
    Set {
        /// The value to replace; `""` is the whole document.
        pointer: String,
        /// The new value.
        value: JsonValue,
    },
    /// Puts a new value into a list or a mapping.
    Insert {
        /// In a list the index before which it goes, or `-` for the end; in a mapping a new key, which goes to the end.
        pointer: String,
        /// The new element or member.
        value: JsonValue,
    },
    /// Puts a new member into a mapping, before the one with another key.
    InsertBefore {
        /// The new key.
        pointer: String,
        /// The key before which it is inserted; if there is no such key, it is appended.
        before: String,
        /// The new member.
        value: JsonValue,
    },
    /// Takes an element or a member out.
    Remove { pointer: String },
    /// Gives a member another key.
    Rename {
        /// The value of the member.
        pointer: String,
        /// The new key, as it reads.
        key: String,
    },
    /// Moves an element within its list.
    Move {
        /// The element to move.
        pointer: String,
        /// Its index afterwards.
        to: usize,
    },
}

impl Edit {
    /// Returns the pointer of what is edited.
    pub fn pointer(&self) -> &str {
        match self {
            Self::Set { pointer, .. }
            | Self::Insert { pointer, .. }
            | Self::InsertBefore { pointer, .. }
            | Self::Remove { pointer }
            | Self::Rename { pointer, .. }
            | Self::Move { pointer, .. } => pointer,
        }
    }

    /// Returns the same edit at another pointer.
    pub fn at(&self, to: String) -> Self {
        let mut edit = self.clone();
        match &mut edit {
            Self::Set { pointer, .. }
            | Self::Insert { pointer, .. }
            | Self::InsertBefore { pointer, .. }
            | Self::Remove { pointer }
            | Self::Rename { pointer, .. }
            | Self::Move { pointer, .. } => *pointer = to,
        }
        edit
    }
}

/// The reason why an edit is not possible. Displays a sentence with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRefusal {
    /// The reason, as a sentence without a full stop.
    pub reason: String,
    /// The place of the problem.
    pub place: Place,
}

impl EditRefusal {
    pub fn at(node: Node<'_>, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), place: node.place() }
    }
}

impl fmt::Display for EditRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column } = self.place;
        write!(f, "{} (line {line}, column {column})", self.reason)
    }
}

impl std::error::Error for EditRefusal {}

/// A planned edit of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPlan {
    pub edit: TextEdit,
    /// A side effect that the user should know, as sentences without the last full stop.
    pub remark: Option<String>,
}

impl From<TextEdit> for TextPlan {
    fn from(edit: TextEdit) -> Self {
        Self { edit, remark: None }
    }
}

/// Finds the bytes to replace, in the text that `tree` is a reading of.
///
/// The value at a pointer with `#` is in a text that is JSON. A body of a cassette is decoded before, and encoded as it was.
///
/// # Errors
///
/// Returns an error if the text could not be understood as a whole, if there is no such value, if the value is written elsewhere (an
/// alias, a merge), or if other values would change.
pub fn plan(tree: &Tree, edit: &Edit) -> Result<TextEdit, EditRefusal> {
    if let Some(outcome) = decoded::plan(tree, edit) {
        return outcome;
    }
    if httprr::is_trace(tree) {
        readable(tree)?;
        return trace::plan(tree, edit);
    }
    verify::first_good(tree, candidates(tree, edit)?)
}

fn candidates<'t>(tree: &'t Tree, edit: &Edit) -> Result<EditCandidates<'t>, EditRefusal> {
    readable(tree)?;
    // The list of the values of such a text is written nowhere.
    let is_of_list =
        edit.pointer().matches('/').count() <= usize::from(!matches!(edit, Edit::Insert { .. }));
    if tree.parts().is_some() && is_of_list {
        return Err(EditRefusal {
            reason: "The file has several values one after the other; edit the text itself"
                .to_owned(),
            place: tree.at_pointer(edit.pointer()).map_or(Place::START, Node::place),
        });
    }
    if tree.syntax() == Syntax::Toml {
        return match edit {
            Edit::Set { pointer, value } => toml_value::plans(pointer::find(tree, pointer)?, value),
            Edit::Remove { pointer } => toml_members::remove(pointer::find(tree, pointer)?),
            _ => Err(EditRefusal {
                reason: "In TOML, values are only replaced and removed; edit the text itself"
                    .to_owned(),
                place: tree.at_pointer(edit.pointer()).map_or(Place::START, Node::place),
            }),
        };
    }
    match edit {
        Edit::Set { pointer, value } => set::plans(pointer::find(tree, pointer)?, value),
        Edit::Insert { pointer, value } => insert::plans(tree, pointer, value, None),
        Edit::InsertBefore { pointer, before, value } => {
            insert::plans(tree, pointer, value, Some(before))
        }
        Edit::Remove { pointer } => remove::plans(pointer::find_unique(tree, pointer)?),
        Edit::Rename { pointer, key } => rename::plans(pointer::find_unique(tree, pointer)?, key),
        Edit::Move { pointer, to } => shift::plans(pointer::find(tree, pointer)?, *to),
    }
}

/// Makes several edits, each on the result of the one before, and gives them as one; `None` when nothing changes.
///
/// # Errors
///
/// Returns the error of the first edit that is refused; its place is one of the text as it is then.
pub fn plan_all(tree: &Tree, edits: &[Edit]) -> Result<Option<TextEdit>, EditRefusal> {
    let old_text = tree.source().text();
    let mut text = old_text.to_owned();
    for edit in edits {
        plan(&read_again(tree, &text), edit)?.apply(&mut text);
    }
    Ok(TextEdit::between(old_text, &text))
}

/// Reads a text in the syntax of a tree.
pub fn read_again(tree: &Tree, text: &str) -> Tree {
    verify::read(tree, &Source::new(text)).0
}

/// Returns the aliases (`*name`) of the value that an edit changes, or of one around it: their values change with it,
/// although their own text stays.
pub fn followers<'t>(tree: &'t Tree, edit: &Edit) -> Vec<Node<'t>> {
    pointer::aliases_of(tree, edit.pointer())
}

/// The result of an edit on a tree, with the candidates for writing it, the best one first.
struct EditCandidates<'a> {
    outcome: expected_edit::ExpectedEdit<'a>,
    candidates: Vec<TextEdit>,
}

/// Checks that the whole text could be parsed.
pub fn readable(tree: &Tree) -> Result<(), EditRefusal> {
    let refusal = |place, reason: String| Err(EditRefusal { reason, place });
    match tree.source().fault() {
        Some(EncodingFault::NotUtf8 { .. } | EncodingFault::Utf16 { .. }) => {
            return refusal(Place::START, "The file is not UTF-8 text".to_owned());
        }
        None => {}
    }
    if matches!(tree.syntax(), Syntax::Code | Syntax::Machine) && !httprr::is_trace(tree) {
        return refusal(Place::START, "Values in code can only be edited in the text".to_owned());
    }
    match tree.fault() {
        Some(fault) => {
            refusal(fault.place, format!("The file cannot be read completely: {}", fault.message))
        }
        None if !tree.is_well_formed() => {
            refusal(Place::START, "The file cannot be read completely".to_owned())
        }
        None if tree.is_empty() => refusal(Place::START, "The file contains no value".to_owned()),
        None => Ok(()),
    }
}
