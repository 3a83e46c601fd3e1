//! `retake man`: manual pages.

use clap::CommandFactory as _;
use clap_mangen::Man;

use super::{ColorMode, CommandError, CommandResult, CommandVerdict, RetakeArgs, write};

/// Print a manual page, as input for `man`.
///
/// Packages install all pages: `man retake`, `man retake-check`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake man > retake.1\n  retake man check > retake-check.1\n  retake man --list"
)]
pub(super) struct ManArgs {
    /// The page of this command [default: the page of the program].
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// List the commands that have a page.
    #[arg(long, conflicts_with = "command")]
    list: bool,
}

pub(super) fn run(arguments: &ManArgs) -> CommandResult {
    let mut program = RetakeArgs::command();
    // `build` completes the names of the commands with that of the program, which the pages show.
    program.build();
    // clap adds `help`, which has no page of its own.
    let commands = || program.get_subcommands().filter(|command| command.get_name() != "help");
    if arguments.list {
        write(ColorMode::Never, |output| commands().try_for_each(|c| output.line(c.get_name())))?;
        return Ok(CommandVerdict::Passed);
    }
    let page = match &arguments.command {
        None => program.clone(),
        Some(name) => {
            let fault = || format!("There is no command {name:?}; `retake man --list` lists all");
            let command = commands().find(|command| command.get_name() == name.as_str());
            command.ok_or_else(|| CommandError(fault()))?.clone()
        }
    };
    let mut roff = Vec::new();
    Man::new(page).render(&mut roff)?;
    // `man` formats it; escapes would be printed as text.
    write(ColorMode::Never, |output| output.raw(&roff))?;
    Ok(CommandVerdict::Passed)
}
