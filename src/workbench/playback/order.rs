//! What is to be played.

use std::path::PathBuf;
use std::sync::Arc;

use super::played::Stock;
use crate::ops::playback::Rules;
use crate::text::Source;
use crate::workbench::items::Items;
use crate::workbench::library::DocId;

/// Where requests come from. Folders and machines by their path from the project root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestsFrom {
    /// The set itself, in its order.
    SetItself,
    /// The recordings and bare requests of a folder that is open, by the names of their files.
    Folder(Arc<str>),
    /// What the nodes of a machine would ask today.
    Machine(Arc<str>),
    /// A file or folder that need not be open: a machine, requests, recordings, or a log.
    Path(PathBuf),
    /// A failure of a log, counted from 0.
    Log {
        /// What people call the log.
        name: Arc<str>,
        /// All of it.
        text: Arc<str>,
        /// Which failure.
        failure: usize,
    },
    /// A request as JSON, typed by hand.
    Typed(Arc<str>),
}

impl RequestsFrom {
    /// What people call it.
    pub fn label(&self) -> String {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        match self {
            Self::SetItself => "The set itself".to_owned(),
            Self::Folder(folder) if folder.is_empty() => "The project's folder".to_owned(),
            Self::Folder(path) | Self::Machine(path) => last(path),
            Self::Path(path) => {
                let name = path.file_name().map(std::ffi::OsStr::to_string_lossy);
                name.map_or_else(|| path.display().to_string(), std::borrow::Cow::into_owned)
            }
            Self::Log { name, .. } => name.to_string(),
            Self::Typed(_) => "A request typed by hand".to_owned(),
        }
    }
}

/// What is to be played, with all it is read from.
#[derive(Clone, Debug)]
pub struct PlayOrder {
    /// Names the order.
    pub number: u64,
    /// Everything that is open.
    pub items: Items,
    /// Texts that count in place of those on disk.
    pub edited: Vec<(DocId, Source)>,
    /// Where requests come from.
    pub requests: RequestsFrom,
    /// The folder of the set; `None`: the one that the log points to.
    pub set: Option<Arc<str>>,
    /// The folder of the set where a log points to none.
    pub fallback: Option<Arc<str>>,
    /// A request typed in place of that of a call.
    pub typed: Option<(usize, Arc<str>)>,
    /// How it is played, unless this is a log that says how it was.
    pub rules: Rules,
    /// Whether this is played for the first time: a log is then played as its client did.
    pub is_new: bool,
    /// How it is played once more, beside the first.
    pub beside: Option<Rules>,
    /// What was read already, when nothing of it has changed since.
    pub known: Option<Arc<Stock>>,
    /// What was read last, when the same requests are wanted and files have changed.
    pub read: Option<Arc<Stock>>,
}

/// Orders of the same number are the same.
impl PartialEq for PlayOrder {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}
