//! `retake check`: every problem, with its place.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use serde::Serialize;

use super::output::{Output, Style, shown, shown_path};
use super::{Color, Everything, Failure, Verdict, count, read_everything, write};
use crate::engine::SourceLookup;
use crate::format::{Problem, RuleId, Severity};
use crate::ops::Item;
use crate::ops::check::{Levels, Metadata, Mode, rule};

/// Tell every problem, with file, line and column; fail when there is an error.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake check fixtures --mode strict --rule signature-shared=off\n  \
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
    let is_json = arguments.json || arguments.format == Format::Json;
    let report = Report::new(read);
    write(arguments.color, |output| match is_json {
        true => output.json(&report),
        false => text(output, &read.items, &report.summary),
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

/// A line a problem; below the first of each rule, what to do about it.
fn text(output: &mut Output, items: &[Arc<Item>], summary: &Summary) -> std::io::Result<()> {
    let mut helped: HashSet<RuleId> = HashSet::new();
    for item in items {
        let path = shown_path(&item.path);
        for problem in &item.problems {
            let rule = format!("{}[{}]", problem.severity, problem.rule);
            let line = format!(
                "{}:{}: {} {}",
                output.styled(Style::Strong, &path),
                problem.place,
                output.styled(Style::Of(problem.severity), &rule),
                shown(&problem.message)
            );
            output.line(&line)?;
            if !helped.insert(problem.rule) {
                continue;
            }
            for (index, line) in help(problem).lines().enumerate() {
                let mark = if index == 0 { "help: " } else { "      " };
                let line = format!("    {mark}{}", shown(line));
                let line = output.styled(Style::Quiet, &line).into_owned();
                output.line(&line)?;
            }
        }
    }
    if !helped.is_empty() {
        output.line("")?;
    }
    output.line(&summary.sentence())
}

/// What to do about a problem: its own help, else its rule's.
fn help(problem: &Problem) -> &str {
    let own = problem.help.as_deref();
    own.unwrap_or(rule(problem.rule).fix)
}

#[derive(Serialize)]
struct Report<'a> {
    problems: Vec<Row<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Row<'a> {
    rule: &'static str,
    severity: &'static str,
    path: &'a str,
    pointer: &'a str,
    line: u32,
    column: u32,
    message: &'a str,
    help: &'a str,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    items: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    elapsed_ms: u64,
}

impl<'a> Report<'a> {
    fn new(read: &'a Everything) -> Self {
        let all = |severity| read.items.iter().map(|item| item.count(severity)).sum();
        let rows = read.items.iter().flat_map(|item| {
            item.problems.iter().map(|problem| Row {
                rule: problem.rule.as_str(),
                severity: problem.severity.as_str(),
                path: &item.path,
                pointer: &problem.pointer,
                line: problem.place.line,
                column: problem.place.column,
                message: &problem.message,
                help: help(problem),
            })
        });
        Self {
            problems: rows.collect(),
            summary: Summary {
                files: read.files(),
                items: read.items.len(),
                errors: all(Severity::Error),
                warnings: all(Severity::Warning),
                notes: all(Severity::Note),
                elapsed_ms: u64::try_from(read.elapsed.as_millis()).unwrap_or(u64::MAX),
            },
        }
    }
}

impl Summary {
    fn sentence(&self) -> String {
        let found = match (self.errors, self.warnings, self.notes) {
            (0, 0, 0) => "No problems".to_owned(),
            (errors, warnings, notes) => format!(
                "{}, {}, {}",
                count(errors, "error"),
                count(warnings, "warning"),
                count(notes, "note")
            ),
        };
        format!(
            "{found} in {} ({})",
            count(self.items, "item"),
            count(self.files, "file")
        )
    }
}
