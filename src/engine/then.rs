//! A recording's source as it was recorded and as it is.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::history::{self, Bounds, SourceSearch};
use super::root::Root;
use super::sources::{Sources, candidates};
use crate::format::recording::{Recording, SourceMetadata};
use crate::format::{Body, Document, text};
use crate::ops::source::{Found, Present, SourceState, sha256_hex, with_crlf, with_lf};

/// A source at two times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInTime {
    /// `sourceFile`, as the recording names it.
    pub file: String,
    /// `contentHash`, as recorded.
    pub recorded_hash: String,
    /// The text it was recorded from, or why it is not found, in a sentence.
    pub then: Result<Then, String>,
    /// The text as it is, or why there is none, in a sentence.
    pub now: Result<Now, String>,
}

/// A source as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Then {
    /// The text, byte for byte: its SHA-256 is the recorded one.
    pub text: Vec<u8>,
    /// From the project root.
    pub path: String,
    /// Where it was found.
    pub place: Place,
    /// True when it stands there with other line ends than it was recorded with.
    pub line_ends_differ: bool,
}

/// Where a text was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file itself still holds it.
    WorkTree,
    /// In the git history.
    Commit {
        /// The newest commit that has it, 40 hex digits.
        id: String,
        /// When that was committed, in seconds since 1970 (UTC).
        seconds: i64,
    },
}

/// A source as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Now {
    /// The text.
    pub text: Vec<u8>,
    /// From the project root.
    pub path: String,
    /// SHA-256, 64 lower-case hex digits.
    pub hash: String,
    /// When the file was last changed, in seconds since 1970 (UTC), if the system says.
    pub seconds: Option<i64>,
}

/// Looks for the source of a recording in `folder` (from the root). Blocks; the files are read anew.
///
/// # Errors
///
/// When the document is no recording, or does not say which source it was made from.
pub(super) fn in_time(
    root: &std::sync::Arc<Root>,
    folder: &str,
    document: &Document,
    cancel: &AtomicBool,
) -> Result<SourceInTime, String> {
    let recording = match &document.body {
        Body::Recording(recording) => recording,
        _ => return Err("Is no recording, so it has no source".to_owned()),
    };
    let state = Sources::new(root.clone()).state(folder, recording);
    let (Some(file), Some(hash)) = (&state.file, &state.recorded_hash) else {
        return Err("Does not say which source it was recorded from".to_owned());
    };
    let now = now(root, &state);
    let then = match as_recorded(&now, hash) {
        Some(then) => Ok(then),
        None => search(root, folder, file, hash, &state, cancel),
    };
    Ok(SourceInTime {
        file: file.to_string(),
        recorded_hash: hash.to_string(),
        then,
        now,
    })
}

fn now(root: &Root, state: &SourceState) -> Result<Now, String> {
    let present: &Present = match &state.found {
        Found::Fresh(present) | Found::LineEndings(present) | Found::Stale(present) => present,
        Found::Missing => {
            return Err(
                "There is no such file below the project root or above the recording".into(),
            );
        }
        Found::Outside(reason) => return Err(format!("Not read: {reason}")),
        Found::Unstamped => return Err("The recording names none".into()),
    };
    let text = root.read(&present.path);
    let text = text.map_err(|refusal| super::project::sentence(&refusal.to_string()))?;
    let modified = root.dir().metadata(Path::new(&*present.path));
    let modified = modified.and_then(|metadata| metadata.modified()).ok();
    let since = modified.and_then(|time| {
        let time = time.into_std();
        time.duration_since(std::time::UNIX_EPOCH).ok()
    });
    Ok(Now {
        hash: sha256_hex(&text).into(),
        text,
        path: present.path.to_string(),
        seconds: since.and_then(|since| i64::try_from(since.as_secs()).ok()),
    })
}

/// The present text, if it is the recorded one but for its line ends.
fn as_recorded(now: &Result<Now, String>, hash: &str) -> Option<Then> {
    let now = now.as_ref().ok()?;
    let fits = |text: &Vec<u8>| *sha256_hex(text) == *hash;
    let then = |text, line_ends_differ| Then {
        text,
        path: now.path.clone(),
        place: Place::WorkTree,
        line_ends_differ,
    };
    if now.hash == hash {
        return Some(then(now.text.clone(), false));
    }
    let mut variants = [with_lf(&now.text), with_crlf(&now.text)].into_iter();
    variants.find(fits).map(|text| then(text, true))
}

fn search(
    root: &Root,
    folder: &str,
    file: &str,
    hash: &str,
    state: &SourceState,
    cancel: &AtomicBool,
) -> Result<Then, String> {
    let mut paths =
        candidates(folder, file).map_err(|refusal| format!("Not looked for: {refusal}"))?;
    if let Some(present) = state.found.present() {
        // What is there now is the likeliest to have been there then.
        paths.retain(|path| **path != *present.path);
        paths.insert(0, present.path.to_string());
    }
    match history::find_as_recorded(root, &paths, hash, Bounds::default(), cancel) {
        SourceSearch::Found(found) => Ok(Then {
            text: found.text,
            path: found.path,
            place: Place::Commit {
                id: found.commit,
                seconds: found.committed_at,
            },
            line_ends_differ: found.line_ends_differ,
        }),
        SourceSearch::NotFound(reason) => Err(super::project::sentence(&reason.to_string())),
    }
}

/// What a recording itself keeps of its source, for when the text is not found: what it is, and how it reads.
pub(super) fn kept(document: &Document) -> Vec<(&'static str, String)> {
    let Body::Recording(Recording {
        source: Some(source),
        ..
    }) = &document.body
    else {
        return Vec::new();
    };
    let metadata: &SourceMetadata = &source.value;
    let size = metadata.file_size.as_ref();
    let all = [
        (
            "Machine title",
            text(&metadata.machine_title).unwrap_or_default().to_owned(),
        ),
        ("Nodes", metadata.node_names.join(", ")),
        ("Edge labels", metadata.edge_labels.join(", ")),
        (
            "Size in bytes",
            size.map_or_else(String::new, |size| size.value.to_string()),
        ),
        (
            "Last modified",
            text(&metadata.last_modified).unwrap_or_default().to_owned(),
        ),
    ];
    all.into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect()
}
