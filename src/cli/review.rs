//! `retake review`: reviews re-recorded files without the window.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use super::common::{ColorOption, FolderOptions};
use super::diff::decided::{group_state, pair_note, pair_state, progress};
use super::diff::{
    DiffFormat, edit_remark, extent, fault_remark, html, lane_heading, markdown, path_title,
    report, report_takes_ignored, report_unread, rules,
};
use super::output::{Output, OutputStyle, shown, shown_path};
use super::{CommandError, CommandResult, CommandVerdict, print_summary, report_error, write};
use calls::secret::Mask;
use compare::review::{
    Decisions, LineCounter, LineCounts, PairKey, PointerPattern, Review, ReviewLane,
    ReviewVerdict as Decided, WritePlan, plan,
};
use document::files::FileStep;
use document::text::count;
use engine::review::{Baseline, ReviewInputs, make_stable, read_decisions, record_applied};
use engine::undo::StepRecorder;

/// Accept or reject re-recorded files in groups.
///
/// Files that changed in the same way are one group. Accepting keeps the new file, rejecting restores the old bytes, also
/// for added and removed files. With `--keep-noise`, accepting takes over only what has a meaning: ids, times, token counts, headers, order
/// and format stay as in the old file, byte for byte, so that git shows only the lines of the causes. A file of which that is not possible
/// stays undecided.
///
/// A file stays undecided as well if its new version overwrites values that were edited by hand since they were recorded, as far as the
/// history of git shows it. `--keep-edits` accepts such a file with these values as they were, and `--overwrite-edits` as it is.
///
/// Files to discuss are not changed and stay undecided. A selection is the id of a group, a path (with * and **), `noise` for files that differ only
/// in ignored values, another lane (`unreadable`, `same-words`, `answered`, `sent` or `calls`), or `all` for every changed file, including those: `--reject all` restores all files. With other
/// selections, `all` selects the remaining files. Decisions are stored in .retake/review.json; a file that changes afterwards
/// is undecided again. The exit code is 1 while files are undecided.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake review fixtures\n  retake review fixtures --accept tool-respond-became-reply --reject 'fixtures/refund/*' --dry-run\n  \
                  retake review fixtures --accept all --keep-noise   # a small diff\n  \
                  retake review fixtures --discuss field-currency-added --note 'Is the currency needed?'\n  \
                  retake review fixtures --git main...HEAD --json   # what this branch changed\n  \
                  retake review fixtures --git origin/main --format markdown | gh pr comment --body-file -"
)]
pub(super) struct ReviewArgs {
    /// The re-recorded file or folder.
    path: PathBuf,
    /// The git revision with the old files [default: HEAD]; main...HEAD is the commit at which this branch began.
    #[arg(long, value_name = "REV")]
    git: Option<String>,
    /// The folder with the old files.
    #[arg(long, value_name = "DIR", conflicts_with = "git")]
    against: Option<PathBuf>,
    /// Review the pending version of each file, which is next to it with `.new` appended to its name.
    #[arg(long, conflicts_with_all = ["git", "against"])]
    pending: bool,
    /// Review only this file, by its path from the project root; may be repeated.
    #[arg(long, value_name = "PATH")]
    snapshot: Vec<String>,
    /// Keep the new files.
    #[arg(long, value_name = "SELECTION", num_args = 1..)]
    accept: Vec<String>,
    /// Keep the old ids, times, token counts, headers, order and format of the files to accept.
    #[arg(long, requires = "accept")]
    keep_noise: bool,
    /// Keep the values that were edited by hand in the files to accept.
    #[arg(long, requires = "accept", conflicts_with_all = ["keep_noise", "overwrite_edits"])]
    keep_edits: bool,
    /// Overwrite the values that were edited by hand in the files to accept.
    #[arg(long, requires = "accept")]
    overwrite_edits: bool,
    /// Restore the old files.
    #[arg(long, value_name = "SELECTION", num_args = 1..)]
    reject: Vec<String>,
    /// Mark files for a discussion: they stay undecided.
    #[arg(long, value_name = "SELECTION", num_args = 1..)]
    discuss: Vec<String>,
    /// A note to store with the decisions: on the group if a selection is the id of one, else on each file.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Ignore differences at these places: JSON Pointers with * and **, or the name of a field.
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    ignore: Vec<String>,
    /// Write nothing; show what would be written.
    #[arg(long)]
    dry_run: bool,
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
}

