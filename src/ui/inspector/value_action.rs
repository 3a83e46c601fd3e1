//! Actions on a value of the tree, their keys, and the edits they make.

use std::sync::Arc;

use document::edit::{Edit, JsonValue};
use document::{Document, Node, NodeKind, Syntax};
use protocol::Revision;
use workbench::{DraftTarget, ValueDraft, pointer_token, value_json};

/// An action on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueAction {
    /// Type another value.
    Edit,
    /// Type another key.
    Rename,
    /// Add an element before this one.
    InsertBefore,
    /// Add an element after this one.
    InsertAfter,
    /// Add a member or an element to this value.
    Add,
    /// Add a copy of it.
    Duplicate,
    /// Move the element towards the beginning.
    MoveUp,
    /// Move the element towards the end.
    MoveDown,
    /// Remove it from the file.
    Remove,
}

/// The result of starting an action.
#[derive(Clone, Debug)]
pub(super) enum StartedAction {
    /// Something has to be typed first.
    Draft(ValueDraft),
    /// The file is edited.
    Edit(Edit),
    /// The value is too long for a field and must be edited in the text of the file.
    TooLong,
}

impl ValueAction {
    /// Returns the actions for a value, in menu order.
    pub(super) fn available_for(node: Node<'_>) -> Vec<Self> {
        let parent_kind = node.parent().map(Node::kind);
        let is_container = matches!(node.kind(), NodeKind::Array | NodeKind::Object);
        let mut actions = vec![Self::Edit];
        // In TOML, the parent of a value may be written in several places of the file.
        if node.tree().syntax() == Syntax::Toml {
            return actions;
        }
        if parent_kind == Some(NodeKind::Object) {
            actions.push(Self::Rename);
        }
        if parent_kind == Some(NodeKind::Array) {
            actions.extend([Self::InsertBefore, Self::InsertAfter]);
        }
        // An alias has no members of its own: one would be added to the value that it repeats.
        if is_container && !node.is_alias() {
            actions.push(Self::Add);
        }
        if parent_kind.is_some() {
            actions.push(Self::Duplicate);
        }
        if parent_kind == Some(NodeKind::Array) {
            actions.extend([Self::MoveUp, Self::MoveDown]);
        }
        if parent_kind.is_some() {
            actions.push(Self::Remove);
        }
        actions
    }

