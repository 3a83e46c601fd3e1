//! Runs tasks: the one place for threads, lanes, cancellation, panics and late answers.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::engine::disk::project::Project;
use crate::engine::event_sender::EventSender;
use crate::engine::live::langsmith::Account;
use crate::engine::runner::Engine;
use crate::engine::tasks::Drafts;
use crate::engine::watch::Watch;
use crate::workbench::{EngineEvent, TaskRequest};

pub(super) use crate::engine::disk::guard::{guard, guard_file};

/// The most files that wait to be read again: more than a user can click.
const READ_CAPACITY: usize = 64;

/// Runs a request on a thread of the engine.
pub(super) trait Task: TaskRequest {
    /// Returns where it runs, and what cancels it.
    fn lane() -> Lane
    where
        Self: Sized;

    /// Does the work and returns its answer; `None` when there is none, or when it was cancelled. An answer of a cancelled task is
    /// dropped. Parts that arrive earlier are sent by [`TaskContext::send`].
    fn run(&self, context: &TaskContext) -> Option<EngineEvent>;

    /// Returns how long a newer request with the same key may replace this one before it runs; the requests of a lane share their keys.
    /// A request without delay ends the wait. For lanes in order only.
    fn debounce(&self) -> Option<(usize, Duration)> {
        None
    }
}

/// Acts on the engine itself: starts what runs longer than a task, or changes what tasks work on.
pub(super) trait Control: TaskRequest {
    /// Runs on the window's thread, so it must not wait.
    fn execute(&self, engine: &mut Engine);

    /// Stops what a request of this type has started.
    fn cancel(_engine: &mut Engine)
    where
        Self: Sized,
    {
    }
}

/// Starts a thread; its name is for debuggers.
pub(super) fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let thread = thread::Builder::new().name(format!("retake {name}"));
    thread.spawn(work)
}

/// Starts a thread like [`spawn`]. An internal error ends it and is passed to `fail`; `description` continues the words "Internal
/// error while".
pub(super) fn spawn_guarded(
    name: &str,
    description: String,
    fail: impl FnOnce(String) + Send + 'static,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    spawn(name, move || {
        guard(|| description, work).unwrap_or_else(fail)
    })
}

/// Where a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lane {
    /// On a thread of its own. Cancelled by a newer request in the lane, and when another project is opened.
    Newest(&'static str),
    /// As [`Lane::Newest`], but not cancelled when another project is opened.
    Independent(&'static str),
    /// On the thread that reads files, in the order of the requests.
    Reads,
    /// On the thread that works on the texts of documents, in the order of the requests.
    Texts,
    /// On the thread that writes, in the order of the requests. Everything is written, even after the window is gone.
    Writes,
}

/// What all tasks share, whichever project is open.
pub(super) struct Services {
    /// The LangSmith account.
    pub(super) langsmith: Account,
    /// Used on the thread that writes only.
    pub(super) drafts: Mutex<Drafts>,
    /// Watches what was read.
    pub(super) watch: Mutex<Option<Watch>>,
}

/// What a task may use besides its request.
#[expect(dead_code, reason = "requests move here one by one")]
pub(super) struct TaskContext {
    pub(super) project: Option<Arc<Project>>,
    pub(super) services: Arc<Services>,
    /// The folder that the user set with `--root`.
    pub(super) root: Option<PathBuf>,
    /// Counts the opened projects.
    pub(super) generation: u64,
    pub(super) cancel: Arc<AtomicBool>,
    sender: EventSender,
    #[cfg(test)]
    injected_panic: bool,
}

impl TaskContext {
    /// Returns true when the answer is no longer awaited.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Sends a part of the answer; false when the task was cancelled or the window is gone.
    pub(super) fn send(&self, event: EngineEvent) -> bool {
        !self.is_cancelled() && self.sender.send(event, &self.cancel)
    }

    #[cfg_attr(
        not(test),
        expect(clippy::unused_self, reason = "only tests inject panics")
    )]
    fn panic_if_injected(&self) {
        #[cfg(test)]
        assert!(!self.injected_panic, "a panic that a test injected");
    }
}

/// A task with its context.
struct Job {
    task: Box<dyn Task>,
    context: TaskContext,
}

impl Job {
    /// Runs the task and sends its answer. A panic is reported as a failure of this task.
    fn run(&self) {
        let Self { task, context } = self;
        let work = || {
            context.panic_if_injected();
            task.run(context)
        };
        let answer = guard(|| task.describe(), work);
        if let Some(answer) = answer.unwrap_or_else(|reason| Some(task.fail(reason))) {
            context.send(answer);
        }
    }
}

/// The tasks of an engine. Dropping it cancels them, and waits until everything requested is written.
pub(super) struct Tasks {
    sender: EventSender,
    services: Arc<Services>,
    /// The latest task of each lane with a thread of its own.
    latest: HashMap<Lane, CancelOnDrop>,
    reads: Queue,
    texts: Queue,
    writes: Queue,
    /// Whether each later request panics.
    #[cfg(test)]
    pub(super) injected_panic: bool,
}

