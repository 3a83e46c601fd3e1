//! `retake hook install`: installs a git hook that checks commits.

use std::path::PathBuf;

use clap::Subcommand;

use super::output::shown;
use super::{Failure, Verdict, complain, tell};
use crate::engine::hook::{Installed, install};

/// Check recordings before each git commit.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake hook install\n  retake hook install ../other-repository"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Install or update a pre-commit hook that runs `retake check --staged`.
    ///
    /// The hook rejects a commit if recordings in it have errors. To skip it, use `git commit --no-verify`; to uninstall it,
    /// remove the file. A hook that Retake did not write is not changed.
    #[command(
        after_help = "Examples:\n  retake hook install\n  retake hook install ../other-repository"
    )]
    Install {
        /// A folder in the repository.
        #[arg(value_name = "PATH", default_value = ".")]
        path: PathBuf,
    },
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let Command::Install { path } = &arguments.command;
    let program = std::env::current_exe().ok();
    let (installed, remarks) = install(path, program.as_deref()).map_err(Failure)?;
    for remark in remarks {
        complain(&remark);
    }
    let (what, place) = match &installed {
        Installed::New(place) => ("Installed", place),
        Installed::Renewed(place) => ("Updated", place),
    };
    let place = place.to_string_lossy();
    tell(&format!("{what} the pre-commit hook {}", shown(&place)));
    Ok(Verdict::Passed)
}
