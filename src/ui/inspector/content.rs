//! The sections of an inspector: their content, independent of how they are painted.

use std::borrow::Cow;
use std::collections::HashSet;

use super::prose::{MAX_PREVIEW_BYTES, Prose, preview};
use super::values::Values;
use calls::prompt::{NodePrompt, PromptEntry};
use document::text::{Source, counted, visible};
use document::{Field, Node, NodeId, Severity, json, text};
use widgets::icons;
use workbench::Action;

/// Maximum bytes of a text that is parsed as JSON.
const MAX_JSON_BYTES: usize = 20_000;
/// Texts up to this many bytes are not folded: who answers a request has no time to unfold them.
const MAX_UNFOLDED_BYTES: usize = 8 * 1024;

/// One section of an inspector, drawn below the previous one.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// An important message with actions.
    Banner(Banner),
    /// A turn: a message, an answer, or a system prompt.
    Turn(Turn),
    /// The prompt of a node, taken apart.
    Prompt(Box<PromptCard>),
    /// The tools a request offers.
    Tools(Tools),
    /// Names and values.
    Facts(FactList),
    /// A heading of the rows that follow.
    Heading(Heading),
    /// One of many: a chunk, a seed, an invariant.
    Row(SectionRow),
    /// A row that shows and hides the sections after it.
    Fold(Fold),
}

/// A row that shows and hides the sections after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    pub kind: FoldKind,
    /// Its note summarises the content.
    pub heading: Heading,
    /// Number of sections after it that it shows and hides.
    pub sections: usize,
}

/// Content of a fold. The same fold of another file is open as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldKind {
    /// The messages before the prompt.
    Before,
    /// The messages between the prompt and the answer.
    Between,
    Tools,
    System,
    Signature,
    Source,
    /// Facts about the recording, the request or the call.
    Facts,
    Headers,
    /// The body of a request.
    SentBody,
    /// The body of an answer.
    ReceivedBody,
}

/// An important message.
#[derive(Clone, Debug, PartialEq)]
pub struct Banner {
    /// Decides the colour.
    pub severity: Severity,
    pub icon: &'static str,
    /// The problem in a short sentence.
    pub title: String,
    /// An explanation.
    pub text: String,
    /// The possible actions, most likely first.
    pub actions: Vec<(Cow<'static, str>, Action)>,
}

/// A heading with a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Heading {
    /// Its icon; that of the model is coloured.
    pub icon: &'static str,
    /// Empty below a fold: then no heading is shown.
    pub title: String,
    /// A muted note beside the title.
    pub note: String,
}

/// A turn of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Whether it is the answer or the prompt, not one of many messages.
    pub is_main: bool,
    /// The speaker. The note is shown on hover, with `right`.
    pub heading: Heading,
    /// A JSON Pointer, or the duration of the answer.
    pub right: String,
    /// The node it was read from.
    pub node: Option<NodeId>,
    /// The content, in order.
    pub parts: Vec<SectionPart>,
}

impl Turn {
    /// Creates a turn, with a link to the node it was read from.
    pub(super) fn new(heading: Heading, node: Option<Node<'_>>, parts: Vec<SectionPart>) -> Self {
        let right = node.map(Node::pointer).unwrap_or_default();
        Self { is_main: false, heading, right, node: node.map(Node::id), parts }
    }

    /// Removes the nodes from a turn, so that it has no edit buttons and no links.
    pub(super) fn read_only(mut self) -> Self {
        for part in &mut self.parts {
            if let SectionPart::Prose(prose) | SectionPart::Json(prose, _) = part {
                prose.node = None;
                if prose.text.len() <= MAX_UNFOLDED_BYTES {
                    prose.folded = prose.text.len();
                }
            }
            if let SectionPart::Json(_, values)
            | SectionPart::Value(_, values)
            | SectionPart::Call(ToolCallPart { input: values, .. }) = part
            {
                values.node = None;
            }
        }
        Self { right: String::new(), node: None, ..self }
    }
}

