//! Sources of recordings: compares the recorded hash of a source with the present file.

mod markdown;
pub mod successors;

pub use markdown::{MarkdownSource, find_block, is_markdown};

use std::sync::Arc;

use sha2::{Digest, Sha256};

use document::ValueMark;
use document::commit::CommitId;

/// The source that a recording names, and its present state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceState {
    /// `sourceFile`, as written; `None` for a recording without metadata.
    pub file: Option<Arc<str>>,
    /// `contentHash`, as written.
    pub recorded_hash: Option<Arc<str>>,
    /// The present state of the file.
    pub found: SourceFinding,
    /// Whether a request made from the present source would no longer match; `None` while this is unknown.
    pub affected: Option<bool>,
    /// The reason as a sentence, with the node and the tools; `None` while this is unknown.
    pub because: Option<Arc<str>>,
    /// The node whose request would no longer match: its present name, or the recorded name if it was removed.
    pub breaks_at: Option<Arc<str>>,
    /// The place of `sourceFile`; filled in by [`summarise`](super::summarise).
    pub file_mark: Option<ValueMark>,
    /// The place of `contentHash`; filled in by [`summarise`](super::summarise).
    pub hash_mark: Option<ValueMark>,
}

impl SourceState {
    /// Creates the state for a recording that names `file` and `recorded_hash`. Whether its request still matches is not known yet.
    pub fn new(
        file: Option<Arc<str>>,
        recorded_hash: Option<Arc<str>>,
        found: SourceFinding,
    ) -> Self {
        Self {
            file,
            recorded_hash,
            found,
            affected: None,
            because: None,
            breaks_at: None,
            file_mark: None,
            hash_mark: None,
        }
    }

    /// Whether the recording still matches its source, so that a stamp would only update the metadata.
    pub fn can_be_restamped(&self) -> bool {
        match self.found {
            // The same text makes the same request.
            SourceFinding::LineEndings(_) => true,
            SourceFinding::Stale(_) => self.fit() == RequestFit::Matches,
            _ => false,
        }
    }

    /// Returns whether the recording still matches the request that its present source would make.
    pub fn fit(&self) -> RequestFit {
        match (self.found.has_changed(), self.affected) {
            (true, Some(true)) => RequestFit::Breaks,
            (true, Some(false)) => RequestFit::Matches,
            // The recorded text makes the recorded request, wherever it is.
            (false, _) if self.found.holder().is_some() => RequestFit::Matches,
            (_, _) => RequestFit::Unknown,
        }
    }
}

/// Whether a recording still matches the request that its present source would make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestFit {
    /// The request would not match it.
    Breaks,
    Unknown,
    /// The request would match it.
    Matches,
}

/// The state of a recording's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceFinding {
    /// The recording names no source or no hash.
    Unstamped,
    /// The file has the recorded text.
    Fresh(Arc<PresentSource>),
    /// The file has the recorded text with different line ends.
    LineEndings(Arc<PresentSource>),
    /// The file has a different text.
    Stale(Arc<PresentSource>),
    /// The file does not exist, but other files have the recorded text or a later version of it. Never empty; if there are
    /// several, the user has to choose one.
    Renamed(Arc<[MovedSource]>),
    /// The file does not exist; with the commit that deleted it, if known.
    Missing(Option<Arc<CommitId>>),
    /// The path leads out of the project root or cannot be read; with the reason.
    Outside(Arc<str>),
}

/// A file to which a source was moved or renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedSource {
    /// The file.
    pub now: Arc<PresentSource>,
    /// True if it has the recorded text, possibly with different line ends; false if it has changed since.
    pub same_text: bool,
    /// The commit that moved it; `None` if this is unknown or not committed.
    pub commit: Option<Arc<CommitId>>,
}

impl MovedSource {
    /// Creates one for a file that has the recorded text.
    pub fn unchanged(now: Arc<PresentSource>) -> Self {
        Self { now, same_text: true, commit: None }
    }
}

/// A source file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresentSource {
    /// Its path from the project root, joined with `/`.
    pub path: Arc<str>,
    /// Its [`content_hash`].
    pub hash: Arc<str>,
    /// The hash of its text with `\n` in place of every `\r\n`.
    pub hash_lf: Arc<str>,
    /// The hash of its text with `\r\n` as every line end.
    pub hash_crlf: Arc<str>,
    /// True if `sourceFile` is this path relative to the project root; false if it is relative to a folder above the
    /// recording.
    pub at_root: bool,
}

