//! Documents: text with places, the formats of files, and edits of single bytes.
//!
//! A document is its source text; what is parsed is a reading of it with places. Parsing never fails, on any bytes: [`read`] detects the
//! kind of a file by its content, and returns what it understood with a list of [problems](Problem). An [edit](edit::Edit) replaces a range
//! of bytes, so that key order, comments, spelling of numbers, line ends and unknown fields stay as they were.
//!
//! It knows the [`shapes`] by which requests and answers of models are recognised, and finds the [calls](recorded) that a recorder
//! wrote around them. It does not read their content, and does not know what a rule finds, or where files come from.
//!
//! - [`Source`]: the text of a file, with its lines and encoding. Places are [`Span`](text::Span)s of bytes, shown as
//!   [`Place`](text::Place)s of lines and columns.
//! - [`Document`]: a file that was read, with its [`Tree`] of values and the [body](DocumentBody) of its format.
//! - [`Edit`](edit::Edit): a change of one value, planned as [`TextEdit`](text::TextEdit)s.
//!
//! Each format has a file; its module says where the format is defined. A format that only one project writes is read by its
//! [description](mod@format). [`diff`] compares texts by lines and words.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

pub mod body;
pub mod commit;
pub mod diff;
pub mod edit;
pub mod files;
mod members;
pub mod merge;
pub mod program;
pub mod shell;
pub mod signature;
pub mod text;
pub mod time;
pub mod toml_text;
pub mod units;
pub mod unmerged;
pub mod value_mark;
pub use value_mark::ValueMark;

pub mod address;
pub mod call;
pub mod cassette;
pub mod code;
pub mod config;
pub mod contract;
mod detect;
pub mod eval_archive;
mod field;
mod fields;
pub mod foreign;
pub mod format;
mod found_calls;
pub mod httprr;
pub mod json;
pub mod parts;
mod pointer_steps;
mod pointers;
mod problem;
mod problems;
pub mod recorded;
pub mod recording;
pub mod report;
pub mod scalar;
pub mod seeds;
pub mod session;
pub mod shapes;
pub mod tape;
#[cfg(test)]
mod testing;
mod text_check;
pub mod toml;
mod tree;
pub mod yaml;

pub use detect::is_machine;
pub use detect::syntax;
pub use field::{Field, text};
pub use pointer_steps::{escape_step, member_pointer, unescape_step};
pub use pointers::PointerIndex;
pub use problem::{Problem, ProblemCalls, RuleId, Severity};
pub use text_check::is_lfs_pointer;
pub use tree::{MAX_VALUES, Node, NodeId, NodeKind, Tree, VALUE_BYTES};

use std::sync::Arc;

use crate::text::Source;
use foreign::ForeignFormat;
use format::RecordingFormat;
use parts::PartsForm;
use problems::ProblemList;
use text_check::TextCheck;

named_enum! {
    /// The kind of a file, detected by its content.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum FileKind {
        /// A recorded call of DyGram.
        Recording = "recording",
        /// A request without an answer, waiting in a queue.
        Request = "request",
        /// A replay session of Flakestorm.
        Session = "session",
        /// Flakestorm's configuration.
        Config = "config",
        /// A Flakestorm contract.
        Contract = "contract",
        /// A Flakestorm report.
        Report = "report",
        /// A streamed call.
        Tape = "tape",
        /// Trace-keyed seeds.
        Seeds = "seeds",
        /// A cassette: HTTP calls as VCR and its relatives record them.
        Cassette = "cassette",
        /// An HTTP archive.
        Har = "har",
        /// Runs of agents: transcripts, traces, trajectories, and exports of LangSmith.
        Runs = "runs",
        /// A file of another tool that is not read yet; see [`foreign::ForeignFormat`].
        Foreign = "foreign",
        /// A machine of DyGram: the source of recordings.
        Machine = "machine",
        /// None of these.
        #[default]
        Unknown = "unknown",
    }

    /// Every kind, in the order in which they are listed.
    const ALL;

    /// The word used on the command line, in JSON and in filters.
    pub fn as_str;
}

impl FileKind {
    /// Returns a description with its article: `a file of kind session`, or that of another tool's file.
    pub fn describe(self, foreign: Option<&foreign::Foreign>) -> String {
        let own = || format!("a file of kind {}", self.as_str());
        foreign.map_or_else(own, foreign::Foreign::describe)
    }

    /// Returns whether files of this kind are read and checked: neither of another tool nor unknown.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Har | Self::Runs | Self::Foreign | Self::Unknown)
    }

    /// Returns whether two versions of such a file are compared, also where no test plays it.
    pub fn is_compared(self) -> bool {
        self.is_known() || matches!(self, Self::Har | Self::Runs)
    }
}

