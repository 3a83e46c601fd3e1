//! Sources of recordings: how a recorded hash stands to the file as it is now.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Mark;

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
            file_mark: None,
            hash_mark: None,
        }
    }
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
    /// Nothing there.
    Missing,
    /// The path leads out of the project root (the reason in words), or cannot be read; it was not read.
    Outside(Arc<str>),
}

/// A source file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// Its path from the project root, joined with `/`.
    pub path: Box<str>,
    /// SHA-256 of its bytes, 64 lower-case hex digits.
    pub hash: Box<str>,
    /// SHA-256 of its text with every `\r\n` as `\n`.
    pub hash_lf: Box<str>,
    /// SHA-256 of its text with every line end as `\r\n`.
    pub hash_crlf: Box<str>,
    /// True when `sourceFile`, taken from the project root, is this path; false when it was only found by looking
    /// upwards from the recording's folder.
    pub at_root: bool,
}

impl Present {
    /// Hashes a source file's bytes.
    pub fn of(path: &str, bytes: &[u8], at_root: bool) -> Self {
        let hash = sha256_hex(bytes);
        let lf = with_lf(bytes);
        let hash_lf = match lf.len() == bytes.len() {
            true => hash.clone(),
            false => sha256_hex(&lf),
        };
        Self {
            path: path.into(),
            hash_crlf: sha256_hex(&with_crlf(bytes)),
            hash,
            hash_lf,
            at_root,
        }
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
            Self::Missing => "missing",
            Self::Outside(_) => "outside",
        }
    }

    /// The file that is there now, if one is.
    pub fn present(&self) -> Option<&Present> {
        match self {
            Self::Fresh(present) | Self::LineEndings(present) | Self::Stale(present) => {
                Some(present)
            }
            Self::Unstamped | Self::Missing | Self::Outside(_) => None,
        }
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
    },
}

/// SHA-256 as 64 lower-case hex digits, the form in which recordings keep it.
pub fn sha256_hex(bytes: &[u8]) -> Box<str> {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex.into()
}

/// The same text with every `\r\n` as `\n`.
pub fn with_lf(bytes: &[u8]) -> Vec<u8> {
    replace(bytes, b"\r\n", b"\n")
}

/// The same text with every line end as `\r\n`.
pub fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    replace(&with_lf(bytes), b"\n", b"\r\n")
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(bytes.len());
    let mut rest = 0;
    for at in memchr::memmem::find_iter(bytes, from) {
        replaced.extend_from_slice(&bytes[rest..at]);
        replaced.extend_from_slice(to);
        rest = at + from.len();
    }
    replaced.extend_from_slice(&bytes[rest..]);
    replaced
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
}
