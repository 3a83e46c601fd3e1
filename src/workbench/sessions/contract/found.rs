//! What was found of a session's contract and its configuration.

use std::sync::Arc;

use super::Commands;
use crate::ops::contract::{Since, Tried};
use crate::ops::secret::is_redacted;
use crate::text::Span;
use crate::workbench::incident::FetchForm;
use crate::workbench::library::DocId;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spotted {
    /// The file, from the project root.
    pub path: Arc<str>,
    /// From 1.
    pub line: u32,
    /// The same place, if the file is open.
    pub reveal: Option<(DocId, Span)>,
}

/// All that is shown of a contract beside its session.
#[derive(Clone, Debug, PartialEq)]
pub struct ContractLook {
    /// The configuration by which all is judged; `None` where there is none.
    pub config: Option<ConfigFound>,
    /// All configurations that could be, by their paths.
    pub configs: Vec<(DocId, Arc<str>)>,
    /// Contracts that can be chosen: by name first, then by file.
    pub offered: Vec<Offered>,
    /// What the session refers to.
    pub reference: Arc<str>,
    /// Whether the session says so itself.
    pub written: Written,
    /// How that is resolved.
    pub resolution: Resolution,
    /// The contract's invariants, tried if there is an answer.
    pub invariants: Vec<Checked>,
    /// What they are tried on.
    pub answer: Option<TriedOn>,
    /// The commands that run it.
    pub commands: Commands,
}

/// Whether a session says which contract it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It does.
    Yes,
    /// It does not, and its owner takes the one that is called `default`.
    No,
}

/// A configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFound {
    /// From the project root.
    pub path: Arc<str>,
    /// If it is open.
    pub doc: Option<DocId>,
    /// Whether the session is listed in it.
    pub listing: Listing,
    /// The sessions it lists.
    pub sessions: Vec<ListedInConfig>,
    /// Where it takes more sessions from.
    pub sources: Vec<SourceInConfig>,
}

/// How a session stands to a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// It stands in it as a whole.
    Inline,
    /// Its file is listed.
    Listed,
    /// It can be listed, by this path from the configuration's folder.
    Possible(Arc<str>),
}

/// A session that a configuration lists.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedInConfig {
    /// Its id, or the path of its file as written.
    pub name: Arc<str>,
    /// Why its file cannot be read, if it is in a file and cannot.
    pub missing: Option<Arc<str>>,
    /// Whether it stands in the configuration as a whole.
    pub is_inline: bool,
    /// Where it is listed.
    pub spot: Spotted,
    /// Its file, if that is open.
    pub doc: Option<DocId>,
}

/// Where a configuration takes sessions from.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceInConfig {
    /// The project or the run.
    pub name: Arc<str>,
    /// What it is and what is taken of it, in words.
    pub words: Arc<str>,
    /// Where it is named.
    pub spot: Spotted,
    /// What is fetched of it; `None` where nobody knows how.
    pub fetch: Option<FetchForm>,
}

/// A contract that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// What is written into the session.
    pub reference: Arc<str>,
    /// How many invariants it has.
    pub invariants: usize,
    /// Whether it lies in a file of its own.
    pub is_file: bool,
}

/// How a session's contract is resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// By its name, which stands here.
    Named(Spotted),
    /// As a path, to this file.
    File {
        /// The file.
        spot: Spotted,
        /// What the owner's `replay run` does with that path otherwise, a sentence without a full stop.
        remark: Option<Arc<str>>,
    },
    /// It is a path to a file that cannot be read, or holds no contract, for this reason.
    Unread(Arc<str>),
    /// It is nowhere.
    Missing,
    /// Nobody knows, because there is no configuration.
    NoConfig,
}

/// An invariant, and what it says of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// What it says; of no answer, what is said means nothing.
    pub tried: Tried,
    /// Where it stands.
    pub spot: Spotted,
    /// Its JSON Pointer.
    pub pointer: Arc<str>,
    /// Of a type that nobody knows, the one that is most like it.
    pub meant: Option<Arc<str>>,
    /// Whether its type is known.
    pub is_known: bool,
}

/// What a contract is tried on.
#[derive(Clone, Debug, PartialEq)]
pub struct TriedOn {
    /// The words.
    pub text: Arc<str>,
    /// Milliseconds.
    pub latency_ms: Option<f64>,
    /// How it came about.
    pub since: Since,
    /// Where it stands, for people; empty where that goes without saying.
    pub place: Arc<str>,
}

impl TriedOn {
    /// Returns whether secrets were taken out of the answer, so that an invariant about them says nothing of the real one.
    pub fn is_redacted(&self) -> bool {
        is_redacted(&self.text)
    }
}

/// An answer that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedAnswer {
    /// Its document.
    pub doc: DocId,
    /// Where it stands in it.
    pub pointer: Arc<str>,
    /// What it is called.
    pub title: Arc<str>,
    /// The file, and what else tells it from others.
    pub place: Arc<str>,
    /// How it begins; empty where it is not read yet.
    pub begins: Arc<str>,
    /// Whether the session asks the same.
    pub is_same: bool,
    /// How it came about.
    pub since: Since,
}
