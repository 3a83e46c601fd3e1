//! Runs tasks: on which thread, in which order, what cancels them, and what a panic reports. The answer of a cancelled task is not
//! sent; the workbench drops others that are out of date.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded, unbounded};

use crate::disk::guard::guard;
use crate::disk::project::Project;
use crate::event_sender::EventSender;
use crate::services::Services;
use protocol::{EngineEvent, Lane};

/// The most files that wait to be read again: more than a user can click.
const READ_CAPACITY: usize = 64;

/// Time that the window waits, when it is closed, for a file that is being written.
// A disk that does not answer for so long may never do so.
const MAX_CLOSE_WAIT: Duration = Duration::from_secs(10);

/// Work of the engine for a request.
pub(super) struct Work {
    lane: Lane,
    /// Key and time within which newer work with the same key replaces this one before it runs; a lane shares its keys. Work without
    /// delay ends the wait. For lanes in order only.
    debounce: Option<(usize, Duration)>,
    run: RunWork,
}

/// Does the work and returns its answer; `None` when there is none, or when it was cancelled. Parts that arrive earlier are sent by
/// [`TaskContext::send`]. With the reason of a failure that is not the result of the work, which is no thread or an internal
/// error, returns the event for it.
type RunWork = Box<dyn Fn(Result<&TaskContext, String>) -> Option<EngineEvent> + Send>;

impl Work {
    /// Work whose failure is shown as a notice.
    pub(super) fn new<R: Send + 'static>(
        lane: Lane,
        request: R,
        work: fn(&R, &TaskContext) -> Option<EngineEvent>,
    ) -> Self {
        Self::failing(lane, request, work, |_, reason| EngineEvent::Failed(format!("{reason}.")))
    }

    /// Work for a desk that waits for the answer: it gets the failure in place of it.
    pub(super) fn answering<R: Send + 'static, T: 'static>(
        lane: Lane,
        request: R,
        work: fn(&R, &TaskContext) -> Option<Result<T, String>>,
        answer: fn(&R, Result<T, String>) -> EngineEvent,
    ) -> Self {
        let run = move |context: Result<&TaskContext, String>| {
            let result = match context {
                Ok(context) => work(&request, context)?,
                Err(reason) => Err(reason),
            };
            Some(answer(&request, result))
        };
        Self { lane, debounce: None, run: Box::new(run) }
    }

    /// As [`Work::answering`], with another event for the failure.
    pub(super) fn failing<R: Send + 'static>(
        lane: Lane,
        request: R,
        work: fn(&R, &TaskContext) -> Option<EngineEvent>,
        fail: fn(&R, String) -> EngineEvent,
    ) -> Self {
        let run = move |context: Result<&TaskContext, String>| match context {
            Ok(context) => work(&request, context),
            Err(reason) => Some(fail(&request, reason)),
        };
        Self { lane, debounce: None, run: Box::new(run) }
    }

    pub(super) fn debounced(self, key: usize, delay: Duration) -> Self {
        Self { debounce: Some((key, delay)), ..self }
    }
}

/// Starts a thread; its name is for debuggers.
pub(super) fn spawn(name: &str, job: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(format!("retake {name}")).spawn(job)
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
        guard(|| description, work).unwrap_or_else(fail);
    })
}

/// Surroundings that a task may use besides its request.
pub(super) struct TaskContext {
    /// Describes the work as it continues the words "Internal error while".
    pub(super) description: String,
    pub(super) project: Option<Arc<Project>>,
    pub(super) services: Arc<Services>,
    /// The folder that the user set with `--root`.
    pub(super) root: Option<PathBuf>,
    pub(super) cancel: Arc<AtomicBool>,
    pub(super) sender: EventSender,
    #[cfg(test)]
    pub(super) injected_panic: bool,
}

impl TaskContext {
    /// Returns the open project, or the message that there is none.
    pub(super) fn opened(&self) -> Result<&Project, String> {
        self.project.as_deref().ok_or_else(|| "Nothing is open".to_owned())
    }

    /// Returns true when the answer is no longer awaited.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Sends a part of the answer; false when the task was cancelled or the window is gone.
    pub(super) fn send(&self, event: EngineEvent) -> bool {
        !self.is_cancelled() && self.sender.send(event, &self.cancel)
    }

