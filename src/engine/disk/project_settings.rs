//! The settings in `retake.toml` at a project's root.

use std::path::{Path, PathBuf};

use crate::engine::disk::project::to_sentence;
use crate::engine::disk::root::{self, ReadRefusal, Root, enclosing_project};
use crate::format::{Problem, RuleId};
use crate::ops::settings::{FILE_NAME, Settings, parse};
use crate::text::{Source, visible};

/// The settings of a project, and the problems of their file.
#[derive(Debug)]
pub(in crate::engine) struct ProjectSettings {
    pub(in crate::engine) settings: Settings,
    /// Problems of the file; where it was not understood, the defaults apply.
    pub(in crate::engine) problems: Vec<Problem>,
    /// The file as it was read.
    file: Result<Vec<u8>, ReadRefusal>,
}

impl ProjectSettings {
    /// Parses the settings file of a root, as it was read.
    pub(in crate::engine) fn parse(file: Result<Vec<u8>, ReadRefusal>) -> Self {
        let (settings, problems) = match &file {
            Ok(bytes) => parse(&Source::from_bytes(bytes.clone())),
            Err(ReadRefusal::Missing) => Default::default(),
            Err(refusal) => {
                let message = to_sentence(&refusal.to_string());
                let problem = Problem::whole_file(RuleId::Unreadable, message);
                (Settings::default(), vec![problem])
            }
        };
        Self { settings, problems, file }
    }

    /// Returns the file as it was read.
    pub(in crate::engine) fn file(&self) -> &Result<Vec<u8>, ReadRefusal> {
        &self.file
    }
}

/// Returns what to check when no path is given and the current folder is `folder`: the paths in the project's file, relative to
/// `folder`, or the whole project. `None` when the enclosing project has no `retake.toml`.
///
/// # Errors
///
/// A message when the folder does not exist, or a path in the file leads out of the project.
pub fn default_paths(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let unreadable = |error: std::io::Error| ReadRefusal::from_error(&error).to_string();
    let folder = std::fs::canonicalize(folder).map_err(unreadable)?;
    let root = Root::open(enclosing_project(&folder)).map_err(unreadable)?;
    let configured = &root.settings;
    if configured.file == Err(ReadRefusal::Missing) {
        return Ok(None);
    }
    let up = root::path_up(&folder, root.path());
    let paths = &configured.settings.paths;
    if paths.is_empty() {
        let is_here = up.as_os_str().is_empty();
        return Ok(Some(vec![if is_here { PathBuf::from(".") } else { up }]));
    }
    let vetted = paths.iter().map(|path| {
        let there = root.dir.metadata(path);
        match there.map_err(|error| ReadRefusal::from_error(&error)) {
            Err(ReadRefusal::Outside(reason)) => {
                let path = visible(path);
                Err(format!("{FILE_NAME} lists {path}, but {reason} of the project"))
            }
            // Other problems of the file are reported when it is opened.
            _ => Ok(up.join(path)),
        }
    });
    vetted.collect::<Result<Vec<PathBuf>, String>>().map(Some)
}