    /// Returns the menu label.
    pub(super) fn name(self, node: Node<'_>) -> &'static str {
        match self {
            Self::Edit => "Edit…",
            Self::Rename => "Rename the key…",
            Self::InsertBefore => "Insert before…",
            Self::InsertAfter => "Insert after…",
            Self::Add if node.kind() == NodeKind::Array => "Add element…",
            Self::Add => "Add member…",
            Self::Duplicate => "Duplicate",
            Self::MoveUp => "Move up",
            Self::MoveDown => "Move down",
            Self::Remove => "Remove",
        }
    }

    /// Returns the key caps of its shortcut; empty if another action has the key.
    pub(super) fn caps(self, node: Node<'_>) -> &'static [&'static str] {
        match self {
            Self::Edit => &["F2"],
            Self::Rename => &["Shift", "F2"],
            Self::InsertBefore => &[],
            Self::Add if Self::available_for(node).contains(&Self::InsertAfter) => &[],
            Self::InsertAfter | Self::Add => &["Insert"],
            Self::Duplicate => &["Ctrl", "Shift", "D"],
            Self::MoveUp => &["Alt", "↑"],
            Self::MoveDown => &["Alt", "↓"],
            Self::Remove => &["Delete"],
        }
    }

    /// Returns why the action is disabled for this value.
    pub(super) fn disabled_reason(self, node: Node<'_>) -> Option<&'static str> {
        let last = node.parent().map_or(0, Node::len).saturating_sub(1);
        match self {
            Self::MoveUp if node.index() == 0 => Some("it is already the first"),
            Self::MoveDown if node.index() == last => Some("it is already the last"),
            _ => None,
        }
    }

    /// Starts the action. Returns `None` if it is not possible.
    pub(super) fn begin(
        self,
        path: &Arc<str>,
        document: &Document,
        node: Node<'_>,
        revision: Revision,
    ) -> Option<StartedAction> {
        if self.disabled_reason(node).is_some() {
            return None;
        }
        let (pointer, index) = (node.pointer(), node.index());
        let new = |container: Node<'_>, goal, example| {
            Some(StartedAction::Draft(ValueDraft::for_new(
                path, container, goal, example, revision,
            )))
        };
        match self {
            Self::Edit => Some(match ValueDraft::for_value(path, document, node, revision) {
                Some(draft) => StartedAction::Draft(draft),
                None => StartedAction::TooLong,
            }),
            Self::Rename => ValueDraft::for_key(path, node, revision).map(StartedAction::Draft),
            Self::InsertBefore => new(node.parent()?, DraftTarget::Element(index), Some(node)),
            Self::InsertAfter => new(node.parent()?, DraftTarget::Element(index + 1), Some(node)),
            Self::Add if node.kind() == NodeKind::Array => {
                new(node, DraftTarget::Element(node.len()), node.items().last())
            }
            Self::Add => new(node, DraftTarget::Member(String::new()), None),
            Self::Duplicate => duplicate(document, node).map(StartedAction::Edit),
            Self::MoveUp => {
                Some(StartedAction::Edit(Edit::Move { pointer, to: index.checked_sub(1)? }))
            }
            Self::MoveDown => Some(StartedAction::Edit(Edit::Move { pointer, to: index + 1 })),
            Self::Remove => Some(StartedAction::Edit(Edit::Remove { pointer })),
        }
    }
}

/// Inserts a copy of an element after it, or a copy of a member under a new key.
fn duplicate(document: &Document, node: Node<'_>) -> Option<Edit> {
    let parent = node.parent()?;
    let token = match node.key() {
        None => (node.index() + 1).to_string(),
        Some(key) => {
            // Most readers keep only the last of two members with the same key.
            let is_free = |key: &String| parent.get(key).is_none();
            let mut keys = (2..).map(|number| format!("{key}_{number}"));
            pointer_token(&keys.find(is_free)?)
        }
    };
    Some(Edit::Insert {
        pointer: format!("{}/{token}", parent.pointer()),
        value: JsonValue::parse(&value_json(document, node)).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;
    use workbench::result_pointer;

    const TEXT: &str = r#"{"a": [{"k": 1}, "x"], "b_2": null, "b": 1.50}"#;

    /// Describes every available action of a value and its effect.
    fn actions(pointer: &str) -> String {
        let document = document::read(Source::new(TEXT), "a.json");
        let node = document.tree.at_pointer(pointer).unwrap();
        let line = |action: ValueAction| {
            let result = action.begin(&"a.json".into(), &document, node, Revision::default());
            let result = match result {
                Some(StartedAction::Draft(draft)) => {
                    format!("{} {:?} “{}”", draft.name(), draft.form, draft.text)
                }
                Some(StartedAction::Edit(Edit::Insert { pointer, value })) => {
                    format!("{pointer} = {}", value.json())
                }
                Some(StartedAction::Edit(edit)) => {
                    format!("{} → {:?}", edit.pointer(), result_pointer(&edit))
                }
                Some(StartedAction::TooLong) => "too long".to_owned(),
                None => action.disabled_reason(node).unwrap_or_default().to_owned(),
            };
            let caps = action.caps(node).join("+");
            format!("{} [{caps}] {result}\n", action.name(node))
        };
        ValueAction::available_for(node).into_iter().map(line).collect()
    }

    #[test]
    fn a_member_an_element_and_the_whole_file_have_their_own_actions() {
        insta::assert_snapshot!(actions("/b"), @"
        Edit… [F2] Edit b Number “1.50”
        Rename the key… [Shift+F2] Rename b Text “b”
        Duplicate [Ctrl+Shift+D] /b_3 = 1.50
        Remove [Delete] /b → None
        ");
        insta::assert_snapshot!(actions("/a/0"), @r#"
        Edit… [F2] Edit element 0 Json “{"k": 1}”
        Insert before… [] New element 0 of a Json “{}”
        Insert after… [Insert] New element 1 of a Json “{}”
        Add member… [] New member of element 0 Text “”
        Duplicate [Ctrl+Shift+D] /a/1 = {"k": 1}
        Move up [Alt+↑] it is already the first
        Move down [Alt+↓] /a/0 → Some("/a/1")
        Remove [Delete] /a/0 → None
        "#);
        insta::assert_snapshot!(actions(""), @r#"
        Edit… [F2] Edit the whole file Json “{"a": [{"k": 1}, "x"], "b_2": null, "b": 1.50}”
        Add member… [Insert] New member of the whole file Text “”
        "#);
    }
}
