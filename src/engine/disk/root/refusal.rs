//! Reasons that a file was not read, or a path not opened.

use std::path::PathBuf;
use std::sync::Arc;
use std::{fmt, io};

use document::text::{upper_first, visible};

/// Reason that a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadRefusal {
    /// Nothing is there.
    Missing,
    /// The path leads out of its root; with the reason.
    Outside(Arc<str>),
    /// It exists and cannot be read; with the reason.
    Unreadable(Arc<str>),
}

impl fmt::Display for ReadRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such file"),
            Self::Outside(reason) | Self::Unreadable(reason) => f.write_str(reason),
        }
    }
}

impl ReadRefusal {
    /// Describes a system error.
    pub fn from_error(error: &io::Error) -> Self {
        match error.kind() {
            // A path that goes through a file names nothing, too.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::PermissionDenied if OutsideRootError::from_error(error).is_some() => {
                Self::Outside(describe_error(error).into())
            }
            // The handle's own refusal has no OS error code.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
                Self::Outside("a link in the path points outside the root".into())
            }
            io::ErrorKind::PermissionDenied => {
                Self::Unreadable("it cannot be read: permission denied".into())
            }
            // The standard library reports a zero byte in a name as invalid input.
            io::ErrorKind::InvalidInput => {
                Self::Unreadable("its name is not a valid file name".into())
            }
            _ if is_link_loop(error) => {
                Self::Unreadable("it is a link that points to itself".into())
            }
            _ => Self::Unreadable(format!("it cannot be read: {}", describe_error(error)).into()),
        }
    }
}

/// Returns the system's message for an error, without its number.
pub(crate) fn describe_error(error: &io::Error) -> String {
    let text = error.to_string();
    if OutsideRootError::from_error(error).is_some() {
        // The message contains paths, which must stay as they are.
        return text;
    }
    let end = text.find(" (os error").unwrap_or(text.len());
    // Messages continue a sentence with it.
    text[..end].to_lowercase()
}

/// Makes a sentence of a reason: drops its leading "it".
pub(crate) fn to_sentence(reason: impl fmt::Display) -> String {
    let reason = reason.to_string();
    upper_first(reason.strip_prefix("it ").unwrap_or(&reason))
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link_loop(_: &io::Error) -> bool {
    false
}

/// A path that the user named is outside its root.
#[derive(Debug)]
pub(super) struct OutsideRootError {
    /// The folder that bounds it, as an absolute path without links.
    root: PathBuf,
    /// The resolved path.
    target: PathBuf,
    cause: OutsideCause,
}

/// Reason that a path is outside.
#[derive(Debug)]
pub(super) enum OutsideCause {
    /// It is outside the root that the user gave.
    Place,
    /// A link that is in a project leads out of that project.
    Link,
}

impl fmt::Display for OutsideRootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (root, target) = (self.root.to_string_lossy(), self.target.to_string_lossy());
        let (root, target) = (visible(&root), visible(&target));
        match self.cause {
            OutsideCause::Place => write!(f, "{target} is outside the root {root}"),
            OutsideCause::Link => write!(f, "a link leads out of the project {root}, to {target}"),
        }
    }
}

impl std::error::Error for OutsideRootError {}

impl OutsideRootError {
    /// Returns the system error with this cause.
    pub(super) fn error(root: PathBuf, target: PathBuf, cause: OutsideCause) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, Self { root, target, cause })
    }

    /// Returns this cause of an error, if it has it.
    pub(super) fn from_error(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// Returns what the user can do instead.
    fn help(&self) -> &'static str {
        match self.cause {
            OutsideCause::Place => "give a path inside the root, or another root",
            OutsideCause::Link => "give the link's target instead of the link",
        }
    }
}

/// Error of a path that could not be opened.
#[derive(Debug)]
pub struct OpenError {
    /// As it was given.
    pub path: PathBuf,
    /// The system's error.
    pub error: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        let path = visible(&path);
        if let Some(reason) = OutsideRootError::from_error(&self.error) {
            return write!(f, "{path}: {reason}; {}", reason.help());
        }
        match self.error.kind() {
            io::ErrorKind::NotFound => write!(f, "no file or folder at {path}"),
            _ => write!(f, "{} at {path}", describe_error(&self.error)),
        }
    }
}

impl std::error::Error for OpenError {}
