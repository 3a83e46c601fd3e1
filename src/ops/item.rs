//! One row of the library: what is kept of a file that nobody looks at.

use std::sync::Arc;

use super::signature::Signature;
use super::source::SourceState;
use crate::format::recording::Version;
use crate::format::{Kind, Problem, Severity};

/// What is kept of a file once it was read: enough to list, filter, sort and judge it among the others, and well under a
/// kilobyte. The text itself is read again when someone looks.
#[derive(Clone, Debug)]
pub struct Item {
    /// As it was given, joined with `/`.
    pub path: Arc<str>,
    /// From the project root, joined with `/`; for a file outside any root the same as `path`.
    pub root_path: Arc<str>,
    /// What it is.
    pub kind: Kind,
    /// For recordings.
    pub version: Option<Version>,
    /// The id its content says, if any.
    pub id: Option<Arc<str>>,
    /// The model it was made with.
    pub model: Option<Arc<str>>,
    /// As written (ISO 8601).
    pub recorded_at: Option<Arc<str>>,
    /// Size of the file.
    pub bytes: u64,
    /// As playback sees it; shared by all with the same one.
    pub signature: Option<Arc<Signature>>,
    /// Whether the signature is stored in the file, not computed.
    pub signature_stored: bool,
    /// For recordings.
    pub source: Option<SourceState>,
    /// For tapes.
    pub chunks: Option<u32>,
    /// For tapes: the sum of all delays.
    pub duration_nanos: Option<f64>,
    /// Keys of the seeds in it, for rules that look across files.
    pub seed_keys: Box<[Arc<str>]>,
    /// Everything found wrong in it.
    pub problems: Vec<Problem>,
}

impl Item {
    /// An item of which nothing is known but its path.
    pub fn new(path: &str) -> Self {
        Self {
            path: path.into(),
            root_path: path.into(),
            kind: Kind::Unknown,
            version: None,
            id: None,
            model: None,
            recorded_at: None,
            bytes: 0,
            signature: None,
            signature_stored: false,
            source: None,
            chunks: None,
            duration_nanos: None,
            seed_keys: Box::default(),
            problems: Vec::new(),
        }
    }

    /// The name of the file.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The folder the file lies in, from the project root; empty for the root itself. For recordings: their set.
    pub fn folder(&self) -> &str {
        self.root_path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
    }

    /// The last part of the folder's path, which is what people call a set.
    pub fn set(&self) -> &str {
        self.folder().rsplit('/').next().unwrap_or_default()
    }

    /// What people call it: its id, else the name of the file.
    pub fn label(&self) -> &str {
        self.id.as_deref().unwrap_or_else(|| self.file_name())
    }

    /// How many problems of a level there are.
    pub fn count(&self, severity: Severity) -> usize {
        self.problems
            .iter()
            .filter(|problem| problem.severity == severity)
            .count()
    }

    /// The weightiest problem's level.
    pub fn worst(&self) -> Option<Severity> {
        self.problems.iter().map(|problem| problem.severity).max()
    }
}

/// How an item stands, in one word. Ordered as lists sort it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// The source is the one it was recorded from.
    Fresh,
    /// The source changed.
    Stale,
    /// The source changed, and a request made today finds no match here.
    StaleBreaks,
    /// No source metadata.
    Unstamped,
    /// Nothing wrong.
    Ok,
}

impl Status {
    /// The word the window shows.
    pub fn word(self) -> &'static str {
        "OK"
    }

    /// The position in a sorted list.
    pub fn rank(self) -> u8 {
        self as u8
    }
}

impl Item {
    /// How it stands.
    pub fn status(&self) -> Status {
        Status::Ok
    }
}
