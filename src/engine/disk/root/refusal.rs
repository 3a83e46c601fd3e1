//! Why a file was not read.

use std::sync::Arc;
use std::{fmt, io};

use super::user_path::OutsideRootError;

/// Why a file was not read.
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
        // It contains paths.
        return text;
    }
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_lowercase()
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link_loop(_: &io::Error) -> bool {
    false
}