pub(super) fn run(args: &ReviewArgs, recorder: &StepRecorder) -> CommandResult {
    let mut takes = ReviewInputs::read(&args.path, args.within.bounds(), &against(args))
        .map_err(|reason| CommandError(shown(&reason).into_owned()))?;
    report_takes_ignored(&takes)?;
    keep_named(&mut takes, &args.snapshot)?;
    let (rules, cancel) = (rules(&takes, &args.ignore)?, AtomicBool::new(false));
    let mut comparisons = takes.compare(takes.pair_up(&[]), &rules, &cancel)?;
    takes.find_edits(&mut comparisons, &cancel);
    let review = Review::new(comparisons);
    let mut decisions = read_decisions(&takes.root)?;
    let decided_pairs = decide(&review, &mut decisions, args)?;
    let mut write_plan = WritePlan::default();
    let mut is_complete = true;
    if !decided_pairs.is_empty() {
        let label = if args.dry_run { "Would be accepted" } else { "Accepted" };
        report_unreadable(&review, &decisions.only(&decided_pairs), label);
        write_plan = plan(&review, &decisions.only(&decided_pairs), takes.origin);
        // Retake makes files stable whenever it saves in a project with `on_save`.
        make_stable(&takes.root, &mut write_plan);
        for pair in &write_plan.as_recorded {
            print_summary(&format!(
                "Kept as recorded, since the diff would not become smaller with the old noise: {}",
                pair.path
            ));
        }
        for (pair, reason) in &write_plan.refused {
            report_error(&format!("{reason}: {}", pair.path));
            // The help says that such a file stays undecided.
            if args.keep_edits || decisions.verdict(pair) == Some(&Decided::KeepNoise) {
                decisions.withdraw(pair);
            }
        }
        is_complete = write_plan.refused.is_empty();
        if args.dry_run {
            report_plan(&write_plan);
        } else {
            is_complete &= apply_plan(&takes, &write_plan, &mut decisions, recorder)?;
        }
    }
    let lines = LineCounter::new(&review).count_review(&review, &write_plan);
    let (title, mask) = (title(args), Mask::default());
    let format = args.format.or_json(args.json);
    write(args.look.color, |output| {
        output.hide(mask.clone());
        match format {
            DiffFormat::Text => print(output, &review, &decisions, lines),
            DiffFormat::Json => report::write(output, &review, Some((&decisions, lines))),
            DiffFormat::Html => {
                let page = html::page(&title, &review, Some(&decisions));
                output.raw(mask.apply(&page).as_bytes())
            }
            DiffFormat::Markdown => markdown::text(&title, &review, Some(&decisions))
                .lines()
                .try_for_each(|line| output.line(line)),
        }
    })?;
    report_unread(&takes);
    let is_open = (0..review.pairs.len()).any(|index| !review.is_decided(index, &decisions));
    Ok(CommandVerdict::new(!is_complete || !takes.unread.is_empty(), is_open))
}

fn against(arguments: &ReviewArgs) -> Baseline {
    match (&arguments.against, &arguments.git) {
        _ if arguments.pending => Baseline::Sidecars,
        (Some(folder), _) => Baseline::Path(folder.clone()),
        (None, Some(revision)) => Baseline::Revision(revision.clone()),
        (None, None) => Baseline::Revision("HEAD".to_owned()),
    }
}

fn title(arguments: &ReviewArgs) -> String {
    let path = path_title(&arguments.path);
    match against(arguments) {
        Baseline::Revision(revision) => format!("{path} since {revision}"),
        Baseline::Range(range) => format!("{path} in {range}"),
        Baseline::Path(folder) => format!("{} and {path}", path_title(&folder)),
        Baseline::Sidecars => format!("{path} and its pending files"),
    }
}

/// Keeps only the files of --snapshot.
fn keep_named(takes: &mut ReviewInputs, paths: &[String]) -> CommandResult<()> {
    for path in paths {
        if !takes.old.iter().chain(&takes.new).any(|take| *take.path == **path) {
            return Err(CommandError(format!("No recording {}", shown(path))));
        }
    }
    if !paths.is_empty() {
        let is_named = |path: &str| paths.iter().any(|p| p == path);
        takes.old.retain(|take| is_named(&take.path));
        takes.new.retain(|take| is_named(&take.path));
    }
    Ok(())
}

