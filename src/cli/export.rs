//! `retake export`: curated files from what was recorded.

mod tape;

use clap::Subcommand;

use super::{Failure, Verdict};

/// Make new files: tapes.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Tape(tape::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    match &arguments.what {
        What::Tape(arguments) => tape::run(arguments),
    }
}
