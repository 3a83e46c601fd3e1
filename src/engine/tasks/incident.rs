//! Reads an incident and makes drafts of it, fetches runs, and finds out what saving drafts would write.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;

use crate::current::read_edited;
use crate::disk::project::{Project, SourceLookup};
use crate::disk::root::{ReadRefusal, beneath, parent_folder, to_sentence};
use crate::disk::scan::{ScanStep, scan};
use crate::live::langsmith::fetch;
use crate::run::Work;
use author::fixture::IncidentCalls;
use author::import::langsmith_api::FetchError;
use author::import::{
    FileOrigin, ImportKind, ImportOptions, Importer, Incident, KnownSessions, file_name,
};
use author::session::{SessionFormat, add_files, path_from};
use calls::Item;
use calls::agent_run::joined_files;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::text::Source;
use document::{Document, DocumentBody, FileKind, text};
use protocol::{
    ConfigChange, DocId, EngineEvent, ExistingFile, FetchEvent, FetchRequest, ImportEvent,
    IncidentSource, Lane, LoadedIncident, PlanSessions, PlannedFile, ReadIncident, SessionPlan,
};

pub(crate) const FETCH_LANE: Lane = Lane::Newest("fetch");

/// The name of a text without a file.
const PASTED_NAME: &str = "pasted text";

/// The message when no draft can be made.
const NO_SESSION: &str = "It contains nothing that a session can be made from";

/// Fetches LangSmith runs, only when the user requests it, and reports progress.
pub(crate) fn fetch_runs(query: FetchRequest) -> Work {
    fn event(event: FetchEvent) -> EngineEvent {
        EngineEvent::Import(ImportEvent::Fetch(event))
    }
    Work::failing(
        FETCH_LANE,
        query,
        |query, context| {
            let mut report = |progress| {
                context.send(event(FetchEvent::Progressed(query.number, progress)));
            };
            let is_cancelled = || context.is_cancelled();
            let mut runs = || {
                let target = query.form.target(Timestamp::now()).map_err(FetchError::Setting)?;
                let access = context.services.langsmith.access()?;
                let runs = fetch(&access, &target, &mut report, &is_cancelled)?;
                Ok(Arc::from(runs.source().text()))
            };
            Some(event(FetchEvent::Ended(query.number, runs())))
        },
        |query, reason| event(FetchEvent::Ended(query.number, Err(FetchError::Incomplete(reason)))),
    )
}

pub(crate) fn read_incident(request: ReadIncident) -> Work {
    Work::failing(
        Lane::Newest("import"),
        request,
        |request, context| {
            let event = match (read(context.project.as_deref()?, request), &request.source) {
                (None, IncidentSource::Dropped(paths)) => {
                    ImportEvent::NotAnIncident(request.number, paths.clone())
                }
                (incident, _) => {
                    let incident = incident.unwrap_or_else(|| Err(NO_SESSION.to_owned()));
                    ImportEvent::Read(request.number, incident)
                }
            };
            Some(EngineEvent::Import(event))
        },
        |request, reason| EngineEvent::Import(ImportEvent::Read(request.number, Err(reason))),
    )
}

pub(crate) fn plan_sessions(request: PlanSessions) -> Work {
    Work::answering(
        // The lane of reading, since another incident makes this plan useless.
        Lane::Newest("import"),
        request,
        |request, context| Some(plan(context.project.as_deref()?, request).map(Arc::new)),
        |request, plan| EngineEvent::Import(ImportEvent::Planned(request.number, plan)),
    )
}