/// Applies the selections; returns the decided pairs.
fn decide(
    review: &Review,
    decisions: &mut Decisions,
    arguments: &ReviewArgs,
) -> CommandResult<BTreeSet<PairKey>> {
    let mut decided_pairs = BTreeSet::new();
    let accept_verdict = if arguments.keep_noise { Decided::KeepNoise } else { Decided::Accept };
    let acceptances = arguments.accept.iter().map(|s| (s, accept_verdict.clone()));
    let rejections = arguments.reject.iter().map(|s| (s, Decided::Reject));
    let discussions = arguments.discuss.iter().map(|s| (s, Decided::Discuss));
    let mut selections: Vec<(&String, Decided)> =
        acceptances.chain(rejections).chain(discussions).collect();
    // Beside other selections `all` means the rest.
    selections.sort_by_key(|(selection, _)| *selection == ALL);
    if selections.iter().filter(|s| s.0 == ALL).count() > 1 {
        return Err(CommandError(format!("Selected twice: {ALL}")));
    }
    for (selection, verdict) in selections {
        let mut pairs = selected(review, selection)?;
        if selection == ALL {
            pairs.retain(|pair| !decided_pairs.contains(pair));
        }
        if let Some(pair) = pairs.iter().find(|pair| decided_pairs.contains(*pair)) {
            return Err(CommandError(format!("Selected twice: {}", shown(&pair.path))));
        }
        if verdict == accept_verdict {
            accept(review, decisions, &mut pairs, &verdict, arguments);
        } else {
            decisions.decide(pairs.iter().cloned(), &verdict);
        }
        if let Some(note) = &arguments.note {
            if review.groups.iter().any(|group| group.id == *selection) {
                decisions.set_group_note(selection, note);
            } else {
                pairs.iter().for_each(|pair| decisions.set_note(pair.clone(), note));
            }
        }
        decided_pairs.extend(pairs);
    }
    Ok(decided_pairs)
}

/// Accepts pairs. Those that would overwrite what was edited by hand keep it if that was requested, or else are left out and reported.
fn accept(
    review: &Review,
    decisions: &mut Decisions,
    pairs: &mut Vec<PairKey>,
    verdict: &Decided,
    arguments: &ReviewArgs,
) {
    let mut kept_edits = Vec::new();
    for reviewed in &review.pairs {
        let (comparison, key) = (&reviewed.compared, reviewed.pair.key());
        // What was accepted before with its edits overwritten was chosen then.
        let is_chosen = decisions.verdict(&key).is_some_and(|known| !known.keeps_edits(comparison));
        if verdict.keeps_edits(comparison) || arguments.overwrite_edits || is_chosen {
            continue;
        }
        let Some(index) = pairs.iter().position(|pair| *pair == key) else { continue };
        if let Some(keep_edits) = comparison.keep_edits().filter(|_| arguments.keep_edits) {
            kept_edits.push((pairs.remove(index), keep_edits));
            continue;
        }
        let remark = edit_remark(reviewed).unwrap_or_default();
        let advice = match comparison.keep_edits() {
            Some(_) => "add --keep-edits or --overwrite-edits",
            None => "they cannot be kept without a whole call or stream; add --overwrite-edits",
        };
        report_error(&format!("Not accepted, since it {remark}; {advice}: {}", key.path));
        pairs.remove(index);
    }
    decisions.decide(pairs.iter().cloned(), verdict);
    for (pair, keep_edits) in kept_edits {
        decisions.decide([pair.clone()], &keep_edits);
        pairs.push(pair);
    }
}

/// Selects every pair.
const ALL: &str = "all";

/// The pairs that a selection matches.
fn selected(review: &Review, selection: &str) -> CommandResult<Vec<PairKey>> {
    let group = review.groups.iter().position(|group| group.id == selection);
    let mut lanes = ReviewLane::ALL.into_iter();
    // If the id of a group is also the name of a lane, the group is meant.
    let lane = lanes.find(|lane| group.is_none() && lane.as_str() == selection);
    // Paths use the same `*` and `**` as pointers.
    let glob = PointerPattern::parse(&format!("/{}", selection.trim_start_matches("./")));
    let is_meant = |index: usize| {
        let reviewed = &review.pairs[index];
        let path = || glob.as_ref().is_ok_and(|p| p.matches(&format!("/{}", reviewed.pair.path())));
        match (selection, group) {
            (ALL, _) => !reviewed.pair.is_unchanged(),
            _ if lane == Some(ReviewLane::Noise) => reviewed.is_noise(),
            _ if lane.is_some() => reviewed.group.is_some() && lane == Some(reviewed.lane),
            (_, Some(group)) => reviewed.group == Some(group),
            (_, None) => reviewed.group.is_some() && path(),
        }
    };
    let keys: Vec<PairKey> = (0..review.pairs.len())
        .filter(|index| is_meant(*index))
        .map(|index| review.pairs[index].pair.key())
        .collect();
    // An empty lane is no typing error, so that scripts can always name it.
    if keys.is_empty() && selection != ALL && lane.is_none() {
        Err(CommandError(format!("No group and no changed file matches {}", shown(selection))))
    } else {
        Ok(keys)
    }
}

