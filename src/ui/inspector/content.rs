//! The pieces an inspector is made of: what they say is settled here, how they look is not.

use std::borrow::Cow;

use super::prose::Prose;
use super::values::Values;
use crate::format::{Field, NodeId, Severity, json};
use crate::text::{Source, visible};
use crate::workbench::Action;

/// The most bytes of a text that are read as JSON.
const MOST_JSON: usize = 20_000;
/// The most bytes of a one-line preview.
const PREVIEW: usize = 240;

/// One piece of an inspector, drawn below the one before.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// What the user should know first, with what can be done.
    Banner(Banner),
    /// Something said: a message, an answer, a system prompt.
    Turn(Turn),
    /// The tools a request offers.
    Tools(Tools),
    /// Names and values.
    Facts(Facts),
    /// A heading of the rows that follow.
    Heading(Heading),
    /// One of many: a chunk, a seed, an invariant.
    Row(Row),
}

/// What the user should know first.
#[derive(Clone, Debug, PartialEq)]
pub struct Banner {
    /// How much it weighs.
    pub severity: Severity,
    /// The fault, in a short sentence.
    pub title: String,
    /// What it means.
    pub text: String,
    /// What can be done about it, the likeliest first.
    pub actions: Vec<(Cow<'static, str>, Action)>,
}

/// Which sign stands before a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// A person speaks.
    User,
    /// The model speaks.
    Model,
    /// The system prompt, or whoever else speaks.
    System,
    /// Tools.
    Tool,
    /// A signature.
    Signature,
    /// A source file.
    Source,
    /// The file itself.
    File,
    /// Time and chunks.
    Stream,
    /// Invariants and checks.
    Checks,
    /// Sessions.
    Session,
    /// Seeds.
    Seeds,
}

/// A heading with what is counted below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Heading {
    /// Its sign.
    pub sign: Sign,
    /// Its words.
    pub title: String,
    /// What stands beside it, quieter.
    pub note: String,
}

/// Something said.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Who says it.
    pub heading: Heading,
    /// What stands at the right: a JSON Pointer, or how long the answer took.
    pub right: String,
    /// The value it was read from.
    pub node: Option<NodeId>,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

/// A piece of what is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Words.
    Prose(Prose),
    /// Words that are JSON from end to end: as written, and taken apart.
    Json(Prose, Values),
    /// A quiet remark of ours.
    Remark(String),
    /// What a check found.
    Verdict(RowState, String),
    /// A call of a tool.
    Call(Call),
    /// A value in full, under a caption.
    Value(String, Values),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The call as a value of the file.
    pub node: NodeId,
    /// The tool.
    pub tool: ToolName,
    /// The call's id; empty when it has none.
    pub id: String,
    /// Its input.
    pub input: Values,
}

/// The tools a request offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tools {
    /// Their heading.
    pub heading: Heading,
    /// In the order of the file.
    pub tools: Vec<OfferedTool>,
}

/// A tool that a request offers.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    /// The tool as a value of the file.
    pub node: NodeId,
    /// Its name.
    pub tool: ToolName,
    /// What the model is told of it.
    pub description: String,
    /// The schema of its input.
    pub schema: Option<Values>,
    /// True when the answer calls it.
    pub called: bool,
}

/// A tool's name, its common prefix apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolName {
    /// What kind of tool the prefix tells of.
    pub kind: ToolKind,
    /// `transition_to_` or alike; may be empty.
    pub prefix: &'static str,
    /// The rest.
    pub rest: String,
}

/// What a tool does, told by its prefix.
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
pub struct Facts {
    /// Their heading.
    pub heading: Heading,
    /// In order.
    pub facts: Vec<Fact>,
    /// What stands below them.
    pub foot: Option<Box<Foot>>,
}

/// A sentence below names and values, with a link behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Foot {
    /// The sentence.
    pub words: String,
    /// The words of the link.
    pub link: &'static str,
    /// What a press on the link does.
    pub action: Action,
}

/// A name and a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The name.
    pub name: String,
    /// The value, nothing in it hidden.
    pub value: String,
    /// How it is set.
    pub face: Face,
    /// A remark behind the value.
    pub remark: String,
    /// What is copied instead of `value`, where that was shortened.
    pub full: Option<String>,
    /// The value it was read from; none where it was found out.
    pub node: Option<NodeId>,
}

/// How a value is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// In words.
    Words,
    /// As data.
    Data,
}

/// One of many.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The value it was read from.
    pub node: NodeId,
    /// How it stands, if it can stand well or badly.
    pub state: Option<RowState>,
    /// What stands before it: a number.
    pub lead: String,
    /// What it is.
    pub title: Told,
    /// What stands at the right.
    pub right: Vec<Told>,
    /// More, below.
    pub parts: Vec<Part>,
}

/// Something that a row says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The words.
    pub text: String,
    /// The value that they were read from; none where they were found out.
    pub node: Option<NodeId>,
}

