//! Descriptions of formats and the files of a project: which files they are for, what is wrong with them, and a guess of one.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::disk::project::Project;
use crate::disk::root::{self, OpenedPath};
use crate::disk::walk::{EntryKind, Stamps, walk};
use calls::Item;
use check::settings::Formats;
use document::format::{
    FormatEvidence, RecordingFormat, guess, is_named_alike, narrow_patterns, path_pattern,
};
use document::text::Source;
use document::{Document, DocumentBody, Problem, RuleId};

/// The most files that are read to judge a description. All of them would be the whole project.
const MAX_READ_FILES: usize = 200;

/// Returns the root of an opened path, and the paths of the files of the whole project for which a test is true, in the order in which
/// they are listed.
pub(crate) fn find_files(
    opened: &OpenedPath,
    test: impl Fn(&str) -> bool,
) -> Option<(OpenedPath, Vec<Arc<str>>)> {
    let root = opened.at_root(None)?;
    let mut paths = Vec::new();
    // Also what the user named, which may have a name that is not read in folders.
    let _ = walk(&[root.clone(), opened.clone()], Stamps::Skip, &mut |entry| {
        let is_file = matches!(entry.kind, EntryKind::File | EntryKind::Named);
        if is_file && test(&entry.root_path) {
            paths.push(entry.root_path);
        }
        ControlFlow::Continue(())
    });
    Some((root, paths))
}

/// Returns what is wrong with the descriptions in the settings of a project, by all files of the project.
pub(crate) fn format_faults(opened: &OpenedPath, formats: &Formats, text: &Source) -> Vec<Problem> {
    // What is staged is only a part of the files.
    let is_judged = !formats.is_empty() && opened.root.staged.is_none();
    let find = || find_files(opened, |path| formats.of(path).is_some());
    let Some((root, paths)) = is_judged.then(find).flatten() else { return Vec::new() };
    formats.faults(text, &paths, |format, paths| {
        let mut evidence = FormatEvidence::default();
        for path in paths.iter().take(MAX_READ_FILES) {
            let Ok(bytes) = root::read_file(&root.dir, Path::new(&***path)) else { continue };
            evidence.add(&formats.read(Source::from_bytes(bytes), path));
            if evidence.is_settled(format) {
                break;
            }
        }
        evidence
    })
}

/// Returns a description for a file of the project and for those like it: in the same folder, with names that end alike, and read by the
/// same pointers.
///
/// # Errors
///
/// A message when the file cannot be read.
pub fn guess_format(
    project: &Project,
    index: usize,
    item: &Item,
) -> Result<RecordingFormat, String> {
    let document = project.read(index, item)?;
    let mut format = RecordingFormat { pointers: Some(guess(&document)), ..Default::default() };
    match document.format.as_deref() {
        Some(known) if known.pointers.is_some() => return Ok(known.clone()),
        _ if format.pointers.as_ref().is_some_and(|pointers| pointers.fault().is_some()) => {
            format.paths = vec![path_pattern(item.root_path())];
            return Ok(format);
        }
        _ => {}
    }
    let opened = project.opened_path(index).ok_or("Nothing is open")?;
    let found = find_files(opened, |path| is_named_alike(path, item.root_path()));
    let (root, paths) = found.ok_or("The folder of the project cannot be opened")?;
    let own_path = item.root_path();
    let (mut alike, mut others): (Vec<&str>, Vec<&str>) = (vec![own_path], Vec::new());
    let neighbours = paths.iter().map(|path| &**path).filter(|path| *path != own_path);
    for path in neighbours.take(MAX_READ_FILES) {
        let bytes = root::read_file(&root.dir, Path::new(path));
        let document = bytes.map(|bytes| root.root.parse(Source::from_bytes(bytes), path));
        match document {
            // What a damaged file was cannot be seen, so that it must not narrow the pattern.
            Ok(document) if document.problems.iter().any(|p| p.rule.hides_content()) => {}
            Ok(document) if is_read_by(&format, &document, path) => alike.push(path),
            _ => others.push(path),
        }
    }
    format.paths = narrow_patterns(&alike, &others);
    Ok(format)
}

/// Returns whether a file has no other format, and the pointers of this one lead to calls in it.
fn is_read_by(format: &RecordingFormat, document: &Document, path: &str) -> bool {
    let is_of_any_recorder = match &document.body {
        DocumentBody::Foreign(foreign) => foreign.format.is_of_any_recorder(),
        body => matches!(body, DocumentBody::Unknown),
    };
    let is_fit = |document: Document| {
        let mut rules = document.problems.iter().map(|problem| problem.rule);
        !rules.any(|rule| rule == RuleId::FormatMismatch || rule == RuleId::Syntax)
            && document.tree.is_well_formed()
    };
    match &document.format {
        Some(known) => known.pointers == format.pointers,
        None => {
            let format = Arc::new(format.clone());
            let text = document.source().clone();
            is_of_any_recorder && is_fit(document::read_as(text, path, Some(&format)))
        }
    }
}