/// The prompt of a node, taken apart. All texts have their hidden characters escaped.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptCard {
    /// The whole message as any other is shown. It has the heading of the card too.
    pub turn: Turn,
    pub node: PromptNode,
    /// The user's own words: a heading, which may be empty, and a text.
    pub own: Vec<(String, Prose)>,
}

/// The node of a prompt. All texts have their hidden characters escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptNode {
    pub name: String,
    /// The node's type; may be empty.
    pub kind: String,
    /// `step 2`; may be empty.
    pub step: String,
    /// May be empty.
    pub objective: String,
    pub transitions: Vec<PromptChip>,
    /// The context nodes that may be accessed.
    pub context: Vec<PromptChip>,
}

impl PromptNode {
    /// Describes the node of a prompt whose answer calls these tools.
    pub fn new(prompt: &NodePrompt<'_>, called_names: &HashSet<&str>) -> Self {
        let escape = |text: Option<&str>| visible(text.unwrap_or_default()).into_owned();
        let chips = |kind: ToolKind, entries: &[PromptEntry<'_>], prefixes: &[&str]| {
            let chip = |entry: &PromptEntry<'_>| PromptChip {
                kind,
                name: escape(Some(entry.name)),
                note: escape(entry.note),
                // DyGram puts these prefixes before the name of a node to name its tools.
                called: (prefixes.iter())
                    .any(|prefix| called_names.contains(&*format!("{prefix}{}", entry.name))),
            };
            entries.iter().map(chip).collect()
        };
        Self {
            name: escape(Some(prompt.node)),
            kind: escape(prompt.kind),
            step: (prompt.visited)
                // The prompt counts the nodes visited before this one.
                .map(|count| format!("step {}", count.saturating_add(1)))
                .unwrap_or_default(),
            objective: escape(prompt.objective),
            transitions: chips(ToolKind::Transition, &prompt.transitions, &["transition_to_"]),
            context: chips(ToolKind::Read, &prompt.context, &["read_", "write_"]),
        }
    }

    /// Returns the rows of chips, each with its name.
    pub fn rows(&self) -> [(&'static str, &[PromptChip]); 2] {
        [("Transitions", &self.transitions), ("Context", &self.context)]
    }
}

/// A transition or a context node of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptChip {
    pub kind: ToolKind,
    pub name: String,
    /// The description or the permissions; may be empty.
    pub note: String,
    /// Whether the answer calls a tool of it.
    pub called: bool,
}

impl PromptChip {
    /// Returns its texts as one: `respond, known issue, called`.
    pub fn describe(&self) -> String {
        let state = if self.called { "called" } else { "" };
        let mut words = vec![&*self.name, &*self.note, state];
        words.retain(|word| !word.is_empty());
        words.join(", ")
    }
}

/// A part of a turn or row.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionPart {
    Prose(Prose),
    /// Text that is entirely JSON: as written, and parsed.
    Json(Prose, Values),
    /// Text in the data font, as it is.
    Data(String),
    /// A muted remark by Retake.
    Remark(String),
    /// The result of a check.
    Verdict(RowState, String),
    /// The layers of a body, the outermost first.
    Layers(BodyLayers),
    /// Place of the pictures and sounds of the request or the answer.
    Media(MediaSpot),
    /// The events of a stream, as bars: the length of each.
    Events(Vec<usize>),
    /// A call of a tool.
    Call(ToolCallPart),
    /// A value in full, under a caption.
    Value(String, Values),
}

/// Place of the pictures and sounds of the request or the answer, which are decoded later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaSpot {
    pub is_answer: bool,
    /// Number of pictures that the messages name, whether or not the file has them.
    pub named_pictures: usize,
}

