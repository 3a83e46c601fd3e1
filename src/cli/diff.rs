//! `retake diff`: compares two recordings, folders or revisions.

pub(super) mod decided;
mod first;
pub(super) mod html;
pub(super) mod markdown;
pub(super) mod report;
mod text;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;

use super::common::{ColorOption, FolderOptions};
use super::files_document::slashed;
use super::output::shown;
use super::pager::{PagerOption, write_paged};
use super::{CommandError, CommandResult, CommandVerdict, report_error, report_ignored};
use calls::secret::Mask;
use compare::review::{
    ChangeKind, Follows, IgnoreRule, PairStatus, Review, ReviewGroup, ReviewLane, Reviewed,
    TakeChange,
};
use document::text::{count, listed, lower_first};
use engine::history::is_range;
use engine::review::{Baseline, ReviewInputs};

/// Compare two recordings or folders, or a path with a git revision.
///
/// Values are compared, not lines: the order of keys and white space do not count, and a moved element is shown as moved.
/// Cassettes are compared by their calls, with decoded bodies. Times, ids, durations and hashes are ignored. Pairs that changed in the same way are shown as one group. The exit code
/// is 1 if anything else differs. To use it as git's difftool: git config difftool.retake.cmd 'retake diff "$LOCAL" "$REMOTE"'.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake diff old/turn-2.json new/turn-2.json\n  retake diff fixtures --git main\n  \
                  retake diff fixtures --git main...HEAD     # what this branch changed\n  \
                  retake diff fixtures --git HEAD~1 --no-pager\n  \
                  retake diff monday.jsonl tuesday.jsonl --first   # where two runs part\n  \
                  retake diff fixtures --git HEAD~1 --ignore '/**/usage' --format html > changes.html\n  \
                  retake diff fixtures --git origin/main --format markdown | gh pr comment --body-file -"
)]
pub(super) struct DiffArgs {
    /// The old file or folder; with --git, the new one.
    old: PathBuf,
    /// The new file or folder [default: OLD is compared with git].
    new: Option<PathBuf>,
    /// Compare with a git revision [default without NEW: HEAD]. Two are compared with each other: A..B, or A...B for what
    /// changed in B since it branched off from A.
    #[arg(long, value_name = "REV", conflicts_with = "new")]
    git: Option<String>,
    /// Ignore differences at these places: JSON Pointers with * and **, or the name of a field.
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    ignore: Vec<String>,
    /// Show only where each run parts: its first difference that matters, and how many later ones follow. A run is a file with its calls, or a
    /// conversation with a recording in each file.
    #[arg(long)]
    first: bool,
    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DiffFormat,
    /// Print one JSON document; short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    within: FolderOptions,
    #[command(flatten)]
    look: ColorOption,
    #[command(flatten)]
    pager: PagerOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffFormat {
    /// Lines of text.
    Text,
    /// One JSON document.
    Json,
    /// One HTML page without external resources.
    Html,
    /// Markdown, for a comment on a pull request.
    Markdown,
}

impl DiffFormat {
    /// The format to print, of which JSON also has an option of its own.
    pub(super) fn or_json(self, json: bool) -> Self {
        if json { Self::Json } else { self }
    }
}

pub(super) fn run(arguments: &DiffArgs) -> CommandResult {
    let bounds = arguments.within.bounds();
    let takes = match &arguments.new {
        Some(new) => ReviewInputs::read_two(&arguments.old, new, bounds),
        None => {
            let rev = arguments.git.clone().unwrap_or_else(|| "HEAD".to_owned());
            let baseline =
                if is_range(&rev) { Baseline::Range(rev) } else { Baseline::Revision(rev) };
            ReviewInputs::read(&arguments.old, bounds, &baseline)
        }
    };
    let mut takes = takes.map_err(|reason| CommandError(shown(&reason).into_owned()))?;
    if arguments.first {
        // Runs part in a call, so transcripts are compared by calls.
        for take in takes.old.iter_mut().chain(&mut takes.new) {
            if let Some(calls) = take.with_calls() {
                *take = Arc::new(calls);
            }
        }
    }
    // Before the comparison: without any file that is not ignored, it would find no differences.
    report_takes_ignored(&takes)?;
    let mut review = compare_takes(&takes, rules(&takes, &arguments.ignore)?)?;
    if let Some(new) = &arguments.new {
        // The path of a single file is its name, so the base is the folder that contains it.
        let folder = if new.is_dir() { Some(&**new) } else { new.parent() };
        review.base = slashed(folder.unwrap_or(Path::new(""))).into();
    }
    let title = title(arguments);
    let format = arguments.format.or_json(arguments.json);
    if arguments.first && matches!(format, DiffFormat::Html | DiffFormat::Markdown) {
        return Err(CommandError(
            "--first is printed as text or JSON; leave out --format".to_owned(),
        ));
    }
    write_paged(arguments.look.color, arguments.pager, |output| match format {
        DiffFormat::Text if arguments.first => first::print(output, &review),
        DiffFormat::Json if arguments.first => report::write_first(output, &review),
        DiffFormat::Text => text::print(output, &review),
        DiffFormat::Json => report::write(output, &review, None),
        DiffFormat::Html => output.raw(html::page(&title, &review, None).as_bytes()),
        DiffFormat::Markdown => {
            // The comment is for readers who may not see the files.
            output.hide(Mask::default());
            markdown::text(&title, &review, None).lines().try_for_each(|line| output.line(line))
        }
    })?;
    report_unread(&takes);
    let has_differences = review.pairs.iter().any(|reviewed| reviewed.needs_decision());
    Ok(CommandVerdict::new(!takes.unread.is_empty(), has_differences))
}

fn title(arguments: &DiffArgs) -> String {
    let old = path_title(&arguments.old);
    match (&arguments.new, &arguments.git) {
        (Some(new), _) => format!("{old} and {}", path_title(new)),
        (None, Some(range)) if is_range(range) => format!("{old} in {range}"),
        (None, git) => format!("{old} since {}", git.as_deref().unwrap_or("HEAD")),
    }
}

/// A path in a title. One that ends in no name, as `.` does, is called as its folder is.
pub(super) fn path_title(path: &Path) -> String {
    match (path.file_name(), path.canonicalize()) {
        (None, Ok(full_path)) => {
            full_path.file_name().unwrap_or(full_path.as_os_str()).to_string_lossy().into_owned()
        }
        _ => path.to_string_lossy().into_owned(),
    }
}

/// The rules of the project and those of the arguments.
pub(super) fn rules(takes: &ReviewInputs, patterns: &[String]) -> CommandResult<Vec<IgnoreRule>> {
    let mut rules = takes.rules();
    for pattern in patterns {
        rules.push(IgnoreRule::at(pattern)?);
    }
    Ok(rules)
}

/// Pairs and compares takes.
pub(super) fn compare_takes(takes: &ReviewInputs, rules: Vec<IgnoreRule>) -> CommandResult<Review> {
    Ok(Review::new(takes.compare(takes.pair_up(&[]), &rules, &AtomicBool::new(false))?))
}

/// Reports what git ignores.
///
/// # Errors
///
/// Returns an error if there is nothing else to compare.
pub(super) fn report_takes_ignored(takes: &ReviewInputs) -> CommandResult<()> {
    let is_nothing = takes.old.is_empty() && takes.new.is_empty() && takes.unread.is_empty();
    report_ignored(takes.ignored, is_nothing)
}

pub(super) fn report_unread(takes: &ReviewInputs) {
    for (path, reason) in &takes.unread {
        report_error(&format!("Not compared: {path}: {reason}"));
    }
}

/// The number of pairs in a group, where they differ, and whether in the same way.
pub(super) fn extent(group: &ReviewGroup) -> String {
    let parts = [
        count(group.pairs.len(), "pair"),
        group.detail.clone(),
        if group.pairs.len() == 1 { String::new() } else { group.uniformity() },
    ];
    let words: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
    words.join(", ")
}

/// The heading of a lane, with the number of pairs in these groups of it; `None` without groups.
pub(super) fn lane_heading<'g>(
    lane: ReviewLane,
    groups: impl Iterator<Item = &'g ReviewGroup>,
) -> Option<String> {
    let (pairs, groups) = count_pairs(groups);
    let pairs = count(pairs, "pair");
    (groups > 0).then(|| format!("{}: {pairs}", lane.label()))
}

