//! Drafts: text that is typed into the fields of a session, on its way into the file.
//!
//! In a text field, each character becomes an edit of the file as soon as the previous edit was made. A number or an
//! object becomes an edit only when its field is left or the file is saved, because its beginning may be a different
//! valid value. Until then, and while it is invalid, the text is kept here.

use crate::inspector::units::{self, Unit};
use author::session::{SessionEdit, json_text, yaml_text};
use document::edit::JsonValue;
use document::text::{Source, thousands};
use document::{Node, NodeKind, Syntax, Tree, json, yaml};

/// Interpretation of the input of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputKind {
    Text,
    /// As text; an empty field removes the member.
    Optional,
    /// As a whole number, or empty.
    Number,
    /// As a whole number of milliseconds, also with a unit such as `1.5 s`, or empty.
    Millis,
    Object(Syntax),
}

impl InputKind {
    /// Returns whether each typed character is an edit of the file.
    pub(super) fn is_live(self) -> bool {
        matches!(self, Self::Text | Self::Optional)
    }

    /// Returns a comparable text of a value; empty for no value.
    pub(super) fn file_text(self, node: Option<Node<'_>>) -> String {
        let Some(node) = node.filter(|node| node.kind() != NodeKind::Null) else {
            return String::new();
        };
        match (self, node.scalar_text()) {
            // As JSON, whatever the file's syntax, so that two spellings of one value are equal.
            (Self::Object(_), _) | (_, None) => json::text(node).into_owned(),
            (_, Some(text)) => text.to_owned(),
        }
    }

    /// Returns the text that the field shows for a value.
    pub(super) fn field_text(self, file_value: &str) -> String {
        let Self::Object(syntax) = self else {
            let digits = file_value
                .parse()
                .ok()
                .filter(|_| self == Self::Millis)
                .map(thousands)
                // Only if nothing is lost: `+5` and `007` stay as written.
                .filter(|digits| digits.replace(',', "") == file_value);
            return digits.unwrap_or_else(|| file_value.to_owned());
        };
        match (JsonValue::parse(file_value), syntax) {
            (Ok(value), Syntax::Yaml) => yaml_text(&value),
            (Ok(value), _) => json_text(&value),
            (Err(_), _) => file_value.to_owned(),
        }
    }

    /// Parses the input. Returns a comparable text, or the error as a sentence without a full stop.
    pub(super) fn parse(self, input: &str) -> Result<String, String> {
        match self {
            Self::Text | Self::Optional => Ok(input.to_owned()),
            // An empty field means null.
            Self::Number | Self::Millis if input.trim().is_empty() => Ok(String::new()),
            Self::Number => match input.trim().parse::<i64>() {
                Ok(number) => Ok(number.to_string()),
                Err(_) => Err("Expected a whole number or an empty field".to_owned()),
            },
            Self::Millis => {
                // The field shows numbers with commas; elsewhere a comma may be the mark of a fraction.
                let digits = input.trim().replace(',', "");
                let number = digits.parse().ok();
                if number.is_some_and(|number| thousands(number) == input.trim()) {
                    return Ok(digits);
                }
                let number = units::parse_number(input, Some(Unit::Milliseconds))?;
                match number.parse::<i64>() {
                    Ok(number) => Ok(number.to_string()),
                    Err(_) => Err("Expected whole milliseconds, such as 1500 or 1.5 s".to_owned()),
                }
            }
            Self::Object(syntax) => {
                let value = parse(input, syntax)?;
                match value.root().kind() {
                    NodeKind::Object => Ok(value.json().to_owned()),
                    kind => Err(format!("Expected an object, found {}", kind.name())),
                }
            }
        }
    }

    /// Returns the edit that writes the value to the file.
    fn edit(self, pointer: &str, value: &str) -> SessionEdit {
        let pointer = pointer.to_owned();
        match self {
            Self::Text | Self::Optional => SessionEdit::Text(pointer, value.to_owned()),
            Self::Number | Self::Millis => SessionEdit::Number(pointer, value.parse().ok()),
            Self::Object(_) => {
                // Objects are edited only in responses, whose edits are named by their row.
                let response = pointer.trim_end_matches("/response").to_owned();
                SessionEdit::Response(
                    response,
                    JsonValue::parse(value).unwrap_or_else(|_| JsonValue::null()),
                )
            }
        }
    }
}

