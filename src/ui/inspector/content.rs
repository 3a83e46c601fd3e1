//! The pieces an inspector is made of: what they say is settled here, how they look is not.

use std::borrow::Cow;

use crate::format::{Field, Node, NodeId, NodeKind, Severity, json};
use crate::text::{Source, visible, visible_lines};
use crate::workbench::Action;

/// Texts of more lines than this are folded.
const FOLD_LINES: usize = 12;
/// Texts of more bytes than this are folded even if they have few lines.
const FOLD_BYTES: usize = 900;
/// The most bytes of one text that are shown here; the text view shows all.
const MOST_BYTES: usize = 100_000;
/// The most bytes of a text that are read as JSON.
const MOST_JSON: usize = 20_000;
/// The most lines a value takes here; the tree shows all.
const MOST_VALUES: usize = 120;
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

/// A text, folded when it is long. Hidden characters are escaped; line ends and tabs stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prose {
    /// The value it was read from; also tells unfolded texts apart.
    pub node: Option<NodeId>,
    /// The whole text, up to what can be shown here.
    pub text: String,
    /// How many bytes of `text` are shown while it is folded; all of them for a short text.
    pub folded: usize,
    /// How many lines the text has in the file.
    pub lines: usize,
    /// True when `text` is only the beginning.
    pub cut: bool,
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

/// A value as lines of keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The value itself, if it is one of the file.
    pub node: Option<NodeId>,
    /// In order.
    pub lines: Vec<ValueLine>,
    /// How many values are not among the lines.
    pub more: usize,
}

/// One line of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueLine {
    /// How many values it lies in.
    pub depth: u16,
    /// Its key, or a dash for an element of a list.
    pub key: String,
    /// What it says; empty for what follows on more lines.
    pub value: String,
    /// What kind of value; decides the colour.
    pub kind: NodeKind,
}

