//! `retake diff`: compares two recordings, folders or revisions.

mod html;
pub(super) mod report;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;

use super::common::{Look, Within};
use super::output::shown;
use super::{Failure, Verdict, complain, count, write};
use crate::engine::review::{Against, Takes};
use crate::ops::review::{IgnoreRule, Review, ReviewGroup, TakePair, pair_up};

/// Compare two recordings or folders, or a path with a git revision.
///
/// Values are compared, not lines: the order of keys and white space do not count, and a moved element is shown as moved.
/// Times, ids, durations and hashes are ignored. Pairs that changed in the same way are shown as one group. The exit code
/// is 1 if anything else differs. As a difftool of git: git config difftool.retake.cmd 'retake diff "$LOCAL" "$REMOTE"'.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake diff old/turn-2.json new/turn-2.json\n  retake diff fixtures --git main\n  \
                  retake diff fixtures --git HEAD~1 --ignore '/**/usage' --format html > changes.html"
)]
pub(super) struct Arguments {
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
    format: Format,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    look: Look,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    /// One JSON document.
    Json,
    /// One HTML page without external resources.
    Html,
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let root = arguments.within.root();
    let takes = match &arguments.new {
        Some(new) => Takes::read_two(&arguments.old, new, root),
        None => {
            let revision = arguments.git.clone().unwrap_or_else(|| "HEAD".to_owned());
            Takes::read(&arguments.old, root, &Against::Revision(revision))
        }
    };
    let takes = takes.map_err(|reason| Failure(shown(&reason).into_owned()))?;
    let review = reviewed(&takes, rules(&takes, &arguments.ignore)?)?;
    let title = title(arguments);
    write(arguments.look.color, |output| match arguments.format {
        Format::Text => text::print(output, &review),
        Format::Json => output.json(&report::report(&review, None)),
        Format::Html => output.raw(html::page(&title, &review).as_bytes()),
    })?;
    tell_unread(&takes);
    let differs = review
        .pairs
        .iter()
        .any(|reviewed| reviewed.needs_decision());
    Ok(match (takes.unread.is_empty(), differs) {
        (false, _) => Verdict::Incomplete,
        (true, true) => Verdict::Failed,
        (true, false) => Verdict::Passed,
    })
}

fn title(arguments: &Arguments) -> String {
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
pub(super) fn rules(takes: &Takes, given: &[String]) -> Result<Vec<IgnoreRule>, Failure> {
    let mut rules = takes.rules();
    for pattern in given {
        rules.push(IgnoreRule::at(pattern).map_err(Failure)?);
    }
    Ok(rules)
}

/// Pairs and compares takes.
pub(super) fn reviewed(takes: &Takes, rules: Vec<IgnoreRule>) -> Result<Review, Failure> {
    let pairs: Vec<TakePair> = pair_up(takes.old.clone(), takes.new.clone(), &[]);
    let compared = takes.compare(pairs, &rules, &Arc::new(AtomicBool::new(false)), &|_| {});
    let compared = compared.ok_or_else(|| Failure("The comparison was stopped".to_owned()))?;
    Ok(Review::new(compared))
}

pub(super) fn tell_unread(takes: &Takes) {
    for (path, reason) in &takes.unread {
        complain(&format!("Not compared: {path}: {reason}"));
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
