//! Reads an incident, and makes drafts of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;

use crate::engine::current::read_edited;
use crate::engine::disk::project::Project;
use crate::engine::disk::scan::{ScanStep, SourceLookup, scan};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::format::{self, Document, DocumentBody, FileKind, text};
use crate::ops::Item;
use crate::ops::import::{
    FileOrigin, ImportKind, ImportOptions, Importer, Incident, KnownSessions,
};
use crate::text::Source;
use crate::workbench::{
    DocId, EngineEvent, ImportEvent, IncidentSource, LoadedIncident, ReadIncident,
};

/// The name of a text without a file.
const PASTED_NAME: &str = "pasted text";

/// The message when no draft can be made.
const NO_SESSION: &str = "It contains nothing that a session can be made from";

impl Task for ReadIncident {
    fn lane() -> Lane {
        Lane::Newest("import")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let event = match (read(context.project.as_deref()?, self), &self.source) {
            (None, IncidentSource::Dropped(paths)) => {
                ImportEvent::NotAnIncident(self.number, paths.clone())
            }
            (found, _) => {
                let found = found.unwrap_or_else(|| Err(NO_SESSION.to_owned()));
                ImportEvent::Read(self.number, found)
            }
        };
        Some(EngineEvent::Import(event))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Import(ImportEvent::Read(self.number, Err(reason)))
    }
}

/// Reads the files of an incident, and what exists already; `None` for a dropped file that may be something else.
fn read(project: &Project, wanted: &ReadIncident) -> Option<Result<LoadedIncident, String>> {
    let reading = IncidentReader { project, request: wanted };
    let (known, config) = reading.known_sessions();
    let options = ImportOptions {
        contract: config.as_ref().and_then(|(_, contract)| contract.clone()),
        filter: wanted.filter.filter(Timestamp::now()),
        as_text: false,
    };
    let mut gather = Importer::new(options);
    let only = match reading.add_sources(&mut gather) {
        Ok(only) => only,
        // Opening it reports the problem.
        Err(_) if matches!(wanted.source, IncidentSource::Dropped(_)) => return None,
        Err(reason) => return Some(Err(reason)),
    };
    let what = gather.kind().unwrap_or_default();
    if matches!(wanted.source, IncidentSource::Dropped(_))
        && !matches!(what, ImportKind::Report | ImportKind::LangSmith | ImportKind::Har)
    {
        return None;
    }
    let mut imported = gather.finish();
    if imported.drafts.is_empty() && imported.skipped == 0 {
        let first = imported.notes.drain(..).next();
        return first.map(Err);
    }
    let name = wanted.source.name();
    let incident = Incident::new(&name, what, imported, &known, &project.secrets());
    let log = only.filter(|_| what == ImportKind::FailureLog);
    Some(Ok(LoadedIncident {
        incident: Arc::new(incident),
        log: log.map(|log| log.text().into()),
        config: config.map(|(doc, _)| doc),
    }))
}

/// Adds files and the files in folders. Returns the text of a single file.
fn import_files(
    gather: &mut Importer,
    paths: &[PathBuf],
    root: Option<&Path>,
) -> Result<Option<Source>, String> {
    let project = Project::open(paths, root).map_err(|error| error.to_string())?;
    let mut items: Vec<Arc<Item>> = Vec::new();
    let mut take = |step: ScanStep| {
        if let ScanStep::Rows(rows) = step {
            items.extend(rows);
        }
    };
    // Files of a folder that cannot be listed are left out.
    let _ = scan(&project, SourceLookup::LeaveAlone, &AtomicBool::new(false), &mut take);
    let mut only = None;
    for (number, item) in items.iter().enumerate() {
        let document = project.read(number, item);
        if let ([_], [_], Err(reason)) = (&items[..], paths, &document) {
            return Err(reason.clone());
        }
        let Ok(document) = document else { continue };
        let is_named = paths.iter().any(|path| path == Path::new(&*item.path));
        if items.len() == 1 {
            only = Some(document.source().clone());
        }
        let named = if is_named { FileOrigin::Explicit } else { FileOrigin::InFolder };
        gather.add_document(&item.root_path, document, named);
    }
    Ok(only)
}

/// The configuration, and the contract it defines.
type ConfigWithContract = (DocId, Option<String>);

struct IncidentReader<'a> {
    project: &'a Project,
    request: &'a ReadIncident,
}

impl IncidentReader<'_> {
    /// Adds what is to be read. Returns its text, if it is a single one.
    fn add_sources(&self, gather: &mut Importer) -> Result<Option<Source>, String> {
        match &self.request.source {
            IncidentSource::Text(text) => {
                let source = Source::new(&**text);
                gather.add_document(
                    PASTED_NAME,
                    format::read(source.clone(), ""),
                    FileOrigin::Explicit,
                );
                Ok(Some(source))
            }
            IncidentSource::Fetched { text, .. } => {
                let document = format::read(Source::new(&**text), "runs.json");
                gather.add_runs("LangSmith", &document);
                Ok(None)
            }
            IncidentSource::Recordings(docs) => {
                for doc in docs {
                    let Some(item) = self.request.items.get(*doc) else {
                        continue;
                    };
                    let document = self.read(*doc, item)?;
                    gather.add_document(&item.root_path, document, FileOrigin::Explicit);
                }
                Ok(None)
            }
            // A folder may contain anything, so it is opened instead.
            IncidentSource::Dropped(paths) if paths.iter().any(|path| path.is_dir()) => Ok(None),
            IncidentSource::Files(paths) | IncidentSource::Dropped(paths) => {
                import_files(gather, paths, self.project.bound())
            }
        }
    }

    /// A document as it is now.
    fn read(&self, doc: DocId, item: &Item) -> Result<Document, String> {
        read_edited(self.project, &self.request.texts, doc, item)
    }

    /// Returns the existing sessions, and the configuration nearest to the root.
    fn known_sessions(&self) -> (KnownSessions, Option<ConfigWithContract>) {
        let mut known = KnownSessions::default();
        let mut config: Option<(usize, ConfigWithContract)> = None;
        for (doc, item) in self.request.items.iter() {
            if !matches!(item.kind, FileKind::Session | FileKind::Config) {
                continue;
            }
            let Ok(document) = self.read(doc, item) else {
                continue;
            };
            known.add_all(&document, &item.root_path);
            let depth = item.root_path.split('/').count();
            if let DocumentBody::Config(body) = &document.body
                && config.as_ref().is_none_or(|(nearest, _)| depth < *nearest)
            {
                let name = body.contract.as_ref().and_then(|it| text(&it.name));
                config = Some((depth, (doc, name.map(str::to_owned))));
            }
        }
        (known, config.map(|(_, config)| config))
    }
}