/// The layers of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLayers {
    /// The call and its body as values of the file.
    pub call: NodeId,
    pub node: NodeId,
    /// The outermost first; the last is the form of the content.
    pub names: Vec<&'static str>,
    /// Size of the content; `None` if it is a value of the file.
    pub bytes: Option<usize>,
    /// Whether it is the body of the answer, whose picture may be the innermost layer.
    pub is_of_answer: bool,
    /// Whether the content can be edited.
    pub is_text: bool,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCallPart {
    /// The call as a value of the file.
    pub node: NodeId,
    pub tool: PrefixedToolName,
    /// The call's id; empty when it has none.
    pub id: String,
    pub input: Values,
}

/// The tools a request offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tools {
    pub heading: Heading,
    /// In the order of the file.
    pub tools: Vec<OfferedTool>,
}

/// A tool that a request offers.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    /// The tool as a value of the file.
    pub node: NodeId,
    pub tool: PrefixedToolName,
    /// The description that the model gets.
    pub description: String,
    /// The schema of its input.
    pub schema: Option<Values>,
    /// Whether the answer calls it.
    pub called: bool,
}

/// A tool's name, divided into its common prefix and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixedToolName {
    /// The kind of tool that the prefix indicates.
    pub kind: ToolKind,
    /// A prefix such as `transition_to_`; may be empty.
    pub prefix: &'static str,
    pub rest: String,
}

/// The kind of a tool, derived from its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// `transition_to_`
    Transition,
    /// `read_`
    Read,
    /// `write_`
    Write,
    /// Any other.
    Other,
}

/// Names and values.
#[derive(Clone, Debug, PartialEq)]
pub struct FactList {
    pub heading: Heading,
    /// In order.
    pub facts: Vec<Fact>,
    /// A footer below them.
    pub footer: Option<Box<FactsFooter>>,
}

/// A sentence below names and values, with a link after it.
#[derive(Clone, Debug, PartialEq)]
pub struct FactsFooter {
    /// The sentence.
    pub text: String,
    /// The label of the link.
    pub link_label: Cow<'static, str>,
    /// The action of the link.
    pub action: Action,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub name: String,
    /// The value, with hidden characters escaped.
    pub value: String,
    /// Whether the value is in the data font.
    pub is_data: bool,
    /// A remark after the value.
    pub remark: String,
    /// The text to copy instead of `value`, if that was shortened.
    pub full: Option<String>,
    /// The node it was read from; `None` if it was computed.
    pub node: Option<NodeId>,
}

/// A row of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionRow {
    /// The node it was read from.
    pub node: NodeId,
    /// The state, if it can be good or bad.
    pub state: Option<RowState>,
    /// The text before the title: a number.
    pub lead: String,
    pub title: RowText,
    pub right: Vec<RowText>,
    /// Parts below the title.
    pub parts: Vec<SectionPart>,
}

/// A text in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowText {
    pub text: String,
    /// The node it was read from; `None` if it was computed.
    pub node: Option<NodeId>,
}

/// The state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// The check passes.
    Good,
    /// The check fails.
    Bad,
    /// It should be reviewed.
    Doubtful,
}

impl ToolKind {
    pub fn icon(self) -> &'static str {
        match self {
            Self::Transition => icons::ARROW_RIGHT,
            Self::Read => icons::BOOK_OPEN,
            Self::Write => icons::PENCIL,
            Self::Other => icons::WRENCH,
        }
    }
}

impl Heading {
    pub(super) fn new(icon: &'static str, title: &str, note: impl Into<String>) -> Self {
        Self { icon, title: title.to_owned(), note: note.into() }
    }
}

