//! The sessions of a project, in files of their own or inside a configuration, and their contracts.

use std::sync::Arc;

use crate::{DocId, Items, Revision};
use author::contract::{AnswerOrigin, InvariantResult};
use author::import::FetchForm;
use calls::secret::is_redacted;
use document::Document;
use document::text::{Source, Span};

/// An event of the sessions desk.
#[derive(Clone, Debug)]
pub enum SessionsEvent {
    /// All sessions, as requested with this number.
    Listed(u64, Result<Arc<[ListedSession]>, String>),
    /// An event of the contract column.
    Contract(ContractEvent),
}

/// Identifies a session while its file is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId {
    pub doc: DocId,
    /// Its JSON Pointer: empty for a file of its own.
    pub pointer: Arc<str>,
}

impl SessionId {
    /// The session in a file of its own.
    pub fn file(doc: DocId) -> Self {
        Self { doc, pointer: "".into() }
    }

    /// Whether it is inside a configuration.
    pub fn is_inline(&self) -> bool {
        !self.pointer.is_empty()
    }
}

/// A session in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    pub id: SessionId,
    /// The session's `id`, else the name of its file.
    pub name: Arc<str>,
    /// Its location, such as `replays/refund-twice.yaml`.
    pub place: Arc<str>,
}

/// A request to list all sessions.
#[derive(Debug)]
pub struct ListSessions {
    /// The number that the response carries.
    pub key: u64,
    pub items: Items,
    /// The texts of edited configurations.
    pub texts: Vec<(DocId, Source)>,
}

/// An event of the contract column.
#[derive(Clone, Debug)]
pub enum ContractEvent {
    /// The report made from these inputs, or why there is none.
    Found(ContractKey, Result<Arc<ContractReport>, String>),
    /// The answers for these words.
    Answers(String, Result<Arc<FoundAnswers>, String>),
}

/// The answer to test a contract on.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum AnswerSource {
    /// The recorded answer of the session's incident.
    #[default]
    Kept,
    /// The answer at a JSON Pointer in a document.
    Document(DocId, Arc<str>),
    /// A text from the user, with its latency in milliseconds, if known.
    Given(Arc<str>, Option<f64>),
}

/// A request for a contract report.
#[derive(Debug)]
pub struct ContractRequest {
    pub key: ContractKey,
    pub document: Arc<Document>,
    pub items: Items,
    /// The texts of edited documents.
    pub texts: Vec<(DocId, Source)>,
}

/// Inputs of a contract report.
#[derive(Clone, Debug, PartialEq)]
pub struct ContractKey {
    pub id: SessionId,
    /// The revision of the session's document.
    pub revision: Revision,
    /// The revision of all items.
    pub items: u64,
    /// The chosen configuration, if any.
    pub config: Option<DocId>,
    /// The answer to test it on.
    pub answer: AnswerSource,
}

/// A request for answers.
#[derive(Debug)]
pub struct FindAnswers {
    /// The words to search for.
    pub query: String,
    /// The input of the session: answers to the same input come first.
    pub question: String,
    pub items: Items,
}

/// Answers that match a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundAnswers {
    /// The first of them.
    pub found: Vec<OfferedAnswer>,
    /// Number of further ones.
    pub more: usize,
}

/// The commands that run sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCommands {
    /// The command for the session; `None` if its file name cannot be quoted for a shell.
    pub one: Option<Arc<str>>,
    /// The commands for the sessions of its folder.
    pub folder: Vec<Arc<str>>,
    /// The folder's path, with a trailing slash.
    pub folder_name: Arc<str>,
    /// Remarks for the user before they run, one sentence each.
    pub remarks: Vec<Arc<str>>,
    /// Whether `flakestorm` is on the PATH.
    pub has_flakestorm: bool,
}

/// A location in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    /// The file, from the project root.
    pub path: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The same location, if the file is open.
    pub reveal: Option<(DocId, Span)>,
}

