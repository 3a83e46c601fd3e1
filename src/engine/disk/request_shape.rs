//! Finds the request shape that the tapes of a folder use.

use std::ffi::OsString;
use std::path::Path;

use cap_std::fs::Dir;

use crate::disk::project::Project;
use crate::disk::root::{self, open_one};
use document::DocumentBody;
use document::tape::RequestShape;
use document::text::Source;

/// Returns the request shape of most tapes in a folder, if it is one of the two that players read; else
/// [`RequestShape::Contents`], which today's players need. Reads the first hundred JSON files by name. A folder that does
/// not exist, or is outside `root`, has no tapes.
pub fn request_shape_in(folder: &Path, root: Option<&Path>) -> RequestShape {
    let opened = open_one(folder, root).ok().filter(|opened| opened.file.is_none());
    opened.map_or(RequestShape::Contents, |opened| shape_in(&opened.dir, Path::new(".")))
}

impl Project {
    /// As [`request_shape_in`], of a folder by its path from the one that was opened first.
    pub(crate) fn request_shape_in(&self, folder: &str) -> RequestShape {
        let folder = if folder.is_empty() { "." } else { folder };
        let first = self.opened.first();
        first.map_or(RequestShape::Contents, |opened| shape_in(&opened.dir, Path::new(folder)))
    }
}

fn shape_in(dir: &Dir, folder: &Path) -> RequestShape {
    // A hundred are enough for a majority; a folder may have thousands.
    const MAX_FILES: usize = 100;
    let entries = dir.read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let is_json = |name: &OsString| Path::new(name).extension().is_some_and(|e| e == "json");
    let mut names: Vec<OsString> = names.filter(is_json).collect();
    // Folders are listed in no order: the same folder must always give the same shape.
    names.sort_unstable();
    let (mut with_history, mut with_contents) = (0, 0);
    for name in names.into_iter().take(MAX_FILES) {
        let Ok(bytes) = root::read_file(dir, &folder.join(&name)) else { continue };
        let document = document::read(Source::from_bytes(bytes), &name.to_string_lossy());
        let DocumentBody::Tape(tape) = &document.body else { continue };
        match tape.request_shape {
            RequestShape::History => with_history += 1,
            RequestShape::Contents => with_contents += 1,
            RequestShape::Other => {}
        }
    }
    if with_history > with_contents { RequestShape::History } else { RequestShape::Contents }
}
