//! Options that several commands share.

use std::path::{Path, PathBuf};

use super::ColorMode;

/// The folder that bounds a command.
#[derive(Debug, clap::Args)]
pub(super) struct RootOption {
    /// Read and write nothing outside this folder [default: the enclosing project].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl RootOption {
    /// The folder outside of which nothing is read; `None` means the enclosing project.
    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }
}

/// How output is displayed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct ColorOption {
    /// When to use colors.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorMode,
}
