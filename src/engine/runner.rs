//! The engine as the window uses it: gives each request to its task, which answers by an [`EngineEvent`]. Scans and watching are
//! started here.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

use crossbeam_channel::{Receiver, bounded};

use crate::calls::{self, ListenerHandle};
use crate::command::{self, CommandHandle};
use crate::disk::guard::lock;
use crate::disk::project::{Project, SourceLookup};
use crate::disk::scan::{ScanOutcome, ScanStep, scan};
use crate::disk::snapshots::Snapshots;
use crate::event_sender::EventSender;
use crate::live::langsmith::Account;
use crate::queues::{self, Queues};
use crate::run::{CancelOnDrop, TaskContext, Tasks, spawn_guarded};
use crate::services::Services;
use crate::tasks::{
    audit, change_files, compute, contracts, documents, drafts, formats, incident, judge_sets,
    library, new_tape, plan_change, plan_replace, play, queue_answers, review, show_pair,
    side_by_side, tapes, triage, window, write_review,
};
use crate::watch::{FsWatch, ScanHandover, Watch};
use ::calls::{Item, Pool};
use document::Problem;
use document::text::{counted, quoted};
use protocol::{
    Cancellable, DocId, EngineEvent, LangSmithStatus, ReadProgress, Request, ScanRequest,
};

/// The most events in the window's channel; a scan waits when it is full.
const EVENT_CAPACITY: usize = 256;

/// The most checked items that are sent to the window at once.
const MAX_CHECKED_ITEMS: usize = 2048;

/// The engine as the window uses it. Dropping it stops all its threads.
///
/// Events arrive on the channel that [`Engine::start`] returns; after each, `wake` is called, so that the window repaints.
pub struct Engine {
    tasks: Tasks,
    sender: EventSender,
    generation: u64,
    /// The folder that the user set with `--root`.
    root: Option<PathBuf>,
    snapshots: Option<Arc<Snapshots>>,
    caches: Option<PathBuf>,
    pub(super) project: Option<Arc<Project>>,
    scan: Option<CancelOnDrop>,
    watch: Option<Watch>,
    services: Arc<Services>,
    running: Running,
    // Below `tasks` and `running`, since fields are dropped in this order.
    _closed: CloseServices,
    /// Whether each later request panics.
    #[cfg(test)]
    pub(super) injected_panic: bool,
}

/// Commands, listeners and queues that go on after their requests. Dropping it stops them.
#[derive(Default)]
struct Running {
    command: CommandHandle,
    /// By [`ListenerKind`](protocol::ListenerKind).
    listeners: [Option<ListenerHandle>; 2],
    queues: Queues,
}

/// Deletes the copies of the samples and closes the store of unsaved edits when the engine is dropped, after everything is written:
/// a task that still reads a large file holds the services, too, and must not keep either.
struct CloseServices(Arc<Services>);

impl Drop for CloseServices {
    fn drop(&mut self) {
        lock(&self.0.samples).clear();
        lock(&self.0.drafts).store = None;
    }
}

/// Options for starting an engine.
#[derive(Clone, Debug, Default)]
pub struct EngineOptions {
    /// The folder outside which nothing is read; `None`: the project that each path is in.
    pub root: Option<PathBuf>,
    /// The folder in which unsaved edits survive; `None`: they do not.
    pub state: Option<PathBuf>,
    /// The folder in which sources are kept as they were; `None`: they are not.
    pub sources: Option<PathBuf>,
    /// The folder with the index caches; `None`: none are used.
    pub caches: Option<PathBuf>,
    /// The folder in which steps of the command line are kept; `None`: the window does not know them.
    pub undo: Option<PathBuf>,
    /// The LangSmith account.
    pub langsmith: Account,
}