/// Parses a value with the syntax of the file.
pub(super) fn parse(input: &str, syntax: Syntax) -> Result<JsonValue, String> {
    let source = Source::new(input);
    let (tree, problems): (Tree, _) = match syntax {
        Syntax::Yaml => yaml::parse(&source),
        _ => json::parse(&source),
    };
    // The parsers return what they understood; a value with a gap must not replace the whole one.
    let fault = problems.iter().find(|problem| problem.rule.hides_content());
    match (fault, tree.root()) {
        (Some(fault), _) => Err(format!("{} (line {})", fault.message, fault.place.line)),
        (None, Some(root)) => Ok(JsonValue::from_node(root)),
        (None, None) => Err("The field is empty".to_owned()),
    }
}

/// The input of one field.
#[derive(Debug)]
struct FieldDraft {
    pointer: String,
    name: String,
    kind: InputKind,
    text: String,
    /// The value in the file when this was last compared with it.
    known: String,
    /// The value of the edit in progress.
    sent: Option<String>,
}

impl FieldDraft {
    /// Updates the known value. A change from elsewhere, such as an undo, replaces the input.
    fn sync(&mut self, file_value: String) {
        if file_value == self.known {
            return;
        }
        // The draft's own edit has arrived; the user may have typed on meanwhile.
        if self.sent.as_ref() != Some(&file_value) {
            self.text = self.kind.field_text(&file_value);
        }
        self.known = file_value;
        self.sent = None;
    }

    /// Returns the value to write to the file.
    fn unsent(&self) -> Option<String> {
        let value = self.kind.parse(&self.text).ok()?;
        // What was sent is on its way into the file, and must not be sent again.
        (value != self.known && self.sent.as_ref() != Some(&value)).then_some(value)
    }
}

/// The inputs of the fields of one session.
#[derive(Debug, Default)]
pub(super) struct FieldDrafts {
    drafts: Vec<FieldDraft>,
    focused: Option<String>,
    /// Something was typed, and the end of typing was not reported yet.
    typing: bool,
}

/// Consequence of the input.
#[derive(Debug, PartialEq)]
pub(super) enum DraftEvent {
    /// An edit that is merged with the previous one.
    Type(SessionEdit),
    /// An edit that is a separate undo step.
    Edit(SessionEdit),
    EndTyping,
}

/// A field whose value cannot be written to the file.
#[derive(Debug, PartialEq)]
pub(super) struct InvalidField {
    pub(super) pointer: String,
    pub(super) name: String,
    pub(super) typed: String,
    /// The error, as a sentence without a full stop.
    pub(super) fault: String,
}

impl FieldDrafts {
    /// Returns the text of a field: its input, or else the value in the file.
    pub(super) fn text(&self, pointer: &str, kind: InputKind, node: Option<Node<'_>>) -> String {
        match self.draft_of(pointer, kind) {
            Some(draft) => draft.text.clone(),
            None => kind.field_text(&kind.file_text(node)),
        }
    }

    /// Returns the error of the input.
    pub(super) fn fault(&self, pointer: &str, kind: InputKind) -> Option<String> {
        kind.parse(&self.draft_of(pointer, kind)?.text).err()
    }

    /// Returns the first field that cannot be written to the file.
    pub(super) fn invalid(&self) -> Option<InvalidField> {
        self.drafts.iter().find_map(|draft| {
            Some(InvalidField {
                fault: draft.kind.parse(&draft.text).err()?,
                pointer: draft.pointer.clone(),
                name: draft.name.clone(),
                typed: draft.text.clone(),
            })
        })
    }

    /// Returns whether there is a valid input that is not in the file yet.
    pub(super) fn has_pending(&self) -> bool {
        let mut drafts = self.drafts.iter();
        drafts.any(|draft| draft.sent.is_some() || draft.unsent().is_some())
    }

    /// Returns whether there are no inputs.
    pub(super) fn is_empty(&self) -> bool {
        self.drafts.is_empty()
    }

    /// Discards the input of a field, so that it shows the value in the file again.
    pub(super) fn cancel(&mut self, pointer: &str) {
        self.drafts.retain(|draft| draft.pointer != pointer);
    }

