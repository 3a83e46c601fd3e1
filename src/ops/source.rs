//! Sources of recordings: how a recorded hash stands to the file as it is now.

mod markdown;
pub mod successors;

pub use markdown::{InMarkdown, find_block, is_markdown};

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Mark;
use super::machine::Affected;

/// A source as a recording names it, and what was found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceState {
    /// `sourceFile`, as written; `None` for a recording without metadata.
    pub file: Option<Arc<str>>,
    /// `contentHash`, as written.
    pub recorded_hash: Option<Arc<str>>,
    /// What was found.
    pub found: Found,
    /// Whether a request made from the present source would no longer match; `None` while nobody knows.
    pub affected: Option<bool>,
    /// The same in a sentence, with the node and the tools; `None` while nobody has looked.
    pub because: Option<Arc<str>>,
    /// The node where such a request would no longer match: by its name now, or of one that is gone, then.
    pub breaks_at: Option<Arc<str>>,
    /// Where `sourceFile` stands; filled in by [`summarise`](super::summarise).
    pub file_mark: Option<Mark>,
    /// Where `contentHash` stands; filled in by [`summarise`](super::summarise).
    pub hash_mark: Option<Mark>,
}

impl SourceState {
    /// What was found for a recording that names `file` and `recorded_hash`. What becomes of its requests is not known yet.
    pub fn new(file: Option<Arc<str>>, recorded_hash: Option<Arc<str>>, found: Found) -> Self {
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
}

impl SourceState {
    /// Takes what a change of the source means for the recording.
    pub fn judged(self, affected: &Affected) -> Self {
        Self {
            affected: match affected {
                Affected::Yes { .. } => Some(true),
                Affected::No { .. } => Some(false),
                Affected::Unknown { .. } => None,
            },
            because: Some(affected.to_string().into()),
            breaks_at: affected.breaks_at().map(Arc::from),
            ..self
        }
    }

    /// Whether the recording still answers what would be asked of its present source.
    pub fn fit(&self) -> Fit {
        match (&self.found, self.affected) {
            (found, affected) if found.has_changed() => match affected {
                Some(true) => Fit::Breaks,
                Some(false) => Fit::Matches,
                None => Fit::Unknown,
            },
            (Found::Fresh(_) | Found::LineEndings(_) | Found::Renamed(_), _) => Fit::Matches,
            (Found::Stale(_) | Found::Unstamped | Found::Missing(_) | Found::Outside(_), _) => {
                Fit::Unknown
            }
        }
    }
}

/// Whether a recording still answers what would be asked of its present source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// A request made today would not match it.
    Breaks,
    /// Nobody can say.
    Unknown,
    /// A request made today would match it.
    Matches,
}

/// What was found where a recording's source should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The recording names no source or no hash.
    Unstamped,
    /// The very text that was recorded.
    Fresh(Arc<Present>),
    /// The same text but for its line ends.
    LineEndings(Arc<Present>),
    /// Another text.
    Stale(Arc<Present>),
    /// Nothing there, but it goes on elsewhere: the very text that was recorded, or what became of it. Never empty; of
    /// several, a person has to say which is meant.
    Renamed(Arc<[Moved]>),
    /// Nothing there, with the commit that deleted it where that is known.
    Missing(Option<Arc<CommitId>>),
    /// The path leads out of the project root (the reason in words), or cannot be read; it was not read.
    Outside(Arc<str>),
}

/// A file in which a source goes on that is not where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The file.
    pub now: Arc<Present>,
    /// True when it holds the very text that was recorded, be it with other line ends; false when that has changed since.
    pub same_text: bool,
    /// The commit that moved it there; `None` where that is not known, or not committed.
    pub commit: Option<Arc<CommitId>>,
}

impl Moved {
    /// A file that holds the very text that was recorded.
    pub fn unchanged(now: Arc<Present>) -> Self {
        Self {
            now,
            same_text: true,
            commit: None,
        }
    }
}