/// Syntax of a text, by which it is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// As `JSON.parse` accepts it.
    Json,
    /// As PyYAML accepts it (YAML 1.1).
    Yaml,
    /// Only cassettes; its values can be replaced one by one, and nothing else of it.
    Toml,
    /// JavaScript or TypeScript, of which only literal calls are read (see [`code`]). Its values are not edited one by one.
    Code,
    /// The machine language of DyGram, by the file's extension. Its values are not parsed here.
    Machine,
}

impl Syntax {
    /// Returns whether values can be edited, inserted and removed one by one.
    pub fn has_editable_values(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }
}

/// The parsed content of a file.
#[expect(
    clippy::large_enum_variant,
    reason = "a document has one body; there are no lists of them"
)]
#[derive(Clone, Debug)]
pub enum DocumentBody {
    /// A recorded call.
    Recording(recording::Recording),
    /// A bare request.
    Request(recording::Request),
    /// A replay session.
    Session(session::Session),
    Config(config::FlakestormConfig),
    Contract(contract::Contract),
    Report(report::FlakestormReport),
    Tape(tape::Tape),
    Seeds(seeds::Seeds),
    /// A file of another tool.
    Foreign(foreign::Foreign),
    /// A machine, which the member `machine` parses.
    Machine,
    /// None of these.
    Unknown,
}

/// One file as Retake understands it: its text, its values with their places, and what could not be understood.
#[derive(Clone, Debug)]
pub struct Document {
    /// All values. The text is [`Tree::source`].
    pub tree: Tree,
    /// Syntax by which it was parsed.
    pub syntax: Syntax,
    pub body: DocumentBody,
    /// The problems of parsing, in the order of the text.
    pub problems: Vec<Problem>,
    /// The description by which it was read.
    pub format: Option<Arc<RecordingFormat>>,
}

impl Document {
    fn new(tree: Tree, syntax: Syntax, body: DocumentBody, problems: Vec<Problem>) -> Self {
        Self { tree, syntax, body, problems, format: None }
    }

    /// Makes a file in which calls were found one of an unknown kind.
    fn forget_calls(&mut self) {
        let is_of_calls = self.kind() == FileKind::Cassette;
        if let (true, DocumentBody::Foreign(foreign)) = (is_of_calls, &mut self.body) {
            let format = match self.tree.parts() {
                Some(PartsForm::Lines) => Some(ForeignFormat::JsonLines),
                Some(PartsForm::Events) => Some(ForeignFormat::EventStream),
                Some(PartsForm::Documents) | None => None,
            };
            match format {
                Some(format) => *foreign = format.with_entries(None),
                None => self.body = DocumentBody::Unknown,
            }
        }
    }

    /// Parses another text of the same file, by the same description.
    pub fn read_again(&self, source: Source, file_name: &str) -> Self {
        read_as(source, file_name, self.format.as_ref())
    }

    /// Describes its kind with an article: `a file of kind session`, or that of another tool's file.
    pub fn describe_kind(&self) -> String {
        let foreign = match &self.body {
            DocumentBody::Foreign(foreign) => Some(foreign),
            _ => None,
        };
        self.kind().describe(foreign)
    }

    /// Returns the kind of file.
    pub fn kind(&self) -> FileKind {
        match &self.body {
            DocumentBody::Recording(_) => FileKind::Recording,
            DocumentBody::Request(_) => FileKind::Request,
            DocumentBody::Session(_) => FileKind::Session,
            DocumentBody::Config(_) => FileKind::Config,
            DocumentBody::Contract(_) => FileKind::Contract,
            DocumentBody::Report(_) => FileKind::Report,
            DocumentBody::Tape(_) => FileKind::Tape,
            DocumentBody::Seeds(_) => FileKind::Seeds,
            DocumentBody::Foreign(foreign) => foreign.format.kind(),
            DocumentBody::Machine => FileKind::Machine,
            DocumentBody::Unknown => FileKind::Unknown,
        }
    }

    pub fn source(&self) -> &Source {
        self.tree.source()
    }

    /// The value with this id.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        self.tree.node(id)
    }
}

/// The values of a text that has several, with the problems of those that are not well-formed.
type ParsedParts = (Tree, Vec<Problem>);