/// Returns the number of pairs in groups, and that of the groups.
fn count_pairs<'g>(groups: impl Iterator<Item = &'g ReviewGroup>) -> (usize, usize) {
    groups.fold((0, 0), |(pairs, groups), group| (pairs + group.pairs.len(), groups + 1))
}

/// Sentence with the numbers of pairs and groups that differ.
fn summary(review: &Review) -> String {
    let (pairs, groups) = count_pairs(review.groups.iter().filter(|group| group.needs_decision));
    let count_of = |is: fn(&Reviewed) -> bool| review.pairs.iter().filter(|r| is(r)).count();
    let ignored_count = count_of(|r| r.compared.status == PairStatus::IgnoredOnly);
    let byte_count = count_of(|r| r.compared.bytes_only);
    let differences = match pairs {
        0 => "No differences in what is compared".to_owned(),
        1 => "1 pair differs".to_owned(),
        _ => format!("{} in {}", count(pairs, "pair"), count(groups, "group")),
    };
    format!("{differences}; {ignored_count} only in ignored values, {byte_count} only in bytes")
}

/// Returns the part of a pair that cannot be read, as a remark.
pub(super) fn fault_remark(reviewed: &Reviewed) -> Option<String> {
    let fault = reviewed.compared.fault.as_ref().filter(|fault| fault.is_broken())?;
    Some(lower_first(&fault.to_string()))
}

