//! A value that is being edited: the input so far, the edit it would make, and its state when the file changes.

use std::sync::Arc;

use super::value_choices::choices;
use check::change::{BodyChange, Change};
use document::edit::{Edit, JsonValue};
use document::json::{self, JsonLayout};
use document::text::{Source, named_enum, visible};
use document::units::{self, Unit};
use document::{Document, Node, NodeId, NodeKind, Syntax};
use protocol::Revision;

/// Texts with more bytes than this get a multi-line field.
const MAX_LINE_BYTES: usize = 48;
/// Values with more bytes than this can be edited only in the text of the file.
const MAX_BYTES: usize = 256 << 10;

/// Message for a draft of a body that has changed in the file.
const BODY_CHANGED: &str = "This would replace the changed body; copy your text, then discard it with Esc to see the new one";

named_enum! {
    /// Interpretation of the text of a draft.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ValueForm {
        Text = "As text",
        Number = "As a number",
        /// `true` or `false`.
        Boolean = "As true or false",
        /// Any JSON value.
        Json = "As JSON",
    }

    /// Every form, in menu order.
    const ALL;

    /// Returns the menu label.
    pub fn name;
}

/// The size of a draft's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftSize {
    /// One line in place of the value.
    Line,
    /// A multi-line field with buttons.
    Sheet,
}

/// Part of the file that the input becomes.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftTarget {
    /// It replaces the value.
    Value,
    /// It becomes the content of a body, without the layers around it.
    Decoded,
    /// It becomes the member's key.
    Key,
    /// It becomes a new element of a list, before this index.
    Element(usize),
    /// It becomes a new member with this key.
    Member(String),
}

/// The content of a body as it is edited.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedBody {
    /// The text for the editor.
    pub text: String,
    /// The JSON that it is in the file; `None` for other content.
    pub json: Option<JsonValue>,
    /// The call, by its number from 0, and whether it is the body of its answer.
    pub call: Option<usize>,
    pub is_answer: bool,
    /// `gzip › JSON`
    pub layers: String,
    /// Tags in the text, each with the string that it stands for. Both are JSON.
    pub tags: Vec<(String, String)>,
}

impl DecodedBody {
    /// Returns an edited text with its media in place of the tags.
    pub fn with_media(&self, text: &str) -> String {
        self.tags.iter().fold(text.to_owned(), |text, (tag, string)| text.replace(tag, string))
    }
}

/// An edit in progress. It belongs to one revision of the file; [`ValueDraft::sync`] updates it to the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueDraft {
    /// The file.
    pub path: Arc<str>,
    /// The value, or for a new value its container. `None` if the file changed and no longer has it.
    pub node: Option<NodeId>,
    /// Its JSON Pointer.
    pub pointer: String,
    pub target: DraftTarget,
    pub form: ValueForm,
    /// The unit of the number.
    pub unit: Option<Unit>,
    pub choices: &'static [&'static str],
    /// The input.
    pub text: String,
    /// The size of the field.
    pub size: DraftSize,
    /// The reason why it cannot be applied.
    pub error: Option<String>,
    /// Change of the value in the file since the draft began, as a sentence.
    pub remark: Option<String>,
    /// Whether the field still has to get the focus.
    pub needs_focus: bool,
    /// Whether a menu of the field is open.
    pub is_menu_open: bool,
    pub(super) revision: Revision,
    /// The value in the file when the draft began.
    original: String,
    /// The initial form and input; equal input changes nothing.
    initial: (ValueForm, String),
    /// Whether lines end with CRLF.
    crlf: bool,
    /// The body that is edited.
    pub body: Option<Arc<DecodedBody>>,
}

impl ValueDraft {
    /// Creates a draft of a value; `None` if it is too long for a field.
    pub fn for_value(
        path: &Arc<str>,
        document: &Document,
        node: Node<'_>,
        revision: Revision,
    ) -> Option<Self> {
        if node.span().len() > MAX_BYTES {
            return None;
        }
        let form = initial_form(node);
        let value_text = match form {
            ValueForm::Boolean => node.as_bool().unwrap_or_default().to_string(),
            ValueForm::Json => dedent(&value_json(document, node)),
            _ => node.scalar_text().unwrap_or_default().to_owned(),
        };
        let (text, crlf) = with_line_feeds(value_text);
        let mut draft = Self::new(path, node, DraftTarget::Value, form, text, revision);
        draft.crlf = crlf;
        draft.unit = node.key().and_then(Unit::of_key);
        draft.choices = choices(node);
        if matches!(node.kind(), NodeKind::Array | NodeKind::Object) {
            draft.size = DraftSize::Sheet;
        }
        Some(draft)
    }

