//! `retake diff`: compares two recordings, folders or revisions.

mod html;
pub(super) mod report;
mod text;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;

use super::common::{ColorOption, RootOption};
use super::output::shown;
use super::{CommandError, CommandVerdict, count, report_error, write};
use crate::engine::review::{Baseline, ReviewInputs};
use crate::ops::review::{IgnoreRule, Review, ReviewGroup, TakePair, pair_up};

/// Compare two recordings or folders, or a path with a git revision.
///
/// Values are compared, not lines: the order of keys and white space do not count, and a moved element is shown as moved.
/// Times, ids, durations and hashes are ignored. Pairs that changed in the same way are shown as one group. The exit code
/// is 1 if anything else differs. To use it as git's difftool: git config difftool.retake.cmd 'retake diff "$LOCAL" "$REMOTE"'.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake diff old/turn-2.json new/turn-2.json\n  retake diff fixtures --git main\n  \
                  retake diff fixtures --git HEAD~1 --ignore '/**/usage' --format html > changes.html"
)]
pub(super) struct DiffArgs {
    /// The old file or folder; with --git, the new one.
    old: PathBuf,
    /// The new file or folder [default: OLD is compared with git].
    new: Option<PathBuf>,
    /// Compare with a git revision [default without NEW: HEAD].
    #[arg(long, value_name = "REV", conflicts_with = "new")]
    git: Option<String>,
    /// Ignore differences at these places: JSON Pointers with * and **, or the name of a field.
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    ignore: Vec<String>,
    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DiffFormat,
    #[command(flatten)]
    within: RootOption,
    #[command(flatten)]
    look: ColorOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    Text,
    /// One JSON document.
    Json,
    /// One HTML page without external resources.
    Html,
}

pub(super) fn run(arguments: &DiffArgs) -> Result<CommandVerdict, CommandError> {
    let root = arguments.within.root();
    let takes = match &arguments.new {
        Some(new) => ReviewInputs::read_two(&arguments.old, new, root),
        None => {
            let revision = arguments.git.clone().unwrap_or_else(|| "HEAD".to_owned());
            ReviewInputs::read(&arguments.old, root, &Baseline::Revision(revision))
        }
    };
    let takes = takes.map_err(|reason| CommandError(shown(&reason).into_owned()))?;
    let review = compare_takes(&takes, rules(&takes, &arguments.ignore)?)?;
    let title = title(arguments);
    write(arguments.look.color, |output| match arguments.format {
        DiffFormat::Text => text::print(output, &review),
        DiffFormat::Json => output.document(&report::report(&review, None)),
        DiffFormat::Html => output.raw(html::page(&title, &review).as_bytes()),
    })?;
    report_unread(&takes);
    let differs = review
        .pairs
        .iter()
        .any(|reviewed| reviewed.needs_decision());
    Ok(match (takes.unread.is_empty(), differs) {
        (false, _) => CommandVerdict::Incomplete,
        (true, true) => CommandVerdict::Failed,
        (true, false) => CommandVerdict::Passed,
    })
}

fn title(arguments: &DiffArgs) -> String {
    // A path that ends in no name, as `.` does, is called as its folder is.
    let shown = |path: &Path| match (path.file_name(), path.canonicalize()) {
        (None, Ok(whole)) => whole
            .file_name()
            .unwrap_or(whole.as_os_str())
            .to_string_lossy()
            .into_owned(),
        _ => path.to_string_lossy().into_owned(),
    };
    let old = shown(&arguments.old);
    match (&arguments.new, &arguments.git) {
        (Some(new), _) => format!("{old} and {}", shown(new)),
        (None, git) => format!("{old} since {}", git.as_deref().unwrap_or("HEAD")),
    }
}

/// The rules of the project and those of the arguments.
pub(super) fn rules(
    takes: &ReviewInputs,
    given: &[String],
) -> Result<Vec<IgnoreRule>, CommandError> {
    let mut rules = takes.rules();
    for pattern in given {
        rules.push(IgnoreRule::at(pattern).map_err(CommandError)?);
    }
    Ok(rules)
}

/// Pairs and compares takes.
pub(super) fn compare_takes(
    takes: &ReviewInputs,
    rules: Vec<IgnoreRule>,
) -> Result<Review, CommandError> {
    let pairs: Vec<TakePair> = pair_up(takes.old.clone(), takes.new.clone(), &[]);
    let compared = takes.compare(pairs, &rules, &AtomicBool::new(false));
    let compared = compared.map_err(CommandError)?;
    Ok(Review::new(compared))
}

pub(super) fn report_unread(takes: &ReviewInputs) {
    for (path, reason) in &takes.unread {
        report_error(&format!("Not compared: {path}: {reason}"));
    }
}

/// The number of pairs in a group, and where they differ.
pub(super) fn extent(group: &ReviewGroup) -> String {
    let pairs = count(group.pairs.len(), "pair");
    if group.detail.is_empty() {
        pairs
    } else {
        format!("{pairs}, {}", group.detail)
    }
}