impl PresentSource {
    /// Hashes a source file's bytes.
    pub fn from_bytes(path: &str, bytes: &[u8], at_root: bool) -> Self {
        let lossy = String::from_utf8_lossy(bytes);
        let text = lossy.as_bytes();
        let hash_with = |end| {
            let mut hasher = Sha256::new();
            with_line_ends(text, end, |piece| hasher.update(piece));
            Arc::from(hex(hasher))
        };
        let hash: Arc<str> = sha256_hex(text).into();
        Self {
            path: path.into(),
            // Most files have no `\r` at all.
            hash_lf: match memchr::memchr(b'\r', text) {
                Some(_) => hash_with("\n"),
                None => Arc::clone(&hash),
            },
            // Also without any `\r` here: the recording may be of a checkout that has them.
            hash_crlf: hash_with("\r\n"),
            hash,
            at_root,
        }
    }

    /// Returns all hashes of its text with different line ends, without duplicates.
    pub fn hashes(&self) -> impl Iterator<Item = &Arc<str>> {
        let mut hashes = vec![&self.hash, &self.hash_lf, &self.hash_crlf];
        hashes.sort_unstable();
        hashes.dedup();
        hashes.into_iter()
    }
}

impl SourceFinding {
    /// Compares a present source with the hash that was recorded.
    pub fn compare(recorded_hash: &str, file: Arc<PresentSource>) -> Self {
        if *file.hash == *recorded_hash {
            Self::Fresh(file)
        } else if *file.hash_lf == *recorded_hash || *file.hash_crlf == *recorded_hash {
            Self::LineEndings(file)
        } else {
            Self::Stale(file)
        }
    }

    /// Returns the word used in `list --json`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Unstamped => "unstamped",
            Self::Fresh(_) => "fresh",
            Self::LineEndings(_) => "line-endings",
            Self::Stale(_) => "stale",
            Self::Renamed(_) => "renamed",
            Self::Missing(_) => "missing",
            Self::Outside(_) => "outside",
        }
    }

    /// Returns a file that has the recorded text, possibly with different line ends or another name.
    pub fn holder(&self) -> Option<&PresentSource> {
        match self {
            Self::Fresh(file) | Self::LineEndings(file) => Some(file),
            Self::Renamed(targets) => targets.iter().find(|t| t.same_text).map(|t| &*t.now),
            Self::Unstamped | Self::Stale(_) | Self::Missing(_) | Self::Outside(_) => None,
        }
    }

    /// Returns the present file, if there is one; for a renamed source, only if there is exactly one candidate.
    pub fn present(&self) -> Option<&PresentSource> {
        match self {
            Self::Fresh(file) | Self::LineEndings(file) | Self::Stale(file) => Some(file),
            // Only a person can choose one of several.
            Self::Renamed(targets) => match &**targets {
                [target] => Some(&target.now),
                _ => None,
            },
            Self::Unstamped | Self::Missing(_) | Self::Outside(_) => None,
        }
    }

    /// Returns true if the source was found, but no file has the recorded text.
    pub fn has_changed(&self) -> bool {
        match self {
            Self::Stale(_) => true,
            Self::Renamed(targets) => targets.iter().all(|target| !target.same_text),
            _ => false,
        }
    }

    /// Returns the present file of a source that has changed, with which the recording is compared.
    pub fn changed(&self) -> Option<&PresentSource> {
        self.present().filter(|_| self.has_changed())
    }
}

/// Place in which the recorded text of a source was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceOrigin {
    /// In the file itself.
    WorkingTree,
    /// In the git history.
    Commit {
        /// Hexadecimal, 40 digits.
        id: String,
        /// When it was committed, in seconds since 1970, UTC.
        seconds: i64,
        /// Its path in that commit, from the project root.
        path: String,
        /// The line of the fence that opens the code block, from 1, where the path is a Markdown file that holds it in one.
        line: Option<u32>,
    },
    /// In a snapshot that Retake stored.
    Snapshot {
        /// When, in seconds since 1970, UTC.
        seconds: i64,
    },
}

/// The bytes of a source as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedSource {
    /// The bytes, whose [`content_hash`] is the recorded one.
    pub bytes: Vec<u8>,
    /// True if the line ends were converted to get the recorded hash.
    pub line_ends_differ: bool,
}