/// Reads the files of an incident, and what exists already; `None` for a dropped file that may be something else.
fn read(project: &Project, request: &ReadIncident) -> Option<Result<LoadedIncident, String>> {
    let reader = IncidentReader { project, request };
    let (sessions, config) = reader.known_sessions();
    let options = ImportOptions {
        contract: config.as_ref().and_then(|(_, contract)| contract.clone()),
        filter: request.filter.filter(Timestamp::now()),
        as_text: request.as_text,
    };
    let mut input = IncidentInput { importer: Importer::new(options), documents: Vec::new() };
    let single_source = match reader.add_sources(&mut input) {
        Ok(single_source) => single_source,
        // Opening the file reports the problem.
        Err(_) if matches!(request.source, IncidentSource::Dropped(_)) => return None,
        Err(reason) => return Some(Err(reason)),
    };
    let IncidentInput { importer, documents } = input;
    let kind = importer.kind().unwrap_or_default();
    if matches!(request.source, IncidentSource::Dropped(_))
        // A dropped file of another kind may be one to open.
        && !matches!(kind, ImportKind::Report | ImportKind::LangSmith | ImportKind::Har | ImportKind::AgentRun)
    {
        return None;
    }
    let mut imported = importer.finish();
    let own = project.secrets();
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let documents = joined_files(documents).into_iter().map(|(_, document)| document).collect();
    let calls = IncidentCalls::new(documents, &own, now);
    if imported.drafts.is_empty() && imported.skipped == 0 && calls.rows.is_empty() {
        // Without any draft, the first note is the reason.
        return imported.notes.drain(..).next().map(Err);
    }
    let name = request.source.name();
    let incident = Incident::new(&name, kind, imported, &sessions, &own, &request.names);
    let log = single_source.filter(|_| kind == ImportKind::FailureLog);
    Some(Ok(LoadedIncident {
        incident: Arc::new(incident),
        calls: Arc::new(calls),
        log: log.map(|log| log.text().into()),
        config: config.map(|(doc, _)| doc),
    }))
}

/// What an incident is read from.
struct IncidentInput {
    importer: Importer,
    /// The same documents with their paths, for their calls.
    documents: Vec<(String, Document)>,
}

impl IncidentInput {
    fn add(&mut self, path: &str, document: Document, origin: FileOrigin) {
        self.documents.push((path.to_owned(), document.clone()));
        self.importer.add_document(path, document, origin);
    }
}

/// Adds files and the files in folders. Returns the text of a single file.
fn import_files(
    input: &mut IncidentInput,
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
    let mut single_source = None;
    for (number, item) in items.iter().enumerate() {
        let document = project.read(number, item);
        // If there is a single file, the reason is reported; of several, the readable ones are enough.
        if let ([_], [_], Err(reason)) = (&items[..], paths, &document) {
            return Err(reason.clone());
        }
        let Ok(document) = document else { continue };
        let is_named = paths.iter().any(|path| path == Path::new(&*item.path));
        if items.len() == 1 {
            single_source = Some(document.source().clone());
        }
        let origin = if is_named { FileOrigin::Explicit } else { FileOrigin::InFolder };
        input.add(item.root_path(), document, origin);
    }
    Ok(single_source)
}

/// The configuration, and the contract it defines.
type ConfigWithContract = (DocId, Option<String>);

struct IncidentReader<'a> {
    project: &'a Project,
    request: &'a ReadIncident,
}

impl IncidentReader<'_> {
    /// Adds what is to be read. Returns its text, if it is a single one.
    fn add_sources(&self, input: &mut IncidentInput) -> Result<Option<Source>, String> {
        match &self.request.source {
            IncidentSource::Text(text) => {
                let source = Source::new(&**text);
                input.add(PASTED_NAME, document::read(source.clone(), ""), FileOrigin::Explicit);
                Ok(Some(source))
            }
            IncidentSource::Fetched { text, .. } => {
                let document = document::read(Source::new(&**text), "runs.json");
                input.importer.add_runs("LangSmith", &document);
                input.documents.push(("LangSmith".to_owned(), document));
                Ok(None)
            }
            IncidentSource::Recordings(docs) => {
                for doc in docs {
                    let Some(item) = self.request.items.get(*doc) else { continue };
                    let document = self.read(*doc, item)?;
                    input.add(item.root_path(), document, FileOrigin::Explicit);
                }
                Ok(None)
            }
            // A folder may contain anything, so it is opened instead.
            IncidentSource::Dropped(paths) if paths.iter().any(|path| path.is_dir()) => Ok(None),
            IncidentSource::Files(paths) | IncidentSource::Dropped(paths) => {
                import_files(input, paths, self.project.bound())
            }
        }
    }

    /// A document as it is now.
    fn read(&self, doc: DocId, item: &Item) -> Result<Document, String> {
        read_edited(self.project, &self.request.texts, doc, item)
    }

    /// Returns the existing sessions, and the configuration nearest to the root.
    fn known_sessions(&self) -> (KnownSessions, Option<ConfigWithContract>) {
        let mut sessions = KnownSessions::default();
        let mut config: Option<(usize, ConfigWithContract)> = None;
        for (doc, item) in self.request.items.iter() {
            if !matches!(item.kind, FileKind::Session | FileKind::Config) {
                continue;
            }
            let Ok(document) = self.read(doc, item) else { continue };
            sessions.add_all(&document, item.root_path());
            let depth = item.root_path().split('/').count();
            if let DocumentBody::Config(body) = &document.body
                && config.as_ref().is_none_or(|(nearest, _)| depth < *nearest)
            {
                let name = body.contract.as_ref().and_then(|c| text(&c.name));
                config = Some((depth, (doc, name.map(str::to_owned))));
            }
        }
        (sessions, config.map(|(_, config)| config))
    }
}

