//! Requests for playing.

use std::path::PathBuf;
use std::sync::Arc;

use super::result::PlaybackInput;
use crate::ops::playback::PlaybackRules;
use crate::text::Source;
use crate::workbench::core::items::Items;
use crate::workbench::core::library::DocId;
use crate::workbench::core::working_copy::Revision;

/// The source of the requests. Folders and machines are paths from the project root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestsSource {
    /// The set itself, in its order.
    SetItself,
    /// The recordings and bare requests of an open folder, by file name.
    Folder(Arc<str>),
    /// The requests that the nodes of a machine would send today.
    Machine(Arc<str>),
    /// A file or folder that may not be open: a machine, requests, recordings or a log.
    Path {
        path: PathBuf,
        /// The failure in a log, counted from 0.
        failure: usize,
    },
    /// A failure of a log, counted from 0.
    Log {
        /// The name of the log.
        name: Arc<str>,
        text: Arc<str>,
        /// The failure, counted from 0.
        failure: usize,
    },
    /// A request in JSON, pasted by the user.
    Typed(Arc<str>),
}

impl RequestsSource {
    pub fn label(&self) -> String {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        match self {
            Self::SetItself => "The set itself".to_owned(),
            Self::Folder(folder) if folder.is_empty() => "The project's folder".to_owned(),
            Self::Folder(path) | Self::Machine(path) => last(path),
            Self::Path { path, .. } => {
                let name = path.file_name().map(std::ffi::OsStr::to_string_lossy);
                name.map_or_else(|| path.display().to_string(), std::borrow::Cow::into_owned)
            }
            Self::Log { name, .. } => name.to_string(),
            Self::Typed(_) => "A pasted request".to_owned(),
        }
    }
}

/// What a result was played from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayKey {
    /// Of the scan.
    pub(super) generation: u64,
    /// How often the requests or the set were changed.
    pub(super) content: u64,
    /// How often their files were changed on disk.
    pub(super) touched: u64,
    /// The texts that are edited.
    pub(super) edited: Vec<(DocId, Revision)>,
    pub rules: PlaybackRules,
}

/// A request to play, with all inputs.
#[derive(Clone, Debug)]
pub struct PlayRequest {
    /// What the response carries; with the rules, unless the log contains its own.
    pub key: PlayKey,
    /// Everything that is open.
    pub items: Items,
    /// The texts of edited documents, used in place of the files.
    pub edited: Vec<(DocId, Source)>,
    /// The source of the requests.
    pub requests: RequestsSource,
    /// The folder of the set; `None` for the one that the log names.
    pub set: Option<Arc<str>>,
    /// The folder of the set if a log names none.
    pub fallback: Option<Arc<str>>,
    /// Whether the requests are new: a log is then played with its own rules.
    pub is_new: bool,
    /// The input of an earlier run, if it is unchanged.
    pub known: Option<Arc<PlaybackInput>>,
    /// The input of the last run of the same requests, if files have changed.
    pub read: Option<Arc<PlaybackInput>>,
}
