//! Drafts: text that is typed into the fields of a session, on its way into the file.
//!
//! In a text field, each character becomes an edit of the file as soon as the previous edit was made. A number or an
//! object becomes an edit only when its field is left or the file is saved, because its beginning may be a different
//! valid value. Until then, and while it is invalid, the text is kept here.

use super::{FormCursor, Panel, SessionState, SessionsDesk};
use crate::{Core, DeskView};
use author::session::{SessionEdit, json_text, yaml_text};
use document::edit::JsonValue;
use document::text::{Source, lower_first, quoted, thousands};
use document::units::{self, Unit};
use document::{Node, NodeKind, Severity, Syntax, Tree, json, yaml};
use protocol::Desk;

/// Interpretation of the input of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
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
    pub fn is_live(self) -> bool {
        matches!(self, Self::Text | Self::Optional)
    }

    /// Returns a comparable text of a value; empty for no value.
    fn file_text(self, node: Option<Node<'_>>) -> String {
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
    fn field_text(self, file_value: &str) -> String {
        let Self::Object(syntax) = self else {
            let millis = (self == Self::Millis).then(|| file_value.parse::<usize>().ok()).flatten();
            // Only if nothing is lost: `+5` and `007` stay as written.
            let millis = millis.filter(|millis| millis.to_string() == file_value);
            return millis.map_or_else(|| file_value.to_owned(), describe_millis);
        };
        match (JsonValue::parse(file_value), syntax) {
            (Ok(value), Syntax::Yaml) => yaml_text(&value),
            (Ok(value), _) => json_text(&value),
            (Err(_), _) => file_value.to_owned(),
        }
    }

    /// Parses the input. Returns a comparable text, or the error as a sentence without a full stop.
    fn parse(self, input: &str) -> Result<String, String> {
        match self {
            Self::Text | Self::Optional => Ok(input.to_owned()),
            // An empty field means null.
            Self::Number | Self::Millis if input.trim().is_empty() => Ok(String::new()),
            Self::Number => match input.trim().parse::<i64>() {
                Ok(number) => Ok(number.to_string()),
                Err(_) => Err("Expected a whole number or an empty field".to_owned()),
            },
            Self::Millis => {
                let number = units::parse_number(input, Some(Unit::Milliseconds))?;
                match number.parse::<i64>() {
                    Ok(number) => Ok(number.to_string()),
                    Err(_) => Err("Expected whole milliseconds, such as 1500 or 1.5 s".to_owned()),
                }
            }
            Self::Object(syntax) => {
                let value = parse_value(input, syntax)?;
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

/// Describes a latency: in milliseconds, or from ten seconds on in seconds if that loses nothing.
fn describe_millis(millis: usize) -> String {
    match (millis / 1000, millis % 1000) {
        (seconds @ 10.., 0) => format!("{} s", thousands(seconds)),
        (seconds @ 10.., rest) if rest % 100 == 0 => {
            format!("{}.{} s", thousands(seconds), rest / 100)
        }
        _ => format!("{} ms", thousands(millis)),
    }
}

/// Parses a value with the syntax of the file.
///
/// # Errors
///
/// The reason why it is none, as a sentence without a full stop.
pub fn parse_value(input: &str, syntax: Syntax) -> Result<JsonValue, String> {
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

/// A field of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftField {
    /// The JSON Pointer of its value.
    pub pointer: String,
    pub name: String,
    pub kind: InputKind,
}

/// The input of one field.
#[derive(Debug)]
struct FieldDraft {
    field: DraftField,
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
            self.text = self.field.kind.field_text(&file_value);
        }
        self.known = file_value;
        self.sent = None;
    }

    /// Returns the value to write to the file.
    fn unsent(&self) -> Option<String> {
        let value = self.field.kind.parse(&self.text).ok()?;
        // What was sent is on its way into the file, and must not be sent again.
        (value != self.known && self.sent.as_ref() != Some(&value)).then_some(value)
    }
}

/// The inputs of the fields of one session.
#[derive(Debug, Default)]
pub struct FieldDrafts {
    drafts: Vec<FieldDraft>,
    /// The field that has the focus, by its JSON Pointer.
    pub focused: Option<String>,
    /// Something was typed, and the end of typing was not reported yet.
    typing: bool,
}

/// Consequence of the input.
#[derive(Debug, PartialEq)]
enum DraftEvent {
    /// An edit that is merged with the previous one.
    Type(SessionEdit),
    /// An edit that is a separate undo step.
    Edit(SessionEdit),
    EndTyping,
}

impl FieldDrafts {
    /// Returns the text of a field: its input, or else the value in the file.
    pub fn text(&self, pointer: &str, kind: InputKind, node: Option<Node<'_>>) -> String {
        match self.draft_of(pointer, kind) {
            Some(draft) => draft.text.clone(),
            None => kind.field_text(&kind.file_text(node)),
        }
    }

    /// Returns the error of the input.
    pub fn fault(&self, pointer: &str, kind: InputKind) -> Option<String> {
        kind.parse(&self.draft_of(pointer, kind)?.text).err()
    }

    /// Returns the first field whose value cannot be written to the file, and the error as a sentence.
    fn invalid(&self) -> Option<(&DraftField, String)> {
        self.drafts.iter().find_map(|draft| {
            let FieldDraft { field, text, .. } = draft;
            let fault = field.kind.parse(text).err()?;
            // Esc in the large field of a response closes the panel, and the text stays.
            let advice = if field.pointer.ends_with("/response") {
                "Correct it first."
            } else {
                "Correct it first, or press Esc in the field to restore its value."
            };
            let (typed, fault, name) = (quoted(text), lower_first(&fault), &field.name);
            Some((field, format!("{name} is invalid: {fault}. It contains {typed}. {advice}")))
        })
    }

    /// Discards the input of a field, so that it shows the value in the file again.
    pub(super) fn cancel(&mut self, pointer: &str) {
        self.drafts.retain(|draft| draft.field.pointer != pointer);
    }

    /// Stores the input of a field, whose value in the file is `node`.
    fn set_text(&mut self, field: DraftField, node: Option<Node<'_>>, text: String) {
        // By kind as well: a response that becomes an object has another draft than its text.
        match self.drafts.iter_mut().find(|draft| draft.field == field) {
            Some(draft) => draft.text = text,
            None => {
                let known = field.kind.file_text(node);
                self.drafts.push(FieldDraft { field, text, known, sent: None });
            }
        }
    }

    /// Synchronizes with the file and returns the next event; nothing while an edit is in progress. With `commits`,
    /// every valid input is written to the file, including that of the focused field.
    fn next_event(&mut self, tree: &Tree, is_editing: bool, commits: bool) -> Option<DraftEvent> {
        for draft in &mut self.drafts {
            draft.sync(draft.field.kind.file_text(tree.at_pointer(&draft.field.pointer)));
        }
        // One edit at a time: the next one must be based on the text after it.
        if is_editing {
            return None;
        }
        for draft in &mut self.drafts {
            let is_live = draft.field.kind.is_live();
            let is_focused = Some(&draft.field.pointer) == self.focused.as_ref();
            if let Some(value) = draft.unsent().filter(|_| is_live || commits || !is_focused) {
                // Typed characters are merged into one undo step until the field is left.
                self.typing |= is_live;
                let edit = draft.field.kind.edit(&draft.field.pointer, &value);
                draft.sent = Some(value);
                return Some(if is_live { DraftEvent::Type(edit) } else { DraftEvent::Edit(edit) });
            }
        }
        while let Some(index) = self.drafts.iter().position(|draft| self.is_done(draft, commits)) {
            let event = self.leave_field(index, tree);
            if event.is_some() {
                return event;
            }
        }
        let has_ended = self.typing && self.drafts.iter().all(|draft| !self.has_focus(draft));
        has_ended.then(|| {
            self.typing = false;
            DraftEvent::EndTyping
        })
    }

    fn has_focus(&self, draft: &FieldDraft) -> bool {
        Some(&draft.field.pointer) == self.focused.as_ref()
    }

    /// Returns whether a field was left, or has to be written as it is, and can be written.
    fn is_done(&self, draft: &FieldDraft, commits: bool) -> bool {
        (commits || !self.has_focus(draft)) && draft.field.kind.parse(&draft.text).is_ok()
    }

    /// Handles a field that lost the focus. An invalid input stays, with its error. An empty optional field is removed
    /// from the file.
    fn leave_field(&mut self, index: usize, tree: &Tree) -> Option<DraftEvent> {
        let draft = self.drafts.remove(index);
        let is_empty = draft.field.kind == InputKind::Optional && draft.text.is_empty();
        let is_there = is_empty && tree.at_pointer(&draft.field.pointer).is_some();
        // Removed only when the field is left: while typing, an empty field is often on its way to another text.
        is_there.then(|| DraftEvent::Type(SessionEdit::Clear(draft.field.pointer)))
    }

    fn draft_of(&self, pointer: &str, kind: InputKind) -> Option<&FieldDraft> {
        let mut drafts = self.drafts.iter();
        drafts.find(|draft| draft.field.pointer == pointer && draft.field.kind == kind)
    }
}

impl SessionsDesk {
    /// Stores what is typed in a field.
    pub(super) fn type_draft(&mut self, core: &Core, field: DraftField, text: String) {
        let SessionState::Ready(document, _) = self.state(core) else { return };
        // Before the field reports the focus: a draft without it would be written at once.
        self.drafts.focused = Some(field.pointer.clone());
        self.drafts.set_text(field.clone(), document.tree.at_pointer(&field.pointer), text);
    }

    /// Requests the next edit that what is typed makes, if none is in progress. With `commits`, also that of the field with the focus.
    pub(crate) fn sync_drafts(&mut self, core: &mut Core, commits: bool) {
        let SessionState::Ready(document, revision) = self.state(core) else { return };
        let is_editing = self.is_editing();
        match self.drafts.next_event(&document.tree, is_editing, commits) {
            Some(DraftEvent::Type(edit)) => self.type_text(core, revision, edit),
            Some(DraftEvent::Edit(edit)) => self.edit(core, revision, edit),
            Some(DraftEvent::EndTyping) => core.journal.end_typing(),
            None => {}
        }
    }

    /// Applies what is typed in fields before a command that needs it. Returns false, and shows the field and why, if something is
    /// invalid.
    pub(crate) fn apply_drafts(&mut self, core: &mut Core) -> bool {
        let Some((field, reason)) = self.drafts.invalid() else {
            self.sync_drafts(core, true);
            return true;
        };
        let pointer = field.pointer.clone();
        core.refuse(Severity::Error, reason);
        core.go(Desk::Sessions, DeskView::List);
        if let Some((_, response)) = pointer.rsplit_once("/tool_responses/") {
            let mut steps = response.split('/');
            self.point(steps.next().and_then(|row| row.parse().ok()).map(FormCursor::Response));
            if steps.next() == Some("response") {
                self.panel = Some(Panel::Response);
            }
        }
        self.focus = Some(pointer);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;

    fn tree(text: &str) -> Tree {
        read(Source::new(text), "a.yaml").tree
    }

    fn field(pointer: &str, kind: InputKind) -> DraftField {
        DraftField { pointer: pointer.to_owned(), name: "Field".to_owned(), kind }
    }

    fn focus(drafts: &mut FieldDrafts, pointer: &str) {
        drafts.focused = Some(pointer.to_owned());
    }

    #[test]
    fn each_character_is_an_edit_and_typing_ends_when_the_field_is_left() {
        let mut drafts = FieldDrafts::default();
        let before = tree("id: a\ninput: b\n");
        drafts.set_text(field("/name", InputKind::Optional), None, "n".to_owned());
        focus(&mut drafts, "/name");
        let event = |text: &str| {
            let edit = SessionEdit::Text("/name".to_owned(), text.to_owned());
            Some(DraftEvent::Type(edit))
        };
        assert_eq!(drafts.next_event(&before, false, false), event("n"));
        drafts.set_text(field("/name", InputKind::Optional), None, "no".to_owned());
        assert_eq!(drafts.next_event(&before, true, false), None);
        let after = tree("id: a\nname: n\ninput: b\n");
        assert_eq!(drafts.next_event(&after, false, false), event("no"));
        let after = tree("id: a\nname: \"no\"\ninput: b\n");
        assert_eq!(drafts.next_event(&after, false, false), None);
        drafts.focused = None;
        assert_eq!(drafts.next_event(&after, false, false), Some(DraftEvent::EndTyping));
    }

    #[test]
    fn an_undo_replaces_the_input() {
        let mut drafts = FieldDrafts::default();
        let now = tree("id: abc\ninput: b\n");
        let node = now.at_pointer("/id");
        focus(&mut drafts, "/id");
        drafts.set_text(field("/id", InputKind::Text), node, "abcd".to_owned());
        assert!(drafts.next_event(&now, false, false).is_some());
        drafts.next_event(&tree("id: a\ninput: b\n"), false, false);
        assert_eq!(drafts.text("/id", InputKind::Text, node), "a");
    }

    #[test]
    fn an_invalid_input_stays_with_its_error() {
        let mut drafts = FieldDrafts::default();
        let (number, object) = (InputKind::Number, InputKind::Object(Syntax::Yaml));
        drafts.set_text(field("/a/status", number), None, "20x".to_owned());
        drafts.set_text(field("/a/response", object), None, "- 1\n".to_owned());
        assert_eq!(drafts.next_event(&tree("a: {}"), false, false), None);
        let faults = [drafts.fault("/a/status", number), drafts.fault("/a/response", object)];
        insta::assert_snapshot!(faults.map(Option::unwrap).join("\n"), @"
        Expected a whole number or an empty field
        Expected an object, found a list
        ");
    }

    #[test]
    fn a_number_is_an_edit_only_when_its_field_is_left_or_saved() {
        let now = tree("a: {}");
        let edit = |number| {
            let pointer = "/a/latency_ms".to_owned();
            Some(DraftEvent::Edit(SessionEdit::Number(pointer, Some(number))))
        };
        for commits in [false, true] {
            let mut drafts = FieldDrafts::default();
            for typed in ["1", "1.", "1.5", "1.5 ", "1.5 s"] {
                focus(&mut drafts, "/a/latency_ms");
                let latency = field("/a/latency_ms", InputKind::Millis);
                drafts.set_text(latency, None, typed.to_owned());
                assert_eq!(drafts.next_event(&now, false, false), None, "{typed}");
            }
            if !commits {
                drafts.focused = None;
            }
            assert_eq!(drafts.next_event(&now, false, commits), edit(1500));
            drafts.next_event(&tree("a: {latency_ms: 1500}"), false, commits);
            assert_eq!(drafts.next_event(&tree("a: {latency_ms: 1500}"), false, commits), None);
        }
    }

    #[test]
    fn an_invalid_number_is_never_an_edit_and_can_be_cancelled() {
        let now = tree("a: {status: 200}");
        let mut drafts = FieldDrafts::default();
        let node = now.at_pointer("/a/status");
        drafts.set_text(field("/a/status", InputKind::Number), node, "12:30".to_owned());
        assert_eq!(drafts.next_event(&now, false, true), None);
        let (_, reason) = drafts.invalid().unwrap();
        assert!(reason.contains("It contains `12:30`."), "{reason}");
        drafts.cancel("/a/status");
        assert_eq!(drafts.text("/a/status", InputKind::Number, node), "200");
        assert!(drafts.invalid().is_none());
    }

    #[test]
    fn milliseconds_are_shown_with_their_unit_and_read_again() {
        let texts = ["30000", "31200", "31250", "9000", "1610000", "85", "007", "-5", "soon", ""];
        let shown = texts.map(|text| InputKind::Millis.field_text(text));
        insta::assert_snapshot!(shown.join(" | "), @"30 s | 31.2 s | 31,250 ms | 9,000 ms | 1,610 s | 85 ms | 007 | -5 | soon | ");
        for (text, shown) in texts.iter().zip(shown).take(6) {
            assert_eq!(InputKind::Millis.parse(&shown).as_deref(), Ok(*text));
        }
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