impl Section {
    pub(super) fn banner(
        severity: Severity,
        title: &str,
        text: &str,
        actions: Vec<(Cow<'static, str>, Action)>,
    ) -> Self {
        Self::Banner(Banner {
            severity,
            icon: icons::severity(severity),
            title: title.to_owned(),
            text: text.to_owned(),
            actions,
        })
    }

    /// Returns the answer, if this is one.
    pub(super) fn answer_mut(&mut self) -> Option<&mut Turn> {
        match self {
            Self::Turn(turn) if turn.is_main && turn.heading.icon == icons::SPARKLES => Some(turn),
            _ => None,
        }
    }

    /// Returns a list of facts under a heading.
    pub(super) fn facts(
        icon: &'static str,
        title: &str,
        note: impl Into<String>,
        facts: impl IntoIterator<Item = impl Into<Option<Fact>>>,
    ) -> Self {
        let heading = Heading::new(icon, title, note);
        let facts = facts.into_iter().filter_map(Into::into).collect();
        Self::Facts(FactList { heading, facts, footer: None })
    }

    /// Returns a turn, with a link to the node it was read from.
    pub(super) fn turn(heading: Heading, node: Option<Node<'_>>, parts: Vec<SectionPart>) -> Self {
        Self::Turn(Turn::new(heading, node, parts))
    }

    /// Returns rows below a heading with their number; nothing without rows.
    pub(super) fn list(
        icon: &'static str,
        title: &str,
        rows: impl ExactSizeIterator<Item = SectionRow>,
    ) -> Vec<Self> {
        let heading = (rows.len() > 0).then(|| Self::heading(icon, title, rows.len().to_string()));
        heading.into_iter().chain(rows.map(Self::Row)).collect()
    }

    /// Returns a heading of the rows that follow.
    pub(super) fn heading(icon: &'static str, title: &str, note: impl Into<String>) -> Self {
        Self::Heading(Heading::new(icon, title, note))
    }

    /// Returns the section below a row that shows and hides it. The row has the heading.
    pub(super) fn folded(mut self, kind: FoldKind) -> Vec<Self> {
        let (heading, is_empty) = match &mut self {
            Self::Turn(turn) => (&mut turn.heading, false),
            Self::Tools(tools) => (&mut tools.heading, false),
            Self::Facts(list) => {
                let is_empty = list.facts.is_empty() && list.footer.is_none();
                (&mut list.heading, is_empty)
            }
            _ => return vec![self],
        };
        let no_heading = Heading::new(heading.icon, "", "");
        let (heading, sections) = (std::mem::replace(heading, no_heading), usize::from(!is_empty));
        let fold = Self::Fold(Fold { kind, heading, sections });
        // The row remains, because its note says why there is nothing.
        if is_empty { vec![fold] } else { vec![fold, self] }
    }
}

impl Fact {
    /// Creates a fact with a value in the data font.
    pub(super) fn data(name: &str, value: &str) -> Self {
        Self {
            name: name.to_owned(),
            value: preview(value),
            is_data: true,
            remark: String::new(),
            full: (value.len() > MAX_PREVIEW_BYTES).then(|| value.to_owned()),
            node: None,
        }
    }

    /// Creates a fact with a value in the text font.
    pub(super) fn prose(name: &str, value: &str) -> Self {
        Self { is_data: false, ..Self::data(name, value) }
    }

    /// Sets the field it was read from.
    pub(super) fn with_field<T>(self, field: &Option<Field<T>>) -> Self {
        Self { node: field.as_ref().map(|field| field.node), ..self }
    }
}

impl SectionRow {
    /// Creates a row of the list, by its index.
    pub(super) fn new(
        index: usize,
        node: NodeId,
        title: RowText,
        right: Vec<RowText>,
        parts: Vec<SectionPart>,
    ) -> Self {
        Self { node, state: None, lead: (index + 1).to_string(), title, right, parts }
    }
}

impl RowText {
    /// Creates a text that was computed.
    pub(super) fn computed(text: impl Into<String>) -> Self {
        Self { text: text.into(), node: None }
    }

    /// Creates the text of a field, or another one if the field does not exist.
    pub(super) fn of(field: &Option<Field<String>>, otherwise: &str) -> Self {
        Self::computed(preview(text(field).unwrap_or(otherwise))).with_field(field)
    }