/// Finds out what saving would do.
fn plan(project: &Project, request: &PlanSessions) -> Result<SessionPlan, String> {
    let root = project.root().ok_or("Nothing is open")?;
    let folder = request.to.folder.trim().trim_end_matches('/');
    let mut files: Vec<PlannedFile> = Vec::new();
    for (number, draft) in request.drafts.iter().enumerate() {
        let Some(session) = request.incident.session(*draft, &request.secrets) else { continue };
        let name = file_name(&request.to.pattern, &session, number + 1);
        // Without the dot, the path would begin with a slash, which `beneath` refuses.
        let path = beneath(&format!("{}/{name}", if folder.is_empty() { "." } else { folder }))
            .map_err(|refusal| format!("The folder cannot be used: {refusal}"))?;
        let form = if path.ends_with(".json") { SessionFormat::Json } else { SessionFormat::Yaml };
        let text = request.incident.text(*draft, &request.secrets, form);
        let text = Source::new(text.map_err(|fault| format!("{fault}: {path}"))?);
        let existing = if files.iter().any(|file| file.path == path) {
            ExistingFile::DuplicateName
        } else {
            compare_existing(root.read(&path), &text).map_err(|fault| format!("{fault}: {path}"))?
        };
        files.push(PlannedFile { path, text, existing });
    }
    let config = match request.config {
        Some(doc) => plan_config(project, request, doc, &files)?,
        None => None,
    };
    Ok(SessionPlan { files, config })
}

fn compare_existing(
    result: Result<Vec<u8>, ReadRefusal>,
    text: &Source,
) -> Result<ExistingFile, String> {
    match result {
        Err(ReadRefusal::Missing) => Ok(ExistingFile::Nothing),
        Err(refusal) => Err(to_sentence(refusal)),
        Ok(bytes) if bytes == text.text().as_bytes() => Ok(ExistingFile::Same),
        Ok(bytes) => {
            let diff = TextDiff::new(&Source::from_bytes(bytes.clone()), text, Outline::Plain);
            Ok(ExistingFile::Other(bytes.into(), Arc::new(diff)))
        }
    }
}

/// Plans the configuration's edit that lists the files; `None` when it lists them already.
fn plan_config(
    project: &Project,
    request: &PlanSessions,
    doc: DocId,
    files: &[PlannedFile],
) -> Result<Option<ConfigChange>, String> {
    let Some(item) = request.items.get(doc) else { return Ok(None) };
    let document = project.read(doc.index(), item)?;
    let folder = parent_folder(item.root_path());
    let is_there = |file: &&PlannedFile| !matches!(file.existing, ExistingFile::DuplicateName);
    let paths: Vec<String> =
        files.iter().filter(is_there).map(|file| path_from(folder, &file.path)).collect();
    let (after, added_count) = add_files(&document, &paths)
        .map_err(|refusal| format!("{} cannot list them: {refusal}", item.file_name()))?;
    let before = document.source().clone();
    Ok((added_count > 0).then(|| ConfigChange {
        path: item.root_path().to_string(),
        diff: Arc::new(TextDiff::new(&before, &after, Outline::Plain)),
        before,
        after,
    }))
}