    /// Creates a draft of the content of a body; `None` if it is too long for a field.
    pub fn for_decoded(
        path: &Arc<str>,
        node: Node<'_>,
        body: DecodedBody,
        revision: Revision,
    ) -> Option<Self> {
        if body.text.len() > MAX_BYTES {
            return None;
        }
        let (text, crlf) = with_line_feeds(body.text.clone());
        let form = if body.json.is_some() { ValueForm::Json } else { ValueForm::Text };
        let draft = Self::new(path, node, DraftTarget::Decoded, form, text, revision);
        Some(Self { size: DraftSize::Sheet, crlf, body: Some(Arc::new(body)), ..draft })
    }

    /// Creates a draft of a member's key; `None` if there is no key.
    pub fn for_key(path: &Arc<str>, node: Node<'_>, revision: Revision) -> Option<Self> {
        let key = node.key().filter(|key| key.len() <= MAX_BYTES)?.to_owned();
        let draft = Self::new(path, node, DraftTarget::Key, ValueForm::Text, key, revision);
        Some(Self { size: DraftSize::Line, ..draft })
    }

    /// Creates a draft of a new value in a list or an object, in the form of `example`.
    pub fn for_new(
        path: &Arc<str>,
        container: Node<'_>,
        goal: DraftTarget,
        example: Option<Node<'_>>,
        revision: Revision,
    ) -> Self {
        let (form, text) = match example.map(Node::kind) {
            Some(NodeKind::Object) => (ValueForm::Json, "{}"),
            Some(NodeKind::Array) => (ValueForm::Json, "[]"),
            Some(NodeKind::Number | NodeKind::Bool | NodeKind::Null) => (ValueForm::Json, ""),
            _ => (ValueForm::Text, ""),
        };
        let draft = Self::new(path, container, goal, form, text.to_owned(), revision);
        Self { size: DraftSize::Sheet, ..draft }
    }

    fn new(
        path: &Arc<str>,
        node: Node<'_>,
        goal: DraftTarget,
        form: ValueForm,
        text: String,
        revision: Revision,
    ) -> Self {
        Self {
            path: Arc::clone(path),
            node: Some(node.id()),
            pointer: node.pointer(),
            target: goal,
            form,
            unit: None,
            choices: &[],
            size: size_of(&text),
            error: None,
            remark: None,
            needs_focus: true,
            is_menu_open: false,
            revision,
            original: node.raw().to_owned(),
            initial: (form, text.clone()),
            crlf: false,
            body: None,
            text,
        }
    }

    /// Whether two drafts are of one value, or both of its key, or both new in it.
    pub fn is_of_same(&self, other: &Self) -> bool {
        self.path == other.path
            && self.pointer == other.pointer
            && std::mem::discriminant(&self.target) == std::mem::discriminant(&other.target)
    }

    /// Returns the name of the field: `Edit status`, `Rename status`.
    pub fn name(&self) -> String {
        let name = value_name(&self.pointer);
        match self.target {
            DraftTarget::Value => format!("Edit {name}"),
            DraftTarget::Decoded => "Edit decoded body".to_owned(),
            DraftTarget::Key => format!("Rename {name}"),
            DraftTarget::Element(index) => format!("New element {index} of {name}"),
            DraftTarget::Member(_) => format!("New member of {name}"),
        }
    }

    /// Returns the edit, or `None` if nothing changes.
    ///
    /// # Errors
    ///
    /// The reason why the input is invalid or would replace a body that was not seen, as a sentence without a full stop.
    pub fn edit(&self) -> Result<Option<Change>, String> {
        let pointer = self.pointer.clone();
        let edit = match &self.target {
            DraftTarget::Value | DraftTarget::Key
                // After a change in the file, even untouched input differs from the value.
                if self.is_untouched() && self.remark.is_none() =>
            {
                return Ok(None);
            }
            DraftTarget::Decoded if self.is_untouched() => return Ok(None),
            DraftTarget::Decoded if self.remark.is_some() => return Err(BODY_CHANGED.to_owned()),
            DraftTarget::Value => Edit::Set { pointer, value: self.value()? },
            DraftTarget::Decoded
                if let Some(body) = &self.body
                    && let Some(old) = &body.json =>
            {
                let new = from_json(&self.text)?;
                let new = JsonValue::parse(&body.with_media(&self.text)).unwrap_or(new);
                return Ok(Some(Change::Body(BodyChange { pointer, old: old.clone(), new })));
            }
            DraftTarget::Decoded => {
                // `#` stands for the content within the layers of a body.
                Edit::Set { pointer: format!("{pointer}#"), value: self.value()? }
            }
            DraftTarget::Key => Edit::Rename { pointer, key: self.text.clone() },
            DraftTarget::Element(index) => {
                Edit::Insert { pointer: format!("{pointer}/{index}"), value: self.value()? }
            }
            DraftTarget::Member(key) => Edit::Insert {
                pointer: format!("{pointer}/{}", pointer_token(key)),
                value: self.value()?,
            },
        };
        Ok(Some(Change::Value(edit)))
    }