/// Everything that is shown about a session's contract.
#[derive(Clone, Debug, PartialEq)]
pub struct ContractReport {
    /// The configuration that is used; `None` if there is none.
    pub config: Option<ConfigFound>,
    /// All possible configurations, by path.
    pub configs: Vec<(DocId, Arc<str>)>,
    /// The contracts that can be chosen: by name first, then by file.
    pub offered: Vec<OfferedContract>,
    /// The contract that the session refers to.
    pub reference: Arc<str>,
    /// Whether the session contains the reference.
    pub reference_kind: ReferenceKind,
    /// Result of resolving the reference.
    pub resolution: Resolution,
    /// The invariants of the contract, tested if there is an answer.
    pub invariants: Vec<CheckedInvariant>,
    /// The answer that they are tested on.
    pub answer: Option<TestedAnswer>,
    /// The commands that run the session.
    pub commands: RunCommands,
}

/// Whether a session refers to a contract explicitly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// It does.
    Explicit,
    /// It does not, so flakestorm uses the contract named `default`.
    Default,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFound {
    /// From the project root.
    pub path: Arc<str>,
    /// The document, if it is open.
    pub doc: Option<DocId>,
    /// Whether it lists the session.
    pub listing: ConfigListing,
    pub sessions: Vec<ListedInConfig>,
    /// The sources of further sessions.
    pub sources: Vec<SourceInConfig>,
}

/// The relation of a session to a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigListing {
    /// The session is written inside the configuration.
    Inline,
    /// Its file is listed.
    Listed,
    /// Its file can be listed, with this path from the configuration's folder.
    Possible(Arc<str>),
}

/// A session that a configuration lists.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedInConfig {
    /// Its id, or the path of its file as written.
    pub name: Arc<str>,
    /// Reason its file cannot be read, if so.
    pub missing: Option<Arc<str>>,
    /// Whether it is written inside the configuration.
    pub is_inline: bool,
    /// The location of the entry.
    pub spot: FilePlace,
    /// Its file, if that is open.
    pub doc: Option<DocId>,
}

/// A source of sessions in a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceInConfig {
    /// The project or the run.
    pub name: Arc<str>,
    /// A description of the source and of its filter.
    pub description: Arc<str>,
    /// The location of the entry.
    pub spot: FilePlace,
    /// The form to fetch it; `None` for an unknown kind of source.
    pub fetch: Option<FetchForm>,
}

/// A contract that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedContract {
    /// The reference to write into the session.
    pub reference: Arc<str>,
    /// The number of its invariants.
    pub invariants: usize,
    /// Whether it has a file of its own.
    pub is_file: bool,
}

/// Result of resolving a session's contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// By its name; the location of its definition.
    Named(FilePlace),
    /// As a path, to this file.
    File {
        spot: FilePlace,
        /// Difference that flakestorm's `replay run` makes with that path, as a sentence without a full stop.
        remark: Option<Arc<str>>,
    },
    /// As a path to a file that cannot be read or contains no contract, for this reason.
    Unread(Arc<str>),
    /// Not found.
    Missing,
    /// Unknown, because there is no configuration.
    NoConfig,
}

/// An invariant, with its result on the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedInvariant {
    /// The result; meaningless without an answer.
    pub tried: InvariantResult,
    /// The location of the invariant.
    pub spot: FilePlace,
    /// Its JSON Pointer.
    pub pointer: Arc<str>,
    /// For an unknown type, the most similar known type.
    pub suggestion: Option<Arc<str>>,
    /// Whether its type is known.
    pub is_known: bool,
}

/// The answer that a contract is tested on.
#[derive(Clone, Debug, PartialEq)]
pub struct TestedAnswer {
    pub text: Arc<str>,
    /// The latency in milliseconds.
    pub latency_ms: Option<f64>,
    pub since: AnswerOrigin,
    /// Its location, for people; empty if it is obvious.
    pub place: Arc<str>,
}

impl TestedAnswer {
    /// Returns whether secrets were removed from the answer, so that a test for secrets says nothing about the original.
    pub fn is_redacted(&self) -> bool {
        is_redacted(&self.text)
    }
}

/// An answer that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedAnswer {
    pub doc: DocId,
    /// Its JSON Pointer.
    pub pointer: Arc<str>,
    pub title: Arc<str>,
    /// The file, and what distinguishes it from other answers.
    pub place: Arc<str>,
    /// Its beginning; empty if it is not read yet.
    pub excerpt: Arc<str>,
    /// Whether its session has the same input.
    pub is_same: bool,
    pub since: AnswerOrigin,
}