    /// Stores the input of a field.
    pub(super) fn set_text(
        &mut self,
        (pointer, name): (&str, &str),
        kind: InputKind,
        node: Option<Node<'_>>,
        text: String,
    ) {
        let mut drafts = self.drafts.iter_mut();
        // By kind as well: a response that becomes an object has another draft than its text.
        match drafts.find(|draft| draft.pointer == pointer && draft.kind == kind) {
            Some(draft) => draft.text = text,
            None => self.drafts.push(FieldDraft {
                pointer: pointer.to_owned(),
                name: name.to_owned(),
                kind,
                text,
                known: kind.file_text(node),
                sent: None,
            }),
        }
    }

    /// Stores which field has the focus.
    pub(super) fn set_focus(&mut self, pointer: &str) {
        self.focused = Some(pointer.to_owned());
    }

    /// Begins a frame: no field has the focus until [`Self::set_focus`] is called.
    pub(super) fn begin_frame(&mut self) {
        self.focused = None;
    }

    /// Clears all drafts, because another session is shown.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Synchronizes with the file and returns the next event; nothing while an edit is in progress. With `commits`,
    /// every valid input is written to the file, including that of the focused field.
    pub(super) fn next_event(
        &mut self,
        tree: &Tree,
        is_editing: bool,
        commits: bool,
    ) -> Option<DraftEvent> {
        for draft in &mut self.drafts {
            draft.sync(draft.kind.file_text(tree.at_pointer(&draft.pointer)));
        }
        // One edit at a time: the next one must be based on the text after it.
        if is_editing {
            return None;
        }
        for draft in &mut self.drafts {
            let is_live = draft.kind.is_live();
            let is_focused = Some(&draft.pointer) == self.focused.as_ref();
            if let Some(value) = draft.unsent().filter(|_| is_live || commits || !is_focused) {
                // Typed characters are merged into one undo step until the field is left.
                self.typing |= is_live;
                let edit = draft.kind.edit(&draft.pointer, &value);
                draft.sent = Some(value);
                return Some(if is_live { DraftEvent::Type(edit) } else { DraftEvent::Edit(edit) });
            }
        }
        let is_left = |draft: &FieldDraft| Some(&draft.pointer) != self.focused.as_ref();
        let is_good = |draft: &FieldDraft| draft.kind.parse(&draft.text).is_ok();
        let is_done = |draft: &FieldDraft| (is_left(draft) || commits) && is_good(draft);
        if let Some(index) = self.drafts.iter().position(is_done) {
            return self.leave_field(index, tree);
        }
        let has_ended = self.typing && self.drafts.iter().all(is_left);
        has_ended.then(|| {
            self.typing = false;
            DraftEvent::EndTyping
        })
    }

    /// Handles a field that lost the focus. An invalid input stays, with its error. An empty optional field is removed
    /// from the file.
    fn leave_field(&mut self, index: usize, tree: &Tree) -> Option<DraftEvent> {
        let draft = self.drafts.remove(index);
        let is_empty = draft.kind == InputKind::Optional && draft.text.is_empty();
        let is_there = is_empty && tree.at_pointer(&draft.pointer).is_some();
        // Removed only when the field is left: while typing, an empty field is often on its way to another text.
        is_there.then(|| DraftEvent::Type(SessionEdit::Clear(draft.pointer)))
    }

