//! Work that the workbench requests from the engine.

use std::any::Any;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use crate::text::{counted, visible};

/// Work for the engine. A request carries all its inputs, so that the engine looks nothing up; its answer arrives as an
/// [`EngineEvent`](crate::workbench::EngineEvent).
pub trait TaskRequest: Any + Debug + Send {
    /// Describes the work as it continues the words "Internal error while": "reading a.json". Names the file, if it is about one.
    fn describe(&self) -> String;
}

/// A request to read these files and folders in place of what is open. Cancelling it keeps what was read, and stops watching.
#[derive(Debug)]
pub struct ScanRequest(pub Vec<PathBuf>);

impl TaskRequest for ScanRequest {
    fn describe(&self) -> String {
        format!("reading {}", quote_paths(&self.0))
    }
}

/// Names paths for a message: the first, and how many there are besides.
pub(in crate::workbench) fn quote_paths<P: AsRef<Path>>(paths: &[P]) -> String {
    let first = paths.first().map(|path| path.as_ref().to_string_lossy());
    let first = format!("`{}`", visible(&first.unwrap_or_default()));
    match paths.len() {
        0 | 1 => first,
        count => format!("{first} and {}", counted(count - 1, "other", "others")),
    }
}
