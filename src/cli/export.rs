//! `retake export`: curated files, made of what is open. A file for each kind.

mod session;

use clap::Subcommand;

use super::{Failure, Verdict};

/// Write curated files, made of recordings, sessions and seeds.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  retake export session replays --to replays-json --as json")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Session(session::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    match &arguments.command {
        Command::Session(arguments) => session::run(arguments),
    }
}