/// Detects calls by their shape, in a tree or in the values of a text that has several; then these are returned as well.
fn detect_calls(
    tree: &Tree,
    path: &str,
    of_file: Option<foreign::Foreign>,
) -> (Option<foreign::Foreign>, Option<ParsedParts>) {
    let source = tree.source();
    let parts = match of_file.map(|foreign| foreign.format) {
        Some(ForeignFormat::JsonLines) => Some(parts::parse_each(source, PartsForm::Lines)),
        Some(ForeignFormat::EventStream) => Some(parts::parse_each(source, PartsForm::Events)),
        _ if tree.syntax() == Syntax::Yaml && parts::has_documents(source.text()) => {
            parts::parse(source, PartsForm::Documents).map(|tree| (tree, Vec::new()))
        }
        _ => None,
    };
    let of_calls = match &parts {
        Some((tree, _)) => tree
            .root()
            .and_then(|root| foreign::detect_calls(tree, path, foreign::detect_tree(root))),
        None => foreign::detect_calls(tree, path, of_file),
    };
    (of_calls, parts)
}

/// Parses a file's text. The name, or the path with it, is only a hint for the syntax and for where recordings are; the content
/// determines the kind. The ending of a file that was compressed does not count.
pub fn read(source: Source, file_name: &str) -> Document {
    read_as(source, file_name, None)
}

/// Parses a file's text as [`read`] does; of a described format by its description, whatever the content is.
pub fn read_as(source: Source, file_name: &str, format: Option<&Arc<RecordingFormat>>) -> Document {
    let described = format.and_then(|format| Some((format, format.pointers.as_ref()?)));
    let mut document = match described {
        Some((format, pointers)) => format::read(source, file_name, format, pointers),
        None => read_by_content(source, file_name),
    };
    if format.is_some() && described.is_none() {
        document.forget_calls();
    }
    document.format = format.cloned();
    document
}