    /// Does the work of the request. An internal error is an error with the message for the user, without a full stop.
    pub(super) fn guard<T>(&self, work: impl FnOnce() -> T) -> Result<T, String> {
        guard(
            || self.description.clone(),
            || {
                #[cfg(test)]
                assert!(!self.injected_panic, "a panic that a test injected");
                work()
            },
        )
    }
}

/// Work with its context.
struct Job {
    work: Work,
    context: TaskContext,
}

impl Job {
    /// Does the work and sends its answer. A panic is reported as a failure of this work.
    fn run(&self) {
        let Self { work, context } = self;
        let start = Instant::now();
        let answer = context.guard(|| (work.run)(Ok(context)));
        log::debug!(
            "{}: {} after {} ms",
            context.description,
            if answer.is_ok() { "done" } else { "failed" },
            start.elapsed().as_millis()
        );
        if let Some(answer) = answer.unwrap_or_else(|reason| (work.run)(Err(reason))) {
            context.send(answer);
        }
    }
}

/// The tasks of an engine. Dropping it cancels them, and waits until everything requested is written.
pub(super) struct Tasks {
    /// The latest task of each lane with a thread of its own.
    latest: HashMap<Lane, CancelOnDrop>,
    reads: Queue,
    texts: Queue,
    writes: Queue,
}

impl Tasks {
    /// Starts the threads that work in order.
    pub(super) fn start() -> io::Result<Self> {
        Ok(Self {
            latest: HashMap::new(),
            // A read may be refused, since the user can click again; an edit or a save may not.
            reads: Queue::start("open", bounded(READ_CAPACITY), OnClose::Drop)?,
            texts: Queue::start("texts", unbounded(), OnClose::Drop)?,
            writes: Queue::start("save", unbounded(), OnClose::Finish)?,
        })
    }

    /// Starts a task in its lane, which decides what cancels it.
    pub(super) fn run(&mut self, work: Work, mut context: TaskContext) {
        let lane = work.lane;
        match lane {
            Lane::Newest(_) | Lane::Independent(_) => {}
            Lane::Reads => context.cancel = Arc::clone(&self.reads.cancel),
            Lane::Texts => context.cancel = Arc::clone(&self.texts.cancel),
            Lane::Writes => context.cancel = Arc::clone(&self.writes.cancel),
        }
        let sender = context.sender.clone();
        let job = Job { work, context };
        let rejected = match lane {
            Lane::Newest(name) | Lane::Independent(name) => {
                let stop = CancelOnDrop(Arc::clone(&job.context.cancel));
                // Replacing the entry cancels the older task.
                self.latest.insert(lane, stop);
                start_job(name, job)
            }
            Lane::Reads => self.reads.push(job),
            Lane::Texts => self.texts.push(job),
            Lane::Writes => self.writes.push(job),
        };
        if let Err((work, reason)) = rejected
            && let Some(failure) = (work.run)(Err(reason))
        {
            sender.try_send(failure);
        }
    }

    /// Waits until everything requested is written, also what waits for newer requests.
    pub(super) fn finish_writes(&mut self) {
        // Dropping the old queue waits.
        if let Ok(writes) = Queue::start("save", unbounded(), OnClose::Finish) {
            self.writes = writes;
        }
    }

    /// Cancels what belongs to the project that is closed.
    pub(super) fn close_project(&mut self) {
        self.latest.retain(|lane, _| !matches!(lane, Lane::Newest(_)));
    }

    /// Cancels the task of a lane that has a thread of its own.
    pub(super) fn cancel(&mut self, lane: Lane) {
        self.latest.remove(&lane);
    }
}

/// Work that was not started, with the reason.
type Rejected = (Work, String);

