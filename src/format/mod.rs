//! The file formats, read leniently: parsing always answers, with what it understood and a list of problems.
//!
//! `read` tells the kinds apart by content. Values know their places through the [`Tree`].

pub mod config;
pub mod contract;
mod detect;
mod field;
pub mod json;
mod problem;
pub mod recording;
pub mod report;
pub mod scalar;
pub mod seeds;
pub mod session;
pub mod tape;
mod tree;
pub mod yaml;

pub use field::{Field, text};
pub use problem::{Problem, RuleId, Severity};
pub use tree::{Node, NodeId, NodeKind, Tree};

use crate::text::Source;

/// What a file is, told by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A recorded call of DyGram.
    Recording,
    /// A bare request, waiting in a queue for its answer.
    Request,
    /// A replay session of Flakestorm.
    Session,
    /// Flakestorm's configuration.
    Config,
    /// A Flakestorm contract.
    Contract,
    /// A Flakestorm report.
    Report,
    /// A streamed call.
    Tape,
    /// Trace-keyed seeds.
    Seeds,
    /// None of these.
    Unknown,
}

impl Kind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: &[Self] = &[
        Self::Recording,
        Self::Request,
        Self::Session,
        Self::Config,
        Self::Contract,
        Self::Report,
        Self::Tape,
        Self::Seeds,
        Self::Unknown,
    ];

    /// The word used on the command line, in JSON and in filters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Request => "request",
            Self::Session => "session",
            Self::Config => "config",
            Self::Contract => "contract",
            Self::Report => "report",
            Self::Tape => "tape",
            Self::Seeds => "seeds",
            Self::Unknown => "unknown",
        }
    }
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// As `JSON.parse` accepts it.
    Json,
    /// As PyYAML accepts it (YAML 1.1).
    Yaml,
}

/// A file's content, taken apart.
#[derive(Clone, Debug)]
pub enum Body {
    /// A recorded call.
    Recording(recording::Recording),
    /// A bare request.
    Request(recording::Request),
    /// A replay session.
    Session(session::Session),
    /// A configuration.
    Config(config::Config),
    /// A contract.
    Contract(contract::Contract),
    /// A report.
    Report(report::Report),
    /// A tape.
    Tape(tape::Tape),
    /// Seeds.
    Seeds(seeds::Seeds),
    /// None of these.
    Unknown,
}

/// One file as Retake understands it: its text, its values with their places, and what could not be understood.
#[derive(Clone, Debug)]
pub struct Document {
    /// All values. The text is [`Tree::source`].
    pub tree: Tree,
    /// How it is written.
    pub syntax: Syntax,
    /// What it is.
    pub body: Body,
    /// What went wrong in reading, in the order of the text.
    pub problems: Vec<Problem>,
}

impl Document {
    /// What kind of file it is.
    pub fn kind(&self) -> Kind {
        match &self.body {
            Body::Recording(_) => Kind::Recording,
            Body::Request(_) => Kind::Request,
            Body::Session(_) => Kind::Session,
            Body::Config(_) => Kind::Config,
            Body::Contract(_) => Kind::Contract,
            Body::Report(_) => Kind::Report,
            Body::Tape(_) => Kind::Tape,
            Body::Seeds(_) => Kind::Seeds,
            Body::Unknown => Kind::Unknown,
        }
    }

    /// The text.
    pub fn source(&self) -> &Source {
        self.tree.source()
    }

    /// The value with this id.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        self.tree.node(id)
    }
}

/// Reads a file's text. The name only hints at the syntax (`.json` or not); what the file is, its content tells.
pub fn read(source: Source, file_name: &str) -> Document {
    let _ = file_name;
    let (tree, problems) = json::parse(&source);
    Document {
        tree,
        syntax: Syntax::Json,
        body: Body::Unknown,
        problems,
    }
}
