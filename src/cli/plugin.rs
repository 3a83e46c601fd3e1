//! `retake plugin`: prints the plugin of a test runner, which logs what tests send.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::outbox::{OutputFolder, WriteMode, WriteOutcome};
use super::output::shown_path;
use super::{ColorMode, CommandError, CommandResult, CommandVerdict, print_summary, write};
use engine::undo::StepRecorder;

/// The plugin of pytest, in Python.
const PYTEST: &str = include_str!("../../assets/retake_plugin.py");

/// Print a plugin that logs what tests send while recordings answer, for `retake drift`.
///
/// The plugin of pytest works with vcrpy 6 and newer, also with pytest-recording and pytest-vcr. It changes the outcome of no
/// test. Each line of the log is one request with its test, its line and the recorded call that answered; secrets are masked.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake plugin pytest > retake_plugin.py\n  retake plugin pytest --output tests/retake_plugin.py\n\n\
                  Then: pytest -p retake_plugin --retake-log requests.jsonl"
)]
pub(super) struct PluginArgs {
    /// The test runner.
    #[arg(value_name = "RUNNER")]
    runner: TestRunner,
    /// Write the plugin to this file.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TestRunner {
    /// pytest, with vcrpy.
    Pytest,
}

pub(super) fn run(arguments: &PluginArgs, recorder: &StepRecorder) -> CommandResult {
    let TestRunner::Pytest = arguments.runner;
    let Some(file) = &arguments.output else {
        write(ColorMode::Never, |output| output.raw(PYTEST.as_bytes()))?;
        return Ok(CommandVerdict::Passed);
    };
    let path = file.to_string_lossy();
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| format!("Expected the path of a file: {}", shown_path(&path)))?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let output = OutputFolder {
        folder: folder.unwrap_or(Path::new(".")).to_owned(),
        root: None,
        mode: WriteMode::from_flags(false, arguments.force),
        recorder,
    };
    match output.write_file(name, PYTEST)? {
        WriteOutcome::Written => print_summary(&format!("Wrote {}", shown_path(&path))),
        WriteOutcome::Same => print_summary(&format!("Already up to date: {}", shown_path(&path))),
        WriteOutcome::Conflict(_) => {
            return Err(CommandError(format!(
                "The file already exists and was not changed; --force replaces it: {}",
                shown_path(&path)
            )));
        }
    }
    Ok(CommandVerdict::Passed)
}
