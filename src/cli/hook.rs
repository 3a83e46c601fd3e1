//! `retake hook install`: installs a git hook that checks commits.

use std::path::PathBuf;

use clap::Subcommand;

use super::output::shown;
use super::{CommandResult, CommandVerdict, print_summary, report_error};
use engine::hook::install;

/// Check recordings before each git commit.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake hook install\n  retake hook install ../other-repository"
)]
pub(super) struct HookArgs {
    #[command(subcommand)]
    command: HookCommand,
}

#[derive(Debug, Subcommand)]
enum HookCommand {
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

pub(super) fn run(arguments: &HookArgs) -> CommandResult {
    let HookCommand::Install { path } = &arguments.command;
    // Without a program, the hook can only call `retake` from the PATH.
    let program = std::env::current_exe().ok();
    let hook = install(path, program.as_deref())?;
    hook.remarks.iter().for_each(|remark| report_error(remark));
    let verb = if hook.is_update { "Updated" } else { "Installed" };
    let place = hook.place.to_string_lossy();
    print_summary(&format!("{verb} the pre-commit hook {}", shown(&place)));
    Ok(CommandVerdict::Passed)
}
