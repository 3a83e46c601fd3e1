//! Finds the source of a recording as it was: in the work tree, if it has not changed, else in the history, else
//! among the stored copies.

use std::sync::atomic::AtomicBool;

use crate::disk::history::OriginalSource;
use crate::disk::project::Project;
use crate::disk::root::to_sentence;
use crate::disk::snapshots::SourceSnapshot;
use calls::Item;
use calls::source::{self, SourceFinding, SourceOrigin, SourceState, content_hash};
use compare::source::SourceDiff;
use document::recording::SourceMetadata;
use document::text;
use document::text::Source;
use machine::{Machine, MachineDiff, StoredNames};
use protocol::{CurrentSource, SourceAsRecorded, SourceComparison};

/// Finds the source of the item that arrived as number `index`, as it was when it was recorded. Blocks.
///
/// # Errors
///
/// A message that says why it is not found.
pub fn find_as_recorded(
    project: &Project,
    index: usize,
    item: &Item,
    cancel: &AtomicBool,
) -> Result<OriginalSource, String> {
    let source = item.source.as_ref().ok_or("only a recording has a source")?;
    let hash = source.recorded_hash.as_deref().unwrap_or_default();
    match &source.found {
        SourceFinding::Unstamped => {
            return Err("the recording does not say which source it was made from".to_owned());
        }
        SourceFinding::Outside(reason) => return Err(format!("its source was not read: {reason}")),
        // The work tree does not have the recorded text.
        SourceFinding::Stale(_) | SourceFinding::Missing(_) => {}
        SourceFinding::Fresh(_) | SourceFinding::LineEndings(_) | SourceFinding::Renamed(_) => {
            // The source may have changed since it was checked.
            let path = source.found.holder().map(|s| &s.path);
            let bytes = path.and_then(|path| project.read_beneath(index, path).ok());
            if let Some(original) = bytes.and_then(|bytes| source::match_recorded(&bytes, hash)) {
                return Ok(OriginalSource {
                    bytes: original.bytes,
                    origin: SourceOrigin::WorkingTree,
                    line_ends_differ: original.line_ends_differ,
                });
            }
        }
    }
    project.source_as_recorded(index, item, cancel).or_else(|reason| {
        let SourceSnapshot { bytes, seconds } = project.snapshot(hash).ok_or(reason.to_string())?;
        let origin = SourceOrigin::Snapshot { seconds };
        Ok(OriginalSource { bytes, origin, line_ends_differ: false })
    })
}

/// Compares a recording's source as it was with what it is now. Blocks.
pub(crate) fn compare_versions(
    project: &Project,
    index: usize,
    item: &Item,
    cancel: &AtomicBool,
) -> SourceComparison {
    let old_source = find_as_recorded(project, index, item, cancel)
        .map_err(to_sentence)
        .map(|o| SourceAsRecorded { text: Source::from_bytes(o.bytes), origin: o.origin });
    let version = read_current(project, index, item);
    let diff = match (&old_source, &version) {
        (Ok(old_source), Ok(version)) => Some(SourceDiff::new(&old_source.text, &version.text)),
        _ => None,
    };
    let metadata = read_metadata(project, index, item);
    let machine = compare_machines(&old_source, &version, metadata.as_ref());
    let hash = item.source.as_ref().and_then(|source| source.recorded_hash.as_deref());
    SourceComparison {
        recorded_hash: hash.unwrap_or_default().to_owned(),
        recorded: old_source,
        current: version,
        diff,
        machine,
        recorded_facts: metadata.as_ref().map(recorded_facts).unwrap_or_default(),
    }
}

fn read_current(project: &Project, index: usize, item: &Item) -> Result<CurrentSource, String> {
    let source = item.source.as_deref();
    let file = source.and_then(|source| source.found.present());
    let Some(file) = file else {
        return Err(source.map_or_else(String::new, missing_reason));
    };
    let text = project.read_source(index, item)?;
    Ok(CurrentSource {
        path: file.path.to_string(),
        hash: content_hash(text.text().as_bytes()).to_string(),
        seconds: project.modified(index, &file.path),
        text,
    })
}

