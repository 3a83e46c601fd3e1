//! Reads the incidents to import and the existing sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::standard_input;
use crate::output::shown;
use crate::{CommandResult, ReadFiles, print_stderr, read_everything, report_error};
use author::import::{self, FileOrigin, ImportOptions, Imported, Importer, KnownSessions};
use calls::secret::CustomPatterns;
use document::text::Source;
use document::{Document, DocumentBody, text};
use engine::root::ReadBounds;
use engine::save_location::find_nearest_config;
use engine::{Phase, SourceLookup};

/// The files that were read.
pub(super) struct ImportInputs {
    pub(super) imported: Imported,
    /// The existing sessions.
    pub(super) known: KnownSessions,
    /// The project's patterns of secrets.
    pub(super) secrets: Arc<CustomPatterns>,
    /// Whether a path could not be read.
    pub(super) is_incomplete: bool,
}

pub(super) fn gather(
    fetched_runs: Option<Document>,
    paths: &[PathBuf],
    folder: &Path,
    bounds: ReadBounds<'_>,
    mut options: ImportOptions,
) -> CommandResult<ImportInputs> {
    let mut known_sessions = KnownSessions::default();
    let mut secrets = Arc::default();
    if let Some(config) = find_nearest_config(folder, bounds.root) {
        // An option of the user counts more than a configuration above the folder.
        if options.contract.is_none() {
            options.contract = contract_of(&config.document);
        }
        known_sessions.add_all(&config.document, &config.path);
    }
    if folder.is_dir() {
        // The id of a session that git ignores is in use, too.
        let bounds = ReadBounds { lists_git_ignored: true, ..bounds };
        let old_files = read_everything(&[folder.to_owned()], bounds, SourceLookup::LeaveAlone)?;
        // Replaced below by those of the imported files, if there are any.
        secrets = old_files.project.secrets();
        each(old_files, |path, document| known_sessions.add_all(&document, path));
    }
    let (pasted_paths, files): (Vec<_>, Vec<_>) =
        paths.iter().cloned().partition(|path| path == Path::new("-"));
    let as_text = options.as_text;
    let (mut is_incomplete, mut is_refused) = (false, false);
    let mut importer = Importer::new(options);
    if !pasted_paths.is_empty() {
        // Without a name, the format is detected from the content alone.
        let document = document::read(Source::new(standard_input()?), "");
        is_refused = !as_text && import::is_refused(&document);
        importer.add_document("standard input", document, FileOrigin::Explicit);
    }
    if let Some(document) = &fetched_runs {
        importer.add_runs("LangSmith", document);
    }
    if !files.is_empty() {
        let input = read_everything(&files, bounds, SourceLookup::LeaveAlone)?;
        secrets = input.project.secrets();
        is_incomplete = input.unopened > 0 || !input.report_broken(&files).is_empty();
        each(input, |path, document| {
            let is_named = files.iter().any(|f| f == Path::new(path));
            // A file that the user names must be an incident; others in a folder are skipped.
            let origin = if is_named { FileOrigin::Explicit } else { FileOrigin::InFolder };
            is_refused |= is_named && !as_text && import::is_refused(&document);
            importer.add_document(path, document, origin);
        });
    }
    if is_refused {
        print_stderr("--from text imports every file as the text of an incident");
    }
    Ok(ImportInputs {
        imported: importer.finish(),
        known: known_sessions,
        secrets,
        is_incomplete: is_incomplete || is_refused,
    })
}

/// The contract that a configuration defines.
fn contract_of(config: &Document) -> Option<String> {
    match &config.body {
        DocumentBody::Config(config) => text(&config.contract.as_ref()?.name).map(str::to_owned),
        _ => None,
    }
}

/// Calls a function with each file that can be read and its path; reports the others.
fn each(input: &ReadFiles, mut take: impl FnMut(&str, Document)) {
    for (number, item) in Phase::over("Importing", input.numbered()) {
        match input.project.read(number, item) {
            Ok(document) => take(&item.path, document),
            Err(reason) => report_error(&format!("{reason}: {}", shown(&item.path))),
        }
    }
}