/// A commit of the git history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitId {
    /// Hexadecimal, 40 digits.
    pub id: Box<str>,
    /// When it was committed, in seconds since 1970, UTC.
    pub seconds: i64,
}

impl CommitId {
    /// The first seven digits.
    pub fn short(&self) -> &str {
        self.id.get(..7).unwrap_or(&self.id)
    }
}

/// A source file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// Its path from the project root, joined with `/`.
    pub path: Box<str>,
    /// Its [`content_hash`].
    pub hash: Box<str>,
    /// The same of its text with every `\r\n` as `\n`.
    pub hash_lf: Box<str>,
    /// The same of its text with every line end as `\r\n`.
    pub hash_crlf: Box<str>,
    /// True when `sourceFile`, taken from the project root, is this path; false when it was only found by looking
    /// upwards from the recording's folder.
    pub at_root: bool,
}

impl Present {
    /// Hashes a source file's bytes.
    pub fn of(path: &str, bytes: &[u8], at_root: bool) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.as_bytes();
        let with = |end| {
            let mut hasher = Sha256::new();
            with_line_ends(text, end, |piece| hasher.update(piece));
            hex(hasher)
        };
        let hash = sha256_hex(text);
        Self {
            path: path.into(),
            // Most files have no `\r` at all.
            hash_lf: match memchr::memchr(b'\r', text) {
                Some(_) => with(LineEnd::Lf),
                None => hash.clone(),
            },
            hash_crlf: with(LineEnd::CrLf),
            hash,
            at_root,
        }
    }
}

impl Present {
    /// Every hash that stands for its text, each once.
    pub fn hashes(&self) -> impl Iterator<Item = &str> {
        let mut hashes = vec![&*self.hash, &*self.hash_lf, &*self.hash_crlf];
        hashes.sort_unstable();
        hashes.dedup();
        hashes.into_iter()
    }
}

impl Found {
    /// Compares a present source with the hash that was recorded.
    pub fn compare(recorded_hash: &str, present: Arc<Present>) -> Self {
        if *present.hash == *recorded_hash {
            Self::Fresh(present)
        } else if *present.hash_lf == *recorded_hash || *present.hash_crlf == *recorded_hash {
            Self::LineEndings(present)
        } else {
            Self::Stale(present)
        }
    }

    /// The word used in `list --json`.
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

    /// A file that holds the text that was recorded, be it with other line ends or under another name.
    pub fn holder(&self) -> Option<&Present> {
        match self {
            Self::Fresh(present) | Self::LineEndings(present) => Some(present),
            Self::Renamed(to) => {
                let holder = to.iter().find(|moved| moved.same_text);
                holder.map(|moved| &*moved.now)
            }
            Self::Unstamped | Self::Stale(_) | Self::Missing(_) | Self::Outside(_) => None,
        }
    }

    /// The file that is there now, if one is; of a renamed one, where it goes on in that file alone.
    pub fn present(&self) -> Option<&Present> {
        match self {
            Self::Fresh(present) | Self::LineEndings(present) | Self::Stale(present) => {
                Some(present)
            }
            Self::Renamed(to) => match &**to {
                [moved] => Some(&moved.now),
                _ => None,
            },
            Self::Unstamped | Self::Missing(_) | Self::Outside(_) => None,
        }
    }

    /// True when it was found and no file holds the text that was recorded.
    pub fn has_changed(&self) -> bool {
        match self {
            Self::Stale(_) => true,
            Self::Renamed(to) => to.iter().all(|moved| !moved.same_text),
            _ => false,
        }
    }

    /// What a recording is to be judged by whose source has changed: the file that is there now.
    pub fn changed(&self) -> Option<&Present> {
        self.present().filter(|_| self.has_changed())
    }
}

/// Where the text of a source as it was has been found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The file itself still holds it.
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
    /// Retake kept it.
    Snapshot {
        /// When, in seconds since 1970, UTC.
        seconds: i64,
    },
}

