//! Describes a change of a machine.

use std::fmt;

use document::diff::word_diff;
use document::text::{counted, quoted};

/// Values up to this many characters are shown; for longer ones, the size of the change.
const MAX_VALUE_CHARS: usize = 32;

/// The changed part of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MachineSubject {
    /// The machine as a whole.
    Machine,
    /// A node, by its qualified name.
    Node(Box<str>),
    /// An edge, by the names at its ends.
    Edge(Box<str>, Box<str>),
    /// The label of an edge whose ends are unknown.
    Label(Box<str>),
    /// An import, by its path.
    Import(Box<str>),
    /// The note for a node.
    Note(Box<str>),
}

/// The kind of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineChangeKind {
    /// It was added.
    Added,
    /// It was removed.
    Gone,
    /// It was renamed to this name.
    Renamed(Box<str>),
    /// A part of it changed.
    Part {
        part: ChangedPart,
        /// The old value; `None` if it did not exist.
        then: Option<Box<str>>,
        /// The current value; `None` if it was removed.
        now: Option<Box<str>>,
    },
}

/// A part of a machine, node or edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChangedPart {
    /// The word before a node's name.
    Type,
    /// The string behind a name.
    Title,
    /// An attribute, by its name.
    Attribute(Box<str>),
    Annotations,
    /// The label of an edge.
    Label,
    /// The kind of an arrow.
    Arrow,
    /// The strings at the ends of an arrow.
    Counts,
    /// The imported names.
    Names,
    /// The text of a note.
    Text,
}

impl fmt::Display for MachineSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine => f.write_str("the machine"),
            Self::Node(name) => f.write_str(&quoted(name)),
            Self::Edge(source, target) => write!(f, "{} → {}", quoted(source), quoted(target)),
            Self::Label(text) => f.write_str(&quoted(text)),
            Self::Import(path) => write!(f, "the import of {}", quoted(path)),
            Self::Note(node) => write!(f, "the note for {}", quoted(node)),
        }
    }
}

impl MachineSubject {
    /// Returns the word before its name at the start of a sentence.
    fn word(&self) -> &'static str {
        match self {
            Self::Machine | Self::Import(_) | Self::Note(_) => "",
            Self::Node(_) => "Node ",
            Self::Edge(..) => "Edge ",
            Self::Label(_) => "Label ",
        }
    }
}

impl fmt::Display for ChangedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Type => "Type",
            Self::Title => "Title",
            Self::Attribute(name) if &**name == "prompt" => "Prompt",
            Self::Attribute(name) => return write!(f, "Attribute {}", quoted(name)),
            Self::Annotations => "Annotations",
            Self::Label => "Label",
            Self::Arrow => "Arrow",
            Self::Counts => "Multiplicity",
            Self::Names => "Names",
            Self::Text => "Text",
        })
    }
}

impl ChangedPart {
    /// Returns whether it takes a plural verb.
    fn is_many(&self) -> bool {
        matches!(self, Self::Annotations | Self::Names)
    }
}

/// Describes a change as a sentence.
pub(super) fn describe(subject: &MachineSubject, kind: &MachineChangeKind) -> String {
    let subject_text = document::text::upper_first(&format!("{}{subject}", subject.word()));
    match kind {
        MachineChangeKind::Added => format!("{subject_text} added"),
        MachineChangeKind::Gone => format!("{subject_text} removed"),
        MachineChangeKind::Renamed(name) => format!("{subject_text} renamed to {}", quoted(name)),
        MachineChangeKind::Part { part, then, now } => {
            let part_text = format!("{part} of {subject}");
            match (then.as_deref(), now.as_deref()) {
                (Some(then), Some(now)) if is_short(then) && is_short(now) => {
                    let (verb, past_verb) =
                        if part.is_many() { ("are", "were") } else { ("is", "was") };
                    format!("{part_text} {verb} now {}, {past_verb} {}", quoted(now), quoted(then))
                }
                (Some(then), Some(now)) => {
                    format!("{part_text} changed, {}", describe_amount(then, now))
                }
                (Some(then), None) if is_short(then) => {
                    format!("{part_text} removed, was {}", quoted(then))
                }
                (Some(_), None) => format!("{part_text} removed"),
                (None, Some(now)) if is_short(now) => format!("{part_text} added: {}", quoted(now)),
                (None, _) => format!("{part_text} added"),
            }
        }
    }
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.chars().nth(MAX_VALUE_CHARS).is_none()
}

fn describe_amount(then: &str, now: &str) -> String {
    match word_diff::changed(then, now) {
        0 => "only punctuation or white space".to_owned(),
        count => counted(count, "word", "words"),
    }
}
