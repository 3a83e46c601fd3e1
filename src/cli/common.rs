//! Options that several commands share.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::{ColorMode, CommandError, CommandResult, ReadFiles, read_everything};
use engine::root::ReadBounds;
use engine::{SourceLookup, default_paths};

/// The longest text that is read from standard input.
const MAX_PASTED_BYTES: u64 = 64 << 20;

/// The folder that bounds a command.
#[derive(Debug, clap::Args)]
pub(super) struct RootOption {
    /// Read and write nothing outside this folder [default: the enclosing git work tree or folder with a retake.toml; without one, the current
    /// folder if it contains the path and it or a folder on the way has a file of a project, such as flakestorm.yaml or package.json; else
    /// the path].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl RootOption {
    /// The folder outside of which nothing is read; `None` means the enclosing project.
    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }
}

/// What bounds a command that lists folders.
#[derive(Debug, clap::Args)]
pub(super) struct FolderOptions {
    #[command(flatten)]
    within: RootOption,
    /// Also read what .gitignore ignores in folders. The `ignore` of retake.toml still applies.
    #[arg(long)]
    no_ignore: bool,
}

impl FolderOptions {
    /// As [`RootOption::root`].
    pub(super) fn root(&self) -> Option<&Path> {
        self.within.root()
    }

    /// Bounds of the reading of folders.
    pub(super) fn bounds(&self) -> ReadBounds<'_> {
        ReadBounds { root: self.root(), lists_git_ignored: self.no_ignore, uses_caches: false }
    }
}

/// How a command reads all files in folders.
#[derive(Debug, clap::Args)]
pub(super) struct ScanOptions {
    #[command(flatten)]
    within: FolderOptions,
    /// Read every file, also those that have not changed since they were read, and store nothing for the next time.
    #[arg(long)]
    no_cache: bool,
}

impl ScanOptions {
    /// As [`RootOption::root`].
    pub(super) fn root(&self) -> Option<&Path> {
        self.within.root()
    }

    /// Bounds of the reading of folders.
    pub(super) fn bounds(&self) -> ReadBounds<'_> {
        ReadBounds { uses_caches: !self.no_cache, ..self.within.bounds() }
    }

    /// Reads all files at some paths; see [`read_everything`].
    pub(super) fn read(
        &self,
        paths: &[PathBuf],
        lookup: SourceLookup,
    ) -> CommandResult<&'static mut ReadFiles> {
        read_everything(paths, self.bounds(), lookup)
    }
}

/// Returns the paths in the arguments, else those in the project's retake.toml; `None` if neither has any.
pub(super) fn paths_or_default(
    paths: &[PathBuf],
    root: Option<&Path>,
) -> CommandResult<Option<Vec<PathBuf>>> {
    match paths {
        [] => default_paths(root.unwrap_or(Path::new("."))).map_err(CommandError),
        paths => Ok(Some(paths.to_owned())),
    }
}

/// Returns the parser of an option that is one of these names; the help of a name may be empty.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, &'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<_> = values.into_iter().collect();
    let names = values.iter().map(|(name, help, _)| {
        let name = PossibleValue::new(*name);
        if help.is_empty() { name } else { name.help(*help) }
    });
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(move |text| {
        let value = values.iter().find(|(name, ..)| *name == text);
        value.map(|(.., value)| value.clone()).ok_or("unknown name")
    })
}

/// How output is displayed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct ColorOption {
    /// When to use colors.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorMode,
}

/// Reads the text that is given on standard input.
pub(super) fn standard_input() -> CommandResult<String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        // A pipe may have no end, as one from a program that was started by mistake.
        .take(MAX_PASTED_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError(format!("Standard input cannot be read: {error}")))?;
    // A log may contain bytes of another encoding, and is read all the same.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