/// Returns what the new take overwrites of what was edited by hand, as a remark.
pub(super) fn edit_remark(reviewed: &Reviewed) -> Option<String> {
    reviewed.compared.overwritten().map(|values| format!("overwrites {values}"))
}

/// Facts about a pair besides its path and its changes.
fn remarks(review: &Review, reviewed: &Reviewed) -> Vec<String> {
    let mut remarks = Vec::new();
    match reviewed.compared.status {
        PairStatus::Added => remarks.push("added".to_owned()),
        PairStatus::Removed => remarks.push("removed".to_owned()),
        _ => {}
    }
    if reviewed.pair.is_renamed() {
        remarks.push(reviewed.pair.by.description(reviewed.compared.kind).to_lowercase());
    }
    if let Some(cause) = reviewed.first_cause {
        let cause = review.pairs[cause].pair.path();
        remarks.push(format!("follows from {cause}"));
    }
    remarks.extend(fault_remark(reviewed));
    remarks.extend(edit_remark(reviewed));
    remarks
}

/// Splits the changes of a pair that are not ignored: those to show, and a line that counts those which only repeat a change of an
/// earlier call of the file.
fn shown_changes(reviewed: &Reviewed) -> (Vec<&TakeChange>, Option<String>) {
    let changes = reviewed.compared.changes.iter().filter(|change| change.ignored.is_none());
    let is_repeated = |change: &&TakeChange| matches!(change.follows, Some(Follows::Call(_)));
    let (repeats, visible_changes): (Vec<_>, Vec<_>) = changes.partition(is_repeated);
    let calls: BTreeSet<usize> =
        repeats.iter().filter_map(|change| change.call.as_ref()?.numbers[1]).collect();
    let names: Vec<String> = calls.iter().map(ToString::to_string).collect();
    let calls = match names.as_slice() {
        [number] => format!("call {number}"),
        names => format!("calls {}", listed(names)),
    };
    let line = match repeats.len() {
        0 => None,
        1 => Some(format!("1 more change in {calls} follows from the above")),
        count => Some(format!("{count} more changes in {calls} follow from the above")),
    };
    (visible_changes, line)
}

/// The number of ignored differences of a pair, by why they are ignored; `None` if there are none.
fn ignored_line(reviewed: &Reviewed) -> Option<String> {
    let parts = reviewed.compared.ignored_counts();
    let differences = count(reviewed.compared.ignored_changes().count(), "difference");
    (!parts.is_empty()).then(|| format!("{differences} ignored: {}", listed(&parts)))
}

/// The number of characters of a value that are shown.
const MAX_VALUE_CHARS: usize = 160;

/// The old and the new value of a change on one line each, around the place where they differ. A moved value is not shown.
fn values(change: &TakeChange) -> [Option<String>; 2] {
    if change.kind == ChangeKind::Moved {
        return [None, None];
    }
    let first_difference = match (&change.old, &change.new) {
        (Some(old), Some(new)) => same_start(&old.json, &new.json),
        _ => 0,
    };
    [&change.old, &change.new].map(|side| {
        let json = &side.as_ref()?.json;
        let one_line = json.split_whitespace().collect::<Vec<&str>>().join(" ");
        Some(cut(&one_line, first_difference))
    })
}

/// The length of the common prefix of two texts, in characters.
fn same_start(old: &str, new: &str) -> usize {
    old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count()
}

/// The part of a long text in which it differs from another, from character `first_difference` on.
fn cut(text: &str, first_difference: usize) -> String {
    // A quarter of the width is context before the difference.
    let start = if text.chars().count() > MAX_VALUE_CHARS {
        first_difference.saturating_sub(MAX_VALUE_CHARS / 4)
    } else {
        0
    };
    let middle: String = text.chars().skip(start).take(MAX_VALUE_CHARS).collect();
    let prefix = if start > 0 { "…" } else { "" };
    let suffix = if text.chars().count() > start + MAX_VALUE_CHARS { "…" } else { "" };
    format!("{prefix}{middle}{suffix}")
}