impl Engine {
    /// Starts the engine. `wake` is called from its threads.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub fn start(
        setup: EngineOptions,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<(Self, Receiver<EngineEvent>)> {
        let (events, receiver) = bounded(EVENT_CAPACITY);
        let sender = EventSender { events, wake: Arc::new(wake) };
        let services = Services {
            langsmith: setup.langsmith,
            state: setup.state.clone(),
            undo: setup.undo,
            ..Services::default()
        };
        let services = Arc::new(services);
        let mut engine = Self {
            tasks: Tasks::start()?,
            sender,
            generation: 0,
            root: setup.root,
            snapshots: setup.sources.map(|folder| Arc::new(Snapshots::open(folder))),
            caches: setup.caches,
            project: None,
            scan: None,
            watch: None,
            _closed: CloseServices(Arc::clone(&services)),
            services,
            running: Running::default(),
            #[cfg(test)]
            injected_panic: false,
        };
        if let Some(state) = setup.state {
            let folder = quoted(&state.to_string_lossy());
            let context = engine.context(format!("reading the unsaved edits in {folder}"));
            engine.tasks.run(drafts::open_drafts(state), context);
        }
        Ok((engine, receiver))
    }

    /// Opens and reads files and folders in place of what is open. Cancels a scan that is still running. If a path cannot be opened,
    /// everything stays as it is.
    pub fn scan(&mut self, paths: Vec<PathBuf>) {
        let snapshots = self.snapshots.clone();
        let project = match Project::open_keeping(&paths, self.root.as_deref(), snapshots) {
            Ok(mut project) => {
                project.open_settings();
                project.use_caches(self.caches.clone());
                Arc::new(project)
            }
            Err(error) => return self.fail(error.to_string()),
        };
        self.cancel_scan();
        self.tasks.close_project();
        // Events that are still on their way from the old project are recognised by its number.
        self.generation += 1;
        self.project = Some(Arc::clone(&project));
        let (generation, sender) = (self.generation, self.sender.clone());
        let watch = Watch::start(&project, generation, sender.clone(), FsWatch::from_system);
        // A project that cannot be watched is read all the same.
        let (watch, follower) = watch.ok().unzip();
        self.set_watch(watch);
        let stop = CancelOnDrop::default();
        let (cancel, to_window) = (Arc::clone(&stop.0), sender.clone());
        let description = Request::from(ScanRequest(paths.clone())).describe();
        let fail = move |reason| {
            let no_cancel = AtomicBool::new(false);
            to_window.send(EngineEvent::Failed(format!("{reason}.")), &no_cancel);
            let event = EngineEvent::ScanEnded {
                generation,
                progress: ReadProgress::default(),
                cancelled: true,
            };
            // The window waits for this event even after it has cancelled the scan.
            to_window.send(event, &no_cancel);
        };
        let job = spawn_guarded("scan", description, fail, move || {
            let handover = scan_for_window(&project, paths, generation, &sender, &cancel);
            if let (Some(handover), Some(follower)) = (handover, follower) {
                // The project was replaced meanwhile.
                let _ = follower.send(handover);
            }
            // After everything that the user waits for.
            project.clean_leftovers(&cancel);
        });
        match job {
            Ok(_) => self.scan = Some(stop),
            Err(error) => self.fail(format!("Cannot start a thread to read: {error}")),
        }
    }

    /// Cancels a running scan, and stops watching. What was read stays.
    pub fn cancel_scan(&mut self) {
        self.scan = None;
        self.set_watch(None);
    }

    fn set_watch(&mut self, watch: Option<Watch>) {
        let locator = watch.as_ref().map(|watch| watch.drafts.clone());
        *lock(&self.services.locator) = locator;
        self.watch = watch;
    }

    /// Returns what is known about the LangSmith account without sending a request.
    pub fn langsmith(&self) -> LangSmithStatus {
        let account = &self.services.langsmith;
        LangSmithStatus {
            endpoint: account.endpoint().unwrap_or_default().into(),
            blocked_reason: account.access().err(),
        }
    }

