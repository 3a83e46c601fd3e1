//! A change of a machine, in words.

use std::fmt;

use crate::ops::diff::{counted, words};
use crate::text::quoted;

/// Values up to this many characters are told; of longer ones, how much changed.
const SHORT: usize = 32;

/// What a change is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The machine as a whole.
    Machine,
    /// A node, by its qualified name.
    Node(Box<str>),
    /// An edge, by the names at its ends.
    Edge(Box<str>, Box<str>),
    /// What is written in an arrow, where its ends are not known.
    Label(Box<str>),
    /// An import, by its path.
    Import(Box<str>),
    /// The note for a node.
    Note(Box<str>),
}

/// What happened to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It is new.
    Added,
    /// It is no longer there.
    Gone,
    /// It has this name now.
    Renamed(Box<str>),
    /// A part of it is another.
    Part {
        /// The chunks.
        part: Part,
        /// As it was; `None` when it was not there.
        then: Option<Box<str>>,
        /// As it is; `None` when it is gone.
        now: Option<Box<str>>,
    },
}

/// A part of a machine, node or edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The word before a node's name.
    Type,
    /// The string behind a name.
    Title,
    /// An attribute, by its name.
    Attribute(Box<str>),
    /// All annotations.
    Annotations,
    /// What is written in an arrow.
    Label,
    /// The kind of an arrow.
    Arrow,
    /// The strings at the ends of an arrow.
    Counts,
    /// The names an import takes.
    Names,
    /// What a note says.
    Text,
}

impl fmt::Display for Subject {
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

impl Subject {
    /// What stands before its name at the beginning of a sentence.
    fn word(&self) -> &'static str {
        match self {
            Self::Machine | Self::Import(_) | Self::Note(_) => "",
            Self::Node(_) => "Node ",
            Self::Edge(..) => "Edge ",
            Self::Label(_) => "Label ",
        }
    }
}

impl fmt::Display for Part {
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

impl Part {
    /// True for what is spoken of in the plural.
    fn is_many(&self) -> bool {
        matches!(self, Self::Annotations | Self::Names)
    }
}

/// The sentence for what became of something.
pub(super) fn sentence(subject: &Subject, what: &What) -> String {
    let whole = crate::text::upper_first(&format!("{}{subject}", subject.word()));
    match what {
        What::Added => format!("{whole} added"),
        What::Gone => format!("{whole} removed"),
        What::Renamed(name) => format!("{whole} renamed to {}", quoted(name)),
        What::Part { part, then, now } => {
            let of = format!("{part} of {subject}");
            match (then.as_deref(), now.as_deref()) {
                (Some(then), Some(now)) if is_short(then) && is_short(now) => {
                    let (is, was) = if part.is_many() {
                        ("are", "were")
                    } else {
                        ("is", "was")
                    };
                    format!("{of} {is} now {}, {was} {}", quoted(now), quoted(then))
                }
                (Some(then), Some(now)) => format!("{of} changed, {}", amount(then, now)),
                (Some(then), None) if is_short(then) => {
                    format!("{of} removed, was {}", quoted(then))
                }
                (Some(_), None) => format!("{of} removed"),
                (None, Some(now)) if is_short(now) => format!("{of} added: {}", quoted(now)),
                (None, _) => format!("{of} added"),
            }
        }
    }
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.chars().nth(SHORT).is_none()
}

fn amount(then: &str, now: &str) -> String {
    match words::changed(then, now) {
        0 => "only punctuation or white space".to_owned(),
        count => counted(count, "word", "words"),
    }
}
