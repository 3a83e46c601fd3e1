//! Options that several commands share.

use std::path::{Path, PathBuf};

use super::Color;

/// The folder that bounds a command.
#[derive(Debug, clap::Args)]
pub(super) struct Within {
    /// Read and write nothing outside this folder [default: the enclosing project].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Within {
    /// The folder outside of which nothing is read; `None` means the enclosing project.
    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }
}

/// How output is displayed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Look {
    /// When to use colors.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
}
