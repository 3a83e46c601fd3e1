//! Reads incidents for the window, makes drafts of them, and plans the session files.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;

use crate::engine::disk::project::{Project, to_sentence};
use crate::engine::disk::root::{ReadRefusal, beneath};
use crate::engine::disk::scan::{ScanStep, SourceLookup, scan};
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::format::{self, Document, DocumentBody, FileKind, text};
use crate::ops::Item;
use crate::ops::diff::counted;
use crate::ops::diff::outline::Outline;
use crate::ops::diff::text::TextDiff;
use crate::ops::import::{
    FileOrigin, ImportKind, ImportOptions, Importer, Incident, KnownSessions, file_name,
};
use crate::ops::session::{SessionFormat, add_files, path_from};
use crate::text::Source;
use crate::workbench::{
    ConfigChange, DocId, DraftPreview, EngineEvent, ExistingFile, ImportEvent, IncidentSource,
    LoadedIncident, PlanSessions, PlannedFile, PreviewDraft, ReadIncident, SessionPlan,
};

/// The name of a text without a file.
const PASTED_NAME: &str = "pasted text";

impl Engine {
    /// Reads an incident; the result arrives as [`ImportEvent::Read`]. Cancels one that is still being read.
    pub fn read_incident(&mut self, wanted: ReadIncident) {
        self.spawn_import("retake import", move |project| {
            match (read(project, &wanted), &wanted.source) {
                (None, IncidentSource::Dropped(paths)) => {
                    ImportEvent::NotAnIncident(wanted.number, paths.clone())
                }
                (found, _) => {
                    let found = found.unwrap_or_else(|| Err(NO_SESSION.to_owned()));
                    ImportEvent::Read(wanted.number, found)
                }
            }
        });
    }

    /// Makes the file that a draft becomes; the result arrives as [`ImportEvent::Previewed`].
    pub fn preview_draft(&mut self, wanted: PreviewDraft) {
        let sender = self.sender.clone();
        let job = BackgroundJob::start("retake draft", move |cancel| {
            let preview = catch_unwind(AssertUnwindSafe(|| DraftPreview::new(&wanted)));
            if let Ok(preview) = preview {
                let event = ImportEvent::Previewed(wanted.key, Arc::new(preview));
                sender.send(EngineEvent::Import(event), cancel);
            }
        });
        match job {
            Ok(job) => self.previewing = job,
            Err(error) => self.fail(format!("Cannot start a thread to show a draft: {error}")),
        }
    }

    /// Finds out what saving drafts would do; the result arrives as [`ImportEvent::Planned`].
    pub fn plan_sessions(&mut self, wanted: PlanSessions) {
        self.spawn_import("retake sessions", move |project| {
            let plan = plan(project, &wanted);
            ImportEvent::Planned(wanted.number, plan.map(Arc::new))
        });
    }

    fn spawn_import(
        &mut self,
        name: &str,
        work: impl FnOnce(&Project) -> ImportEvent + Send + 'static,
    ) {
        self.importing.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let sender = self.sender.clone();
        let job = BackgroundJob::start(name, move |cancel| {
            let event = match catch_unwind(AssertUnwindSafe(|| work(&project))) {
                Ok(event) => EngineEvent::Import(event),
                Err(_) => EngineEvent::Failed(INTERNAL_ERROR.to_owned()),
            };
            sender.send(event, cancel);
        });
        match job {
            Ok(job) => self.importing = job,
            Err(error) => self.fail(format!("Cannot start a thread to import: {error}")),
        }
    }
}

/// The message when no draft can be made.
const NO_SESSION: &str = "It contains nothing that a session can be made from";
const INTERNAL_ERROR: &str = "Internal error during the import; please report it.";

/// Reads the files of an incident, and what exists already; `None` for a dropped file that may be something else.
fn read(project: &Project, wanted: &ReadIncident) -> Option<Result<LoadedIncident, String>> {
    let reading = IncidentReader {
        project,
        request: wanted,
        edited: wanted
            .texts
            .iter()
            .map(|(doc, text)| (*doc, text))
            .collect(),
    };
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
        && !matches!(
            what,
            ImportKind::Report | ImportKind::LangSmith | ImportKind::Har
        )
    {
        return None;
    }
    let mut imported = gather.finish();
    if imported.drafts.is_empty() && imported.skipped == 0 {
        let first = imported.notes.drain(..).next();
        return first.map(Err);
    }
    let name = incident_name(&wanted.source);
    let incident = Incident::new(&name, what, imported, &known, &project.secrets());
    let log = only.filter(|_| what == ImportKind::FailureLog);
    Some(Ok(LoadedIncident {
        incident: Arc::new(incident),
        log: log.map(|log| log.text().into()),
        config: config.map(|(doc, _)| doc),
    }))
}