    /// Runs a request; its answer arrives as an event.
    pub fn run(&mut self, request: Request) {
        let context = self.context(request.describe());
        let work = match request {
            // These requests start work that continues by itself, and must not wait.
            Request::Scan(ScanRequest(paths)) => {
                let result = context.guard(|| self.scan(paths));
                return self.send_failure(result, |text| EngineEvent::Failed(format!("{text}.")));
            }
            Request::Listen(request) => {
                let listeners = &mut self.running.listeners;
                let result = context.guard(|| calls::execute(&request, listeners, &context));
                return self.send_failure(result, |text| calls::failed(&request, text));
            }
            Request::WatchQueue(request) => {
                let queues = &mut self.running.queues;
                let result = context.guard(|| queues::execute(&request, queues, &context));
                return self.send_failure(result, |text| queues::failed(&request, text));
            }
            Request::RunCommand(request) => {
                let command = &mut self.running.command;
                let result = context.guard(|| command::execute(&request, command, &context));
                return self.send_failure(result, |text| command::failed(&request, text));
            }
            Request::AnswerByRule(request) => queue_answers::save_rule(request),
            Request::ChangeFiles(request) => change_files::change_files(request),
            Request::CheckContract(request) => contracts::check_contract(request),
            Request::CompareItems(request) => side_by_side::compare_items(request),
            Request::CompareSourceVersions(request) => side_by_side::compare_versions(request),
            Request::Compute(request) => compute(request),
            Request::CountLines(request) => review::count_lines(request),
            Request::DiscardDraft(request) => drafts::discard_draft(request),
            Request::DrawPicture(request) => change_files::draw_picture(request),
            Request::FetchRuns(request) => incident::fetch_runs(request),
            Request::FindAnswers(request) => contracts::find_answers(request),
            Request::FindCommits(request) => library::find_commits(request),
            Request::FindProvenance(request) => library::find_provenance(request),
            Request::ForgetDraft(request) => drafts::forget_draft(request),
            Request::JudgeSets(request) => judge_sets::judge_sets(request),
            Request::KeepDraft(request) => drafts::keep_draft(request),
            Request::List(request) => library::list(request),
            Request::ListCommandSteps(request) => change_files::list_command_steps(request),
            Request::ListSessions(request) => library::list_sessions(request),
            Request::RunAudit(request) => audit::run_audit(request),
            Request::LoadSeeds(request) => library::load_seeds(request),
            Request::LocateDraft(request) => drafts::locate_draft(request),
            Request::LookUpPath(request) => window::look_up_path(request),
            Request::MakeTape(request) => new_tape::make_tape(request),
            Request::MakeThumbnails(request) => tapes::make_thumbnails(request),
            Request::OpenEditor(request) => window::open_editor(request),
            Request::ParseText(request) => documents::parse_text(request),
            Request::PlanBatch(request) => plan_change::plan_batch(request),
            Request::PlanChange(request) => plan_change::plan_change(request),
            Request::PlanReplace(request) => plan_replace::plan_replace(request),
            Request::PlanReview(request) => review::plan_review(request),
            Request::PlanSessions(request) => incident::plan_sessions(request),
            Request::Play(request) => play::play(request),
            Request::PlayRun(request) => triage::play_run(request),
            Request::PrepareTape(request) => tapes::prepare_tape(request),
            Request::PreviewFormat(request) => formats::preview_format(request),
            Request::PreviewFix(request) => plan_change::preview_fix(request),
            Request::RankRecordings(request) => queue_answers::rank_recordings(request),
            Request::ReadDocument(request) => documents::read_document(request),
            Request::ReadIncident(request) => incident::read_incident(request),
            Request::ReadLog(request) => window::read_log(request),
            Request::ReadMap(request) => library::read_map(request),
            Request::ReadRun(request) => triage::read_run(request),
            Request::ReadUserSettings(request) => window::read_user_settings(request),
            Request::Review(request) => review::review(request),
            Request::SaveDecisions(request) => write_review::save_decisions(request),
            Request::SaveDocument(request) => documents::save_document(request),
            Request::SaveDocumentAs(request) => documents::save_document_as(request),
            Request::SaveFormat(request) => formats::save_format(request),
            Request::SaveIgnoreRule(request) => write_review::save_ignore_rule(request),
            Request::SaveTape(request) => new_tape::save_tape(request),
            Request::SearchBodies(request) => library::search_bodies(request),
            Request::ShowPair(request) => show_pair::show_pair(request),
            Request::UndoCommandStep(request) => change_files::undo_command_step(request),
            Request::UnpackSamples(request) => window::unpack_samples(request),
            Request::WriteReview(request) => write_review::write_review(request),
            Request::WriteRunPage(request) => triage::write_run_page(request),
            Request::SaveSessions(request) => change_files::write_sessions(request),
            Request::WriteUserSettings(request) => window::write_user_settings(request),
        };
        self.tasks.run(work, context);
    }