fn read_by_content(source: Source, file_name: &str) -> Document {
    let file_name = file_name.strip_suffix(".gz").unwrap_or(file_name);
    let syntax = detect::syntax(source.text(), file_name);
    let of_text = foreign::detect_text(source.text(), file_name);
    if let Some(foreign) = of_text
        && foreign.format == foreign::ForeignFormat::Httprr
        && source.fault().is_none()
    {
        let tree = httprr::parse(&source);
        let problems = Vec::from_iter(httprr::problem(&tree));
        return Document::new(tree, Syntax::Code, DocumentBody::Foreign(foreign), problems);
    }
    let is_archive = eval_archive::is_archive(source.text().as_bytes());
    if let Some(foreign) = of_text.filter(|foreign| foreign.format.is_agent_run() && !is_archive) {
        let (tree, problems) = parts::parse_each(&source, PartsForm::Lines);
        return Document::new(tree, Syntax::Json, DocumentBody::Foreign(foreign), problems);
    }
    if let Some(foreign) = of_text {
        let mut tree = Tree::new(source, syntax);
        // No value was read, and that must not look like a text without values.
        tree.set_ill_formed();
        let message = "The archive is damaged, or too large, and cannot be unpacked";
        let problem = is_archive.then(|| Problem::whole_file(RuleId::Syntax, message));
        let problems = Vec::from_iter(problem);
        return Document::new(tree, syntax, DocumentBody::Foreign(foreign), problems);
    }
    let verdict = text_check::check_text(&source);
    if let TextCheck::Unreadable(problem) = verdict {
        let mut tree = Tree::new(source, syntax);
        tree.set_ill_formed();
        return Document::new(tree, syntax, DocumentBody::Unknown, vec![problem]);
    }
    if syntax == Syntax::Machine {
        let mut problems = ProblemList::default();
        if let TextCheck::FineExcept(problem) | TextCheck::Explains(problem) = verdict {
            problems.add(problem);
        }
        let tree = Tree::new(source, syntax);
        return Document::new(tree, syntax, DocumentBody::Machine, problems.finish());
    }
    let (mut tree, found_problems) = match syntax {
        Syntax::Json => json::parse(&source),
        Syntax::Yaml => yaml::parse(&source),
        Syntax::Toml if foreign::may_be_cassette(source.text()) => toml::parse(&source),
        Syntax::Toml => (Tree::new(source.clone(), syntax), Vec::new()),
        Syntax::Code | Syntax::Machine => (code::parse(&source), Vec::new()),
    };
    let mut problems = ProblemList::default();
    for problem in found_problems {
        let is_explained = matches!(verdict, TextCheck::Explains(_));
        if problem.rule != RuleId::Syntax || !is_explained {
            problems.add(problem);
        }
    }
    if matches!(verdict, TextCheck::Explains(_)) {
        tree.set_ill_formed();
    }
    if let TextCheck::FineExcept(problem) | TextCheck::Explains(problem) = verdict {
        problems.add(problem);
    }
    let is_broken = problems.has(RuleId::Syntax) || !tree.is_well_formed();
    let body = DocumentBody::read(&tree, &mut problems);
    let is_run = || {
        let foreign = tree.root().and_then(foreign::detect_tree);
        foreign.is_some_and(|foreign| foreign.format.is_agent_run())
    };
    // The fields of a session are in files of other recorders and in traces as well.
    let is_unknown = body.as_ref().is_none_or(|body| match body {
        DocumentBody::Session(_) => is_run() || !recorded::find(&tree).calls.is_empty(),
        DocumentBody::Unknown => true,
        // The first of several lines does not decide what the file is.
        _ => text::has_ending(file_name, &[".jsonl", ".ndjson"]) && !tree.is_well_formed(),
    });
    let mut of_file = None;
    let mut part_problems = None;
    if is_unknown && syntax != Syntax::Code {
        let of_tree = || foreign::detect_tree(tree.root()?);
        of_file = of_text.or_else(of_tree).or_else(|| foreign::detect_stream(&tree, file_name));
        let may_have_calls = |foreign: foreign::Foreign| {
            foreign.format.is_of_lines() || foreign.format.is_read_by_shape()
        };
        if of_file.is_none_or(may_have_calls) {
            let (of_calls, parts) = detect_calls(&tree, file_name, of_file);
            of_file = of_calls.or(of_file);
            if let Some((tree_of_parts, problems)) = parts {
                if of_calls.is_some() {
                    tree = tree_of_parts;
                }
                part_problems = Some(problems);
            }
        }
    }
    if let Some(foreign) = of_file {
        // Players read the whole of such a file as one value.
        if foreign.format.is_of_lines() && text::has_ending(file_name, &[".json"]) {
            let message = format!("The file is {}, not one JSON value", foreign.describe());
            let problem = Problem::whole_file(RuleId::Syntax, message);
            let help = "Rename the file if its program reads it so; otherwise record it again.";
            tree.set_ill_formed();
            let problems = vec![problem.with_help(help)];
            return Document::new(tree, syntax, DocumentBody::Unknown, problems);
        }
        let problems = match (part_problems, foreign.format) {
            (_, ForeignFormat::EventStream) => Vec::new(),
            (Some(problems), _) => problems,
            (None, ForeignFormat::VcrCassette) => cassette::problems(&tree, problems.finish()),
            _ if foreign.format.has_calls() && !tree.is_well_formed() => {
                // Python writes numbers that are not JSON.
                let python = (syntax == Syntax::Json).then(|| json::parse_python(&source));
                match python {
                    Some((python, problems)) if python.fault().is_none() => {
                        tree = python;
                        problems
                    }
                    _ => problems.hiding_content(),
                }
            }
            // Only the program of such a file can judge more than its syntax.
            _ => Vec::new(),
        };
        return Document::new(tree, syntax, DocumentBody::Foreign(foreign), problems);
    }
    if is_broken {
        // Missing fields may be in the part that could not be read.
        problems.forget(RuleId::MissingField);
    } else if let Some(expected) = tree.root().and_then(detect::misses_object) {
        fields::wrong_type(&mut problems, tree.node(NodeId::ROOT), &expected);
    } else if syntax == Syntax::Yaml && tree.root().is_none() {
        let message = "The file has only comments; a mapping is expected";
        problems.add(Problem::whole_file(RuleId::WrongType, message));
    }
    Document::new(tree, syntax, body.unwrap_or(DocumentBody::Unknown), problems.finish())
}

impl DocumentBody {
    fn read(tree: &Tree, problems: &mut ProblemList) -> Option<Self> {
        let root = tree.root()?;
        Some(match detect::kind_of(root) {
            FileKind::Recording => Self::Recording(recording::Recording::read(root, problems)),
            FileKind::Request => Self::Request(recording::Request::read(root, problems)),
            FileKind::Session => Self::Session(session::Session::read(root, problems)),
            FileKind::Config => Self::Config(config::FlakestormConfig::read(root, problems)),
            FileKind::Contract => Self::Contract(contract::Contract::read(root, problems)),
            FileKind::Report => Self::Report(report::FlakestormReport::read(root, problems)),
            FileKind::Tape => Self::Tape(tape::Tape::read(root, problems)),
            FileKind::Seeds => Self::Seeds(seeds::Seeds::read(root, problems)),
            FileKind::Machine => Self::Machine,
            // Files of these kinds are recognised by `foreign`, after this.
            FileKind::Cassette
            | FileKind::Har
            | FileKind::Runs
            | FileKind::Foreign
            | FileKind::Unknown => Self::Unknown,
        })
    }
}
