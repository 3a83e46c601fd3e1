//! Changes of files as data: planned, shown, carried out in order, and undone by their inverses in the reverse order.

use std::fmt;
use std::sync::Arc;

use crate::text::visible;

/// The content of a file; `None` where there is no file.
pub type FileBytes = Option<Arc<[u8]>>;

/// A change of one file. What its paths are relative to is known to the plan that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileStep {
    /// Writes a new file. Its inverse deletes the file, if it still has this content.
    Create { path: Arc<str>, bytes: Arc<[u8]> },
    /// Changes the content of a file; `None` where there is no file. A file can be deleted, since its content is here.
    Write { path: Arc<str>, before: Option<Arc<[u8]>>, after: Option<Arc<[u8]>> },
    /// Renames a file within its folder; the new name must be free.
    Rename { from: Arc<str>, to: Arc<str> },
    /// Writes a copy beside the file; its name must be free. A copy that was written is a [`Create`](Self::Create).
    Copy { from: Arc<str>, to: Arc<str> },
}

impl FileStep {
    /// The file that is changed, copied or created.
    pub fn path(&self) -> &Arc<str> {
        match self {
            Self::Create { path, .. } | Self::Write { path, .. } => path,
            Self::Rename { from, .. } | Self::Copy { from, .. } => from,
        }
    }

    /// Returns what the step makes of each file that it changes: its content, or `None` if there is no file then. `content` is that of
    /// [`path`](Self::path) before.
    pub fn changes(&self, content: FileBytes) -> Vec<(&Arc<str>, FileBytes)> {
        match self {
            Self::Create { path, bytes } => vec![(path, Some(Arc::clone(bytes)))],
            Self::Write { path, after, .. } => vec![(path, after.clone())],
            Self::Rename { from, to } => vec![(to, content), (from, None)],
            Self::Copy { to, .. } => vec![(to, content)],
        }
    }

    /// Returns the step that undoes it; `None` for a copy, whose content is not known before it is written.
    pub fn inverse(&self) -> Option<Self> {
        Some(match self.clone() {
            Self::Create { path, bytes } => Self::Write { path, before: Some(bytes), after: None },
            Self::Write { path, before, after } => {
                Self::Write { path, before: after, after: before }
            }
            Self::Rename { from, to } => Self::Rename { from: to, to: from },
            Self::Copy { .. } => return None,
        })
    }
}

impl fmt::Display for FileStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path| visible(file_name(path));
        match self {
            Self::Write { path, after: None, .. } => write!(f, "Delete {}", name(path)),
            Self::Create { path, .. } | Self::Write { path, .. } => {
                write!(f, "Write {}", name(path))
            }
            Self::Rename { from, to } => write!(f, "Rename {} to {}", name(from), name(to)),
            Self::Copy { from, to } => write!(f, "Copy {} to {}", name(from), name(to)),
        }
    }
}

/// Returns the last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The result of carrying out steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesChanged {
    /// The steps that were done, in order, with the contents that were found.
    pub done: Vec<FileStep>,
    /// The reason that the next step failed, as a sentence without a full stop.
    pub fault: Option<String>,
}

impl FilesChanged {
    /// The result where nothing could be done.
    pub fn failed(reason: String) -> Self {
        Self { fault: Some(reason), ..Self::default() }
    }

    /// Returns the steps that undo what was done, in order.
    pub fn undo(&self) -> Vec<FileStep> {
        self.done.iter().rev().filter_map(FileStep::inverse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_an_inverse_as_soon_as_its_content_is_known() {
        let (path, bytes): (Arc<str>, Arc<[u8]>) = ("set/a.json".into(), b"a".as_slice().into());
        let copy = FileStep::Copy { from: Arc::clone(&path), to: "set/b.json".into() };
        assert_eq!(copy.inverse(), None);
        let create = FileStep::Create { path: Arc::clone(&path), bytes: Arc::clone(&bytes) };
        let delete = create.inverse().unwrap();
        assert_eq!(delete.to_string(), "Delete a.json");
        let rename = FileStep::Rename { from: Arc::clone(&path), to: "set/b.json".into() };
        let write = FileStep::Write { path, before: None, after: Some(bytes) };
        for step in [delete, rename, write] {
            let inverse = step.inverse().unwrap();
            assert_ne!(inverse, step);
            assert_eq!(inverse.inverse(), Some(step));
        }
    }
}
