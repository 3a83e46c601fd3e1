//! `--baseline` and `--write-baseline`: findings that are known, so that only new ones are reported.
//!
//! An entry is a rule, the path of a file from the project root and a place: in files with several calls the hash of what was sent and a
//! pointer from the call, else a pointer. Equal findings are counted. Lines and numbers of calls are not part of it, because they move; the
//! message is only for readers, because it often names other files.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::report::{finding_key, finding_place};
use crate::outbox::write_file;
use crate::output::{shown, shown_path};
use crate::{CommandError, CommandResult, ReadFiles, print_stderr, print_summary, report_error};
use author::saving::{Expected, SaveFailure, SaveFault};
use calls::Item;
use document::text::count;
use document::{Problem, RuleId};
use engine::save::{self, SaveTarget};
use engine::undo::StepRecorder;

/// The version of the file.
const SCHEMA_VERSION: u32 = 1;

/// The text of a baseline.
#[derive(Serialize, Deserialize)]
struct BaselineFile {
    schema_version: u32,
    findings: Vec<BaselineEntry>,
}

/// A known finding, as in the file. Entries are sorted by path, rule and pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BaselineEntry {
    /// The path of its file from the project root.
    path: String,
    rule: String,
    /// As it was when the baseline was written.
    pointer: String,
    /// A hash of the call that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// Number of equal findings.
    count: usize,
    /// The message of the first one, for readers.
    message: String,
}

/// A baseline that was read.
pub(super) struct Baseline {
    /// As the user named it.
    name: String,
    entries: Vec<BaselineEntry>,
}

/// Changes that a baseline makes in a report.
pub(super) struct BaselineReport {
    pub(super) name: String,
    /// Number of findings that are in the baseline, and not reported.
    pub(super) known: usize,
    /// Number of findings of the baseline that do not occur any more.
    pub(super) gone: usize,
    gone_entries: Vec<BaselineEntry>,
    /// Files whose findings count as new because they have another name: the old path and the new one.
    pub(super) renamed: Vec<(String, String)>,
}

impl Baseline {
    /// Reads the baseline that the user named.
    pub(super) fn read(path: &Path, root: Option<&Path>) -> CommandResult<Self> {
        let name = path.to_string_lossy().into_owned();
        let content = match find(path, root) {
            Ok((_, text)) => Ok(text),
            // A missing folder is a missing file for the user, who gets the same advice.
            Err(fault) if fault.reason == SaveFailure::FolderGone => Ok(None),
            Err(fault) => Err(refusal(&fault)),
        };
        let text = content?.ok_or_else(|| {
            let file = shown(&name);
            CommandError(format!(
                "There is no baseline at {file}; write one with `retake check --write-baseline {file}`"
            ))
        })?;
        let entries = parse(&name, &text)?;
        Ok(Self { name, entries })
    }

    /// Writes a baseline with all findings. Entries of files that this run does not check are kept.
    pub(super) fn store(
        path: &Path,
        root: Option<&Path>,
        input: &ReadFiles,
        recorder: &StepRecorder,
    ) -> CommandResult<Self> {
        let name = path.to_string_lossy().into_owned();
        let (target, old_bytes) = find(path, root).map_err(|fault| match fault.reason {
            SaveFailure::FolderGone => CommandError(format!(
                "The folder of the baseline does not exist; create it first: {}",
                shown(&name)
            )),
            _ => refusal(&fault),
        })?;
        // A sorted map, so that the same findings give the same file in every run.
        let mut entries: BTreeMap<(String, &str, String), BaselineEntry> = BTreeMap::new();
        for item in &input.items {
            for problem in item.problems.iter() {
                let (rule, path, place) = finding_key(item, problem);
                let call = problem.call_hash.map(|hash| format!("{hash:08x}"));
                // Without a call the place may be a message instead of a pointer.
                let pointer = if call.is_some() { &*problem.pointer } else { &*place };
                let key = (path.to_owned(), rule.as_str(), place.to_string());
                let entry = entries.entry(key).or_insert_with(|| BaselineEntry {
                    path: path.to_owned(),
                    rule: rule.to_string(),
                    pointer: pointer.to_owned(),
                    call,
                    count: 0,
                    message: problem.message.to_string(),
                });
                entry.count += 1;
            }
        }
        let mut entries: Vec<BaselineEntry> = entries.into_values().collect();
        entries.sort_by(|a, b| a.key().cmp(&b.key()));
        if let Some(old_bytes) = &old_bytes {
            let old_entries = parse(&name, old_bytes)?.into_iter();
            // Only entries that this run could have found again are replaced; a check of one folder must not empty the rest.
            entries.extend(old_entries.filter(|row| !would_find(input, &row.path, &row.rule)));
            entries.sort_by(|a, b| a.key().cmp(&b.key()));
        }
        let expected = Expected::from_bytes(old_bytes.as_deref());
        let text = render(&entries).map_err(std::io::Error::from)?;
        // Expects the content that was read, so that a baseline that changed meanwhile is not overwritten.
        write_file(recorder, target, text.as_bytes(), expected)?;
        let findings = count(entries.iter().map(|entry| entry.count).sum(), "finding");
        print_summary(&format!("Wrote {} with {findings}", shown_path(&name)));
        Ok(Self { name, entries })
    }