/// Returns why a source has no present text.
fn missing_reason(source: &SourceState) -> String {
    let file = source.file.as_deref().unwrap_or("The source");
    match &source.found {
        SourceFinding::Missing(Some(commit)) => {
            let commit = commit.short();
            format!("{file} no longer exists: it was deleted in commit {commit}")
        }
        SourceFinding::Renamed(_) => {
            format!("{file} no longer exists, and several files could replace it")
        }
        _ => format!("{file} no longer exists"),
    }
}

/// Compares the machine; if its earlier text is not found, as far as the recording's own metadata allows.
fn compare_machines(
    old_source: &Result<SourceAsRecorded, String>,
    new_source: &Result<CurrentSource, String>,
    metadata: Option<&SourceMetadata>,
) -> Option<MachineDiff> {
    let old_source = old_source.as_ref().ok().map(|old_source| Machine::read(&old_source.text));
    let new_source = new_source.as_ref().ok().map(|new_source| Machine::read(&new_source.text));
    match (&old_source, &new_source) {
        (Some(old_source), Some(new_source)) => Some(MachineDiff::new(old_source, new_source)),
        (None, Some(new_source)) => {
            metadata.map(|m| MachineDiff::from_stored(&StoredNames::from_recording(m), new_source))
        }
        (_, None) => None,
    }
}

/// Reads the recording's metadata about its source.
fn read_metadata(project: &Project, index: usize, item: &Item) -> Option<SourceMetadata> {
    let document = project.read(index, item).ok()?;
    Some(document.body.recording()?.source.as_ref()?.value.clone())
}

/// Returns what the recording itself stores about its source.
fn recorded_facts(source: &SourceMetadata) -> Vec<(&'static str, String)> {
    let facts = [
        ("Machine title", text(&source.machine_title).unwrap_or_default().to_owned()),
        ("Last modified", text(&source.last_modified).unwrap_or_default().to_owned()),
        ("Nodes", source.node_names.join(", ")),
        ("Edge labels", source.edge_labels.join(", ")),
    ];
    facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::disk::scan::scan;
    use crate::disk::snapshots::Snapshots;
    use crate::{ScanStep, SourceLookup};

    /// Reads a project whose sources are kept in a folder, and shows its one recording's source then and now.
    fn shown(project: &Path, sources: Option<&Path>) -> SourceComparison {
        let snapshots = sources.map(|folder| Arc::new(Snapshots::open(folder.to_owned())));
        let no_cancel = AtomicBool::new(false);
        let opened = [project.join("set")];
        let project = Project::open_keeping(&opened, Some(project), snapshots).unwrap();
        let mut items = Vec::new();
        scan(&project, SourceLookup::Look, &no_cancel, &mut |step| {
            if let ScanStep::Rows(rows) = step {
                items.extend(rows);
            }
        })
        .unwrap();
        compare_versions(&project, 0, &items[0], &no_cancel)
    }

    #[test]
    fn without_git_a_source_is_found_as_it_was_when_it_was_last_fresh() {
        let temp = tempfile::tempdir().unwrap();
        let (project, sources) = (temp.path().join("project"), temp.path().join("sources"));
        let recording = format!(
            r#"{{"request":{{"requestId":"r","messages":[],"tools":[]}},"response":{{}},
               "sourceMetadata":{{"sourceFile":"x.dygram","contentHash":"{}"}}}}"#,
            content_hash(b"then\r\n")
        );
        std::fs::create_dir_all(project.join("set")).unwrap();
        std::fs::write(project.join("set/r.json"), recording).unwrap();

        std::fs::write(project.join("x.dygram"), "then\r\n").unwrap();
        assert_eq!(
            shown(&project, Some(&sources)).recorded.unwrap().origin,
            SourceOrigin::WorkingTree
        );
        std::fs::write(project.join("x.dygram"), "now\r\n").unwrap();
        let comparison = shown(&project, Some(&sources));
        let old_source = comparison.recorded.unwrap();
        assert_eq!(old_source.text.text(), "then\r\n");
        assert!(matches!(old_source.origin, SourceOrigin::Snapshot { .. }));
        assert!(comparison.diff.is_some());
        assert_eq!(
            shown(&project, None).recorded.unwrap_err(),
            "The project root contains no git repository"
        );
        // What was never fresh is not kept.
        assert_eq!(std::fs::read_dir(&sources).unwrap().count(), 1);
    }
}
