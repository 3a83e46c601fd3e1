//! Retake's program: no subcommand opens the window, else the command runs.

fn main() {}