    fn draft_of(&self, pointer: &str, kind: InputKind) -> Option<&FieldDraft> {
        let mut drafts = self.drafts.iter();
        drafts.find(|draft| draft.pointer == pointer && draft.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;

    fn tree(text: &str) -> Tree {
        read(Source::new(text), "a.yaml").tree
    }

    #[test]
    fn each_character_is_an_edit_and_typing_ends_when_the_field_is_left() {
        let mut drafts = FieldDrafts::default();
        let before = tree("id: a\ninput: b\n");
        drafts.set_text(("/name", "Field"), InputKind::Optional, None, "n".to_owned());
        drafts.set_focus("/name");
        let event = |text: &str| {
            let edit = SessionEdit::Text("/name".to_owned(), text.to_owned());
            Some(DraftEvent::Type(edit))
        };
        assert_eq!(drafts.next_event(&before, false, false), event("n"));
        drafts.set_text(("/name", "Field"), InputKind::Optional, None, "no".to_owned());
        assert_eq!(drafts.next_event(&before, true, false), None);
        let after = tree("id: a\nname: n\ninput: b\n");
        assert_eq!(drafts.next_event(&after, false, false), event("no"));
        let after = tree("id: a\nname: \"no\"\ninput: b\n");
        assert_eq!(drafts.next_event(&after, false, false), None);
        drafts.begin_frame();
        assert_eq!(drafts.next_event(&after, false, false), None);
        assert_eq!(drafts.next_event(&after, false, false), Some(DraftEvent::EndTyping));
    }

    #[test]
    fn an_undo_replaces_the_input() {
        let mut drafts = FieldDrafts::default();
        let now = tree("id: abc\ninput: b\n");
        let node = now.at_pointer("/id");
        drafts.set_focus("/id");
        drafts.set_text(("/id", "Field"), InputKind::Text, node, "abcd".to_owned());
        assert!(drafts.next_event(&now, false, false).is_some());
        drafts.next_event(&tree("id: a\ninput: b\n"), false, false);
        assert_eq!(drafts.text("/id", InputKind::Text, node), "a");
    }

    #[test]
    fn an_invalid_input_stays_with_its_error() {
        let mut drafts = FieldDrafts::default();
        let (number, object) = (InputKind::Number, InputKind::Object(Syntax::Yaml));
        drafts.set_text(("/a/status", "Field"), number, None, "20x".to_owned());
        drafts.set_text(("/a/response", "Field"), object, None, "- 1\n".to_owned());
        assert_eq!(drafts.next_event(&tree("a: {}"), false, false), None);
        let faults = [drafts.fault("/a/status", number), drafts.fault("/a/response", object)];
        insta::assert_snapshot!(faults.map(Option::unwrap).join("\n"), @"
        Expected a whole number or an empty field
        Expected an object, found a list
        ");
    }

    #[test]
    fn a_number_is_an_edit_only_when_its_field_is_left_or_saved() {
        let (now, pointer) = (tree("a: {}"), ("/a/latency_ms", "Latency"));
        let edit = |number| {
            let pointer = "/a/latency_ms".to_owned();
            Some(DraftEvent::Edit(SessionEdit::Number(pointer, Some(number))))
        };
        for commits in [false, true] {
            let mut drafts = FieldDrafts::default();
            for typed in ["1", "1.", "1.5", "1.5 ", "1.5 s"] {
                drafts.set_focus("/a/latency_ms");
                drafts.set_text(pointer, InputKind::Millis, None, typed.to_owned());
                assert_eq!(drafts.next_event(&now, false, false), None, "{typed}");
            }
            assert!(drafts.has_pending());
            if !commits {
                drafts.begin_frame();
            }
            assert_eq!(drafts.next_event(&now, false, commits), edit(1500));
            drafts.next_event(&tree("a: {latency_ms: 1500}"), false, commits);
            assert!(!drafts.has_pending());
        }
    }

    #[test]
    fn an_invalid_number_is_never_an_edit_and_can_be_cancelled() {
        let now = tree("a: {status: 200}");
        let mut drafts = FieldDrafts::default();
        let node = now.at_pointer("/a/status");
        drafts.set_text(
            ("/a/status", "Status of response 1"),
            InputKind::Number,
            node,
            "12:30".to_owned(),
        );
        assert_eq!(drafts.next_event(&now, false, true), None);
        let invalid = drafts.invalid().unwrap();
        assert_eq!((&*invalid.name, &*invalid.typed), ("Status of response 1", "12:30"));
        drafts.cancel("/a/status");
        assert_eq!(drafts.text("/a/status", InputKind::Number, node), "200");
        let shown = ["30000", "85", "007", "-5", "soon"].map(|t| InputKind::Millis.field_text(t));
        assert_eq!(shown, ["30,000", "85", "007", "-5", "soon"]);
        assert_eq!(drafts.invalid(), None);
    }

    #[test]
    fn milliseconds_are_read_with_units() {
        let read = |typed: &str| InputKind::Millis.parse(typed).unwrap_or_else(|fault| fault);
        let typed =
            ["1.5 s", "1.24 s", "40", "30,000", "2 min", "0.5", "1,5", "3,00", "5 apples", " "];
        insta::assert_snapshot!(typed.map(read).join("\n"), @"
        1500
        1240
        40
        30000
        120000
        Expected whole milliseconds, such as 1500 or 1.5 s
        This is not a number
        This is not a number
        “apples” is not a unit of this field; use one such as ns, ms, s or min
        ");
    }

    #[test]
    fn an_object_is_equal_in_any_formatting() {
        let object = InputKind::Object(Syntax::Yaml);
        assert_eq!(object.parse("a: 1\nb: [x]\n"), object.parse("{a: 1, b: [x]}"));
    }
}