/// A source's bytes, found to be what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The bytes: their [`content_hash`] is the recorded one.
    pub bytes: Vec<u8>,
    /// True when other line ends had to be put in for it.
    pub line_ends_differ: bool,
}

/// Takes bytes for what was recorded if their hash says so, as they are or with other line ends.
pub fn recorded(bytes: &[u8], recorded_hash: &str) -> Option<Recorded> {
    if *content_hash(bytes) == *recorded_hash {
        return Some(Recorded {
            bytes: bytes.to_owned(),
            line_ends_differ: false,
        });
    }
    let with = |end| {
        let mut changed = Vec::with_capacity(bytes.len());
        with_line_ends(bytes, end, |piece| changed.extend_from_slice(piece));
        changed
    };
    let mut variants = [LineEnd::Lf, LineEnd::CrLf].into_iter().map(with);
    Some(Recorded {
        bytes: variants.find(|bytes| *content_hash(bytes) == *recorded_hash)?,
        line_ends_differ: true,
    })
}

/// The hash by which recordings know a source: SHA-256 of its text as UTF-8, which is that of its bytes. Where these are
/// not UTF-8, recorders have read U+FFFD, and hashed that.
pub fn content_hash(bytes: &[u8]) -> Box<str> {
    sha256_hex(String::from_utf8_lossy(bytes).as_bytes())
}

/// SHA-256 as 64 lower-case hex digits, the form in which recordings keep it.
pub fn sha256_hex(bytes: &[u8]) -> Box<str> {
    hex(Sha256::new().chain_update(bytes))
}

fn hex(hasher: Sha256) -> Box<str> {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex.into()
}

/// A way in which lines end.
#[derive(Clone, Copy)]
enum LineEnd {
    Lf,
    CrLf,
}

/// Hands out a text piece by piece, with every line end as `end`. A lone `\r` is no line end.
fn with_line_ends(bytes: &[u8], end: LineEnd, mut take: impl FnMut(&[u8])) {
    let end: &[u8] = match end {
        LineEnd::Lf => b"\n",
        LineEnd::CrLf => b"\r\n",
    };
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\n', rest) {
        let line = &rest[..at];
        take(line.strip_suffix(b"\r").unwrap_or(line));
        take(end);
        rest = &rest[at + 1..];
    }
    take(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_ends_differ_in_either_direction() {
        let (lf, crlf) = (
            &b"machine \"A\"\na -> b;\n"[..],
            &b"machine \"A\"\r\na -> b;\r\n"[..],
        );
        let now = |bytes| Arc::new(Present::of("a.dygram", bytes, true));
        assert_eq!(Found::compare(&sha256_hex(lf), now(lf)).as_str(), "fresh");
        assert_eq!(
            Found::compare(&sha256_hex(lf), now(crlf)).as_str(),
            "line-endings"
        );
        assert_eq!(
            Found::compare(&sha256_hex(crlf), now(lf)).as_str(),
            "line-endings"
        );
        assert_eq!(
            Found::compare(&sha256_hex(b"other"), now(lf)).as_str(),
            "stale"
        );
    }

    #[test]
    fn what_is_not_utf8_is_hashed_as_recorders_read_it() {
        let now = |bytes: &[u8]| Arc::new(Present::of("a.dygram", bytes, true));
        let recorded_hash = sha256_hex("machine \"\u{fffd}\"\n".as_bytes());
        assert_eq!(
            Found::compare(&recorded_hash, now(b"machine \"\xe9\"\n")).as_str(),
            "fresh"
        );
        assert_eq!(
            Found::compare(&recorded_hash, now(b"machine \"\xe9\"\r\n")).as_str(),
            "line-endings"
        );
        let found = recorded(b"machine \"\xe9\"\n", &recorded_hash).unwrap();
        assert_eq!(found.bytes, b"machine \"\xe9\"\n");
    }

    #[test]
    fn other_line_ends_give_back_the_very_text() {
        let found = |now: &[u8], then: &[u8]| {
            let found = recorded(now, &sha256_hex(then))?;
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