    /// Sets the field it was read from.
    pub(super) fn with_field<T>(self, field: &Option<Field<T>>) -> Self {
        Self { node: field.as_ref().map(|field| field.node), ..self }
    }
}

impl SectionPart {
    /// Creates a part from the text of a field.
    pub(super) fn of(field: &Field<String>) -> Self {
        Self::from_text(Some(field.node), &field.value)
    }

    /// Creates a part from a value without a caption.
    pub(super) fn value(node: Node<'_>) -> Self {
        Self::Value(String::new(), Values::from_node(node))
    }

    /// Creates a part from a text. A text that is entirely JSON is parsed, unless it is too long.
    pub(super) fn from_text(node: Option<NodeId>, text: &str) -> Self {
        let prose = Prose::new(node, text);
        let is_framed = |open, close| {
            let text = text.trim();
            text.starts_with(open) && text.ends_with(close)
        };
        // Most texts are prose, and parsing them is expensive compared with a look at both ends.
        if !(is_framed('{', '}') || is_framed('[', ']')) || text.len() > MAX_JSON_BYTES {
            return Self::Prose(prose);
        }
        let (tree, problems) = json::parse(&Source::new(text));
        match tree.root() {
            Some(root) if problems.is_empty() && !root.is_empty() => {
                // Ids of another tree: in the tree of the file they would be other values.
                let values = Values { node: None, ..Values::from_node(root) };
                Self::Json(prose, values)
            }
            _ => Self::Prose(prose),
        }
    }
}

impl PrefixedToolName {
    /// Splits a name after its common prefix.
    pub fn new(name: &str) -> Self {
        let prefixes = [
            ("transition_to_", ToolKind::Transition),
            ("read_", ToolKind::Read),
            ("write_", ToolKind::Write),
        ];
        let split = prefixes.iter().find_map(|&(prefix, kind)| {
            let rest = name.strip_prefix(prefix)?;
            // A tool may have just the prefix as its name.
            (!rest.is_empty()).then_some((prefix, kind, rest))
        });
        let (prefix, kind, rest) = split.unwrap_or(("", ToolKind::Other, name));
        Self { kind, prefix, rest: preview(rest) }
    }
}

/// Formats a count: `no tools`, `1 tool`, `4 tools`.
pub(super) fn count(number: usize, one: &str) -> String {
    if number == 0 { format!("no {one}s") } else { counted(number, one, &format!("{one}s")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_of_a_name_gives_the_kind_of_the_tool() {
        let name = |name| {
            let name = PrefixedToolName::new(name);
            (name.kind, name.prefix, name.rest)
        };
        assert_eq!(
            name("transition_to_pathA"),
            (ToolKind::Transition, "transition_to_", "pathA".to_owned())
        );
        assert_eq!(name("read_"), (ToolKind::Other, "", "read_".to_owned()));
        assert_eq!(name("pay\u{200b}pal"), (ToolKind::Other, "", "pay\\u{200b}pal".to_owned()));
    }

    #[test]
    fn a_text_that_is_json_is_parsed_and_any_other_text_stays_prose() {
        let part = |text: &str| SectionPart::from_text(None, text);
        let SectionPart::Json(prose, values) = part(" {\"a\": [1, \"b\"]}\n") else {
            panic!("this is JSON");
        };
        assert_eq!(prose.text, " {\"a\": [1, \"b\"]}");
        let lines = values.lines.iter().map(|line| format!("{}{}", line.key, line.value));
        assert_eq!(lines.collect::<Vec<_>>(), ["a", "-1", "-\"b\""]);
        for words in ["{name} sends", "[1] see below", "{}", "{\"a\": 1} {\"b\": 2}"] {
            assert!(matches!(part(words), SectionPart::Prose(_)), "{words}");
        }
    }
}