/// Runs a job on a thread of its own.
fn start_job(name: &str, job: Job) -> Result<(), Rejected> {
    // The job is sent only after the start, so that it can be returned if the thread cannot be started.
    let (to_thread, jobs) = bounded::<Job>(1);
    match spawn(name, move || jobs.iter().for_each(|job| job.run())) {
        Ok(_) => {
            // The channel has room for one.
            let _ = to_thread.send(job);
            Ok(())
        }
        Err(error) => {
            let reason = format!("Cannot start a thread for {}: {error}", job.context.description);
            Err((job.work, reason))
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

/// Treatment of waiting jobs when the window is closed.
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
    /// Number of jobs that were done.
    done: Arc<AtomicUsize>,
    /// Disconnected when the thread has ended.
    ended: Receiver<()>,
    max_wait: Duration,
}

impl Queue {
    fn start(
        name: &str,
        (jobs, receiver): (Sender<Job>, Receiver<Job>),
        on_close: OnClose,
    ) -> io::Result<Self> {
        let done_count = Arc::new(AtomicUsize::new(0));
        let (end_sender, end_receiver) = bounded::<()>(1);
        let count = Arc::clone(&done_count);
        let thread = spawn(name, move || {
            run_in_order(&receiver, on_close, &count);
            drop(end_sender);
        })?;
        Ok(Self {
            done: done_count,
            ended: end_receiver,
            max_wait: MAX_CLOSE_WAIT,
            jobs: Some(jobs),
            thread: Some(thread),
            cancel: Arc::default(),
            on_close,
        })
    }

    fn push(&self, job: Job) -> Result<(), Rejected> {
        let Some(jobs) = &self.jobs else { return Ok(()) };
        jobs.try_send(job).map_err(|error| {
            let reason = match error {
                TrySendError::Full(_) => {
                    "Too many files are being read at once; try again in a moment"
                }
                TrySendError::Disconnected(_) => {
                    "Internal error: the thread for this has ended; please report it and start Retake again"
                }
            };
            (error.into_inner().work, reason.to_owned())
        })
    }

    /// Waits until everything is done; false when one job takes so long that its disk must hang: a thread in a system call cannot be
    /// stopped, and must not keep the window open.
    fn wait_for_end(&self) -> bool {
        loop {
            let count = self.done.load(Ordering::Relaxed);
            match self.ended.recv_timeout(self.max_wait) {
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) if self.done.load(Ordering::Relaxed) > count => {}
                Err(RecvTimeoutError::Timeout) => {
                    log::error!("Closed while a file was being written: the disk does not answer");
                    return false;
                }
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && self.on_close == OnClose::Finish
            && self.wait_for_end()
        {
            // A thread that panicked has ended, too.
            let _ = thread.join();
        }
    }
}

/// Runs jobs until the channel is closed, and counts them.
fn run_in_order(jobs: &Receiver<Job>, on_close: OnClose, done_count: &AtomicUsize) {
    let run = |job: Job| {
        job.run();
        done_count.fetch_add(1, Ordering::Relaxed);
    };
    let mut waiting_jobs: BTreeMap<usize, Job> = BTreeMap::new();
    let mut deadline: Option<Instant> = None;
    loop {
        let next = match deadline {
            Some(deadline) => jobs.recv_deadline(deadline),
            None => jobs.recv().map_err(RecvTimeoutError::from),
        };
        if let Ok(job) = &next
            && on_close == OnClose::Drop
            && job.context.is_cancelled()
        {
            // All jobs of the queue share the flag, so later ones are cancelled as well.
            return;
        }
        let next = match next.map(|job| (job.work.debounce, job)) {
            Ok((Some((key, delay)), job)) => {
                waiting_jobs.insert(key, job);
                // The first edit sets the time: a user who types without a pause must not delay storing forever.
                deadline.get_or_insert_with(|| Instant::now() + delay);
                continue;
            }
            Ok((None, job)) => Some(job),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // Edits that still wait are stored before the program ends.
                waiting_jobs.into_values().for_each(run);
                return;
            }
        };
        deadline = None;
        std::mem::take(&mut waiting_jobs).into_values().for_each(run);
        if let Some(job) = next {
            run(job);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_closes_although_the_disk_never_finishes_a_write() {
        let mut queue = Queue::start("stuck", unbounded(), OnClose::Finish).unwrap();
        queue.max_wait = Duration::ZERO;
        let (keeps_waiting, stuck) = bounded::<()>(0);
        let (events, _) = bounded(1);
        let context = TaskContext {
            description: "writing".to_owned(),
            project: None,
            services: Arc::default(),
            root: None,
            cancel: Arc::default(),
            sender: EventSender { events, wake: Arc::new(|| {}) },
            injected_panic: false,
        };
        // A write that does not end before the other end of the channel is dropped.
        let work = Work::new(Lane::Writes, stuck, |stuck, _| {
            let _ = stuck.recv();
            None
        });
        assert!(queue.push(Job { work, context }).is_ok());
        drop(queue);
        drop(keeps_waiting);
    }
}