    fn send_failure(&self, result: Result<(), String>, event: impl FnOnce(String) -> EngineEvent) {
        if let Err(reason) = result {
            self.send(event(reason));
        }
    }

    /// Waits until everything that was requested is written, such as the unsaved edits.
    pub fn finish_writes(&mut self) {
        self.tasks.finish_writes();
    }

    fn context(&self, description: String) -> TaskContext {
        TaskContext {
            description,
            project: self.project.clone(),
            services: Arc::clone(&self.services),
            root: self.root.clone(),
            cancel: Arc::default(),
            sender: self.sender.clone(),
            #[cfg(test)]
            injected_panic: self.injected_panic,
        }
    }

    /// Cancels what is running.
    pub fn cancel(&mut self, work: Cancellable) {
        let lane = match work {
            Cancellable::Scan => return self.cancel_scan(),
            Cancellable::Command => return self.running.command.stop(),
            Cancellable::Comparison => side_by_side::LANE,
            Cancellable::Fetch => incident::FETCH_LANE,
            Cancellable::PlanReplace => plan_replace::LANE,
            Cancellable::Search => library::SEARCH_LANE,
            Cancellable::Seeds => library::SEEDS_LANE,
        };
        self.tasks.cancel(lane);
    }

    pub(super) fn fail(&self, reason: String) {
        self.send(EngineEvent::Failed(reason));
    }

    /// Sends from the window's own thread, which must not wait for itself.
    pub(super) fn send(&self, event: EngineEvent) {
        self.sender.try_send(event);
    }
}

/// Reads a project and reports it to the window. Returns what watching starts from, unless it was cancelled.
fn scan_for_window(
    project: &Project,
    paths: Vec<PathBuf>,
    generation: u64,
    sender: &EventSender,
    cancel: &AtomicBool,
) -> Option<ScanHandover> {
    // Before anything is read: what is written from now on is read again when watching begins.
    let (start_time, start) = (SystemTime::now(), Instant::now());
    let info = project_info(project, paths);
    sender.send(EngineEvent::ScanStarted { generation, project: info }, cancel);
    let mut found_items: Vec<Arc<Item>> = Vec::new();
    let mut project_problems: Vec<(usize, Problem)> = Vec::new();
    let outcome = scan(project, SourceLookup::Look, cancel, &mut |step| match step {
        ScanStep::Rows(items) => {
            found_items.extend_from_slice(&items);
            sender.send(EngineEvent::ItemsFound { generation, items }, cancel);
        }
        ScanStep::Progress(progress) => {
            sender.send(EngineEvent::Progressed { generation, progress }, cancel);
        }
        ScanStep::Judged(mut problems) => {
            problems.sort_by_key(|(index, _)| *index);
            send_judged(&project.pool, &found_items, &problems, &mut |items| {
                sender.send(EngineEvent::ItemsChecked { generation, items }, cancel);
            });
            project_problems = problems;
        }
    });
    if let Ok(outcome) = &outcome {
        log_scan(project, outcome, start);
    }
    let event = match &outcome {
        Ok(outcome) => EngineEvent::ScanEnded {
            generation,
            progress: outcome.progress,
            cancelled: outcome.cancelled,
        },
        Err(error) => EngineEvent::Failed(format!("Cannot start a thread to read: {error}")),
    };
    // The window waits for this event even after it has cancelled the scan.
    sender.send(event, &AtomicBool::new(false));
    let outcome = outcome.ok().filter(|outcome| !outcome.cancelled)?;
    // The window has its answer and does not wait for this.
    outcome.caches.write();
    Some(ScanHandover {
        rows: found_items,
        judged: project_problems,
        known: outcome.known,
        unlisted: outcome.unlisted,
        began: start_time,
    })
}

