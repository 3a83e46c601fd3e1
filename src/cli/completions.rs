//! `retake completions`: completions of commands and options for a shell.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{ColorMode, CommandResult, CommandVerdict, RetakeArgs, write};

/// Print the completions of a shell, to be loaded when it starts.
///
/// Packages install them. Otherwise save the output where your shell looks for completions, or load it in its start file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake completions bash > ~/.local/share/bash-completion/completions/retake\n  \
                  retake completions fish > ~/.config/fish/completions/retake.fish"
)]
pub(super) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(arguments: &CompletionsArgs) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut RetakeArgs::command(), "retake", &mut script);
    // A shell executes the script, in which escape sequences would be syntax errors.
    write(ColorMode::Never, |output| output.raw(&script))?;
    Ok(CommandVerdict::Passed)
}
