//! Options that many commands take, each declared once.

use std::path::{Path, PathBuf};

use super::Color;

/// Where a command may look for files.
#[derive(Debug, clap::Args)]
pub(super) struct Within {
    /// Read and write nothing outside this folder [default: the enclosing project].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Within {
    /// The folder outside which nothing is read; `None`: the enclosing project.
    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }
}

/// How what is printed looks.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Look {
    /// When to use colours.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
}