    /// Returns whether the draft would replace a value that is no longer the one it began from.
    pub fn replaces_changed(&self) -> bool {
        let is_replacement = matches!(self.target, DraftTarget::Value | DraftTarget::Decoded);
        is_replacement && self.remark.is_some() && !matches!(self.edit(), Ok(None))
    }

    fn is_untouched(&self) -> bool {
        let (form, text) = &self.initial;
        *form == self.form && *text == self.text
    }

    fn value(&self) -> Result<JsonValue, String> {
        match self.form {
            // The field edits `\n` alone; a text that had CRLF gets it back.
            ValueForm::Text if self.crlf => Ok(JsonValue::text(&self.text.replace('\n', "\r\n"))),
            ValueForm::Text => Ok(JsonValue::text(&self.text)),
            ValueForm::Number => JsonValue::parse(&units::parse_number(&self.text, self.unit)?),
            ValueForm::Boolean | ValueForm::Json => from_json(&self.text),
        }
    }

    /// Handles input. JSON is validated immediately; other forms when applied, since they are rarely valid while
    /// typing.
    pub fn on_typed(&mut self) {
        self.error = if self.form == ValueForm::Json { self.edit().err() } else { None };
    }

    /// Changes the form and converts the input as far as possible.
    pub fn set_form(&mut self, form: ValueForm) {
        let text = match self.form {
            ValueForm::Json => json_text(&self.text),
            _ => self.text.clone(),
        };
        self.text = match form {
            ValueForm::Json if self.form == ValueForm::Text => {
                JsonValue::text(&text).json().to_owned()
            }
            ValueForm::Boolean if text != "true" => "false".to_owned(),
            _ => text,
        };
        self.form = form;
        // A large field stays large: shrinking while one types would be confusing.
        if self.size == DraftSize::Line {
            self.size = size_of(&self.text);
        }
        self.needs_focus = true;
        self.on_typed();
    }

    /// Updates the draft to a new text of the file. If the value changed, the draft stays with a remark.
    pub fn sync(&mut self, document: &Document, revision: Revision) {
        if self.revision == revision {
            return;
        }
        self.revision = revision;
        let node = document.tree.at_pointer(&self.pointer);
        self.node = node.map(Node::id);
        let Some(node) = node else {
            // Without the value there is no row that a field of one line could be in.
            self.size = DraftSize::Sheet;
            self.remark = Some("The file changed; this value no longer exists.".to_owned());
            return;
        };
        if self.original == node.raw() {
            // The value is the original again, for example after an undo.
            if self.remark.take().is_some() {
                self.error = None;
            }
            return;
        }
        // The pointer still finds the member, so its key is unchanged.
        if self.target == DraftTarget::Key {
            return;
        }
        // Nothing was typed yet, so the new value simply replaces the input.
        let new_draft = Self::for_value(&self.path, document, node, revision);
        if let Some(new_draft) =
            new_draft.filter(|_| self.target == DraftTarget::Value && self.is_untouched())
        {
            *self = Self { needs_focus: false, ..new_draft };
            return;
        }
        self.remark = Some(match self.target {
            DraftTarget::Value | DraftTarget::Key => {
                format!("The file changed; the value is now {}", shorten(node))
            }
            DraftTarget::Decoded => "The file changed; the body is different now.".to_owned(),
            DraftTarget::Element(_) => "The file changed; the list is different now.".to_owned(),
            DraftTarget::Member(_) => "The file changed; the object is different now.".to_owned(),
        });
    }
}

/// Returns a text as a field shows it, and whether all its lines end with CRLF, which the field does not have.
fn with_line_feeds(text: String) -> (String, bool) {
    let lines = text.replace("\r\n", "\n");
    // Mixed line ends could not be restored from `\n`, so they stay in the field.
    let crlf = lines != text && !text.replace("\r\n", "").contains(['\r', '\n']);
    if crlf { (lines, true) } else { (text, false) }
}

