//! `retake check`: every problem, with its place. A file a format.

mod github;
mod json;
mod junit;
mod report;
mod sarif;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;

use super::output::shown;
use super::{Color, Failure, Verdict, read_everything, write};
use crate::engine::SourceLookup;
use crate::ops::check::{Levels, Metadata, Mode};
use report::Report;

/// Tell every problem, with file, line and column; fail when there is an error.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake check fixtures --mode strict --rule signature-shared=off\n  \
                  retake check fixtures --format sarif > retake.sarif\n  \
                  retake check fixtures --format json"
)]
pub(super) struct Arguments {
    /// Files and folders. One that is not there is told and the others are looked at; the exit code is then 2.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What to make of sources that are stale or missing.
    #[arg(long, default_value = "warn")]
    mode: ModeArgument,
    /// Fail on recordings that do not say which source they were made from.
    #[arg(long)]
    require_metadata: bool,
    /// Set the level of a rule: error, warning, note or off. May be repeated.
    #[arg(long = "rule", value_name = "ID=LEVEL")]
    rules: Vec<String>,
    /// Read nothing outside this folder [default: the enclosing project].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// How to print.
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print one JSON document: short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// When to use colours.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeArgument {
    /// They fail the check.
    Strict,
    /// They are warned of.
    Warn,
    /// They are not looked for.
    Skip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines for people.
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning services and editors.
    Sarif,
    /// JUnit XML: a suite a folder, a case a file.
    Junit,
    /// Annotations of GitHub Actions.
    Github,
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let levels = levels(arguments)?;
    let lookup = match levels.mode {
        Mode::Skip => SourceLookup::LeaveAlone,
        Mode::Strict | Mode::Warn => SourceLookup::Look,
    };
    let read = read_everything(&arguments.paths, arguments.root.as_deref(), lookup)?;
    for item in &mut read.items {
        levels.apply(&mut Arc::make_mut(item).problems);
    }
    let report = Report::new(read);
    let format = match arguments.json {
        true => Format::Json,
        false => arguments.format,
    };
    write(arguments.color, |output| match format {
        Format::Text => text::write(output, &report),
        Format::Json => output.json(&json::document(&report)),
        Format::Sarif => output.json(&sarif::document(&report)),
        Format::Junit => output.raw(junit::text(&report).as_bytes()),
        Format::Github => {
            let workspace = std::env::var_os("GITHUB_WORKSPACE");
            let workspace = workspace.as_deref().map(Path::new);
            output.raw(github::text(&report, workspace).as_bytes())
        }
    })?;
    Ok(read.verdict(match report.summary.errors {
        0 => Verdict::Passed,
        _ => Verdict::Failed,
    }))
}

fn levels(arguments: &Arguments) -> Result<Levels, Failure> {
    let mut levels = Levels {
        mode: match arguments.mode {
            ModeArgument::Strict => Mode::Strict,
            ModeArgument::Warn => Mode::Warn,
            ModeArgument::Skip => Mode::Skip,
        },
        metadata: match arguments.require_metadata {
            true => Metadata::Required,
            false => Metadata::Optional,
        },
        ..Levels::default()
    };
    for setting in &arguments.rules {
        let fault = |reason| Failure(format!("--rule {}: {reason}", shown(setting)));
        levels.set(setting).map_err(fault)?;
    }
    Ok(levels)
}