/// How a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// It holds.
    Good,
    /// It does not.
    Bad,
    /// It should be looked at.
    Odd,
}

impl Heading {
    pub(super) fn new(sign: Sign, title: &str, note: impl Into<String>) -> Self {
        Self {
            sign,
            title: title.to_owned(),
            note: note.into(),
        }
    }
}

impl Fact {
    /// A value set as data.
    pub(super) fn data(name: &str, value: &str) -> Self {
        Self {
            name: name.to_owned(),
            value: preview(value),
            face: Face::Data,
            remark: String::new(),
            full: (value.len() > PREVIEW).then(|| value.to_owned()),
            node: None,
        }
    }

    /// A value in words.
    pub(super) fn words(name: &str, value: &str) -> Self {
        Self {
            face: Face::Words,
            ..Self::data(name, value)
        }
    }

    /// Says which value it was read from.
    pub(super) fn of<T>(self, field: &Option<Field<T>>) -> Self {
        Self {
            node: field.as_ref().map(|field| field.node),
            ..self
        }
    }
}

impl Told {
    /// Words that were found out.
    pub(super) fn words(text: String) -> Self {
        Self { text, node: None }
    }

    /// Says which value it was read from.
    pub(super) fn of<T>(self, field: &Option<Field<T>>) -> Self {
        Self {
            node: field.as_ref().map(|field| field.node),
            ..self
        }
    }
}

impl Part {
    /// What somebody said. A text that is JSON from end to end is taken apart, as long as it is not overlong.
    pub(super) fn said(node: Option<NodeId>, text: &str) -> Self {
        let prose = Prose::new(node, text);
        let framed = |open, close| {
            let text = text.trim();
            text.starts_with(open) && text.ends_with(close)
        };
        if !(framed('{', '}') || framed('[', ']')) || text.len() > MOST_JSON {
            return Self::Prose(prose);
        }
        let (tree, problems) = json::parse(&Source::new(text));
        match tree.root() {
            Some(root) if problems.is_empty() && !root.is_empty() => {
                let values = Values {
                    node: None,
                    ..Values::of(root)
                };
                Self::Json(prose, values)
            }
            _ => Self::Prose(prose),
        }
    }
}

impl ToolName {
    /// Parts a name from its common prefix.
    pub fn new(name: &str) -> Self {
        let known = [
            ("transition_to_", ToolKind::Transition),
            ("read_", ToolKind::Read),
            ("write_", ToolKind::Write),
        ];
        let split = known.iter().find_map(|&(prefix, kind)| {
            let rest = name.strip_prefix(prefix)?;
            (!rest.is_empty()).then_some((prefix, kind, rest))
        });
        let (prefix, kind, rest) = split.unwrap_or(("", ToolKind::Other, name));
        Self {
            kind,
            prefix,
            rest: preview(rest),
        }
    }
}

/// The beginning of a text on one line, with nothing hidden.
pub(super) fn preview(text: &str) -> String {
    let kept = &text[..text.floor_char_boundary(PREVIEW)];
    let dots = if kept.len() < text.len() { " …" } else { "" };
    format!("{}{dots}", visible(kept))
}

/// `no tools`, `1 tool`, `4 tools`.
pub(super) fn count(number: usize, one: &str) -> String {
    let number_shown = crate::ops::diff::thousands(number);
    match number {
        0 => format!("no {one}s"),
        1 => format!("1 {one}"),
        _ => format!("{number_shown} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_of_a_name_gives_the_kind_of_the_tool() {
        let name = |name| {
            let name = ToolName::new(name);
            (name.kind, name.prefix, name.rest)
        };
        assert_eq!(
            name("transition_to_pathA"),
            (ToolKind::Transition, "transition_to_", "pathA".to_owned())
        );
        assert_eq!(name("read_"), (ToolKind::Other, "", "read_".to_owned()));
        assert_eq!(
            name("pay\u{200b}pal"),
            (ToolKind::Other, "", "pay\\u{200b}pal".to_owned())
        );
    }

    #[test]
    fn a_text_that_is_json_is_parsed_and_any_other_text_stays_prose() {
        let part = |text: &str| Part::said(None, text);
        let Part::Json(prose, values) = part(" {\"a\": [1, \"b\"]}\n") else {
            panic!("this is JSON");
        };
        assert_eq!(prose.text, " {\"a\": [1, \"b\"]}");
        let lines = values
            .lines
            .iter()
            .map(|line| format!("{}{}", line.key, line.value));
        assert_eq!(lines.collect::<Vec<_>>(), ["a", "-1", "-\"b\""]);
        for words in [
            "{name} sends",
            "[1] see below",
            "{}",
            "{\"a\": 1} {\"b\": 2}",
        ] {
            assert!(matches!(part(words), Part::Prose(_)), "{words}");
        }
    }
}