/// Returns the name of a value: its key, or its number in a list.
pub fn value_name(pointer: &str) -> String {
    let last = pointer.rsplit('/').next().unwrap_or_default();
    match last {
        "" if pointer.is_empty() => "the whole file".to_owned(),
        last if last.bytes().all(|byte| byte.is_ascii_digit()) && !last.is_empty() => {
            format!("element {last}")
        }
        // In this order, as RFC 6901 requires: `~01` is `~1` and not `/`.
        last => visible(&last.replace("~1", "/").replace("~0", "~")).into_owned(),
    }
}

/// Escapes a key for a JSON Pointer.
pub fn pointer_token(key: &str) -> String {
    // `~` first, or the `~` of `~1` would be escaped, too.
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns a value as JSON: unchanged from a JSON file, converted from others.
pub fn value_json(document: &Document, node: Node<'_>) -> String {
    match document.syntax {
        Syntax::Json => node.raw().to_owned(),
        _ => json::write(node, JsonLayout::PRETTY),
    }
}

/// Returns the initial form for a value.
fn initial_form(node: Node<'_>) -> ValueForm {
    match node.kind() {
        NodeKind::Bool => ValueForm::Boolean,
        NodeKind::Number => ValueForm::Number,
        NodeKind::Timestamp => ValueForm::Text,
        NodeKind::String if is_whole(node) => ValueForm::Text,
        _ => ValueForm::Json,
    }
}

/// Returns whether a string is complete. Half a surrogate pair can be edited only as JSON.
fn is_whole(node: Node<'_>) -> bool {
    let is_json = node.tree().syntax() == Syntax::Json;
    !is_json || serde_json::from_str::<String>(node.raw()).is_ok()
}

fn size_of(text: &str) -> DraftSize {
    if text.len() > MAX_LINE_BYTES || text.contains('\n') {
        DraftSize::Sheet
    } else {
        DraftSize::Line
    }
}

fn from_json(text: &str) -> Result<JsonValue, String> {
    let (_, problems) = json::parse(&Source::new(text));
    JsonValue::parse(text).map_err(|reason| match problems.first() {
        Some(problem) => {
            format!("Line {}, column {}: {reason}", problem.place.line, problem.place.column)
        }
        None => reason,
    })
}

/// Returns the text of a JSON string, or other JSON as written.
fn json_text(text: &str) -> String {
    serde_json::from_str::<String>(text).unwrap_or_else(|_| text.trim().to_owned())
}

/// Removes the indentation that a value has in its file.
fn dedent(json: &str) -> String {
    // The first line begins at the value, after the indentation.
    let margin = json
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or_default();
    let line = |(index, line): (usize, &str)| match index {
        0 => line.to_owned(),
        // Blank lines may be shorter than the indentation.
        _ => line.get(margin..).unwrap_or_default().to_owned(),
    };
    json.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

fn shorten(node: Node<'_>) -> String {
    const MAX_EXCERPT_BYTES: usize = 80;
    let json = match node.as_str() {
        Some(text) if text == node.raw() => text.into(),
        _ => json::text(node),
    };
    let beginning = &json[..json.floor_char_boundary(MAX_EXCERPT_BYTES)];
    let dots = if beginning.len() < json.len() { " …" } else { "" };
    format!("{}{dots}", visible(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Document {
        let name = if text.starts_with(['{', '[']) { "a.json" } else { "a.yaml" };
        document::read(Source::new(text), name)
    }

    fn draft(document: &Document, pointer: &str) -> ValueDraft {
        let node = document.tree.at_pointer(pointer).unwrap();
        ValueDraft::for_value(&"a".into(), document, node, Revision::default()).unwrap()
    }

    /// Describes what a draft would change.
    fn change(draft: &ValueDraft) -> String {
        match draft.edit() {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(Change::Value(Edit::Set { pointer, value }))) => {
                format!("{pointer} = {}", value.json())
            }
            Ok(Some(change)) => format!("{change:?}"),
            Err(fault) => format!("! {fault}"),
        }
    }

    #[test]
    fn each_value_starts_in_its_own_form_and_an_untouched_draft_changes_nothing() {
        let text = "{\n  \"s\": \"a\\tb\", \"n\": 1.50, \"b\": true, \"z\": null,\n  \"half\": \"\\ud83d\",\n  \"o\": {\n    \"k\": [1,\n      2]\n  }\n}";
        let document = read(text);
        let description = |pointer: &str| {
            let draft = draft(&document, pointer);
            assert_eq!(change(&draft), "nothing");
            format!("{pointer} {:?} {:?} {:?}\n", draft.form, draft.size, draft.text)
        };
        insta::assert_snapshot!(["/s", "/n", "/b", "/z", "/half", "/o"].map(description).concat(), @r#"
        /s Text Line "a\tb"
        /n Number Line "1.50"
        /b Boolean Line "true"
        /z Json Line "null"
        /half Json Line "\"\\ud83d\""
        /o Json Sheet "{\n  \"k\": [1,\n    2]\n}"
        "#);
        let yaml = read("at: 2026-06-11\non: yes\nhex: 0x10\nlist: [1.50]\n");
        let description = |pointer: &str| {
            let draft = draft(&yaml, pointer);
            format!("{pointer} {:?} {:?}\n", draft.form, draft.text)
        };
        insta::assert_snapshot!(["/at", "/on", "/hex", "/list"].map(description).concat(), @r#"
        /at Text "2026-06-11"
        /on Boolean "true"
        /hex Number "0x10"
        /list Json "[\n  1.50\n]"
        "#);
    }

    #[test]
    fn input_is_validated_by_its_form() {
        let document = read(r#"{"latency_ms": 30, "note": "a\r\nb"}"#);
        let result = |pointer: &str, form: ValueForm, text: &str| {
            let mut draft = draft(&document, pointer);
            draft.form = form;
            draft.text = text.to_owned();
            draft.on_typed();
            let fault = draft.error.as_deref().unwrap_or("fine so far");
            format!("{text:?} {} ({fault})\n", change(&draft))
        };
        let texts = [
            result("/latency_ms", ValueForm::Number, "1.24 s"),
            result("/latency_ms", ValueForm::Number, "soon"),
            result("/latency_ms", ValueForm::Text, "soon"),
            result("/latency_ms", ValueForm::Json, "null"),
            result("/latency_ms", ValueForm::Json, "{\n  \"a\": 1,\n  b }"),
            result("/latency_ms", ValueForm::Json, ""),
            result("/note", ValueForm::Text, "a\nb\nc"),
        ];
        insta::assert_snapshot!(texts.concat(), @r#"
        "1.24 s" /latency_ms = 1240 (fine so far)
        "soon" ! This is not a number (fine so far)
        "soon" /latency_ms = "soon" (fine so far)
        "null" /latency_ms = null (fine so far)
        "{\n  \"a\": 1,\n  b }" ! Line 3, column 3: The key `b` is not in double quotes (Line 3, column 3: The key `b` is not in double quotes)
        "" ! Line 1, column 1: No value (Line 1, column 1: No value)
        "a\nb\nc" /note = "a\r\nb\r\nc" (fine so far)
        "#);
    }

    #[test]
    fn a_value_can_change_its_kind_and_keeps_its_text() {
        let document = read(r#"{"n": 504, "t": "true \"x\"", "b": true}"#);
        let conversion = |pointer: &str, form: ValueForm| {
            let mut draft = draft(&document, pointer);
            draft.set_form(form);
            format!("{pointer} {}: {}\n", form.name(), change(&draft))
        };
        let conversions = [
            conversion("/n", ValueForm::Text),
            conversion("/n", ValueForm::Json),
            conversion("/t", ValueForm::Json),
            conversion("/t", ValueForm::Number),
            conversion("/b", ValueForm::Text),
            conversion("/t", ValueForm::Boolean),
        ];
        insta::assert_snapshot!(conversions.concat(), @r#"
        /n As text: /n = "504"
        /n As JSON: /n = 504
        /t As JSON: /t = "true \"x\""
        /t As a number: ! This is not a number
        /b As text: /b = "true"
        /t As true or false: /t = false
        "#);
        let mut text = draft(&document, "/t");
        text.set_form(ValueForm::Json);
        text.set_form(ValueForm::Text);
        assert_eq!(change(&text), "nothing");
    }

    #[test]
    fn a_draft_stays_when_the_file_changes_and_shows_what_happened_to_its_value() {
        let old_document = read(r#"{"a": 1, "b": "x"}"#);
        let result = |input: &str, text: &str| {
            let mut draft = draft(&old_document, "/b");
            draft.text = input.to_owned();
            draft.sync(&read(text), Revision(1));
            let remark = draft.remark.as_deref().unwrap_or("no remark");
            format!("{remark} → “{}”, {}\n", draft.text, change(&draft))
        };
        let texts = [
            result("typed", r#"{"new": [], "b": "x"}"#),
            result("typed", r#"{"a": 1, "b": "other"}"#),
            result("x", r#"{"a": 1, "b": "other"}"#),
            result("typed", r#"{"a": 1}"#),
        ];
        insta::assert_snapshot!(texts.concat(), @r#"
        no remark → “typed”, /b = "typed"
        The file changed; the value is now "other" → “typed”, /b = "typed"
        no remark → “other”, nothing
        The file changed; this value no longer exists. → “typed”, /b = "typed"
        "#);
    }
}