/// Names and values.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Their heading.
    pub heading: Heading,
    /// In order.
    pub facts: Vec<Fact>,
    /// A sentence below them, and what a press on its last words does.
    pub foot: Option<(String, Option<(&'static str, Action)>)>,
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

impl Prose {
    /// Makes a text ready to be shown.
    pub(super) fn new(node: Option<NodeId>, text: &str) -> Self {
        let kept = &text[..text.floor_char_boundary(MOST_BYTES)];
        let shown = visible_lines(kept);
        let shown = shown.trim_end().to_owned();
        let by_lines = nth_line_end(&shown, FOLD_LINES);
        // A fold that saves two lines costs more than it gives.
        let folded = match nth_line_end(&shown, FOLD_LINES + 3) {
            None if shown.len() <= FOLD_BYTES + FOLD_BYTES / 2 => shown.len(),
            None => shown.floor_char_boundary(FOLD_BYTES),
            Some(_) => shown.floor_char_boundary(by_lines.unwrap_or(shown.len()).min(FOLD_BYTES)),
        };
        Self {
            node,
            lines: memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() + 1,
            cut: kept.len() < text.len(),
            folded,
            text: shown,
        }
    }

    /// What is shown while the text is folded.
    pub fn beginning(&self) -> &str {
        self.text.get(..self.folded).unwrap_or(&self.text)
    }

    /// True when a part of the text is folded away.
    pub fn is_folded(&self) -> bool {
        self.folded < self.text.len()
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

impl Values {
    /// Takes a value apart into lines: an object's members and a list's elements, each on its own.
    pub(super) fn of(node: Node<'_>) -> Self {
        let mut values = Self {
            node: Some(node.id()),
            ..Self::default()
        };
        if !matches!(node.kind(), NodeKind::Object | NodeKind::Array) || node.is_empty() {
            values.lines.push(line(node, 0, String::new()));
            return values;
        }
        let mut waiting: Vec<(Node<'_>, u16)> = Vec::new();
        push_items(&mut waiting, node, 0);
        while let Some((node, depth)) = waiting.pop() {
            if values.lines.len() == MOST_VALUES {
                values.more = waiting.len() + 1;
                break;
            }
            let key = node.key().map_or_else(|| "-".to_owned(), preview);
            values.lines.push(line(node, depth, key));
            push_items(&mut waiting, node, depth + 1);
        }
        values
    }
}

fn push_items<'a>(waiting: &mut Vec<(Node<'a>, u16)>, node: Node<'a>, depth: u16) {
    let first = waiting.len();
    waiting.extend(node.items().map(|item| (item, depth)));
    waiting[first..].reverse();
}

fn line(node: Node<'_>, depth: u16, key: String) -> ValueLine {
    let value = match node.kind() {
        NodeKind::Object if node.is_empty() => "{}".to_owned(),
        NodeKind::Array if node.is_empty() => "[]".to_owned(),
        NodeKind::Object | NodeKind::Array => String::new(),
        _ => preview(node.raw()),
    };
    ValueLine {
        depth,
        key,
        value,
        kind: node.kind(),
    }
}

/// The beginning of a text on one line, with nothing hidden.
pub(super) fn preview(text: &str) -> String {
    let kept = &text[..text.floor_char_boundary(PREVIEW)];
    let dots = if kept.len() < text.len() { " …" } else { "" };
    format!("{}{dots}", visible(kept))
}

fn nth_line_end(text: &str, n: usize) -> Option<usize> {
    memchr::memchr_iter(b'\n', text.as_bytes()).nth(n.checked_sub(1)?)
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

/// The inspector's content as plain text, for tests.
#[cfg(test)]
pub(super) fn picture(sections: &[Section]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    let heading = |text: &mut String, heading: &Heading, right: &str| {
        let _ = writeln!(text, "# {} | {} | {right}", heading.title, heading.note);
    };
    for section in sections {
        match section {
            Section::Banner(banner) => {
                let names: Vec<&str> = banner.actions.iter().map(|(name, _)| &**name).collect();
                let _ = writeln!(
                    text,
                    "! {} {} {} {names:?}",
                    banner.severity, banner.title, banner.text
                );
            }
            Section::Turn(turn) => {
                heading(&mut text, &turn.heading, &turn.right);
                parts(&mut text, &turn.parts);
            }
            Section::Tools(tools) => {
                heading(&mut text, &tools.heading, "");
                for tool in &tools.tools {
                    let called = if tool.called { " called" } else { "" };
                    let name = &tool.tool;
                    let _ = writeln!(text, "  [{}]{}{called}", name.prefix, name.rest);
                }
            }
            Section::Facts(facts) => {
                heading(&mut text, &facts.heading, "");
                for fact in &facts.facts {
                    let _ = writeln!(text, "  {}: {} {}", fact.name, fact.value, fact.remark);
                }
                if let Some((foot, action)) = &facts.foot {
                    let link = action.as_ref().map_or("", |(name, _)| name);
                    let _ = writeln!(text, "  {foot} {link}");
                }
            }
            Section::Heading(it) => heading(&mut text, it, ""),
            Section::Row(row) => {
                let state = row
                    .state
                    .map_or(String::new(), |state| format!(" {state:?}"));
                let right: Vec<&str> = row.right.iter().map(|told| &*told.text).collect();
                let (lead, title, right) = (&row.lead, &row.title.text, right.join(" · "));
                let _ = writeln!(text, "- {lead} {title} | {right}{state}");
                parts(&mut text, &row.parts);
            }
        }
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    return lines.join("\n");

    fn parts(text: &mut String, parts: &[Part]) {
        for part in parts {
            let _ = match part {
                Part::Prose(prose) => {
                    writeln!(text, "  {}", prose.beginning().replace('\n', "\n  "))
                }
                Part::Json(_, value) => {
                    values(text, value);
                    Ok(())
                }
                Part::Remark(remark) => writeln!(text, "  ({remark})"),
                Part::Verdict(state, found) => writeln!(text, "  {state:?}: {found}"),
                Part::Call(call) => {
                    let name = format!("{}{}", call.tool.prefix, call.tool.rest);
                    let _ = writeln!(text, "  call {name} {}", call.id);
                    values(text, &call.input);
                    Ok(())
                }
                Part::Value(caption, value) => {
                    let _ = writeln!(text, "  {caption}");
                    values(text, value);
                    Ok(())
                }
            };
        }
    }

    fn values(text: &mut String, values: &Values) {
        for line in &values.lines {
            let indent = "  ".repeat(usize::from(line.depth) + 2);
            let _ = writeln!(text, "{indent}{}: {}", line.key, line.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_folded_and_slightly_long_ones_are_not() {
        let text = |lines: usize| {
            let lines: Vec<String> = (1..=lines).map(|n| format!("line {n}")).collect();
            Prose::new(None, &lines.join("\r\n"))
        };
        assert!(!text(14).is_folded());
        let long = text(38);
        assert!(long.is_folded() && long.beginning().ends_with("line 12"));
        assert_eq!(long.lines, 38);
        let one_line = Prose::new(None, &"é".repeat(200_000));
        assert!(one_line.is_folded() && one_line.cut);
    }

    #[test]
    fn prefixes_tell_the_kind_of_a_tool() {
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
    fn a_text_that_is_json_is_taken_apart_and_all_else_stays_words() {
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