/// Returns the bytes if they have the recorded hash, either unchanged or with converted line ends.
pub fn match_recorded(bytes: &[u8], recorded_hash: &str) -> Option<RecordedSource> {
    if *content_hash(bytes) == *recorded_hash {
        return Some(RecordedSource { bytes: bytes.to_owned(), line_ends_differ: false });
    }
    let convert = |end| {
        let mut new_bytes = Vec::with_capacity(bytes.len());
        with_line_ends(bytes, end, |piece| new_bytes.extend_from_slice(piece));
        new_bytes
    };
    let mut variants = ["\n", "\r\n"].into_iter().map(convert);
    Some(RecordedSource {
        bytes: variants.find(|bytes| *content_hash(bytes) == *recorded_hash)?,
        line_ends_differ: true,
    })
}

/// Returns the hash that recordings store for a source: SHA-256 of its text as UTF-8, which is that of its bytes. For bytes
/// that are not UTF-8, recorders hash the text with U+FFFD in their place.
pub fn content_hash(bytes: &[u8]) -> Box<str> {
    sha256_hex(String::from_utf8_lossy(bytes).as_bytes())
}

/// Returns SHA-256 as 64 lower-case hex digits, the form that recordings store.
pub fn sha256_hex(bytes: &[u8]) -> Box<str> {
    hex(Sha256::new().chain_update(bytes))
}

fn hex(hasher: Sha256) -> Box<str> {
    let digit = |number: u8| char::from(b"0123456789abcdef"[usize::from(number)]);
    let digits = |byte: u8| [digit(byte >> 4), digit(byte & 15)];
    hasher.finalize().into_iter().flat_map(digits).collect()
}

/// Passes a text to `take` in parts, with every line end converted to `end`. A single `\r` is not a line end.
fn with_line_ends(bytes: &[u8], end: &str, mut take: impl FnMut(&[u8])) {
    let mut tail = bytes;
    while let Some(at) = memchr::memchr(b'\n', tail) {
        let line = &tail[..at];
        take(line.strip_suffix(b"\r").unwrap_or(line));
        take(end.as_bytes());
        tail = &tail[at + 1..];
    }
    take(tail);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_ends_differ_in_either_direction() {
        let (lf, crlf) = (&b"machine \"A\"\na -> b;\n"[..], &b"machine \"A\"\r\na -> b;\r\n"[..]);
        let now = |bytes| Arc::new(PresentSource::from_bytes("a.dygram", bytes, true));
        assert_eq!(SourceFinding::compare(&sha256_hex(lf), now(lf)).as_str(), "fresh");
        assert_eq!(SourceFinding::compare(&sha256_hex(lf), now(crlf)).as_str(), "line-endings");
        assert_eq!(SourceFinding::compare(&sha256_hex(crlf), now(lf)).as_str(), "line-endings");
        assert_eq!(SourceFinding::compare(&sha256_hex(b"other"), now(lf)).as_str(), "stale");
    }

    #[test]
    fn what_is_not_utf8_is_hashed_as_recorders_read_it() {
        let now = |bytes: &[u8]| Arc::new(PresentSource::from_bytes("a.dygram", bytes, true));
        let recorded_hash = sha256_hex("machine \"\u{fffd}\"\n".as_bytes());
        assert_eq!(
            SourceFinding::compare(&recorded_hash, now(b"machine \"\xe9\"\n")).as_str(),
            "fresh"
        );
        assert_eq!(
            SourceFinding::compare(&recorded_hash, now(b"machine \"\xe9\"\r\n")).as_str(),
            "line-endings"
        );
        let found = match_recorded(b"machine \"\xe9\"\n", &recorded_hash).unwrap();
        assert_eq!(found.bytes, b"machine \"\xe9\"\n");
    }

    #[test]
    fn other_line_ends_give_back_the_same_text() {
        let found = |now: &[u8], then: &[u8]| {
            let found = match_recorded(now, &sha256_hex(then))?;
            assert_eq!(found.bytes, then);
            Some(found.line_ends_differ)
        };
        assert_eq!(found(b"a\nb", b"a\nb"), Some(false));
        assert_eq!(found(b"a\nb\r\n", b"a\nb\n"), Some(true));
        assert_eq!(found(b"a\nb\r\n", b"a\r\nb\r\n"), Some(true));
        assert_eq!(found(b"a\r\r\nb", b"a\r\nb"), Some(true));
        assert_eq!(found(b"a\rb", b"a\nb"), None);
    }
}
