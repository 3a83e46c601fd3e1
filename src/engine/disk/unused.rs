//! Reads what shows which recordings are used: sets, and their machines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::disk::machine_map::NumberedItem;
use crate::disk::parallel::map_parallel;
use crate::disk::playback::list_json_names;
use crate::disk::project::Project;
use crate::disk::root::{describe_error, open_one, to_sentence};
use calls::{Item, ItemStatus};
use document::FileKind;
use document::text::{Source, counted, quoted};
use machine::Machine;
use play::playback::{RecordingSet, SetRecording, SkippedFile, requests};
use play::unused::{RecordingFile, RunsOfSets, SetUsage, UsageEvidence, content_hash};

/// Reads the sets of these items, with what shows which of their recordings are used: `logs`, else their machines, else themselves.
/// Blocks.
pub fn read_set_usage<'a>(
    project: &Project,
    items: impl Iterator<Item = NumberedItem<'a>>,
    logs: Option<&RunsOfSets>,
    root: Option<&Path>,
) -> Vec<SetUsage> {
    let mut by_folder: BTreeMap<&str, Vec<NumberedItem<'a>>> = BTreeMap::new();
    // Clients load only `*.json`.
    for (number, item) in items.filter(|(_, item)| item.file_name().ends_with(".json")) {
        by_folder.entry(given_folder(item)).or_default().push((number, item));
    }
    let is_set = |items: &Vec<NumberedItem<'_>>| {
        let mut items = items.iter();
        items.any(|(_, item)| item.kind == FileKind::Recording)
    };
    let sets = by_folder.into_iter().filter(|(_, items)| is_set(items));
    sets.map(|(folder, items)| read_usage(project, folder, &items, logs, root)).collect()
}

/// Returns the folder of an item, as given.
fn given_folder(item: &Item) -> &str {
    item.path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

fn read_usage(
    project: &Project,
    folder: &str,
    items: &[NumberedItem<'_>],
    logs: Option<&RunsOfSets>,
    root: Option<&Path>,
) -> SetUsage {
    let results = map_parallel("Reading", items, &AtomicBool::new(false), |(number, item)| {
        let path = &item.path;
        match project.read(*number, item) {
            Ok(document) => {
                let recording = SetRecording::read(Arc::clone(path), &document, &project.pool);
                (recording, content_hash(&document), None)
            }
            Err(reason) => {
                let skip = SkippedFile { path: Arc::clone(path), reason: reason.as_str().into() };
                (Err(skip), None, Some(format!("{path}: {reason}")))
            }
        }
    });
    let mut by_path = BTreeMap::new();
    let mut first_fault = None;
    let mut recordings = Vec::new();
    for ((_, item), (recording, content, fault)) in items.iter().zip(results) {
        let file = RecordingFile {
            path: Arc::clone(&item.path),
            bytes: item.bytes,
            recorded_at: item.recorded_at.as_deref().map(Arc::from),
            content,
        };
        by_path.insert(Arc::clone(&item.path), file);
        recordings.push(recording);
        first_fault = first_fault.or(fault);
    }
    let set = RecordingSet::new(folder, recordings);
    let files = set.recordings.iter().filter_map(|r| by_path.remove(&r.path)).collect();
    let evidence = match first_fault {
        Some(fault) => Err(fault),
        None => check_complete(folder, items, root).and_then(|()| match (logs, items) {
            (Some(logs), [(_, item), ..]) => logs.evidence(item.folder()),
            _ => read_machines(project, items),
        }),
    };
    SetUsage { folder: folder.into(), set: Arc::new(set), files, evidence }
}

/// Checks that the items are all that a client loads from a folder.
///
/// # Errors
///
/// The name of a file that is missing, in a sentence without a full stop.
fn check_complete(
    folder: &str,
    items: &[NumberedItem<'_>],
    root: Option<&Path>,
) -> Result<(), String> {
    let names: BTreeSet<&str> = items.iter().map(|(_, item)| item.file_name()).collect();
    let open_folder = open_one(Path::new(folder), root).map_err(|error| error.to_string())?;
    let file_names =
        list_json_names(&open_folder, Path::new("")).map_err(|error| describe_error(&error))?;
    if let Some(name) = file_names.iter().find(|name| !names.contains(&***name)) {
        return Err(format!(
            "{} was not read; give the folder, with --no-ignore if git ignores the file",
            quoted(name)
        ));
    }
    Ok(())
}

/// Reads the machines that the recordings of a set name as their sources.
///
/// # Errors
///
/// The reason that not all are known, as a sentence without a full stop.
fn read_machines(project: &Project, items: &[NumberedItem<'_>]) -> Result<UsageEvidence, String> {
    let is_recording = |item: &Item| item.kind == FileKind::Recording;
    let recordings = items.iter().filter(|(_, item)| is_recording(item));
    let mut machines: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let (mut unstamped_count, mut stamped_count) = (0, 0);
    for (number, item) in recordings {
        // The player skips an unreadable recording, whose missing part may name its source.
        if item.status() == ItemStatus::Unreadable {
            continue;
        }
        let source = item.source.as_ref();
        let Some((source, file)) = source.and_then(|s| Some((s, s.file.as_ref()?))) else {
            unstamped_count += 1;
            continue;
        };
        stamped_count += 1;
        let source_file = source
            .found
            .present()
            .ok_or_else(|| format!("The source of {} is not found: {}", item.path, quoted(file)))?;
        machines.entry(source_file.path.as_ref().into()).or_insert(*number);
    }
    match (stamped_count, unstamped_count) {
        // Without any source, only recordings are found that no request of their own set gets, such as copies.
        (0, _) => return Ok(UsageEvidence::Itself),
        (_, 0) => {}
        // The machine of a recording without a source is unknown: without its requests, recordings would seem unused.
        (_, unstamped_count) => {
            let recordings = counted(unstamped_count, "recording names", "recordings name");
            return Err(format!("{recordings} no source; others do"));
        }
    }
    let mut all_requests = Vec::new();
    for (path, number) in &machines {
        let bytes = project
            .read_beneath(*number, path)
            .map_err(|refusal| format!("{path}: {}", to_sentence(refusal)))?;
        let machine = Machine::read(&Source::from_bytes(bytes));
        all_requests.extend(requests::from_machine(path, &machine, &project.pool)?);
    }
    Ok(UsageEvidence::Machines { paths: machines.into_keys().collect(), requests: all_requests })
}
