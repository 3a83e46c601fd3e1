//! `retake merge-reports`: merges the reports of all parts of a check, as one check would report.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::baseline::Baseline;
use super::report::{CheckReport, CheckSummary, CheckedFile, Outcome};
use super::shard::{ShardFile, ShardReport, level};
use super::{CheckFormat, Extras, print};
use crate::cli::common::ColorOption;
use crate::cli::output::shown;
use crate::cli::read_files::is_unread;
use crate::cli::{CommandError, CommandVerdict};
use crate::engine::read_text;
use crate::format::Severity;
use crate::ops::Item;
use crate::ops::check::{ambiguous_settings, judge_seed_facts, unread_recordings};

/// Merge the reports of `retake check --shard` into one.
///
/// The result and the exit code are those of one check of everything. The reports must be those of all parts of the same files
/// with the same settings.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  retake check fixtures --shard 1/2 --format json > 1.json\n  \
                  retake check fixtures --shard 2/2 --format json > 2.json\n  \
                  retake merge-reports 1.json 2.json --format sarif > retake.sarif")]
pub(in crate::cli) struct MergeArgs {
    /// Reports in JSON or SARIF, one for each part, in any order.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Report only findings that are not in this file, as `retake check` does.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// The output format.
    #[arg(long, default_value = "text")]
    format: CheckFormat,
    /// Print one JSON document; short for --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    look: ColorOption,
}

/// A report of a part, in JSON or SARIF.
#[derive(Deserialize)]
struct PartDocument {
    shard: Option<ShardReport>,
    #[serde(default)]
    runs: Vec<PartRun>,
}

#[derive(Deserialize)]
struct PartRun {
    properties: Option<PartProperties>,
}

#[derive(Deserialize)]
struct PartProperties {
    shard: Option<ShardReport>,
}

/// A file of the merged report.
struct MergedFile<'a> {
    file: &'a ShardFile,
    root: Option<&'a Path>,
    item: Item,
}

pub(in crate::cli) fn run(arguments: &MergeArgs) -> Result<CommandVerdict, CommandError> {
    let mut parts = Vec::new();
    for path in &arguments.files {
        parts.push((shown(&path.to_string_lossy()).into_owned(), read(path)?));
    }
    check_parts(&parts)?;
    let parts: Vec<ShardReport> = parts.into_iter().map(|(_, part)| part).collect();
    let merged = merge(&parts)?;
    let (mut files, items): (Vec<_>, Vec<_>) = merged
        .into_iter()
        .map(|merged| ((merged.file, merged.root), Arc::new(merged.item)))
        .unzip();
    let mut items: Vec<Arc<Item>> = items;
    let baseline = match &arguments.baseline {
        None => None,
        Some(path) => {
            let checked: HashSet<&str> = files.iter().map(|(file, _)| &*file.root_path).collect();
            let baseline = Baseline::read(path, None)?;
            Some(baseline.apply(&mut items, &|path, _| checked.contains(path)))
        }
    };
    let mut inserted = parts.iter().map(|part| part.inserted).sum::<usize>();
    for find in [ambiguous_settings, unread_recordings] {
        let mut shared = find(&mut items);
        shared.sort_by_key(|finding| finding.first);
        inserted += shared.len();
        for finding in shared.into_iter().rev() {
            files.insert(finding.first, files[finding.first]);
            items.insert(finding.first, Arc::new(finding.item));
        }
    }
    let checked = files
        .iter()
        .zip(&items)
        .filter(|(_, item)| !is_unread(item) || !item.problems.is_empty())
        .map(|((file, root), item)| CheckedFile {
            item,
            root: *root,
            fail_on: level(&file.fail_on).unwrap_or(Severity::Error),
        });
    let checked: Vec<CheckedFile> = checked.collect();
    let is_complete = parts.iter().all(|part| part.is_complete);
    let report = CheckReport {
        summary: CheckSummary {
            files: parts.iter().map(|part| part.examined).sum(),
            items: checked.len().saturating_sub(inserted),
            // Parts run at the same time.
            elapsed_ms: parts.iter().map(|part| part.elapsed_ms).max().unwrap_or(0),
            known: baseline.as_ref().map(|it| it.known),
            ..CheckSummary::of(&checked)
        },
        files: checked,
        outcome: if is_complete { Outcome::Complete } else { Outcome::Incomplete },
    };
    if let Some(baseline) = &baseline {
        baseline.report();
    }
    let format = if arguments.json { CheckFormat::Json } else { arguments.format };
    let extras = Extras { baseline: baseline.as_ref(), ..Extras::default() };
    print(&report, format, &extras, arguments.look)?;
    Ok(match (is_complete, report.fails()) {
        (false, _) => CommandVerdict::Incomplete,
        (true, true) => CommandVerdict::Failed,
        (true, false) => CommandVerdict::Passed,
    })
}