    /// Removes the known findings of what was read, of equal ones the first.
    pub(super) fn apply(self, input: &mut ReadFiles) -> BaselineReport {
        // A baseline that was merged may contain an entry twice.
        let mut counts = vec![0; self.entries.len()];
        let mut positions: HashMap<(&str, &str, Cow<'_, str>), usize> = HashMap::new();
        for (position, entry) in self.entries.iter().enumerate() {
            let place = finding_place(entry.call.as_deref(), &entry.pointer);
            let key = (&*entry.path, &*entry.rule, place);
            // Equal entries are counted together, in the first of them.
            counts[*positions.entry(key).or_insert(position)] += entry.count;
        }
        let mut known_count = 0;
        for item in &mut input.items {
            let mut is_known = |problem: &Problem| {
                let (rule, path, place) = finding_key(item, problem);
                let find = |place| positions.get(&(path, rule.as_str(), place));
                // Earlier versions wrote no calls.
                let position = find(place).or_else(|| find(Cow::Borrowed(&problem.pointer)));
                let number = position.map(|position| &mut counts[*position]);
                number.filter(|number| **number > 0).map(|number| *number -= 1).is_some()
            };
            // Collected first: items are shared, and those without known findings must not be copied.
            let is_known: Vec<bool> = item.problems.iter().map(&mut is_known).collect();
            if is_known.contains(&true) {
                known_count += is_known.iter().filter(|is_known| **is_known).count();
                let mut is_known = is_known.into_iter();
                Arc::make_mut(item).change_problems(|problems| {
                    problems.retain(|_| !is_known.next().unwrap_or_default());
                });
            }
        }
        let entries = self.entries.iter().zip(&counts);
        let gone_entries: Vec<BaselineEntry> = entries
            // What this run did not check may still occur.
            .filter(|(entry, number)| **number > 0 && would_find(input, &entry.path, &entry.rule))
            .map(|(entry, number)| BaselineEntry { count: *number, ..entry.clone() })
            .collect();
        let renames = find_renamed(&self.entries, &gone_entries, &input.items);
        BaselineReport {
            name: self.name,
            known: known_count,
            gone: gone_entries.iter().map(|entry| entry.count).sum(),
            gone_entries,
            renamed: renames,
        }
    }
}

impl BaselineEntry {
    /// Key by which entries are sorted.
    fn key(&self) -> (&str, &str, &str) {
        (&self.path, &self.rule, &self.pointer)
    }
}

impl BaselineReport {
    /// Lists on stderr what the baseline contains in vain.
    pub(super) fn report(&self) {
        let name = shown(&self.name);
        for (old, new) in &self.renamed {
            report_error(&format!(
                "{} seems to be renamed to {}, so its findings count as new; write {name} again to accept them",
                shown(old),
                shown(new)
            ));
        }
        if self.gone_entries.is_empty() {
            return;
        }
        let findings = count(self.gone, "finding");
        let verb = if self.gone == 1 { "occurs" } else { "occur" };
        report_error(&format!(
            "{findings} in {name} no longer {verb}; write it again with --write-baseline:"
        ));
        for row in &self.gone_entries {
            let times = match row.count {
                1 => String::new(),
                count => format!(" ({count} times)"),
            };
            let place = match &*row.pointer {
                "" => String::new(),
                pointer => format!(" {}", shown(pointer)),
            };
            print_stderr(&format!("  {}: {}{place}{times}", shown(&row.path), shown(&row.rule)));
        }
    }
}

/// Returns whether a check of what was read would find a problem of a rule in a file, if the file existed.
fn would_find(input: &ReadFiles, path: &str, rule: &str) -> bool {
    match rule.parse::<RuleId>() {
        Ok(rule) => input.project.would_check(path, rule),
        // The rule is of another version, so only the existence of the file is known.
        Err(_) => input.items.iter().any(|item| *item.root_path() == *path),
    }
}

/// The place of a baseline, and its text if there is a file.
type BaselineTarget = (SaveTarget, Option<Arc<[u8]>>);

fn find(path: &Path, root: Option<&Path>) -> Result<BaselineTarget, SaveFault> {
    let target = SaveTarget::chosen(path, root)?;
    match save::read(&target) {
        Ok(text) => Ok((target, Some(text))),
        Err(fault) if fault.reason == SaveFailure::FileGone => Ok((target, None)),
        Err(fault) => Err(fault),
    }
}

fn refusal(fault: &SaveFault) -> CommandError {
    CommandError(format!("The baseline cannot be read: {fault}"))
}

fn parse(name: &str, text: &[u8]) -> CommandResult<Vec<BaselineEntry>> {
    let name = shown(name);
    let file: BaselineFile = serde_json::from_slice(text).map_err(|error| {
        CommandError(format!(
            "{name} is not a baseline of `retake check`: {error}; give the name of a file that --write-baseline wrote"
        ))
    })?;
    // Keys of another version would match nothing, and every finding would look new.
    if file.schema_version != SCHEMA_VERSION {
        return Err(CommandError(format!(
            "{name} was written by another version of Retake (schema_version {}, expected {SCHEMA_VERSION}); \
             write it again with --write-baseline",
            file.schema_version
        )));
    }
    Ok(file.findings)
}

/// Returns the text of a baseline: an entry on each line, so that it can be compared and merged line by line.
fn render(entries: &[BaselineEntry]) -> serde_json::Result<String> {
    let mut text = format!("{{\n\"schema_version\": {SCHEMA_VERSION},\n\"findings\": [");
    for (index, entry) in entries.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&serde_json::to_string(entry)?);
    }
    text.push_str("\n]\n}\n");
    Ok(text)
}