/// Returns the name of what is read, for the user.
fn incident_name(from: &IncidentSource) -> String {
    match from {
        IncidentSource::Text(_) => "Pasted text".to_owned(),
        IncidentSource::Fetched { name, .. } => name.to_string(),
        IncidentSource::Recordings(docs) => counted(docs.len(), "recording", "recordings"),
        IncidentSource::Files(paths) | IncidentSource::Dropped(paths) => match &paths[..] {
            [path] => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy().into_owned()
            }
            _ => counted(paths.len(), "file", "files"),
        },
    }
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
    let _ = scan(
        &project,
        SourceLookup::LeaveAlone,
        &AtomicBool::new(false),
        &mut take,
    );
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
        let named = if is_named {
            FileOrigin::Explicit
        } else {
            FileOrigin::InFolder
        };
        gather.add_document(&item.root_path, document, named);
    }
    Ok(only)
}

/// The configuration, and the contract it defines.
type ConfigWithContract = (DocId, Option<String>);

struct IncidentReader<'a> {
    project: &'a Project,
    request: &'a ReadIncident,
    edited: HashMap<DocId, &'a Source>,
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
        match self.edited.get(&doc) {
            Some(text) => Ok(format::read((*text).clone(), item.file_name())),
            None => self.project.read(doc.index(), item),
        }
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

/// Finds out what saving would do.
fn plan(project: &Project, wanted: &PlanSessions) -> Result<SessionPlan, String> {
    let root = project.root().ok_or("Nothing is open")?;
    let folder = wanted.to.folder.trim().trim_end_matches('/');
    let mut files: Vec<PlannedFile> = Vec::new();
    for (number, draft) in wanted.drafts.iter().enumerate() {
        let Some(session) = wanted.incident.session(*draft, &wanted.secrets) else {
            continue;
        };
        let name = file_name(&wanted.to.pattern, &session, number + 1);
        let path = beneath(&format!(
            "{}/{name}",
            if folder.is_empty() { "." } else { folder }
        ))
        .map_err(|refusal| format!("The folder cannot be used: {refusal}"))?;
        let form = if path.ends_with(".json") {
            SessionFormat::Json
        } else {
            SessionFormat::Yaml
        };
        let text = Source::new(wanted.incident.text(*draft, &wanted.secrets, form));
        let there = if files.iter().any(|file| file.path == path) {
            ExistingFile::DuplicateName
        } else {
            compare_existing(root.read(&path), &text)
                .map_err(|reason| format!("{reason}: {path}"))?
        };
        files.push(PlannedFile {
            path,
            text,
            existing: there,
        });
    }
    let config = match wanted.config {
        Some(doc) => plan_config(project, wanted, doc, &files)?,
        None => None,
    };
    Ok(SessionPlan { files, config })
}

fn compare_existing(
    read: Result<Vec<u8>, ReadRefusal>,
    text: &Source,
) -> Result<ExistingFile, String> {
    match read {
        Err(ReadRefusal::Missing) => Ok(ExistingFile::Nothing),
        Err(refusal) => Err(to_sentence(&refusal.to_string())),
        Ok(bytes) if bytes == text.text().as_bytes() => Ok(ExistingFile::Same),
        Ok(bytes) => {
            let theirs = Source::from_bytes(bytes.clone());
            let diff = TextDiff::new(&theirs, text, Outline::Plain);
            Ok(ExistingFile::Other(bytes.into(), Arc::new(diff)))
        }
    }
}

/// Plans the configuration's edit that lists the files; `None` when it lists them already.
fn plan_config(
    project: &Project,
    wanted: &PlanSessions,
    doc: DocId,
    files: &[PlannedFile],
) -> Result<Option<ConfigChange>, String> {
    let Some(item) = wanted.items.get(doc) else {
        return Ok(None);
    };
    let document = project.read(doc.index(), item)?;
    let folder = item.root_path.rsplit_once('/').map_or("", |(it, _)| it);
    let is_there = |file: &&PlannedFile| !matches!(file.existing, ExistingFile::DuplicateName);
    let paths: Vec<String> = files
        .iter()
        .filter(is_there)
        .map(|file| path_from(folder, &file.path))
        .collect();
    let (after, added) = add_files(&document, &paths)
        .map_err(|refusal| format!("{} cannot list them: {refusal}", item.file_name()))?;
    let before = document.source().clone();
    Ok((added > 0).then(|| ConfigChange {
        path: item.root_path.to_string(),
        diff: Arc::new(TextDiff::new(&before, &after, Outline::Plain)),
        before,
        after,
    }))
}
