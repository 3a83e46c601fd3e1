//! Takes, and which old take a new one replaces.

use std::sync::{Arc, OnceLock};

use calls::source::sha256_hex;
use calls::tape::verify::ignore;
use document::format::RecordingFormat;
use document::text::{Source, named_enum};
use document::{Document, FileKind, read_as};

/// The old or the new version of a file.
#[derive(Clone, Debug)]
pub struct Take {
    /// From the folder that is reviewed, with `/` between its parts.
    pub path: Arc<str>,
    /// Content of the file.
    pub bytes: Arc<[u8]>,
    /// The description of its format.
    pub format: Option<Arc<RecordingFormat>>,
    /// Computed when it is needed first.
    sha256: OnceLock<Arc<str>>,
}

impl PartialEq for Take {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.bytes == other.bytes
    }
}

impl Eq for Take {}

impl Take {
    /// Returns a file with its bytes.
    pub fn new(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), format: None, sha256: OnceLock::new() }
    }

    /// Returns the same with the description of its format.
    #[must_use]
    pub fn in_format(self, format: Option<&Arc<RecordingFormat>>) -> Self {
        Self { format: format.cloned(), ..self }
    }

    /// Returns another version of the same file.
    #[must_use]
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        Self::new(&self.path, bytes).in_format(self.format.as_ref())
    }

    /// Returns a file with its bytes. If another one has the same, memory has them once.
    pub fn new_beside(path: &str, bytes: Vec<u8>, other: Option<&Self>) -> Self {
        match other.filter(|other| *other.bytes == *bytes) {
            Some(other) => other.at(path.into()),
            None => Self::new(path, bytes),
        }
    }

    /// Returns the same at another path.
    #[must_use]
    pub fn at(&self, path: Arc<str>) -> Self {
        Self { path, ..self.clone() }
    }

    /// Returns the SHA-256 of its bytes, as 64 lower-case hex digits.
    pub fn sha256(&self) -> &Arc<str> {
        self.sha256.get_or_init(|| sha256_hex(&self.bytes).into())
    }

    /// Returns its folder; empty for the reviewed folder.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns the last part of its path.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Takes it apart.
    pub fn read(&self) -> Document {
        read_as(Source::from_bytes(self.bytes.to_vec()), &self.path, self.format.as_ref())
    }
}

named_enum! {
    /// Evidence that one take replaces another.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum PairedBy {
        /// They have the same path.
        Path = "path",
        /// They hold the same bytes at different paths.
        Content = "content",
        /// They have the same request, and their order among those of it.
        Request = "request",
        /// They have the same signature in one folder, but not the same request.
        Signature = "signature",
        /// They have much text in common, but not the same request.
        Similarity = "likeness",
        /// By the user.
        Hand = "hand",
        /// There is no other: the take was added or removed.
        Unpaired = "alone",
    }

    /// Returns its name in JSON.
    pub fn as_str;
}

impl PairedBy {
    /// Returns how a pair of takes of a kind was found, as a sentence without a full stop.
    pub fn description(self, kind: FileKind) -> &'static str {
        match self {
            Self::Path => "Paired by path",
            Self::Content => "Paired by content: the file moved",
            Self::Request => "Paired by request and time",
            Self::Signature => "Paired by signature: the requests differ",
            Self::Similarity if matches!(kind, FileKind::Recording | FileKind::Request) => {
                "Paired by similar text: the requests differ"
            }
            Self::Similarity => "Paired by similar text",
            Self::Hand => "Paired by you",
            Self::Unpaired => "Not paired",
        }
    }
}

/// An old take and the new one in its place; one of them may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakePair {
    /// The old take; `None` if it was added.
    pub old: Option<Arc<Take>>,
    /// The new take; `None` if it was removed.
    pub new: Option<Arc<Take>>,
    /// Evidence that they belong together.
    pub by: PairedBy,
}

/// Names a pair by what is in it: another text on either side is another pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PairKey {
    /// The path of the new take, or of the old one that was removed.
    pub path: Arc<str>,
    /// SHA-256 of the old take.
    pub old: Option<Arc<str>>,
    /// SHA-256 of the new take.
    pub new: Option<Arc<str>>,
}

impl TakePair {
    /// Pairs takes as a user does.
    pub(super) fn by_hand(old: &Arc<Take>, new: &Arc<Take>) -> Self {
        Self { old: Some(Arc::clone(old)), new: Some(Arc::clone(new)), by: PairedBy::Hand }
    }

    /// Returns both takes of a pair that has both.
    pub(super) fn both(&self) -> Option<(&Arc<Take>, &Arc<Take>)> {
        self.old.as_ref().zip(self.new.as_ref())
    }
    /// The take that is shown first: the new one, or the old one that was removed.
    pub fn shown(&self) -> Option<&Take> {
        self.new.as_deref().or(self.old.as_deref())
    }

    /// Returns the path of the new take, or of the old one that was removed.
    pub fn path(&self) -> &str {
        self.shown().map_or("", |take| &take.path)
    }

    /// Returns whether both takes are the same bytes at the same path.
    pub fn is_unchanged(&self) -> bool {
        self.both().is_some_and(|(old, new)| old == new)
    }

    /// Returns whether both takes are the same bytes, at whatever paths.
    pub(super) fn is_same_bytes(&self) -> bool {
        self.both().is_some_and(|(old, new)| old.bytes == new.bytes)
    }

    /// Returns true if the new take has another path.
    pub fn is_renamed(&self) -> bool {
        self.both().is_some_and(|(old, new)| old.path != new.path)
    }

    /// Returns true if the paths differ only in ids and numbers, as those of files that are named after when they were recorded.
    pub(super) fn is_renumbered(&self) -> bool {
        let paths = self.both().map(|(o, n)| [o, n].map(|take| without_numbers(&take.path)));
        self.is_renamed() && paths.is_some_and(|[old, new]| old == new)
    }

    /// Returns its key.
    pub fn key(&self) -> PairKey {
        let sha256 = |take: &Option<Arc<Take>>| Some(Arc::clone(take.as_ref()?.sha256()));
        PairKey { path: self.path().into(), old: sha256(&self.old), new: sha256(&self.new) }
    }
}

/// Returns a path without ids and digits.
pub(super) fn without_numbers(path: &str) -> String {
    let (stem, extension) = path.rsplit_once('.').unwrap_or((path, ""));
    let masked_stem = ignore::masked(stem).0;
    masked_stem.chars().chain(extension.chars()).filter(|c| !c.is_ascii_digit()).collect()
}