/// Reads the report of a part.
fn read(path: &Path) -> Result<ShardReport, CommandError> {
    let name = path.to_string_lossy();
    let text = read_text(path).map_err(|reason| CommandError(shown(&reason).into_owned()))?;
    let document: Option<PartDocument> = serde_json::from_str(&text).ok();
    let part = document.and_then(|document| {
        let mut runs = document.runs.into_iter();
        let of_run = |run: PartRun| run.properties?.shard;
        document.shard.or_else(|| runs.find_map(of_run))
    });
    part.ok_or_else(|| {
        CommandError(format!(
            "{} is not a report of a part; make it with `retake check --shard 1/3 --format json`, or sarif",
            shown(&name)
        ))
    })
}

/// Checks that the reports are those of all parts of one check.
fn check_parts(parts: &[(String, ShardReport)]) -> Result<(), CommandError> {
    let Some((first_name, first)) = parts.first() else {
        return Ok(());
    };
    for (name, part) in parts {
        let difference = if part.count != first.count {
            format!("{} parts and {} parts", first.count, part.count)
        } else if part.version != first.version {
            "made by different versions of Retake".to_owned()
        } else if part.settings != first.settings {
            "made with different paths, options or settings".to_owned()
        } else if part.tree != first.tree {
            "made from different files".to_owned()
        } else {
            continue;
        };
        return Err(CommandError(format!(
            "{first_name} and {name} are parts of different checks, {difference}; make all parts again"
        )));
    }
    for number in 1..=first.count {
        let mut names = parts.iter().filter(|(_, part)| part.number == number);
        let count = first.count;
        match (names.next(), names.next()) {
            (Some(_), None) => {}
            (None, _) => {
                return Err(CommandError(format!(
                    "The report of part {number} of {count} is missing; make it with `retake check --shard {number}/{count}`"
                )));
            }
            (Some((one, _)), Some((other, _))) => {
                return Err(CommandError(format!(
                    "{one} and {other} are both reports of part {number} of {count}; give each part once"
                )));
            }
        }
    }
    Ok(())
}

/// Judges the parts together. The files are in the order of listing.
fn merge(parts: &[ShardReport]) -> Result<Vec<MergedFile<'_>>, CommandError> {
    let unknown =
        || CommandError("A report contains a rule or a level that does not exist".to_owned());
    let fixtures: HashSet<&str> =
        (parts.iter()).flat_map(|part| part.fixtures.iter().map(String::as_str)).collect();
    let any_stamped = parts.iter().any(|part| part.any_stamped);
    let mut merged = Vec::new();
    for part in parts {
        let listed = part.files.iter();
        for file in listed.filter(|file| !file.is_candidate || is_below(&file.root_path, &fixtures))
        {
            // If a recording of this part names its source, that has been considered.
            let has_stamped = any_stamped && !part.any_stamped;
            merged.push(MergedFile {
                file,
                root: part.root(file),
                item: file.item(has_stamped).ok_or_else(unknown)?,
            });
        }
    }
    merged.sort_by_key(|merged| merged.file.order);
    let mut seeded = Vec::new();
    for (position, merged) in merged.iter().enumerate() {
        if let Some(seeds) = &merged.file.seeds {
            seeded.push((position, seeds, seeds.facts()));
        }
    }
    let files = seeded.iter().map(|(position, _, facts)| {
        let path = merged[*position].file.root_path.as_str();
        (path, facts.as_slice())
    });
    for (file, problem) in judge_seed_facts(&files.collect::<Vec<_>>()) {
        let (position, seeds, _) = &seeded[file];
        if let Some(severity) = seeds.level_of(problem.severity) {
            let item = &mut merged[*position].item;
            item.change_problems(|problems| problems.push(problem.with_severity(severity)));
        }
    }
    for merged in &mut merged {
        merged.item.change_problems(|problems| {
            problems.sort_by_key(|problem| (problem.place, problem.rule));
        });
    }
    Ok(merged)
}

/// Returns whether a file is in one of these folders or below it.
fn is_below(path: &str, folders: &HashSet<&str>) -> bool {
    let mut above = path.match_indices('/').map(|(end, _)| &path[..end]);
    above.any(|folder| folders.contains(folder))
}