fn project_info(project: &Project, opened_paths: Vec<PathBuf>) -> protocol::ProjectInfo {
    let root = project.root().map(crate::disk::root::Root::path);
    let folder = project.opened_folder();
    let name = match folder.rsplit('/').next() {
        Some(name) if !name.is_empty() => Some(name.into()),
        _ => root.and_then(|root| root.file_name()).map(OsStr::to_string_lossy),
    };
    let settings = project.settings();
    protocol::ProjectInfo {
        name: name.unwrap_or_default().into_owned(),
        folder: folder.to_owned(),
        branch: project.branch(),
        root: root.map_or_else(String::new, |root| root.to_string_lossy().into_owned()),
        opened: opened_paths,
        regenerate: settings.and_then(|s| s.regenerate.clone()),
        difftool: settings.and_then(|s| s.difftool.clone()),
    }
}

fn log_scan(project: &Project, outcome: &ScanOutcome, start: Instant) {
    let paths: Vec<String> = project.opened_paths().map(|p| p.display().to_string()).collect();
    log::info!(
        "Opened {}: {} read in {} ms{}",
        paths.join(", "),
        counted(outcome.progress.read, "file", "files"),
        start.elapsed().as_millis(),
        if outcome.cancelled { ", cancelled" } else { "" }
    );
}

/// Sends the items with problems that depend on other items, in parts that do not stall the window. The problems are in the order of
/// the items.
fn send_judged(
    pool: &Pool,
    items: &[Arc<Item>],
    problems: &[(usize, Problem)],
    send: &mut dyn FnMut(Vec<(DocId, Arc<Item>)>),
) {
    let judged_items = problems.chunk_by(|(a, _), (b, _)| a == b).filter_map(|group| {
        let index = group[0].0;
        let problems = group.iter().map(|(_, problem)| problem.clone()).collect();
        let item = Item::clone(items.get(index)?).with_problems(problems).share_problems(pool);
        Some((DocId::new(index), Arc::new(item)))
    });
    let judged_items: Vec<_> = judged_items.collect();
    judged_items.chunks(MAX_CHECKED_ITEMS).for_each(|part| send(part.to_vec()));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Drains events up to the end of a scan.
    fn until_end(events: &Receiver<EngineEvent>) -> (Vec<Arc<Item>>, bool) {
        let mut found_items = Vec::new();
        loop {
            match events.recv_timeout(Duration::from_secs(30)).unwrap() {
                EngineEvent::ItemsFound { items, .. } => found_items.extend(items),
                EngineEvent::ScanEnded { cancelled, .. } => return (found_items, cancelled),
                _ => {}
            }
        }
    }

    #[test]
    fn a_scan_returns_rows_and_a_row_is_read_again() {
        let temp = tempfile::tempdir().unwrap();
        for n in 0..100 {
            let text = format!(r#"{{ "broken": {n}, "mutations": [], "statistics": {{}} "#);
            std::fs::write(temp.path().join(format!("{n}.json")), text).unwrap();
        }
        let (mut engine, events) = Engine::start(EngineOptions::default(), || {}).unwrap();
        engine.scan(vec![temp.path().to_owned()]);
        let (items, cancelled) = until_end(&events);
        assert!(!cancelled);
        assert_eq!(items.len(), 100);

        let last = items.len() - 1;
        let (doc, item) = (DocId::new(last), Arc::clone(&items[last]));
        engine.run(protocol::ReadDocument { doc, item }.into());
        // The watcher may report what it sees of the folder before.
        let mut answers = std::iter::from_fn(|| events.recv_timeout(Duration::from_secs(30)).ok());
        let opened = answers.find_map(|event| match event {
            EngineEvent::Opened(id, document) => Some((id, document.unwrap())),
            _ => None,
        });
        let (id, document) = opened.unwrap();
        assert_eq!(id, DocId::new(last));
        assert!(document.source().text().starts_with("{ \"broken\""));

        engine.scan(vec!["/no/such/folder".into()]);
        let reason = answers.find_map(|event| match event {
            EngineEvent::Failed(reason) => Some(reason),
            _ => None,
        });
        assert!(reason.unwrap().contains("/no/such/folder"));
    }
}