/// Finds files with exactly the findings of a file that does not exist any more: they were probably renamed.
fn find_renamed(
    entries: &[BaselineEntry],
    gone_entries: &[BaselineEntry],
    items: &[Arc<Item>],
) -> Vec<(String, String)> {
    type Findings<'a> = BTreeMap<(&'a str, Cow<'a, str>), usize>;
    let checked_paths: HashSet<&str> = items.iter().map(|item| item.root_path()).collect();
    let baseline_paths: HashSet<&str> = entries.iter().map(|entry| &*entry.path).collect();
    let mut lost_findings: BTreeMap<&str, Findings<'_>> = BTreeMap::new();
    for entry in gone_entries.iter().filter(|entry| !checked_paths.contains(&*entry.path)) {
        let place = finding_place(entry.call.as_deref(), &entry.pointer);
        lost_findings.entry(&entry.path).or_default().insert((&entry.rule, place), entry.count);
    }
    let mut new_paths: HashMap<Findings<'_>, Vec<&str>> = HashMap::new();
    for item in items {
        // A file with entries of its own is no new name of another.
        if item.problems.is_empty() || baseline_paths.contains(item.root_path()) {
            continue;
        }
        let mut findings = Findings::new();
        for problem in item.problems.iter() {
            let (rule, _, place) = finding_key(item, problem);
            *findings.entry((rule.as_str(), place)).or_default() += 1;
        }
        new_paths.entry(findings).or_default().push(item.root_path());
    }
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let mut renames = Vec::new();
    for (old, findings) in lost_findings {
        let Some(new) = new_paths.get_mut(&findings).filter(|new| !new.is_empty()) else {
            continue;
        };
        // Among files with the same findings, one that only moved to another folder is likelier.
        let same_name = new.iter().position(|new| name(new) == name(old));
        let new = new.remove(same_name.unwrap_or_default());
        renames.push((old.to_owned(), new.to_owned()));
    }
    renames
}