/// Says which accepted files cannot be read.
fn report_unreadable(review: &Review, decisions: &Decisions, label: &str) {
    for reviewed in &review.pairs {
        let fault = reviewed.compared.fault.as_ref();
        let is_accepted = decisions.verdict(&reviewed.pair.key()) == Some(&Decided::Accept);
        if let Some(fault) = fault.and_then(|f| f.of_new()).filter(|_| is_accepted) {
            let fault = fault.describe(reviewed.pair.path());
            report_error(&format!("{label}, but {fault}"));
        }
    }
}

fn report_plan(plan: &WritePlan) {
    for write in &plan.writes {
        let label = match &write.step {
            FileStep::Write { before: None, .. } => "made",
            FileStep::Write { after: None, .. } => "removed",
            _ => "written",
        };
        report_error(&format!("Would be {label}: {}", write.step.path()));
    }
}

/// Applies the plan and stores the decisions. Returns whether everything succeeded.
fn apply_plan(
    takes: &ReviewInputs,
    plan: &WritePlan,
    decisions: &mut Decisions,
    recorder: &StepRecorder,
) -> CommandResult<bool> {
    let outcome = recorder.apply(&takes.root, &plan.writes);
    for (_, fault) in &outcome.left {
        report_error(&fault.to_string());
    }
    record_applied(decisions, plan, &outcome);
    // After the files: what could not be written is not stored as applied.
    recorder.keep_decisions(&takes.root, decisions)?;
    Ok(outcome.left.is_empty())
}

fn print(
    output: &mut Output,
    review: &Review,
    decisions: &Decisions,
    lines: LineCounts,
) -> io::Result<()> {
    let mut lane = None;
    for set in &review.groups {
        if lane != Some(set.lane) {
            lane = Some(set.lane);
            let heading = lane_heading(set.lane, review.groups_in(set.lane)).unwrap_or_default();
            output.line(&output.styled(OutputStyle::Strong, &heading))?;
        }
        let name = output.styled(OutputStyle::Strong, &shown(&set.name)).into_owned();
        let state = group_state(review, set, decisions);
        let state = format!("{}: {state}", extent(set));
        let state = output.styled(OutputStyle::Quiet, &state);
        output.line(&format!("{name}  {state}"))?;
        output.line(&format!("  {}", shown(&set.id)))?;
        for line in decisions.group_note(&set.id).lines() {
            output.line(&format!("  {}", shown(line)))?;
        }
        for index in &set.pairs {
            let note = pair_note(review, *index, decisions);
            let is_decided = review.is_decided(*index, decisions);
            // Only what is left to do; a decided group is one line.
            if is_decided && note.is_empty() {
                continue;
            }
            let reviewed = &review.pairs[*index];
            let mut remarks = Vec::new();
            match pair_state(review, *index, decisions) {
                "undecided" => {}
                state => remarks.push(state.to_owned()),
            }
            remarks.extend(fault_remark(reviewed));
            remarks.extend(edit_remark(reviewed));
            if let Some(cause) = reviewed.first_cause {
                remarks.push(format!("follows from {}", review.pairs[cause].pair.path()));
            }
            let remarks = match remarks.join(", ") {
                text if text.is_empty() => text,
                text => format!("  ({})", shown(&text)),
            };
            output.line(&format!("    {}{remarks}", shown_path(reviewed.pair.path())))?;
            for line in note.lines().filter(|line| !line.is_empty()) {
                output.line(&format!("      {}", shown(line)))?;
            }
        }
    }
    output.line(&progress(review, decisions))?;
    let LineCounts { before, after } = lines;
    if before == after {
        return Ok(());
    }
    let before = count(before, "changed line");
    output.line(&format!("Git diff: about {before}, {after} as decided"))
}