impl Tasks {
    /// Starts the threads that work in order.
    pub(super) fn start(sender: EventSender, services: Arc<Services>) -> io::Result<Self> {
        Ok(Self {
            sender,
            services,
            latest: HashMap::new(),
            reads: Queue::start("open", bounded(READ_CAPACITY), OnClose::Drop)?,
            texts: Queue::start("texts", unbounded(), OnClose::Drop)?,
            writes: Queue::start("save", unbounded(), OnClose::Finish)?,
            #[cfg(test)]
            injected_panic: false,
        })
    }

    /// Starts a task in its lane. `project`, `root` and `generation` are those of its [context](TaskContext).
    pub(super) fn run(
        &mut self,
        (lane, task): (Lane, Box<dyn Task>),
        project: Option<Arc<Project>>,
        root: Option<PathBuf>,
        generation: u64,
    ) {
        let cancel = match lane {
            Lane::Newest(_) | Lane::Independent(_) => Arc::default(),
            Lane::Reads => Arc::clone(&self.reads.cancel),
            Lane::Texts => Arc::clone(&self.texts.cancel),
            Lane::Writes => Arc::clone(&self.writes.cancel),
        };
        let context = TaskContext {
            project,
            services: Arc::clone(&self.services),
            root,
            generation,
            cancel,
            sender: self.sender.clone(),
            #[cfg(test)]
            injected_panic: self.injected_panic,
        };
        let job = Job { task, context };
        let rejected = match lane {
            Lane::Newest(name) | Lane::Independent(name) => {
                let guard = CancelOnDrop(Arc::clone(&job.context.cancel));
                // Replacing the guard cancels the older task.
                self.latest.insert(lane, guard);
                start_job(name, job)
            }
            Lane::Reads => self.reads.push(job),
            Lane::Texts => self.texts.push(job),
            Lane::Writes => self.writes.push(job),
        };
        if let Err((task, reason)) = rejected {
            self.sender.try_send(task.fail(reason));
        }
    }

    /// Cancels what belongs to the project that is closed.
    pub(super) fn close_project(&mut self) {
        self.latest
            .retain(|lane, _| !matches!(lane, Lane::Newest(_)));
    }

    /// Cancels the task of a lane that has a thread of its own.
    pub(super) fn cancel(&mut self, lane: Lane) {
        self.latest.remove(&lane);
    }
}

/// A task that was not started, with the reason.
type Rejected = (Box<dyn Task>, String);

/// Runs a job on a thread of its own.
fn start_job(name: &str, job: Job) -> Result<(), Rejected> {
    // The job comes back if the thread cannot be started.
    let (to_thread, received) = bounded::<Job>(1);
    match spawn(name, move || received.iter().for_each(|job| job.run())) {
        Ok(_) => {
            // The channel has room for one.
            let _ = to_thread.send(job);
            Ok(())
        }
        Err(error) => {
            let reason = format!("Cannot start a thread for {}: {error}", job.task.describe());
            Err((job.task, reason))
        }
    }
}

/// Cancels a task when it is dropped. Does not wait for it: it may be reading a large file.
#[derive(Default)]
pub(super) struct CancelOnDrop(pub(super) Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What happens with waiting jobs when the window is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnClose {
    Drop,
    Finish,
}

/// A thread that runs jobs in the order in which they arrive.
struct Queue {
    /// `None` once the engine is shutting down.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    /// True once answers are no longer received.
    cancel: Arc<AtomicBool>,
    on_close: OnClose,
}

impl Queue {
    fn start(
        name: &str,
        (jobs, received): (Sender<Job>, Receiver<Job>),
        on_close: OnClose,
    ) -> io::Result<Self> {
        let thread = spawn(name, move || run_in_order(&received, on_close))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            cancel: Arc::default(),
            on_close,
        })
    }

    fn push(&self, job: Job) -> Result<(), Rejected> {
        let Some(jobs) = &self.jobs else {
            return Ok(());
        };
        jobs.try_send(job).map_err(|error| {
            let reason = "Too many files are being read at once; try again in a moment";
            (error.into_inner().task, reason.to_owned())
        })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && self.on_close == OnClose::Finish
        {
            // A thread that panicked has ended, too.
            let _ = thread.join();
        }
    }
}

/// Runs jobs until the channel is closed.
fn run_in_order(jobs: &Receiver<Job>, on_close: OnClose) {
    let mut waiting: BTreeMap<usize, Job> = BTreeMap::new();
    let mut due: Option<Instant> = None;
    loop {
        let next = match due {
            Some(due) => jobs.recv_deadline(due),
            None => jobs.recv().map_err(RecvTimeoutError::from),
        };
        if let Ok(job) = &next
            && on_close == OnClose::Drop
            && job.context.is_cancelled()
        {
            return;
        }
        let next = match next.map(|job| (job.task.debounce(), job)) {
            Ok((Some((key, delay)), job)) => {
                waiting.insert(key, job);
                due.get_or_insert_with(|| Instant::now() + delay);
                continue;
            }
            Ok((None, job)) => Some(job),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                waiting.into_values().for_each(|job| job.run());
                return;
            }
        };
        due = None;
        std::mem::take(&mut waiting)
            .into_values()
            .for_each(|job| job.run());
        if let Some(job) = next {
            job.run();
        }
    }
}
